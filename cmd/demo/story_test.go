package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestStory plays the whole first visit in a real browser against the three real
// processes: Tunde lives in Lagos, writes to Lena, travels to Berlin, pays there
// with the money he left at home, and comes back.
func TestStory(t *testing.T) {
	b := newBrowser(t)
	s := newStage(t)
	lagos, berlin := s.lagos.part.url(), s.berlin.part.url()

	board := b.open(s.hub.part.url())
	board.sees("", "Lagos")
	board.sees("", "Berlin")
	board.photograph("hub")

	// Nobody hands this one a passport; it must still say so at the end.
	stranger := b.open(berlin + "/visit?home=" + s.lagos.part.host + "&visit=01JA2B3C4D5E6F7G8H9J0K1M2N")

	tunde := b.open(lagos)
	tunde.sees("", "Walk in as")
	tunde.photograph("landing")
	tunde.click("", `form[action="/play-as"]:has(input[value="tunde"]) button`)
	tunde.must("", "the town is open", `location.pathname === "/play"`)
	live(t, s, tunde)
	tunde.photograph("play")

	lena := b.open(berlin)
	lena.click("", `form[action="/play-as"]:has(input[value="lena"]) button`)
	lena.must("", "the town is open", `location.pathname === "/play"`)
	write(t, s, tunde, lena)

	travel(t, s, tunde)
	spend(t, s, tunde)
	s.homeAway(t, tunde)
	comeHome(t, s, tunde)
	stranger.sees("", "No papers came")
	for _, w := range []*window{board, tunde, lena} {
		w.quiet()
	}
	s.lagos.checkLedger(t)
	s.berlin.checkLedger(t)
}

// live: what Tunde does in Lagos shows without a reload, and in the ledger.
func live(t *testing.T, s *stage, tunde *window) {
	t.Helper()
	before := s.lagos.balance("tunde")
	tunde.must("", "the page is marked", `(window.sameDocument = true)`)
	tunde.click("", `#do-gala button`)
	waitUntil(t, "the ledger has the Gala", func() bool { return s.lagos.balance("tunde") == before-70_000 })
	tunde.must("", "the wallet shows it", fmt.Sprintf(`document.querySelector('[data-count="wallet"]').dataset.value === "%d"`, before-70_000))
	tunde.must("", "nothing was reloaded", `window.sameDocument === true`)
}

// write: a letter arrives in the other town and is answered; a name that isn't
// there and one that is hidden are told alike.
func write(t *testing.T, s *stage, tunde, lena *window) {
	t.Helper()
	lagos, berlin := s.lagos.part, s.berlin.part
	tunde.visit(lagos.url() + "/messages")
	send := func(to, text string) {
		tunde.fill("", `.letter-form [name="to"]`, to)
		tunde.fill("", `.letter-form [name="text"]`, text)
		tunde.click("", `.letter-form button.primary`)
	}
	send("lena@"+berlin.host, "How far? Greetings from Lagos <3")
	tunde.sees("", "delivered")
	lena.visit(berlin.url() + "/messages")
	lena.sees("", "Greetings from Lagos <3")
	lena.visit(berlin.url() + "/messages/tunde@" + lagos.host)
	lena.fill("", `.letter-form [name="text"]`, "Moin! Komm vorbei.")
	lena.click("", `.letter-form button.primary`)
	tunde.sees("", "Moin! Komm vorbei.")
	tunde.photograph("messages")

	words := map[string]string{}
	s.hide(t, "jonas")
	for _, name := range []string{"wole", "jonas"} {
		tunde.visit(lagos.url() + "/messages")
		send(name+"@"+berlin.host, "Are you there?")
		tunde.must("", "it is said kindly", `document.querySelector('.letter-failed') !== null`)
		text, err := tunde.eval("", `document.querySelector('.letter-failed').innerText`)
		if err != nil {
			t.Fatal(err)
		}
		words[name] = strings.ReplaceAll(text, name, "…")
	}
	if words["wole"] != words["jonas"] {
		t.Errorf("an absent name is told %q, a hidden one %q", words["wole"], words["jonas"])
	}
}

// hide makes a player of Berlin no longer discoverable, as the player would.
func (s *stage) hide(t *testing.T, handle string) {
	t.Helper()
	p := newPerson(t, s.berlin.part.url(), s.lagos.part.url())
	p.playAs(handle)
	p.form(p.home+"/settings", map[string][]string{"discoverable": {}})
}

// travel: the rate in words, the budget, the stamp, the other town in a frame.
func travel(t *testing.T, s *stage, tunde *window) {
	t.Helper()
	tunde.visit(s.lagos.part.url() + "/travel")
	tunde.sees("", "₦5,000 buys €10")
	tunde.fill("", `input[name="budget"]`, "10,000")
	tunde.sees("", "€20")
	tunde.photograph("travel")
	tunde.click("", `.pass-go`)
	tunde.must("", "the trip is open", `location.pathname.startsWith("/travel/")`)
	berlin := s.berlin.part.url()
	tunde.must(berlin, "Berlin has let him in", `!document.querySelector("#town").hidden`)
	tunde.sees(berlin, "Guest from Lagos")
	tunde.sees(berlin, "Tunde")
	if n := s.berlin.query(`SELECT count(*) FROM game_people WHERE home <> ''`); n != 1 {
		t.Errorf("%d guest records, want 1", n)
	}
	tunde.photograph("visit")
}

// spend: he walks, does what is free, and buys what costs; the wallet at home
// moves before his eyes.
func spend(t *testing.T, s *stage, tunde *window) {
	t.Helper()
	berlin := s.berlin.part.url()
	before := s.lagos.balance("tunde")
	tunde.must(berlin, "his fun is noted", `(window.funBefore = Number(document.querySelector('[data-count="fun"]').dataset.value)) > 0`)
	tunde.click(berlin, `#do-watch_trains button`)
	tunde.must(berlin, "watching has done him good", `Number(document.querySelector('[data-count="fun"]').dataset.value) > window.funBefore`)
	tunde.must(berlin, "he has a hand free", `document.querySelector('#do-brezel button') !== null`)
	tunde.click(berlin, `form[action="/visit/go"]:has(input[value="imbiss"]) button`)
	tunde.click(berlin, `#do-pommes button`)
	tunde.sees(berlin, "paid")
	tunde.must("", "the ribbon shows what is left", fmt.Sprintf(
		`document.querySelector('[data-count="left"]').dataset.value === "%d"`, 1_000_000-imbissTreatDebit))
	tunde.must("", "the wallet at home has moved", fmt.Sprintf(
		`document.querySelector('[data-count="wallet"]').dataset.value === "%d"`, before-imbissTreatDebit))
	if got := before - s.lagos.balance("tunde"); got != imbissTreatDebit {
		t.Errorf("home paid %d, want %d", got, imbissTreatDebit)
	}
	if paid, share := s.berlin.paidSales(), s.berlin.sellerCredits(); paid != 1 || share != imbissTreatShare {
		t.Errorf("%d sales paid, the seller got %d; want 1 and %d", paid, share, imbissTreatShare)
	}
	tunde.photograph("visit-shop")
}

// homeAway: Lagos can't be reached; plain words, nothing lost, nothing given.
func (s *stage) homeAway(t *testing.T, tunde *window) {
	t.Helper()
	berlin := s.berlin.part.url()
	before := s.lagos.balance("tunde")
	tunde.must(berlin, "he has a hand free", `document.querySelector('#do-pommes button') !== null`)
	s.lagos.kill()
	tunde.click(berlin, `#do-pommes button`)
	tunde.sees(berlin, "could not be reached")
	s.lagos.start()
	s.lagos.waitReady()
	waitUntil(t, "the charge has been voided", s.quiet)
	if got := s.lagos.balance("tunde"); got != before {
		t.Errorf("the purchase that wasn't moved %d at home", before-got)
	}
	if paid := s.berlin.paidSales(); paid != 1 {
		t.Errorf("%d sales paid, want 1", paid)
	}
}

// comeHome: leave, exit, visit.end, souvenirs within ±20, a postcard.
func comeHome(t *testing.T, s *stage, tunde *window) {
	t.Helper()
	tunde.click("", `[data-trip-return]`)
	tunde.must("", "the postcard is there", `location.pathname.startsWith("/postcards/")`)
	tunde.sees("", "A postcard from Berlin")
	tunde.sees("", "Pommes")
	tunde.sees("", "₦1,665")
	tunde.photograph("postcard")
	if n := s.lagos.query(`SELECT count(*) FROM game_postcards`); n != 1 {
		t.Errorf("%d postcards, want 1", n)
	}
	widest := s.lagos.query(`SELECT max(abs(j.value)) FROM game_postcards, json_each(changes) j`)
	if widest < 1 || widest > 20 {
		t.Errorf("the widest change is %d, want 1 to 20", widest)
	}
}
