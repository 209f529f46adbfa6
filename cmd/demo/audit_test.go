package main

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// audit runs the hub's audit over the books in dir, beside whatever is running.
func (s *stage) audit(t *testing.T, dir string, more ...string) (status int, report string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(binaries, "hub"), append([]string{"audit", "--data", filepath.Join(dir, "hub"),
		"--with", s.lagos.part.host + "=" + filepath.Join(dir, "lagos", "game.db"),
		"--with", s.berlin.part.host + "=" + filepath.Join(dir, "berlin", "game.db")}, more...)...)
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), string(out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, string(out)
}

// wantClean holds all books to each other.
func (s *stage) wantClean(t *testing.T) {
	t.Helper()
	if status, report := s.audit(t, s.dir); status != 0 {
		t.Errorf("the audit ends with %d:\n%s", status, report)
	}
}

// coins are the columns that money stands in, with a row of each kind.
var coins = []struct{ process, table, column, row string }{
	{"hub", "hub_visits", "budget_amount", "1"},
	{"hub", "hub_counters", "used", "kind = 'budget'"},
	{"hub", "hub_counters", "used", "kind = 'daily'"},
	{"hub", "hub_counters", "used", "kind = 'inflow'"},
	{"hub", "hub_charges", "amount", "state = 'settled'"},
	{"hub", "hub_charges", "debit", "state = 'settled'"},
	{"hub", "hub_charges", "refunded", "state = 'settled'"},
	{"hub", "hub_charges", "credited", "state = 'settled'"},
	{"hub", "hub_charges", "amount", "state = 'void'"},
	{"hub", "hub_charges", "debit", "state = 'void'"},
	{"hub", "hub_charges", "debit", "state = 'failed'"},
	{"hub", "hub_credits", "amount", "reason = 'void'"},
	{"hub", "hub_credits", "host_amount", "reason = 'void'"},
	{"lagos", "platform_trips", "budget", "1"},
	{"lagos", "platform_debits", "amount", "state = 'taken'"},
	{"lagos", "platform_debits", "host_amount", "state = 'taken'"},
	{"lagos", "platform_debits", "credited", "state = 'taken'"},
	{"lagos", "platform_debits", "credited", "state = 'voided'"},
	{"lagos", "platform_debits", "amount", "state = 'refused'"},
	{"lagos", "platform_credits", "amount", "reason = 'void'"},
	{"lagos", "platform_credits", "host_amount", "reason = 'void'"},
	{"lagos", "platform_credits", "moved", "reason = 'void' AND moved > 0"},
	{"lagos", "platform_credits", "moved", "reason = 'void' AND moved = 0"},
	{"lagos", "game_accounts", "balance", "account = 'player:tunde'"},
	{"lagos", "game_accounts", "balance", "account = 'abroad'"},
	{"lagos", "game_entries", "amount", "kind = 'abroad'"},
	{"lagos", "game_entries", "amount", "kind = 'returned'"},
	{"lagos", "game_entries", "amount", "kind = 'start'"},
	{"berlin", "game_sales", "price", "state = 'paid'"},
	{"berlin", "game_sales", "seller_share", "state = 'paid'"},
	{"berlin", "game_accounts", "balance", "account = 'player:jonas'"},
	{"berlin", "game_entries", "amount", "kind = 'sold' AND account = 'player:jonas'"},
	{"berlin", "game_entries", "amount", "kind = 'sold' AND account = 'abroad'"},
}

// TestAudit_Coins adds a coin to each place where money stands, takes one away,
// and loses and turns whole rows. The audit finds it each time.
func TestAudit_Coins(t *testing.T) {
	s := newShoppedStage(t)
	s.wantClean(t)
	for _, c := range coins {
		for _, by := range []string{"+ 1", "- 1"} {
			s.tampered(t, c.process, fmt.Sprintf("UPDATE %[1]s SET %[2]s = %[2]s %[3]s WHERE rowid = (SELECT min(rowid) FROM %[1]s WHERE %[4]s)",
				c.table, c.column, by, c.row))
		}
	}
	for _, c := range []struct{ process, change string }{
		{"hub", "DELETE FROM hub_charges WHERE state = 'settled'"},
		{"hub", "DELETE FROM hub_charges WHERE state = 'void'"},
		{"hub", "DELETE FROM hub_credits"},
		{"hub", "DELETE FROM hub_counters WHERE kind = 'inflow'"},
		{"hub", "DELETE FROM hub_money_ids"},
		{"hub", "DELETE FROM hub_visits"},
		{"hub", "UPDATE hub_credits SET settled_at = NULL"},
		{"hub", "UPDATE hub_charges SET state = 'void' WHERE state = 'settled'"},
		{"hub", "UPDATE hub_charges SET state = 'failed' WHERE state = 'settled'"},
		{"hub", "UPDATE hub_charges SET state = 'asked', accepted_at = accepted_at - 61000 WHERE state = 'settled'"},
		{"hub", "UPDATE hub_charges SET state = 'settled' WHERE state = 'void'"},
		{"hub", "UPDATE hub_charges SET state = 'settled' WHERE state = 'failed'"},
		{"hub", "UPDATE hub_charges SET day = '2020-02-02'"},
		{"hub", "UPDATE hub_charges SET daily_limit = 1"},
		{"hub", "UPDATE hub_charges SET inflow_limit = 1"},
		{"lagos", "DELETE FROM platform_debits WHERE state = 'taken'"},
		{"lagos", "DELETE FROM platform_debits WHERE state = 'voided'"},
		{"lagos", "DELETE FROM platform_debits WHERE state = 'barred'"},
		{"lagos", "DELETE FROM platform_credits"},
		{"lagos", "UPDATE platform_debits SET state = 'taken' WHERE state = 'refused'"},
		{"lagos", "UPDATE platform_debits SET state = 'taken' WHERE state = 'voided'"},
		{"lagos", "UPDATE platform_debits SET state = 'refused' WHERE state = 'taken'"},
		{"lagos", "UPDATE platform_debits SET player = 'ada@' || substr(player, 7) WHERE state = 'taken'"},
		{"lagos", "DELETE FROM game_entries WHERE kind = 'abroad'"},
		{"lagos", "UPDATE game_entries SET account = 'player:ada' WHERE account = 'player:tunde' AND kind = 'abroad'"},
		{"lagos", "DELETE FROM game_accounts WHERE account = 'abroad'"},
		{"berlin", "DELETE FROM game_sales WHERE state = 'paid'"},
		{"berlin", "UPDATE game_sales SET state = 'asked' WHERE state = 'paid'"},
		{"berlin", "UPDATE game_sales SET state = 'refused' WHERE state = 'paid'"},
		{"berlin", "UPDATE game_sales SET state = 'paid' WHERE state IN ('refused', 'void')"},
		{"berlin", "DELETE FROM game_entries WHERE transfer IN (SELECT transfer FROM game_entries WHERE kind = 'sold' AND account = 'player:jonas')"},
		{"berlin", `INSERT INTO game_entries (transfer, account, amount, kind, text, at, ref, visit_id, host, host_cost, host_code)
			SELECT 'again' || id, account, amount, kind, text, at, ref, visit_id, host, host_cost, host_code FROM game_entries WHERE kind = 'sold' AND account = 'player:jonas'`},
	} {
		s.tampered(t, c.process, c.change)
	}
}

// newShoppedStage plays one charge of each end, and stops everything: settled,
// void with the money taken and given back, void before anything was taken, and
// refused by the home game.
func newShoppedStage(t *testing.T) *stage {
	t.Helper()
	s, lines := newFaultyStage(t, func(world, network map[string]any) {
		generous(world, network)
		for _, who := range world["demo_players"].([]any) {
			if who := who.(map[string]any); who["handle"] == "tunde" {
				who["money"] = 3*imbissTreatDebit - 1
			}
		}
	})
	tunde := newPerson(t, s.lagos.part.url(), s.berlin.part.url())
	tunde.playAs("tunde")
	tunde.travel("40000")
	tunde.walk(t, "imbiss", "Pommes")
	for _, f := range []fate{pass, dropReply, dropRequest, pass, pass} {
		lines[1].meet(once("wallet.debit@1", f))
		if _, err := tunde.buy(imbissTreat); err != nil {
			t.Fatal(err)
		}
		waitUntil(t, "the purchase has ended", s.quiet)
	}
	for state, want := range map[string]int64{"settled": 2, "void": 2, "failed": 1} {
		if got := s.hub.query(`SELECT count(*) FROM hub_charges WHERE state = ?`, state); got != want {
			t.Fatalf("%d charges are %s, want %d", got, state, want)
		}
	}
	for _, p := range []*process{s.hub, s.lagos, s.berlin} {
		p.kill()
	}
	return s
}

// tampered changes a copy of one database by hand, and wants it to be found.
func (s *stage) tampered(t *testing.T, name, change string) {
	t.Run(name+": "+change, func(t *testing.T) {
		t.Parallel()
		dir, err := os.MkdirTemp(s.dir, "tampered")
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"hub", "lagos", "berlin"} {
			if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(s.dir, part))); err != nil {
				t.Fatal(err)
			}
		}
		bin := "game"
		if name == "hub" {
			bin = "hub"
		}
		db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, name, bin+".db")+"?_pragma=ignore_check_constraints(1)")
		if err != nil {
			t.Fatal(err)
		}
		res, err := db.Exec(change)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			t.Fatalf("nothing was changed: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		// Nothing runs: the second look needn't wait.
		if status, report := s.audit(t, dir, "--look-again=0s"); status != 1 || !strings.Contains(report, "FAULT") {
			t.Errorf("the audit ends with %d and doesn't find it:\n%s", status, report)
		}
	})
}
