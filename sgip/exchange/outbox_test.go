package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/storage"
)

func TestOutbox_Post(t *testing.T) {
	t.Run("OK", func(t *testing.T) {
		p := newPeer(t, fine)
		o := newOffice(t, p)
		var got []string
		o.On(sgip.MessageSend, func(ctx context.Context, l exchange.Letter, r sgip.Reply) error {
			got = append(got, fmt.Sprint(l.ID, l.Attempts, r.OK))
			return o.db.Tx(ctx).Exec("INSERT INTO marks (text) VALUES (?)", l.ID).Error
		})
		o.run()
		id := o.post(exchange.Letter{})
		o.await(id)
		if len(got) != 1 || got[0] != fmt.Sprint(id, 1, true) || o.letters() != 0 {
			t.Errorf("%v, %d letters left", got, o.letters())
		}
		o.await(id) // a letter that is gone has ended
	})
	t.Run("OK nothing is sent for a transaction undone", func(t *testing.T) {
		p := newPeer(t, fine)
		o := newOffice(t, p)
		o.run()
		undone := errors.New("undone")
		err := o.db.InTx(t.Context(), func(ctx context.Context) error {
			l := exchange.Letter{ID: newID(), To: berlin, Op: sgip.MessageSend, Body: message(newID())}
			return errors.Join(o.Post(ctx, l), undone)
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		o.await(o.post(exchange.Letter{})) // another one goes out meanwhile
		if len(p.seen()) != 1 {
			t.Errorf("%d sent", len(p.seen()))
		}
	})
}

func TestOutbox_UntilDefinite(t *testing.T) {
	t.Run("OK tried until definite, with the same bytes", func(t *testing.T) {
		codes := []string{"", string(sgip.Internal), string(sgip.PlatformOffline), "queued", string(sgip.RateLimited), "junk"}
		p := newPeer(t, func(p post, n int) (int, string, string) {
			switch {
			case n > len(codes)-1:
				return 404, jsonType, errorReply(p.id, sgip.NotFound, "")
			case codes[n] == "queued":
				return 200, jsonType, `{"ok":true,"id":"` + p.id + `","result":{"queued":true}}`
			case codes[n] == "junk":
				return 502, "text/html", "<h1>Bad Gateway</h1>"
			case codes[n] == string(sgip.RateLimited):
				return 429, jsonType, errorReply(p.id, sgip.RateLimited, `,"retry_after":3600`)
			}
			return 500, jsonType, errorReply(p.id, sgip.Code(codes[n]), "")
		})
		o := newOffice(t, p)
		ended := make(chan sgip.Reply, 1)
		o.On(sgip.MessageSend, func(_ context.Context, l exchange.Letter, r sgip.Reply) error {
			ended <- r
			return nil
		})
		o.run()
		o.post(exchange.Letter{})
		for n := range len(codes) - 1 {
			waitFor(t, "another attempt", func() bool { return attempts(o) == n+1 })
			if n == 3 { // rate limited for an hour: the waits that are usual don't do
				o.pass(59 * time.Minute)
				if due(o) {
					t.Error("retry_after isn't honoured")
				}
			}
			o.pass(2 * time.Minute)
		}
		if r := <-ended; r.Error.Code != sgip.NotFound {
			t.Errorf("%+v", r)
		}
		for _, got := range p.seen() {
			if got.body != p.seen()[0].body {
				t.Error("an attempt had other bytes")
			}
		}
	})
	t.Run("OK an answer that isn't the end is asked again, with the same bytes", func(t *testing.T) {
		p := newPeer(t, fine)
		o := newOffice(t, p)
		heard := 0
		o.On(sgip.MessageSend, func(ctx context.Context, l exchange.Letter, _ sgip.Reply) error {
			if heard++; heard < 3 {
				return errors.Join(o.db.Tx(ctx).Exec("INSERT INTO marks (text) VALUES (?)", "too early").Error, exchange.ErrNotYet)
			}
			return o.db.Tx(ctx).Exec("INSERT INTO marks (text) VALUES (?)", "the end").Error
		})
		o.run()
		id := o.post(exchange.Letter{})
		for n := range 2 {
			waitFor(t, "another attempt", func() bool { return attempts(o) == n+1 })
			o.pass(2 * time.Minute)
		}
		o.await(id)
		var marks []string
		if err := o.db.Conn(t.Context()).Raw("SELECT text FROM marks").Scan(&marks).Error; err != nil || !slices.Equal(marks, []string{"the end"}) {
			t.Errorf("marks %v, %v", marks, err)
		}
		if seen := p.seen(); len(seen) != 3 || seen[0].body != seen[2].body {
			t.Errorf("%d attempts, the bytes must be the same", len(seen))
		}
		if log := o.log.String(); strings.Contains(log, "ERROR") {
			t.Errorf("an answer that is sound is logged as a fault: %s", log)
		}
	})
	t.Run("OK a clock that is set back holds nothing up", func(t *testing.T) {
		p := newPeer(t, func(p post, n int) (int, string, string) {
			if n < 3 {
				return 500, jsonType, errorReply(p.id, sgip.Internal, "")
			}
			return fine(p, n)
		})
		o := newOffice(t, p)
		stop := o.run()
		id := o.post(exchange.Letter{})
		waitFor(t, "an attempt", func() bool { return attempts(o) == 1 })
		o.pass(-24 * time.Hour)
		waitFor(t, "another attempt", func() bool { return attempts(o) == 2 })
		stop()
		o.pass(-24 * time.Hour) // while nobody looks
		o.run()
		o.await(id)
	})
	t.Run("OK a voided charge's answer ends it", func(t *testing.T) {
		p := newPeer(t, func(p post, n int) (int, string, string) {
			return 503, jsonType, strings.Replace(errorReply(p.id, sgip.PlatformOffline, ""), `"retryable":true`, `"retryable":false`, 1)
		})
		o := newOffice(t, p)
		o.run()
		o.await(o.post(exchange.Letter{}))
	})
}

func TestOutbox_UntilOK(t *testing.T) {
	t.Run("OK until ok, each under a new id after an answer", func(t *testing.T) {
		p := newPeer(t, func(p post, n int) (int, string, string) {
			switch n {
			case 1:
				return 502, "text/html", "gateway" // no answer: the same id again
			case 2:
				return 403, jsonType, errorReply(p.id, sgip.Forbidden, "")
			case 3:
				return 500, jsonType, errorReply(p.id, sgip.Internal, "")
			}
			return 200, jsonType, okReply(p.id)
		})
		o := newOffice(t, p)
		names := make(chan string, 1)
		o.On(sgip.MessageSend, func(_ context.Context, l exchange.Letter, r sgip.Reply) error { names <- l.ID; return nil })
		o.run()
		id := o.post(exchange.Letter{Until: exchange.UntilOK})
		for n := range 3 {
			waitFor(t, "another attempt", func() bool { return attempts(o) == n+1 })
			o.pass(2 * time.Minute)
		}
		if name := <-names; name != id {
			t.Errorf("the letter ended as %s", name)
		}
		ids := p.seen()
		if ids[0].id != id || ids[1].id != id || ids[2].id == id || ids[3].id == ids[2].id {
			t.Errorf("ids: %s %s %s %s", ids[0].id, ids[1].id, ids[2].id, ids[3].id)
		}
		for _, got := range ids {
			if !strings.Contains(got.body, `"payload":{"text":"How far?"}`) {
				t.Errorf("another payload: %s", got.body)
			}
		}
	})
}

func TestOutbox_Answered(t *testing.T) {
	t.Run("OK handler's error or panic keeps the letter", func(t *testing.T) {
		p := newPeer(t, fine)
		o := newOffice(t, p)
		n := 0
		o.On(sgip.MessageSend, func(ctx context.Context, l exchange.Letter, r sgip.Reply) error {
			if err := o.db.Tx(ctx).Exec("INSERT INTO marks (text) VALUES (?)", l.ID).Error; err != nil {
				return err
			}
			switch n++; n {
			case 1:
				return errors.New("not now")
			case 2:
				panic("ouch")
			}
			return nil
		})
		o.run()
		id := o.post(exchange.Letter{})
		for tries := 1; tries < 3; tries++ {
			waitFor(t, "another attempt", func() bool { return attempts(o) == tries })
			o.Wake(berlin)
		}
		o.await(id)
		var marks int
		o.db.Conn(t.Context()).Raw("SELECT count(*) FROM marks").Scan(&marks)
		if marks != 1 || len(p.seen()) != 3 {
			t.Errorf("%d marks, %d attempts", marks, len(p.seen()))
		}
	})
	t.Run("ErrSameLetterTwice", func(t *testing.T) {
		o := newOffice(t, nowhere{})
		id := o.post(exchange.Letter{})
		err := o.db.InTx(t.Context(), func(ctx context.Context) error {
			return o.Post(ctx, exchange.Letter{ID: id, To: berlin, Op: sgip.MessageSend, Body: message(id)})
		})
		if !storage.IsUnique(err) {
			t.Error(err)
		}
	})
}

// attempts is how often the one letter has been tried.
func attempts(o *office) (n int) {
	o.db.Conn(context.Background()).Raw("SELECT coalesce(max(attempts), -1) FROM exchange_letters").Scan(&n)
	return n
}

func due(o *office) bool {
	letters, err := o.store.DueLetters(context.Background(), o.clock(), 1, nil)
	return err != nil || len(letters) > 0
}
