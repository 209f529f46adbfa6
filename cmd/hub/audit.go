package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"gorm.io/gorm"

	"sgip.example/starter/sgip/hub"
	"sgip.example/starter/sgip/storage"
	"sgip.example/starter/sgip/store"
)

// What the audit's exit status says.
const (
	auditClean  = 0
	auditFaults = 1 // something needs a person to look at it
	auditFailed = 2 // the books couldn't be read
)

type auditFlags struct {
	Data      string            `default:"data/hub" env:"SGIP_DATA" type:"path" placeholder:"DIR" help:"The hub's folder (${default})."`
	With      map[string]string `env:"SGIP_WITH" mapsep:"," placeholder:"PLATFORM=DATABASE" help:"Hold the books of a game to the hub's too; may be given for each game."`
	LookAgain time.Duration     `name:"look-again" default:"3s" env:"SGIP_LOOK_AGAIN" placeholder:"TIME" help:"Where games seem to differ from the hub, look again after this long: what was on its way has arrived by then (${default})."`
}

// audit looks at the books of the hub and of the games that are named, prints
// what it finds, and says by the status whether all is well.
func audit(ctx context.Context, f auditFlags, out io.Writer) (status int, err error) {
	report, books, err := look(ctx, f)
	if err != nil {
		return auditFailed, err
	}
	if len(report.Faults) > 0 && len(f.With) > 0 {
		// The databases were looked at one after the other, with programs at work
		// on them. What is wrong is wrong the second time as well.
		select {
		case <-ctx.Done():
			return auditFailed, ctx.Err()
		case <-time.After(f.LookAgain):
		}
		first := report.Faults
		if report, books, err = look(ctx, f); err != nil {
			return auditFailed, err
		}
		report.Faults = slices.DeleteFunc(report.Faults, func(fault string) bool { return !slices.Contains(first, fault) })
	}
	if err := printReport(out, f, report, books); err != nil {
		return auditFailed, err
	}
	if !report.Clean() {
		return auditFaults, nil
	}
	return auditClean, nil
}

// look reads all books and audits them.
func look(ctx context.Context, f auditFlags) (hub.Report, []hub.GameBooks, error) {
	var games []hub.GameBooks
	for _, id := range slices.Sorted(maps.Keys(f.With)) {
		err := storage.Look(ctx, f.With[id], func(db *gorm.DB) error {
			g, err := gameBooks(db, id)
			games = append(games, g)
			return err
		})
		if err != nil {
			return hub.Report{}, nil, err
		}
	}
	var books hub.Books
	err := storage.Look(ctx, filepath.Join(f.Data, "hub.db"), func(db *gorm.DB) (err error) {
		books, err = store.HubBooks(db)
		return err
	})
	if err != nil {
		return hub.Report{}, nil, err
	}
	return books.Audit(time.Now(), games...), games, nil
}

func printReport(out io.Writer, f auditFlags, r hub.Report, games []hub.GameBooks) error {
	p := printer{out: out}
	total := 0
	for _, n := range r.States {
		total += n
	}
	p.line("hub %s", f.Data)
	p.line("  %d charges: %d settled (%d of them refunded, in whole or in part), %d refused by the home game, %d void, %d being decided",
		total, r.States[hub.ChargeSettled], r.Refunded, r.States[hub.ChargeFailed], r.States[hub.ChargeVoid], r.States[hub.ChargeAsked])
	p.line("  %d credits are on their way", r.Owed)
	for _, g := range games {
		taken, given := int64(0), int64(0)
		for _, d := range g.Debits {
			if d.Took {
				taken += d.Amount.Amount
			}
		}
		for _, c := range g.Credits {
			given += c.Moved
		}
		p.line("with %s, %s", g.Platform, f.With[g.Platform])
		p.line("  its players paid %d abroad and got %d back; %d sales to guests", taken, given, len(g.Sales))
	}
	for _, stuck := range r.Stuck {
		p.line("STUCK  %s", stuck)
	}
	for _, fault := range r.Faults {
		p.line("FAULT  %s", fault)
	}
	if r.Clean() {
		p.line("All is well: every charge is settled, refunded or void, no limit was passed, and no coin is missing.")
	} else {
		p.line("%d faults, %d stuck credits", len(r.Faults), len(r.Stuck))
	}
	return p.err
}

// printer keeps the first error.
type printer struct {
	out io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format+"\n", args...)
	}
}
