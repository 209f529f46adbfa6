package hub

import (
	"context"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// route forwards an envelope to the platform it is addressed to, byte for byte
// under the hub's signature, and brings back what that platform answers
// (sections 4 and 5). The checks run in the order of contract 5: target, op,
// payload.
func (h *Hub) route(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	if held, err := h.isQueued(ctx, in); err != nil || held {
		return queued(), err
	}
	target, err := h.registry.member(ctx, in.To.Platform)
	if err != nil {
		return exchange.Answer{}, err
	}
	switch in.Op.Way() {
	case sgip.ToHub:
		return exchange.Answer{}, sgip.Errorf(sgip.OpUnsupported, "%s is for the hub", in.Op)
	case sgip.FromHub:
		return exchange.Answer{}, sgip.Errorf(sgip.Forbidden, "%s is sent by the hub alone", in.Op)
	}
	if in.Op == sgip.VisitEnd {
		return h.routeVisitEnd(ctx, in, target)
	}
	if !target.Descriptor.Declares(in.Op) {
		return exchange.Answer{}, undeclared(in)
	}
	if err := h.checkExperimental(ctx, in); err != nil {
		return exchange.Answer{}, err
	}
	if err := sgip.CheckPayload(h.mode, in.Op, in.Payload); err != nil {
		return exchange.Answer{}, err
	}
	return h.pass(ctx, in)
}

// checkExperimental wants the sender to declare an experimental op too (section
// 10): only who knows it may use it.
func (h *Hub) checkExperimental(ctx context.Context, in exchange.Incoming) error {
	if !in.Op.Experimental() {
		return nil
	}
	sender, err := h.registry.member(ctx, in.From.Platform)
	if err != nil {
		return err
	}
	if !sender.Descriptor.Declares(in.Op) {
		return sgip.Errorf(sgip.OpUnsupported, "%s doesn't declare %s, which is experimental", in.From.Platform, in.Op)
	}
	return nil
}

// routeVisitEnd keeps the visit's end even where the home game doesn't declare
// the op and so never hears of it.
func (h *Hub) routeVisitEnd(ctx context.Context, in exchange.Incoming, target Registration) (exchange.Answer, error) {
	if err := sgip.CheckPayload(h.mode, in.Op, in.Payload); err != nil {
		return exchange.Answer{}, err
	}
	if err := h.visitEnd(ctx, in); err != nil {
		return exchange.Answer{}, err
	}
	if !target.Descriptor.Declares(in.Op) {
		return exchange.Answer{}, exchange.Keep(undeclared(in))
	}
	return h.pass(ctx, in)
}

// pass sends on what has passed all checks.
func (h *Hub) pass(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	if queues(in.Op) {
		return h.deliver(ctx, in)
	}
	return h.forward(in), nil
}

func undeclared(in exchange.Incoming) error {
	return sgip.Errorf(sgip.OpUnsupported, "%s doesn't support %s", in.To.Platform, in.Op)
}

// forward asks the target outside the transaction.
func (h *Hub) forward(in exchange.Incoming) exchange.Answer {
	return exchange.Answer{Ask: func(ctx context.Context) exchange.Finish {
		reply, err := h.outbox.Call(ctx, in.To.Platform, in.ID, in.Body)
		return func(context.Context) (exchange.Answer, error) {
			if err = refusal(in.To.Platform, reply, err); err != nil {
				return exchange.Answer{}, err
			}
			return exchange.Answer{Result: reply.Result}, nil
		}
	}}
}

// refusal is what the asker is told of a platform's answer; nil for an ok. An
// answer that only says that the hub itself wasn't understood, or that has a
// code nobody knows, is no answer (contract 5).
func refusal(platform string, reply sgip.Reply, err error) error {
	switch {
	case err != nil:
		return err
	case reply.OK:
		return nil
	}
	switch reply.Error.Code {
	case sgip.InvalidPayload, sgip.OpUnsupported, sgip.NotFound, sgip.Forbidden, sgip.RateLimited, sgip.LimitReached,
		sgip.InsufficientFunds, sgip.PlatformOffline, sgip.Internal:
		return reply.Error
	default:
		return sgip.Errorf(sgip.PlatformOffline, "%s gave no answer that can be passed on", platform)
	}
}
