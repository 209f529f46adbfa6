package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sgip.example/starter/sgip"
)

// money is written AMOUNT/CURRENCY on the command line, in whole minor units.
type money sgip.Money

// UnmarshalText reads 500000/NGN.
func (m *money) UnmarshalText(text []byte) error {
	digits, currency, _ := strings.Cut(string(text), "/")
	amount, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err != nil, strconv.FormatInt(amount, 10) != digits, amount < 0, amount > sgip.MaxAmount:
		return fmt.Errorf("%q: want AMOUNT/CURRENCY, the amount in whole minor units from 0 to %d", text, int64(sgip.MaxAmount))
	case !sgip.ValidCurrency(currency):
		return fmt.Errorf("%q: the currency is three capitals, or <label>:<code>", text)
	}
	m.Amount, m.Currency = amount, currency
	return nil
}

func (m money) String() string { return strconv.FormatInt(m.Amount, 10) + "/" + m.Currency }

type convertCmd struct {
	Refund []int64 `placeholder:"AMOUNT" help:"Refund this much of the charge, in the host's minor units; may be given several times, in order."`
	JSON   bool    `name:"json" help:"Print JSON."`
	Give   money   `arg:"" help:"What the rate takes, in the home currency, like 500000/NGN."`
	Get    money   `arg:"" help:"What it buys in the host's, like 1000/EUR."`
	Amount money   `arg:"" help:"In the host's currency: a charge, and what it takes at home. In the home currency: what it is shown as."`
}

// conversion is what convert prints as JSON.
type conversion struct {
	Debit   *sgip.Money `json:"debit,omitempty"`
	Shown   *sgip.Money `json:"shown,omitempty"`
	Refunds []refund    `json:"refunds,omitempty"`
}

type refund struct {
	Refund    sgip.Money `json:"refund"`
	Credit    sgip.Money `json:"credit"`
	Remaining sgip.Money `json:"remaining"`
}

func (c convertCmd) Run(t *tool) error {
	done, err := c.convert()
	if err != nil {
		return err
	}
	if c.JSON {
		return t.print(done)
	}
	var lines []string
	if done.Debit != nil {
		lines = append(lines, "debit   "+money(*done.Debit).String())
	}
	if done.Shown != nil {
		lines = append(lines, "shown   "+money(*done.Shown).String())
	}
	for _, r := range done.Refunds {
		lines = append(lines, fmt.Sprintf("refund  %s credits %s, %s remain", money(r.Refund), money(r.Credit), money(r.Remaining)))
	}
	return t.say(lines...)
}

func (c convertCmd) convert() (conversion, error) {
	rate := sgip.Rate{Give: sgip.Money(c.Give), Get: sgip.Money(c.Get)}
	if c.Give.Amount < 1 || c.Get.Amount < 1 {
		return conversion{}, errors.New("both sides of a rate are at least 1")
	}
	atHost, atHome := c.Amount.Currency == c.Get.Currency, c.Amount.Currency == c.Give.Currency
	switch {
	case !atHost && !atHome:
		return conversion{}, fmt.Errorf("the amount must be in %s or %s", c.Give.Currency, c.Get.Currency)
	case len(c.Refund) > 0 && !atHost:
		return conversion{}, fmt.Errorf("a refund is of a charge, in %s", c.Get.Currency)
	}
	var done conversion
	if atHome {
		shown := rate.Shown(sgip.Money(c.Amount))
		done.Shown = &shown
	}
	if !atHost {
		return done, nil
	}
	debit, err := rate.Debit(sgip.Money(c.Amount))
	if err != nil {
		return conversion{}, wrong{err}
	}
	done.Debit = &debit
	done.Refunds, err = c.refunds(debit)
	return done, err
}

// refunds takes one after the other from the charge; each is the debit's share,
// and the one that completes it gets what is left (7.4).
func (c convertCmd) refunds(debit sgip.Money) ([]refund, error) {
	var all []refund
	left, creditLeft := c.Amount.Amount, debit.Amount
	for _, amount := range c.Refund {
		if amount < 1 {
			return nil, errors.New("a refund is at least 1")
		}
		if amount > left {
			return nil, wrong{sgip.Errorf(sgip.LimitReached, "%d is more than the %d that remain of the charge", amount, left)}
		}
		credit := sgip.RefundShare(debit.Amount, c.Amount.Amount, amount, left, creditLeft)
		left, creditLeft = left-amount, creditLeft-credit
		all = append(all, refund{
			Refund:    sgip.Money{Amount: amount, Currency: c.Get.Currency},
			Credit:    sgip.Money{Amount: credit, Currency: c.Give.Currency},
			Remaining: sgip.Money{Amount: left, Currency: c.Get.Currency},
		})
	}
	return all, nil
}
