package hub

import (
	"context"
	"slices"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// hello answers hub.hello@1: it registers the sender by the descriptor that its
// signature was checked against. What is refused leaves the old registration as
// it was.
func (h *Hub) hello(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	platform := in.From.Platform
	got, ok := h.fetcher.latest(platform, in.Op)
	if !ok {
		return exchange.Answer{}, sgip.Errorf(sgip.PlatformOffline, "the descriptor was lost; say hello again")
	}
	if !got.hello.lists(in.KeyID) {
		return exchange.Answer{}, sgip.Errorf(sgip.BadSignature, "the descriptor doesn't list the key that signed this")
	}
	if err := h.registry.checkSuspended(ctx, platform); err != nil {
		return exchange.Answer{}, err
	}
	old, err := h.registry.membersOf(ctx, platform)
	if err != nil {
		return exchange.Answer{}, err
	}
	if err := h.checkRing(ctx, old[platform].Descriptor, got.descriptor); err != nil {
		return exchange.Answer{}, err
	}
	registeredAt, err := h.store.SaveRegistration(ctx, Registration{
		ID: platform, Descriptor: got.descriptor, RegisteredAt: h.now(), HelloAt: h.now(), Online: true}, got.hello.keys)
	if err != nil {
		return exchange.Answer{}, err
	}
	stale, err := parseKeys(old[platform].Descriptor.PublicKeys)
	if err != nil {
		return exchange.Answer{}, err
	}
	keyIDs := idsOf(got.hello.keys)
	h.afterCommit(ctx, func() {
		h.registry.forget(platform, slices.Concat(idsOf(stale), keyIDs)...)
		h.marks.set(platform, true)
		h.outbox.Wake(platform)
	})
	return exchange.Answer{Result: sgip.HelloResult{
		PlatformID: platform, KeyIDs: keyIDs, RegisteredAt: sgip.FormatTime(registeredAt)}}, nil
}

func idsOf(keys []sgip.PublicKey) []string {
	var ids []string
	for _, key := range keys {
		ids = append(ids, key.ID)
	}
	return ids
}

// checkRing refuses rates that would complete a cycle of conversions worth more
// than 1 (7.4). Inactive entries count from the start, so that a later hello of
// someone else can't complete a ring unseen.
func (h *Hub) checkRing(ctx context.Context, old, updated sgip.Descriptor) error {
	edges := edgesOf(updated)
	if len(edges) == 0 || slices.Equal(edges, edgesOf(old)) {
		return nil // nothing new that a ring could be made of
	}
	others, err := h.store.Edges(ctx, updated.PlatformID)
	if err != nil {
		return err
	}
	if ring := sgip.Ring(append(others, edges...)); ring != nil {
		return sgip.Errorf(sgip.InvalidPayload, "money.accepts: %s", sgip.DescribeRing(ring))
	}
	return nil
}

func edgesOf(d sgip.Descriptor) []sgip.Edge {
	if d.Money == nil {
		return nil
	}
	var edges []sgip.Edge
	for _, entry := range d.Money.Accepts {
		edges = append(edges, sgip.Edge{From: entry.From, Host: d.PlatformID, Rate: entry.Rate()})
	}
	return edges
}
