package hub

import (
	"context"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/conformance"
	"sgip.example/starter/sgip/exchange"
)

// check answers hub.check@1 (9.1): it tests the platform that asks, by the
// descriptor that its signature was checked against, and tells what each check
// found. Whose inbox or visit page isn't on its own domain has been refused with
// the descriptor, so that no request goes anywhere else.
func (h *Hub) check(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	platform := in.From.Platform
	got, ok := h.fetcher.latest(platform, in.Op)
	if !ok {
		return exchange.Answer{}, sgip.Errorf(sgip.PlatformOffline, "the descriptor was lost; ask again")
	}
	if !got.check.lists(in.KeyID) {
		return exchange.Answer{}, sgip.Errorf(sgip.BadSignature, "the descriptor doesn't list the key that signed this")
	}
	if err := h.registry.checkSuspended(ctx, platform); err != nil {
		return exchange.Answer{}, err
	}
	signer := h.signer()
	suite := conformance.Suite{
		Mode: h.mode, Client: h.client, Hub: signer, Clock: h.now, NewID: h.newID,
		Passport: conformance.Traveller(signer, h.now, h.newID, platform),
	}
	return exchange.Answer{Ask: func(ctx context.Context) exchange.Finish {
		report, err := suite.Run(ctx, platform, got.served)
		return func(context.Context) (exchange.Answer, error) {
			return exchange.Answer{Result: report}, err
		}
	}}, nil
}
