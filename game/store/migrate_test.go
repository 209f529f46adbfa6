package store

import (
	"context"
	"path/filepath"
	"testing"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip/storage"
)

// A town of the first release keeps its sales, and knows of each whether the
// goods were given and the seller was paid.
func TestMigrate_Returns(t *testing.T) {
	db, err := storage.Open(t.Context(), filepath.Join(t.TempDir(), "game.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	before := steps()
	for i, step := range before {
		if step.SQL == returnColumns {
			before = before[:i]
			break
		}
	}
	if err := db.Migrate(t.Context(), "game", before); err != nil {
		t.Fatal(err)
	}
	for _, sale := range [][3]any{{"asked", "asked", 245}, {"paid", "paid", 245}, {"town's", "paid", 0}, {"refunded", "refunded", 245}, {"void", "void", 245}} {
		if err := db.InTx(t.Context(), func(ctx context.Context) error {
			return db.Tx(ctx).Exec(`INSERT INTO game_sales (id, visit_id, guest, place, activity, label, price, currency, state, why, item, refundable, seller, seller_share, asked_at, ended_at)
				VALUES (?, 'v', 'g', 'imbiss', 'a', 'A', 350, 'EUR', ?, '', '', 0, 'jonas', ?, 1, 2)`, sale[0], sale[1], sale[2]).Error
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]struct {
		goods game.Goods
		paid  bool
	}{
		"asked": {game.GoodsKept, false}, "paid": {game.GoodsGiven, true}, "town's": {game.GoodsGiven, false},
		"refunded": {game.GoodsKept, true}, "void": {game.GoodsKept, false},
	} {
		s, err := New(db).Sale(t.Context(), id)
		if err != nil || s.Goods != want.goods || s.SellerPaid != want.paid || s.Price != 350 || s.Returning() || s.Owed() {
			t.Errorf("%s: %+v, %v", id, s, err)
		}
	}
}
