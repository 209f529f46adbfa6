package hub

import (
	"context"
	"errors"
	"slices"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// askMost is after how long a charge still undecided can have no answer coming:
// well over answerWithin.
const askMost = time.Minute

// charge answers wallet.charge@1. First, in one transaction, the charge and
// what it takes of every limit are written down; then the home game is asked
// once, outside of it; then, in a second one, the charge is settled, has failed,
// or is void. Whatever stops the hub in between leaves a charge that is never asked
// again: voidUndecided finds it.
func (h *Hub) charge(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	var p sgip.ChargePayload
	if err := in.Decode(h.mode, &p); err != nil {
		return exchange.Answer{}, err
	}
	if err := h.claim(ctx, in); err != nil {
		return exchange.Answer{}, err
	}
	switch known, err := h.store.Charge(ctx, in.ID); {
	case err == nil:
		return h.standing(ctx, known.ID, exchange.Keep(isVoid(known.ID)))
	case !errors.Is(err, ErrNone):
		return exchange.Answer{}, err
	}
	var c Charge
	// A savepoint: a limit that is passed gives back what was taken of the others.
	err := h.inTx(ctx, func(ctx context.Context) (err error) {
		c, err = h.accept(ctx, in, p)
		return err
	})
	if err != nil {
		return exchange.Answer{}, keepRefusal(err)
	}
	env, err := h.debitEnvelope(c, p.Description)
	if err != nil {
		return exchange.Answer{}, err
	}
	body, err := env.Encode()
	if err != nil {
		return exchange.Answer{}, err
	}
	return exchange.Answer{Ask: func(ctx context.Context) exchange.Finish {
		reply, err := h.outbox.Call(ctx, c.Home, env.ID, body)
		return func(ctx context.Context) (exchange.Answer, error) { return h.decide(ctx, c, reply, err) }
	}}, nil
}

// claim takes the envelope's id as the id of a charge or refund; Forbidden if
// another platform, or the hub, has it (contract 7.4).
func (h *Hub) claim(ctx context.Context, in exchange.Incoming) error {
	owner, err := h.store.ClaimID(ctx, in.ID, in.From.Platform)
	if err != nil {
		return err
	}
	if owner != in.From.Platform {
		return sgip.Errorf(sgip.Forbidden, "the id %s has been used by another platform", in.ID)
	}
	return nil
}

// keepRefusal lets a refused charge or refund keep its id: another platform may
// not use it either.
func keepRefusal(err error) error {
	if _, ok := errors.AsType[*sgip.Error](err); ok {
		return exchange.Keep(err)
	}
	return err
}

// accept converts and limits a new charge and writes it down.
func (h *Hub) accept(ctx context.Context, in exchange.Incoming, p sgip.ChargePayload) (Charge, error) {
	purse, err := h.openPurse(ctx, in.From.Platform, p.VisitID)
	if err != nil {
		return Charge{}, err
	}
	if !slices.Contains(purse.host.Currencies, p.Amount.Currency) {
		return Charge{}, sgip.Errorf(sgip.InvalidPayload, "payload.amount.currency: must be one of the host's currencies")
	}
	entry, ok := rateFor(purse.rates, p.Amount.Currency)
	if !ok {
		return Charge{}, sgip.Errorf(sgip.Forbidden, "no rate from %s of %s to %s",
			purse.visit.Budget.Currency, purse.visit.Home, p.Amount.Currency)
	}
	debit, err := entry.Rate().Debit(p.Amount)
	if err != nil {
		return Charge{}, err
	}
	c := Charge{
		ID: in.ID, VisitID: purse.visit.ID, Host: purse.visit.Host, Home: purse.visit.Home, Player: purse.visit.Player,
		Amount: p.Amount, Debit: debit, Day: day(h.now()), State: ChargeAsked, Run: h.run, AcceptedAt: h.now(),
		Limits: purse.limits(entry),
	}
	if err := h.reserve(ctx, c, purse.visit.Budget.Amount); err != nil {
		return Charge{}, err
	}
	return c, h.store.AddCharge(ctx, c)
}

func (h *Hub) debitEnvelope(c Charge, description string) (sgip.Envelope, error) {
	return sgip.NewEnvelope(h.newID(), sgip.WalletDebit, address(), sgip.Address{Platform: c.Home, Player: c.Player}, sgip.DebitPayload{
		Player: c.Player, ChargeID: c.ID, VisitID: c.VisitID, Host: c.Host, Amount: c.Debit, HostAmount: c.Amount, Description: description})
}

// decide moves a charge on by what the home game answered. If someone else has
// decided it meanwhile, that stands.
func (h *Hub) decide(ctx context.Context, c Charge, reply sgip.Reply, err error) (exchange.Answer, error) {
	state, code := h.judge(c, reply, err)
	if state == ChargeVoid {
		if err := h.void(ctx, c); err != nil {
			return exchange.Answer{}, err
		}
		return h.standing(ctx, c.ID, voided(c.ID))
	}
	decided, err := h.store.DecideCharge(ctx, c.ID, state, code)
	if err != nil {
		return exchange.Answer{}, err
	}
	if decided && state == ChargeFailed {
		if err := h.free(ctx, c, c.Debit.Amount, c.Amount.Amount); err != nil {
			return exchange.Answer{}, err
		}
		return exchange.Answer{}, exchange.Keep(reply.Error)
	}
	return h.standing(ctx, c.ID, voided(c.ID))
}

// judge says what an answer to wallet.debit@1 means (contract 7.4): an ok, or
// one of the codes by which a home game refuses, is definite; all else is not.
func (h *Hub) judge(c Charge, reply sgip.Reply, err error) (ChargeState, sgip.Code) {
	if err != nil {
		return ChargeVoid, ""
	}
	if reply.OK {
		var result sgip.WalletResult
		if err := sgip.DecodeResult(h.mode, sgip.WalletDebit, reply, &result); err != nil {
			h.log.Warn("debit answered with a result that can't be read; the charge is void", "charge", c.ID, "err", err)
			return ChargeVoid, ""
		}
		return ChargeSettled, ""
	}
	switch reply.Error.Code {
	case sgip.InsufficientFunds, sgip.Forbidden, sgip.NotFound, sgip.InvalidPayload, sgip.OpUnsupported, sgip.LimitReached:
		return ChargeFailed, reply.Error.Code
	default:
		return ChargeVoid, ""
	}
}

// standing answers for a charge as it stands in the database; whenVoid is what
// a void one answers.
func (h *Hub) standing(ctx context.Context, id string, whenVoid error) (exchange.Answer, error) {
	c, err := h.store.Charge(ctx, id)
	if err != nil {
		return exchange.Answer{}, err
	}
	switch c.State {
	case ChargeSettled:
		return exchange.Answer{Result: sgip.ChargeResult{ChargeID: c.ID, Amount: c.Amount, Debit: c.Debit}}, nil
	case ChargeFailed:
		return exchange.Answer{}, exchange.Keep(sgip.Errorf(c.Code, "the home game refused the charge"))
	case ChargeVoid:
		return exchange.Answer{}, whenVoid
	default:
		return exchange.Answer{}, sgip.Errorf(sgip.PlatformOffline, "the charge is still being decided")
	}
}

// voided is the answer to a charge that found no definite one. It is final: the
// host may try again under a new id (7.4), and this one is forbidden from now on.
func voided(id string) error {
	return exchange.KeepAs(&sgip.Error{Code: sgip.PlatformOffline, Final: true, Message: "the home game gave no answer; the charge is void"}, isVoid(id))
}

func isVoid(id string) error { return sgip.Errorf(sgip.Forbidden, "the charge %s is void", id) }
