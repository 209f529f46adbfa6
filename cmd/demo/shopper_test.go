package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// roundsOfAVisit is how often a shopper buys before going home and coming again.
const roundsOfAVisit = 15

// shopper is a guest who buys and gives back, whatever happens: what the pages
// answer, or that they don't, changes nothing. The books say what was bought.
type shopper struct {
	*person
	place string
	goods []string

	visits, bought, returned int
}

// shoppers are two guests in each town, on their first visit.
func (s *stage) shoppers(t *testing.T) []*shopper {
	t.Helper()
	lagos, berlin := s.lagos.part.url(), s.berlin.part.url()
	all := []*shopper{
		{person: newPerson(t, lagos, berlin), place: "imbiss", goods: []string{"pommes", "currywurst", "doener"}},
		{person: newPerson(t, lagos, berlin), place: "spaeti", goods: []string{"mate", "postcard"}},
		{person: newPerson(t, berlin, lagos), place: "suya", goods: []string{"suya", "chapman"}},
		{person: newPerson(t, berlin, lagos), place: "balogun", goods: []string{"puff_puff", "ankara"}},
	}
	for i, handle := range []string{"tunde", "ada", "lena", "jonas"} {
		all[i].playAs(handle)
	}
	return all
}

// shop goes on until it is told to stop.
func (w *shopper) shop(stop <-chan struct{}) {
	for {
		for !w.arrive() {
			if waitOr(stop) {
				return
			}
		}
		w.visits++
		for range roundsOfAVisit {
			select {
			case <-stop:
				return
			default:
			}
			if !w.round() && waitOr(stop) {
				return
			}
		}
		// While something may still be on its way to being paid.
		_, _ = w.do(http.MethodPost, w.host+"/visit/leave", "application/json", "")
	}
}

// waitOr reports whether it is time to stop, after a while in which a process may
// have come back.
func waitOr(stop <-chan struct{}) bool {
	select {
	case <-stop:
		return true
	case <-time.After(50 * time.Millisecond):
		return false
	}
}

// arrive goes on a visit as a browser does it, and walks to the shop.
func (w *shopper) arrive() bool {
	trip, err := w.do(http.MethodPost, w.home+"/travel", formType, url.Values{"host": {hostOf(w.host)}, "budget": {"1000000"}}.Encode())
	if err != nil || trip.status != http.StatusSeeOther {
		return false
	}
	visit := trip.location[strings.LastIndex(trip.location, "/")+1:]
	ticket, err := w.do(http.MethodPost, w.home+"/travel/"+visit+"/ticket", "application/json", "")
	var got struct{ Passport, Token string }
	if err != nil || json.Unmarshal([]byte(ticket.body), &got) != nil || got.Passport == "" {
		return false
	}
	body, err := json.Marshal(map[string]string{"passport": got.Passport})
	if err != nil {
		return false
	}
	w.token = ""
	entered, err := w.do(http.MethodPost, w.host+"/visit/session?home="+url.QueryEscape(hostOf(w.home))+"&visit="+visit, "application/json", string(body))
	if err != nil || json.Unmarshal([]byte(entered.body), &got) != nil || got.Token == "" {
		return false
	}
	w.token = got.Token
	_, err = w.do(http.MethodPost, w.host+"/visit/go", formType, url.Values{"place": {w.place}, "mode": {"walk"}}.Encode())
	return err == nil
}

const formType = "application/x-www-form-urlencoded"

func hostOf(origin string) string {
	return strings.TrimPrefix(strings.TrimPrefix(origin, "https://"), "http://")
}

// round buys one of each at the same time, then gives back what can be.
func (w *shopper) round() bool {
	var all sync.WaitGroup
	var mu sync.Mutex
	fine, page := false, ""
	for _, what := range w.goods {
		all.Go(func() {
			a, err := w.buy(what)
			mu.Lock()
			defer mu.Unlock()
			if err == nil && a.status == http.StatusOK {
				fine, page = true, a.body
				w.bought++
			}
		})
	}
	all.Wait()
	if sale := returnable.FindStringSubmatch(page); sale != nil {
		if a, err := w.do(http.MethodPost, w.host+"/visit/return", formType, url.Values{"sale": {sale[1]}}.Encode()); err == nil && a.status == http.StatusOK {
			w.returned++
		}
	}
	return fine
}

// returnable finds what the page offers to take back.
var returnable = regexp.MustCompile(`name="sale" value="([0-9A-Z]{26})"`)
