package game

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Below these nobody works a shift.
const (
	workEnergy = 20 * point
	workHunger = 15 * point
)

// Do does an activity at the place where the person is. Residents pay or are
// paid at once, and so do guests with pocket money; other guests may do what is
// free (Ask is for the rest). ErrNoSuch for
// an unknown activity, ErrAway elsewhere, ErrBusy, ErrClosed, ErrPoor,
// ErrTaken for a stall that is sold, ErrInvalid when a rule forbids it.
func (t *Town) Do(ctx context.Context, who PersonID, activity string) (Outcome, error) {
	var out Outcome
	err := t.act(ctx, who, func(ctx context.Context, s *scene) error {
		a := t.world.Activity(activity)
		if a == nil {
			return refuse(ErrNoSuch, "There is no such thing to do here.")
		}
		if err := s.mayDo(a); err != nil {
			return err
		}
		if a.Price > 0 && !s.pays() {
			return refuse(ErrInvalid, "This has a price: guests buy it with money from home.")
		}
		before := s.goals(0)
		money, err := t.settlePrice(ctx, s, a)
		if err != nil {
			return err
		}
		out = Outcome{Text: outcomeText(a), Money: money, Changes: s.enjoy(a), Until: s.at.Add(t.world.real(a.Minutes))}
		s.someone.Doing, s.someone.DoingSince, s.someone.DoingUntil = a.ID, s.at, out.Until
		if err := t.store.Did(ctx, who, a.ID, s.at); err != nil {
			return err
		}
		t.wakePlace(ctx, who, a.Place)
		return t.noteDone(ctx, s, a, before, out)
	})
	return out, err
}

// mayDo is the one rule on what someone may do now, but for the money.
func (s *scene) mayDo(a *Activity) error {
	if err := s.free(); err != nil {
		return err
	}
	guest := s.someone.ID.Guest()
	switch {
	case a.Place != s.someone.Place:
		return refuse(ErrAway, "That is at "+s.world.placeName(a.Place)+".")
	case guest && (a.Residents || a.Job != nil):
		return refuse(ErrInvalid, "Only for people who live here.")
	case a.BuysStall && s.stalls[a.Place].ID == s.someone.ID:
		return refuse(ErrTaken, "It is yours.")
	case a.BuysStall && s.stalls[a.Place].ID != "":
		return refuse(ErrTaken, s.stalls[a.Place].Name+" runs it.")
	case a.BuysStall && s.someone.Stall != "":
		return refuse(ErrTaken, "You already run "+s.world.Place(s.someone.Stall).Stall.Label+".")
	}
	if err := s.openNow(a); err != nil {
		return err
	}
	if free := s.deeds[a.ID].LastAt.Add(s.world.real(a.Cooldown)); within(s.deeds[a.ID].LastAt, free, s.at) {
		return refuse(ErrInvalid, againIn(s.minutesUntil(free)))
	}
	if a.Job != nil && s.someone.Stats["energy"] < workEnergy {
		return refuse(ErrInvalid, "Too tired to work. Rest first.")
	}
	if a.Job != nil && s.someone.Stats["hunger"] < workHunger {
		return refuse(ErrInvalid, "Too hungry to work. Eat first.")
	}
	return nil
}

func againIn(minutes int) string {
	if minutes == 1 {
		return "Again in a minute."
	}
	return fmt.Sprintf("Again in %d minutes.", minutes)
}

func (s *scene) openNow(a *Activity) error {
	for _, h := range []Hours{s.world.Place(a.Place).Hours, a.Hours} {
		if !h.Open(s.now.Minute) {
			return refuse(ErrClosed, "Closed until "+ClockText(h.NextOpen(s.now.Minute)%DayMinutes)+".")
		}
	}
	return nil
}

// minutesUntil is in the town's time, rounded up.
func (s *scene) minutesUntil(at time.Time) int {
	return int((s.world.townSeconds(s.at, at) + 59) / 60)
}

// enjoy applies an activity's effects and the day's bonus.
func (s *scene) enjoy(a *Activity) map[string]int {
	effects := map[string]int{}
	for _, part := range []map[string]int{a.Effects, s.bonus(a)} {
		for id, by := range part {
			effects[id] += by
		}
	}
	return s.someone.Stats.apply(effects)
}

// settlePrice moves the price or wage, and tells what it means for the wallet.
func (t *Town) settlePrice(ctx context.Context, s *scene, a *Activity) (int64, error) {
	id := s.someone.ID
	switch {
	case a.Job != nil:
		wage := s.wage(a)
		s.someone.Job = a.Job.Title
		s.balance += wage
		return wage, t.pay(ctx, accountTown, wallet(string(id)), wage, Entry{Kind: EntryWage, Text: a.Label}, s.at)
	case a.Price == 0:
		return 0, nil
	}
	if err := t.pay(ctx, s.account(), accountTown, a.Price, Entry{Kind: EntryBought, Text: a.Label}, s.at); err != nil {
		return 0, t.poor(err, a.Price-s.balance)
	}
	s.balance -= a.Price
	if id.Guest() {
		return -a.Price, nil // the town's own money, which no stall earns
	}
	if a.BuysStall {
		s.someone.Stall = a.Place
		s.stalls[a.Place] = Owner{ID: id, Name: s.someone.Name}
		return -a.Price, t.store.TakeStall(ctx, a.Place, id, s.at)
	}
	owner := s.stalls[a.Place]
	sale := Sale{Label: a.Label, Price: a.Price, Seller: owner.ID, SellerShare: t.share(a, owner.ID, id)}
	return -a.Price, t.paySeller(ctx, sale, s.someone.Name, s.at)
}

// poor says how much is missing, where err is ErrPoor.
func (t *Town) poor(err error, missing int64) error {
	if errors.Is(err, ErrPoor) {
		return refuse(ErrPoor, "You are "+t.world.Price(missing)+" short.")
	}
	return err
}

// share is what a stall's owner gets for a sale; nothing for buying from oneself.
func (t *Town) share(a *Activity, owner, buyer PersonID) int64 {
	p := t.world.Place(a.Place)
	if owner == "" || owner == buyer || p.Stall == nil {
		return 0
	}
	return a.Price/100*int64(p.Stall.Share) + a.Price%100*int64(p.Stall.Share)/100
}

// paySeller credits a stall's owner and tells them. A sale to a guest has its id.
func (t *Town) paySeller(ctx context.Context, sale Sale, buyer string, at time.Time) error {
	if sale.SellerShare == 0 {
		return nil
	}
	entry := Entry{Kind: EntrySold, Text: sale.Label, Ref: sale.ID, HostCost: sale.Price, HostCode: t.world.Currency}
	if err := t.pay(ctx, accountTown, wallet(string(sale.Seller)), sale.SellerShare, entry, at); err != nil {
		return err
	}
	t.wake(ctx, sale.Seller)
	return t.note(ctx, sale.Seller, "🧾", buyer+" bought from you: "+sale.Thing()+", +"+t.world.Price(sale.SellerShare)+".", at)
}

func outcomeText(a *Activity) string {
	if a.BuysStall {
		return "It is yours now. You are paid whenever someone buys here."
	}
	return a.Label
}

func (t *Town) noteDone(ctx context.Context, s *scene, a *Activity, before []Goal, out Outcome) error {
	text := out.Text + "."
	switch {
	case a.BuysStall:
		text = out.Text + " You paid " + t.world.Price(-out.Money) + "."
	case out.Money < 0:
		text = out.Text + ": " + t.world.Price(-out.Money) + "."
	case out.Money > 0:
		text = out.Text + ": +" + t.world.Price(out.Money) + "."
	}
	if err := t.note(ctx, s.someone.ID, a.Icon, text, s.at); err != nil {
		return err
	}
	d := s.deeds[a.ID]
	s.deeds[a.ID] = Deed{Activity: a.ID, Times: d.Times + 1, LastAt: s.at}
	s.remember(a)
	for i, g := range s.goals(0) {
		if g.Done && !before[i].Done {
			if err := t.note(ctx, s.someone.ID, "🏅", "Done: "+g.Label+"!", s.at); err != nil {
				return err
			}
		}
	}
	return nil
}

// note adds a line to someone's news.
func (t *Town) note(ctx context.Context, id PersonID, icon, text string, at time.Time) error {
	return t.store.AddNote(ctx, id, Note{At: at, Text: text, Icon: icon}, maxNotes)
}
