package hub

import (
	"context"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// sweepMost bounds how many charges one transaction voids.
const sweepMost = 50

// void decides an asked charge as void and commits to giving the whole debit
// back. A charge that has been decided meanwhile stays as it is.
func (h *Hub) void(ctx context.Context, c Charge) error {
	decided, err := h.store.DecideCharge(ctx, c.ID, ChargeVoid, "")
	if err != nil || !decided {
		return err
	}
	voidID := h.newID()
	owner, err := h.store.ClaimID(ctx, voidID, sgip.HubID)
	if err != nil {
		return err
	}
	if owner != sgip.HubID {
		return sgip.Errorf(sgip.Internal, "the id %s of a void is taken", voidID)
	}
	h.log.Warn("charge void", "charge", c.ID, "home", c.Home, "host", c.Host)
	_, err = h.owe(ctx, c, Credit{RefundID: voidID, Reason: sgip.CreditVoid, HostAmount: c.Amount, Amount: c.Debit})
	return err
}

// voidUndecided voids what no answer can come for any more: charges asked by an
// earlier run of the hub, and those whose answer couldn't be written down.
func (h *Hub) voidUndecided(ctx context.Context) error {
	for {
		left, err := h.store.Undecided(ctx, h.run, h.now().Add(-askMost), sweepMost)
		if err != nil || len(left) == 0 {
			return err
		}
		err = h.inTx(ctx, func(ctx context.Context) error {
			for _, c := range left {
				if err := h.void(ctx, c); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// owe writes a credit down, and the letter that carries it until the home game
// has answered ok. A share of 0 needs no letter and is settled at once.
func (h *Hub) owe(ctx context.Context, c Charge, credit Credit) (Credit, error) {
	credit.ChargeID, credit.CommittedAt = c.ID, h.now()
	if credit.Amount.Amount == 0 {
		credit.Settled, credit.SettledAt = true, h.now()
		if err := h.store.AddCredit(ctx, credit); err != nil {
			return Credit{}, err
		}
		return credit, h.free(ctx, c, 0, credit.HostAmount.Amount)
	}
	env, err := sgip.NewEnvelope(h.newID(), sgip.WalletCredit, address(), sgip.Address{Platform: c.Home, Player: c.Player}, sgip.CreditPayload{
		Player: c.Player, ChargeID: c.ID, RefundID: credit.RefundID, Host: c.Host, Amount: credit.Amount,
		HostAmount: &credit.HostAmount, Reason: credit.Reason})
	if err != nil {
		return Credit{}, err
	}
	body, err := env.Encode()
	if err != nil {
		return Credit{}, err
	}
	credit.LetterID = env.ID
	if err := h.store.AddCredit(ctx, credit); err != nil {
		return Credit{}, err
	}
	return credit, h.outbox.Post(ctx, exchange.Letter{
		ID: env.ID, To: c.Home, Op: sgip.WalletCredit, Body: body, Until: exchange.UntilOK, PostedAt: h.now()})
}

// credited settles the credit that a letter carried, once the home game has
// answered ok, and frees its part of the limits (contract 7.4).
func (h *Hub) credited(ctx context.Context, l exchange.Letter, r sgip.Reply) error {
	if !r.OK {
		return sgip.Errorf(sgip.Internal, "credit letter %s ended without an ok", l.ID)
	}
	credit, err := h.store.CreditByLetter(ctx, l.ID)
	if err != nil {
		return err
	}
	settled, err := h.store.SettleCredit(ctx, credit.RefundID, h.now())
	if err != nil || !settled {
		return err
	}
	c, err := h.store.Charge(ctx, credit.ChargeID)
	if err != nil {
		return err
	}
	h.log.Info("credit settled", "charge", c.ID, "refund", credit.RefundID, "reason", credit.Reason, "after", h.now().Sub(credit.CommittedAt).Round(time.Second))
	return h.free(ctx, c, credit.Amount.Amount, credit.HostAmount.Amount)
}
