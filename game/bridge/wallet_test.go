package bridge_test

import (
	"testing"

	"sgip.example/starter/sgip"
)

const lena = "lena@" + berlinID

func debit(amount int64) sgip.DebitPayload {
	return sgip.DebitPayload{Player: lena, ChargeID: newID(), VisitID: newID(), Host: lagosID, Description: "Suya",
		Amount: sgip.Money{Amount: amount, Currency: "EUR"}, HostAmount: sgip.Money{Amount: 133700, Currency: "NGN"}}
}

func credit(d sgip.DebitPayload, amount int64, reason string) sgip.CreditPayload {
	return sgip.CreditPayload{Player: d.Player, ChargeID: d.ChargeID, RefundID: newID(), Host: d.Host,
		Amount: sgip.Money{Amount: amount, Currency: "EUR"}, Reason: reason}
}

// The home side of a purchase, from the hub's envelope to the ledger.
func TestBridge_Wallet(t *testing.T) {
	b := newBerlin(t)
	const begin = 8500 // Lena's, in cents
	want := func(t *testing.T, r sgip.Reply, code sgip.Code, balance int64) {
		t.Helper()
		switch {
		case (r.Error == nil) != (code == ""), r.Error != nil && r.Error.Code != code:
			t.Fatalf("answered %+v, want %q", r.Error, code)
		}
		if has := b.query(`SELECT balance FROM game_accounts WHERE account = 'player:lena'`); has != balance {
			t.Fatalf("Lena has %d, want %d", has, balance)
		}
		if n := b.query(`SELECT SUM(amount) FROM game_entries`); n != 0 {
			t.Fatalf("the entries sum to %d", n)
		}
	}
	d := debit(3000)
	for range 3 { // whatever the envelope id
		want(t, b.deliver(sgip.WalletDebit, lena, d), "", begin-3000)
	}
	other := d
	other.Amount.Amount++
	want(t, b.deliver(sgip.WalletDebit, lena, other), sgip.InvalidPayload, begin-3000)
	want(t, b.deliver(sgip.WalletDebit, lena, debit(begin-3000+1)), sgip.InsufficientFunds, begin-3000)

	part := credit(d, 1000, sgip.CreditRefund)
	for range 3 {
		want(t, b.deliver(sgip.WalletCredit, lena, part), "", begin-2000)
	}
	want(t, b.deliver(sgip.WalletCredit, lena, credit(d, 2001, sgip.CreditRefund)), sgip.InvalidPayload, begin-2000)
	want(t, b.deliver(sgip.WalletCredit, lena, credit(d, 2000, sgip.CreditRefund)), "", begin)

	late := debit(500)
	want(t, b.deliver(sgip.WalletCredit, lena, credit(late, 500, sgip.CreditVoid)), "", begin)
	want(t, b.deliver(sgip.WalletDebit, lena, late), sgip.Forbidden, begin)

	void := debit(700)
	want(t, b.deliver(sgip.WalletDebit, lena, void), "", begin-700)
	want(t, b.deliver(sgip.WalletCredit, lena, credit(void, 700, sgip.CreditVoid)), "", begin)
	want(t, b.deliver(sgip.WalletDebit, lena, void), sgip.Forbidden, begin)

	foreign := debit(1)
	foreign.Amount.Currency = "NGN"
	want(t, b.deliver(sgip.WalletDebit, lena, foreign), sgip.InvalidPayload, begin)

	lines, err := b.town.Statement(t.Context(), "lena", 2)
	if err != nil || lines[0].Text != "Not charged after all: Suya" || lines[1].HostCost != 133700 || lines[1].HostCode != "NGN" || lines[1].VisitID != void.VisitID {
		t.Fatalf("statement %+v, %v", lines, err)
	}
}

// Money for a player who has gone is answered ok and lost to nobody.
func TestBridge_WalletPlayerGone(t *testing.T) {
	b := newBerlin(t)
	d := debit(3000)
	if r := b.deliver(sgip.WalletDebit, lena, d); r.Error != nil {
		t.Fatal(r.Error)
	}
	b.exec(`UPDATE game_accounts SET account = 'player:gone' WHERE account = 'player:lena'`)
	c := credit(d, 3000, sgip.CreditVoid)
	for range 2 {
		r := b.deliver(sgip.WalletCredit, lena, c)
		var result sgip.WalletResult
		if err := sgip.DecodeResult(local, sgip.WalletCredit, r, &result); err != nil || result.Balance.Amount != 0 {
			t.Fatalf("%+v, %v", result, err)
		}
	}
	if n := b.query(`SELECT balance FROM game_accounts WHERE account = 'unclaimed'`); n != 3000 {
		t.Fatalf("unclaimed holds %d", n)
	}
}
