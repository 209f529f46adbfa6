package town

import (
	"errors"
	"time"

	"sgip.example/starter/game"
	"sgip.example/starter/sgip"
)

// guestView is the town as a guest sees it: the part of the visit page that
// comes anew after each step. The scene is what residents see, too.
type guestView struct {
	scene
	Line     *said  // what the last step did
	Again    int64  // seconds until something changes by the clock; 0: nothing will
	Purse    string // in words, where there is no number
	Pocket   string // the pocket money of this visit, "" for none
	LeftHome string // what can be spent, in money of the guest's home
	HomeName string
	Deeds    []deed
	Receipts []receipt
}

// said is one line about what happened, and whether it went well.
type said struct{ Text, Kind string }

// The kinds of what is said.
const (
	saidGood = "good"
	saidBad  = "bad"
	saidWait = "wait"
)

// deed is something to do, or to buy, where the guest is.
type deed struct {
	card
	AtHome string // about what it takes from the wallet at home
}

// receipt is one purchase and where it stands.
type receipt struct {
	ID, Label, Price, At string
	Kind                 string // of what it says: saidGood, saidBad or saidWait
	Words                string
	Note                 string // what more there is to say, often nothing
	Return               string // the id to give it back by, "" where that can't be
}

// homeRate turns a price here into what it takes at home; the zero value knows nothing.
type homeRate struct {
	rate  sgip.Rate
	known bool
}

// rateFor finds the rate that applies to a guest's money: the first entry listed
// for their home and budget (contract 7.4).
func rateFor(accepts []sgip.Accepts, home string, budget *sgip.Money, local string) homeRate {
	if budget == nil {
		return homeRate{}
	}
	for _, a := range accepts {
		if a.From == home && a.Give.Currency == budget.Currency && a.Get.Currency == local {
			return homeRate{sgip.Rate{Give: a.Give, Get: a.Get}, true}
		}
	}
	return homeRate{}
}

// words is "₦2,000" for a price, "" where no rate is known.
func (r homeRate) words(price sgip.Money, lang string) string {
	if !r.known {
		return ""
	}
	debit, err := r.rate.Debit(price)
	if err != nil {
		return ""
	}
	return words(debit, lang)
}

// newDeed lays an option out. left is what the guest can still spend, -1 if
// unknown: a price above it can be tried all the same, since only the debit decides.
func newDeed(c card, price sgip.Money, lang string, r homeRate, left int64) deed {
	d := deed{card: c}
	if price.Amount <= 0 {
		return d
	}
	d.AtHome = r.words(price, lang)
	if d.Can && left >= 0 && price.Amount > left {
		d.Why = "More than you can still spend here"
	}
	return d
}

// saleWords says where a purchase stands, in a line of its own.
func saleWords(s game.Sale, price sgip.Money, lang string, r homeRate) said {
	cost := words(price, lang)
	if home := r.words(price, lang); home != "" {
		cost += " (" + home + " at home)"
	}
	switch s.State {
	case game.SalePaid:
		return said{s.Thing() + " is yours: " + cost + ", paid from home.", saidGood}
	case game.SaleRefunded:
		return said{s.Thing() + " was given back, and so was your money.", saidGood}
	case game.SaleVoid:
		return said{"Your home could not be reached, so " + s.Label + " wasn't sold. Nothing lost: if anything was taken, it goes straight back. Try again in a moment.", saidBad}
	case game.SaleAsked:
		return said{"Asking your home to pay for " + s.Label + " … Its receipt tells how it went, even if you go on.", saidWait}
	}
	return said{refusedWords(s), saidBad}
}

// refusedWords are for a purchase that the home or the hub refused.
func refusedWords(s game.Sale) string {
	const safe = " Nothing was taken, and nothing was given."
	switch sgip.Code(s.Why) {
	case sgip.InsufficientFunds:
		return "There isn't enough in your pocket at home for " + s.Label + "." + safe + " Something smaller may do."
	case sgip.LimitReached:
		return s.Label + " would go over what you may still spend: your own choice for this trip, or a limit of the day." + safe
	case sgip.Forbidden:
		return "Your home doesn't pay on this visit any more, so " + s.Label + " wasn't sold." + safe
	case sgip.NotFound, sgip.OpUnsupported:
		return "Your home doesn't know how to pay for " + s.Label + " right now." + safe
	}
	return s.Label + " couldn't be paid for." + safe + " Try again in a moment."
}

// returnWords says where a purchase stands that a guest has handed in.
func returnWords(s game.Sale, price sgip.Money, lang string, r homeRate) said {
	switch {
	case s.State == game.SaleRefunded:
		back := words(price, lang)
		if home := r.words(price, lang); home != "" {
			back = home
		}
		return said{s.Thing() + " is given back, and " + back + " is in your wallet at home again.", saidGood}
	case s.Returning():
		return said{s.Thing() + " is handed in. Your home hasn't answered yet: the money goes back as soon as it does, even if you go on.", saidWait}
	}
	return said{keptWords(s), saidBad}
}

// keptWords are for a return that the hub refused.
func keptWords(s game.Sale) string {
	switch sgip.Code(s.RefundWhy) {
	case sgip.Forbidden:
		return "What was bought can be given back for a day, and that day is over. " + s.Thing() + " stays yours."
	case sgip.LimitReached:
		return "All of the price has gone back to your home before. " + s.Thing() + " stays yours."
	}
	return "The money for " + s.Thing() + " can't be asked back right now. It stays yours, and nothing is lost."
}

// saleStamp is the word on a receipt's stamp, and what kind of news it is.
func saleStamp(s game.Sale) (word, kind string) {
	switch {
	case s.Returning():
		return "Going back", saidWait
	case s.State == game.SalePaid:
		return "Paid", saidGood
	case s.State == game.SaleAsked:
		return "Asking", saidWait
	case s.State == game.SaleRefunded:
		return "Returned", saidGood
	case s.State == game.SaleVoid:
		return "Void", saidBad
	}
	return "Not sold", saidBad
}

func newReceipt(s game.Sale, price sgip.Money, lang string, now time.Time) receipt {
	r := receipt{ID: anchor(s.ID), Label: s.Label, At: whenWords(s.AskedAt, now), Price: words(price, lang)}
	r.Words, r.Kind = saleStamp(s)
	if s.RefundWhy != "" && s.State == game.SalePaid {
		r.Note = keptWords(s)
	} else if s.Refundable && s.State == game.SalePaid && !s.Returning() {
		r.Return = s.ID
	}
	return r
}

// stepTrouble puts a step that was refused into words, with its status; ok is
// false for a fault on this side.
func stepTrouble(err error) (line said, status int, ok bool) {
	if e, ok := errors.AsType[*game.Error](err); ok {
		return said{e.Message, saidBad}, refusalStatus(e), true
	}
	if e, ok := errors.AsType[*sgip.Error](err); ok && e.Code != sgip.Internal {
		return said{"That couldn't be asked of your home. Nothing was taken, and nothing was given.", saidBad}, statusOf(e.Code), true
	}
	return said{}, 0, false
}
