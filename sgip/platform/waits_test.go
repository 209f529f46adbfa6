package platform_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

// TestMessage_Waits: what the hub holds for an offline game is told once, asked
// about with the same id, and ends as any other message.
func TestMessage_Waits(t *testing.T) {
	n := newNetwork(t)
	n.run()
	var back atomic.Bool
	n.hub.answer(sgip.MessageSend, func(sgip.Envelope) (any, error) {
		if back.Load() {
			return sgip.MessageResult{Delivered: true}, nil
		}
		return heldByHub, nil
	})
	var ids []string
	for range 3 {
		m := platform.Message{ID: newID(), From: n.player("tunde"), To: "lena@" + oslo, Text: "How far?"}
		if err := n.db.InTx(t.Context(), func(ctx context.Context) error { return n.seat.Send(ctx, m) }); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, m.ID)
	}
	eventually(t, "all wait", func() bool { return len(n.town.waits()) == 3 })
	if got := n.town.waits(); !slices.Equal(got, ids) {
		t.Errorf("told that %v wait, want %v", got, ids)
	}
	if _, ok := n.town.ended(n.town.delivered, ids[0]); ok {
		t.Error("told that it was delivered while it waits")
	}
	back.Store(true)
	for _, id := range ids {
		eventually(t, "it is delivered", func() bool {
			n.pass(time.Second)
			code, ok := n.town.ended(n.town.delivered, id)
			return ok && code == ""
		})
	}
	if got := n.town.waits(); len(got) != 3 {
		t.Errorf("told %d times that something waits", len(got))
	}
}
