package town

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"time"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/platform"
)

// postcardView is what came of one visit.
type postcardView struct {
	VisitID string
	Host    string
	Ink     int
	Stamp   template.HTML
	Arrived bool // the host has sent word
	Text    string
	Stayed  string
	Date    string
	Changes []change
	Lines   []receiptLine
	Total   string
}

// change is one stat moved.
type change struct {
	Icon, Label, By string // Icon is one of icons.svg
	Up              bool
}

// receiptLine is one purchase, the host's price beside the price at home.
type receiptLine struct {
	For, There, Home, Note string
	Returned               bool
}

// newPostcard lays a trip out; card is nil until the host has sent word.
func newPostcard(trip platform.Trip, card *game.Postcard, bought []platform.Purchase, lang string) postcardView {
	v := postcardView{VisitID: trip.VisitID, Host: trip.HostName, Ink: stampInk(trip.Host, trip.HostIcon)}
	at := trip.StartedAt
	if card != nil {
		at = card.At
		v.Arrived, v.Text = true, orElse(card.Text, partingWords(card.Reason, trip.HostName))
		v.Stayed, v.Changes = stayedWords(card.Stayed), changesOf(card.Changes)
	}
	v.Date = strings.ToUpper(at.UTC().Format("2 Jan 2006"))
	v.Stamp = stamp(stampOf{ID: trip.Host, Name: trip.HostName, Icon: iconOr(trip.HostIcon), Line: v.Date})
	var cost sgip.Money
	if v.Lines, cost = receiptLines(bought, lang); len(v.Lines) > 0 {
		v.Total = words(cost, lang)
	}
	return v
}

// partingWords stand where the host wrote no card.
func partingWords(reason, host string) string {
	switch reason {
	case sgip.EndExpired:
		return "The passport ran out before the goodbyes were said. " + host + " sends its regards."
	case sgip.EndIdle:
		return "You dozed off in " + host + ", and someone saw you to the train."
	case sgip.EndRemoved:
		return "The keeper of " + host + " ended this visit early."
	}
	return host + " says goodbye. Come back soon."
}

func stayedWords(d time.Duration) string {
	minutes := int(d.Round(time.Minute) / time.Minute)
	switch {
	case d <= 0:
		return ""
	case minutes < 1:
		return "less than a minute"
	case minutes == 1:
		return "a minute"
	case minutes < 90:
		return fmt.Sprintf("%d minutes", minutes)
	}
	return fmt.Sprintf("%d hours", (minutes+30)/60)
}

// changesOf lists the stats that moved, the greatest gain first.
func changesOf(moved map[string]int) []change {
	ids := slices.SortedFunc(maps.Keys(moved), func(a, b string) int {
		if moved[a] != moved[b] {
			return moved[b] - moved[a]
		}
		return strings.Compare(a, b)
	})
	var list []change
	for _, id := range ids {
		by := moved[id]
		if by == 0 {
			continue
		}
		c := change{Icon: id, Label: statWord(id), Up: by > 0, By: fmt.Sprintf("+%d", by)}
		if by < 0 {
			c.By = fmt.Sprintf("−%d", -by)
		}
		list = append(list, c)
	}
	return list
}

// receiptLines joins each purchase with what was given back of it.
func receiptLines(bought []platform.Purchase, lang string) (lines []receiptLine, total sgip.Money) {
	back := map[string]sgip.Money{}
	voided := map[string]bool{}
	for _, p := range bought {
		if p.RefundID != "" {
			back[p.ChargeID] = sgip.Money{Amount: back[p.ChargeID].Amount + p.Amount.Amount, Currency: p.Amount.Currency}
			voided[p.ChargeID] = voided[p.ChargeID] || p.Reason == sgip.CreditVoid
		}
	}
	for _, p := range bought {
		if p.RefundID != "" {
			continue
		}
		line := receiptLine{For: p.Description, There: words(p.HostAmount, lang), Home: words(p.Amount, lang)}
		returned := back[p.ChargeID]
		switch {
		case voided[p.ChargeID]:
			line.Note, line.Returned = "not charged after all: all of it came back", true
		case returned.Amount >= p.Amount.Amount:
			line.Note, line.Returned = "given back", true
		case returned.Amount > 0:
			line.Note = words(returned, lang) + " given back"
		}
		total.Currency = p.Amount.Currency
		total.Amount += p.Amount.Amount - returned.Amount
		lines = append(lines, line)
	}
	return lines, total
}
