package exchange

import (
	"context"

	"sgip.example/starter/sgip"
)

// judge checks target, op and payload (contract 5), then lets the op's handler
// decide. Every refusal from here on is remembered.
func (in *Inbox) judge(ctx context.Context, i Incoming) (Answer, error) {
	if i.To.Platform != in.c.Self {
		return in.route(ctx, i)
	}
	if err := in.checkWay(i); err != nil {
		return Answer{}, err
	}
	handle, ok := in.handlers[i.Op]
	if !ok {
		return Answer{}, sgip.Errorf(sgip.OpUnsupported, "%s isn't answered here", i.Op)
	}
	if err := sgip.CheckPayload(in.c.Mode, i.Op, i.Payload); err != nil {
		return Answer{}, err
	}
	return handle(ctx, i)
}

// checkWay holds an envelope addressed here to the way its op travels: the hub
// answers platforms, a game answers its fellows, and the hub alone on what is
// the hub's to ask.
func (in *Inbox) checkWay(i Incoming) error {
	way := i.Op.Way()
	if in.c.Self == sgip.HubID {
		if way == sgip.FromHub || way == sgip.BetweenPlatforms {
			return sgip.Errorf(sgip.OpUnsupported, "%s is for games", i.Op)
		}
		return nil
	}
	switch {
	case way == sgip.ToHub:
		return sgip.Errorf(sgip.OpUnsupported, "%s is for the hub", i.Op)
	case way == sgip.FromHub && i.From.Platform != sgip.HubID:
		return sgip.Errorf(sgip.Forbidden, "%s is sent by the hub alone", i.Op)
	}
	return nil
}

// route lets the hub pass on what is addressed to another platform. It checks
// the payload itself, after target and op.
func (in *Inbox) route(ctx context.Context, i Incoming) (Answer, error) {
	if in.c.Route == nil {
		return Answer{}, sgip.Errorf(sgip.Forbidden, "this isn't %s", i.To.Platform)
	}
	return in.c.Route(ctx, i)
}
