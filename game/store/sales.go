package store

import (
	"context"

	"gorm.io/gorm"

	"sgip.example/starter/game"
)

type saleRow struct {
	ID          string `gorm:"primaryKey"`
	VisitID     string
	Guest       string
	Place       string
	Activity    string
	Label       string
	Price       int64
	Currency    string
	State       string
	Why         string
	Item        string
	Refundable  bool
	Seller      string
	SellerShare int64
	AskedAt     int64
	EndedAt     int64
	SellerPaid  bool
	Goods       string
	Gave        string // JSON
	RefundID    string
	RefundWhy   string
}

func (saleRow) TableName() string { return "game_sales" }

func (r saleRow) sale() (game.Sale, error) {
	s := game.Sale{
		ID: r.ID, VisitID: r.VisitID, Guest: game.PersonID(r.Guest), Place: r.Place, Activity: r.Activity,
		Label: r.Label, Price: r.Price, Currency: r.Currency, State: game.SaleState(r.State), Why: r.Why,
		Item: r.Item, Refundable: r.Refundable, Seller: game.PersonID(r.Seller), SellerShare: r.SellerShare,
		AskedAt: at(r.AskedAt), EndedAt: at(r.EndedAt), SellerPaid: r.SellerPaid, Goods: game.Goods(r.Goods),
		RefundID: r.RefundID, RefundWhy: r.RefundWhy,
	}
	return s, wrap("read sale", unpack(r.Gave, &s.Gave))
}

// Sale finds a sale; ErrNoSuch for an unknown id.
func (s *Store) Sale(ctx context.Context, id string) (game.Sale, error) {
	row, ok, err := one[saleRow](s.db.Conn(ctx).Where("id = ?", id))
	if err != nil {
		return game.Sale{}, wrap("read sale", err)
	}
	if !ok {
		return game.Sale{}, game.ErrNoSuch
	}
	return row.sale()
}

// SalesOf are the sales of a visit, newest first.
func (s *Store) SalesOf(ctx context.Context, visitID string) ([]game.Sale, error) {
	return sales(s.db.Conn(ctx).Where("visit_id = ?", visitID).Order("asked_at DESC, id DESC"))
}

// SalesByID are those of the ids that are there, in no order.
func (s *Store) SalesByID(ctx context.Context, ids []string) ([]game.Sale, error) {
	return sales(s.db.Conn(ctx).Where("id IN ?", ids))
}

// SalesKept are a guest's that are paid and whose goods are kept, oldest first.
func (s *Store) SalesKept(ctx context.Context, guest game.PersonID) ([]game.Sale, error) {
	return sales(s.db.Conn(ctx).Where("guest = ? AND state = ? AND goods = ?", string(guest), string(game.SalePaid), string(game.GoodsKept)).
		Order("id"))
}

func sales(q *gorm.DB) ([]game.Sale, error) {
	var rows []saleRow
	if err := q.Find(&rows).Error; err != nil {
		return nil, wrap("read sales", err)
	}
	all := make([]game.Sale, 0, len(rows))
	for _, r := range rows {
		s, err := r.sale()
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// AddSale writes down a new sale; ErrTaken for an id that is there.
func (s *Store) AddSale(ctx context.Context, x game.Sale) error {
	gave, err := packed(x.Gave)
	if err != nil {
		return wrap("add sale", err)
	}
	added, err := insert(s.db.Tx(ctx), &saleRow{
		ID: x.ID, VisitID: x.VisitID, Guest: string(x.Guest), Place: x.Place, Activity: x.Activity,
		Label: x.Label, Price: x.Price, Currency: x.Currency, State: string(x.State), Why: x.Why,
		Item: x.Item, Refundable: x.Refundable, Seller: string(x.Seller), SellerShare: x.SellerShare,
		AskedAt: ms(x.AskedAt), EndedAt: ms(x.EndedAt), SellerPaid: x.SellerPaid, Goods: string(x.Goods),
		Gave: gave, RefundID: x.RefundID, RefundWhy: x.RefundWhy,
	})
	if err == nil && !added {
		return game.ErrTaken
	}
	return wrap("add sale", err)
}

// MoveSale writes all that may change of a sale, if it still stands as it was.
func (s *Store) MoveSale(ctx context.Context, x, was game.Sale) (moved bool, err error) {
	gave, err := packed(x.Gave)
	if err != nil {
		return false, wrap("move sale", err)
	}
	done := s.db.Tx(ctx).Model(&saleRow{}).
		Where("id = ? AND state = ? AND goods = ? AND refund_id = ? AND refund_why = ?",
			x.ID, string(was.State), string(was.Goods), was.RefundID, was.RefundWhy).
		Updates(map[string]any{
			"state": string(x.State), "why": x.Why, "ended_at": ms(x.EndedAt), "goods": string(x.Goods), "gave": gave,
			"seller_paid": x.SellerPaid, "refund_id": x.RefundID, "refund_why": x.RefundWhy,
		})
	return done.RowsAffected == 1, wrap("move sale", done.Error)
}
