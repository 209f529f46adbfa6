package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// What guests buy at Berlin's arrivals, in cents; at home 500,000 kobo buy 1,000 cents.
const (
	berlinTreat      = "brezel"
	berlinTreatPrice = 290
	berlinTreatDebit = 145_000
)

// The sausage of the story: 333 cents show that a debit is rounded up, and
// the stall's owner gets 70 of 100.
const (
	imbissTreat      = "pommes"
	imbissTreatDebit = 166_500
	imbissTreatShare = 233
)

// walk sends the guest to a place and waits until they are there.
func (p *person) walk(t *testing.T, place, sign string) {
	t.Helper()
	a, err := p.do(http.MethodPost, p.host+"/visit/go", "application/x-www-form-urlencoded", url.Values{"place": {place}, "mode": {"walk"}}.Encode())
	if err != nil || a.status >= http.StatusBadRequest {
		t.Fatalf("go to %s: %v, status %d, %s", place, err, a.status, a.body)
	}
	waitUntil(t, "the guest is at "+place, func() bool {
		a, err := p.do(http.MethodGet, p.host+"/visit/town", "", "")
		return err == nil && strings.Contains(a.body, sign)
	})
}

// free waits until the guest can buy something again.
func (p *person) free(t *testing.T) {
	t.Helper()
	var a answer
	defer func() {
		if t.Failed() {
			t.Logf("what the guest saw last: %d %s", a.status, a.body)
		}
	}()
	waitUntil(t, "the guest has a hand free", func() bool {
		var err error
		a, err = p.do(http.MethodGet, p.host+"/visit/town", "", "")
		return err == nil && strings.Contains(a.body, `<button class="button`) && strings.Contains(a.body, ">Buy<")
	})
}
