package hub

import (
	"context"
	"strings"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

const (
	// queuedFor is how long the hub holds an envelope for an offline platform
	// (section 5).
	queuedFor = 24 * time.Hour
	// queueOfPair bounds what one sender may leave for one target: as many as it
	// may send in a working day at a few a minute, and 32 MiB at the very most.
	queueOfPair = 500
	// queueOfTarget bounds what all senders may: twenty of the fullest.
	queueOfTarget = 20 * queueOfPair
	// atOneTarget is how many letters may be on their way to one game at one time,
	// so that one which hangs can't hold up those for others.
	atOneTarget = 8
)

// queues says which operations are held for an offline platform (section 9).
func queues(op sgip.Op) bool {
	return op == sgip.MessageSend || op == sgip.InviteSend || op == sgip.VisitEnd
}

// pairLane keeps what one sender has for one target in order.
func pairLane(from, to string) string { return "queue/" + from + "/" + to }

// letterOf names the letter of a queued envelope: ids are the sender's own.
func letterOf(from, id string) string { return from + "/" + id }

// senderOf is whose envelope a letter carries, "" for the hub's own.
func senderOf(l exchange.Letter) (sender, id string) {
	sender, id, ok := strings.Cut(l.ID, "/")
	if !ok {
		return "", ""
	}
	return sender, id
}

// isQueued reports whether the envelope is held already: it is judged no more.
func (h *Hub) isQueued(ctx context.Context, in exchange.Incoming) (bool, error) {
	if !queues(in.Op) {
		return false, nil
	}
	return h.outbox.Posted(ctx, letterOf(in.From.Platform, in.ID))
}

// deliver forwards an envelope that may be queued. It joins the end where some
// of its pair wait, or where the target gives no answer. Two of a pair that are
// sent at the same time have no order.
func (h *Hub) deliver(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	before, err := h.outbox.InLane(ctx, pairLane(in.From.Platform, in.To.Platform))
	if err != nil {
		return exchange.Answer{}, err
	}
	if before > 0 {
		return h.enqueue(ctx, in, 0)
	}
	return exchange.Answer{Ask: func(ctx context.Context) exchange.Finish {
		reply, err := h.outbox.Call(ctx, in.To.Platform, in.ID, in.Body)
		return func(ctx context.Context) (exchange.Answer, error) {
			err := refusal(in.To.Platform, reply, err)
			switch {
			case sgip.CodeOf(err) == sgip.PlatformOffline, reply.Queued():
				return h.enqueue(ctx, in, 1)
			case err != nil:
				return exchange.Answer{}, err
			}
			return exchange.Answer{Result: reply.Result}, nil
		}
	}}, nil
}

// queued is not kept: the same envelope learns the end later (contract 4).
func queued() exchange.Answer {
	return exchange.Answer{Result: map[string]bool{"queued": true}, Unkept: true}
}

// enqueue writes an envelope down, byte for byte, to be sent once it can be. The
// sender of more than the hub holds has to ask again itself.
func (h *Hub) enqueue(ctx context.Context, in exchange.Incoming, attempts int) (exchange.Answer, error) {
	from, to := in.From.Platform, in.To.Platform
	lane := pairLane(from, to)
	ofPair, err := h.outbox.InLane(ctx, lane)
	if err != nil {
		return exchange.Answer{}, err
	}
	ofTarget, err := h.outbox.To(ctx, to)
	if err != nil {
		return exchange.Answer{}, err
	}
	if ofPair >= queueOfPair || ofTarget >= queueOfTarget {
		return exchange.Answer{}, sgip.Errorf(sgip.PlatformOffline, "%s gives no answer, and the hub holds no more for it", to)
	}
	return queued(), h.outbox.Post(ctx, exchange.Letter{
		ID: letterOf(from, in.ID), EnvelopeID: in.ID, To: to, Op: in.Op, Body: in.Body, Until: exchange.UntilDefinite,
		Lane: lane, Attempts: attempts, PostedAt: h.now(), Expires: h.now().Add(queuedFor)})
}

// dequeued writes down what its sender is answered from now on: what the target
// said, or that the time is over.
func (h *Hub) dequeued(ctx context.Context, l exchange.Letter, r sgip.Reply) error {
	sender, id := senderOf(l)
	if err := refusal(l.To, r, nil); err != nil && !r.OK {
		e := *sgip.AsError(err)
		e.Final = e.Code.Transient() // it is asked no more
		r = sgip.ErrorReply(id, &e)
	}
	return h.inbox.Settle(ctx, sender, id, l.Op, r)
}
