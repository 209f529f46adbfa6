package hub

import (
	"context"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// visitEnd marks the visit of a visit.end@1 over before the envelope goes on to
// the home game. The host alone may say so, to the visit's own home and
// traveller (contract 7.3). A visit that is over already is fine: its souvenirs
// may still be on their way.
func (h *Hub) visitEnd(ctx context.Context, in exchange.Incoming) error {
	var p sgip.VisitEndPayload
	if err := in.Decode(h.mode, &p); err != nil {
		return err
	}
	visit, err := h.visit(ctx, p.VisitID)
	if err != nil {
		return err
	}
	if visit.Host != in.From.Platform {
		return sgip.Errorf(sgip.Forbidden, "the visit is to another host")
	}
	if visit.Home != in.To.Platform || visit.Player != in.To.Player {
		return sgip.Errorf(sgip.Forbidden, "to: must be the visit's own home and traveller")
	}
	return h.store.EndVisit(ctx, visit.ID, h.now())
}
