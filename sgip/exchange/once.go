package exchange

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"

	"sgip.example/starter/sgip"
)

const (
	// sweepEvery is after how many requests old nonces and answers are forgotten,
	// sweepMost how many of each at a time: more than can have come meanwhile.
	sweepEvery = 256
	sweepMost  = 512
	// resumeAtOnce is how many claims are taken up at one time at start.
	resumeAtOnce = 64
)

// step is where an envelope stands after its first transaction: answered, to
// wait for the same envelope's answer, or with someone to be asked first.
type step struct {
	done answer
	wait *flight
	ask  func(ctx context.Context) Finish
	mine *flight // registered by this step, to be landed
}

// answer takes an accepted request through its one or two transactions.
func (in *Inbox) answer(ctx context.Context, a accepted) answer {
	s, err := in.first(ctx, a)
	if err != nil {
		in.c.Log.Error("inbox", "id", a.ID, "op", a.Op, "err", err)
		return in.land(s.mine, refuse(a.ID, err))
	}
	switch {
	case s.wait != nil:
		return s.wait.join(ctx, a.ID)
	case s.ask != nil:
		return in.land(s.mine, in.second(ctx, a, s.ask))
	}
	return s.done
}

// first is the one transaction that spends the nonce, claims the envelope and,
// where nobody must be asked, holds the answer and its effects too. Its error
// means that none of this has been kept.
func (in *Inbox) first(ctx context.Context, a accepted) (s step, err error) {
	err = in.c.Store.InTx(ctx, func(ctx context.Context) error {
		if a.nonce != "" {
			now := in.c.Clock()
			fresh, err := in.c.Store.SpendNonce(ctx, a.KeyID, a.nonce, now, now.Add(sgip.NonceLife))
			if err != nil {
				return err
			}
			if !fresh {
				s.done = refuse("", sgip.Errorf(sgip.BadSignature, "the nonce has been used before"))
				return nil
			}
			if err := in.sweep(ctx); err != nil {
				return err
			}
		}
		if a.refusal != nil {
			s.done = refuse(a.ID, a.refusal)
			return nil
		}
		if a.introduced {
			if err := in.throttle(a); err != nil {
				s.done = refuse(a.ID, err)
				return nil
			}
		}
		return in.once(ctx, a, &s)
	})
	return s, err
}

// once finds what has become of the envelope so far, and lets it be judged if
// nothing has. The writer's transactions come one at a time, so the claim found
// is the truth; its primary key is the last arbiter.
func (in *Inbox) once(ctx context.Context, a accepted, s *step) error {
	claim, found, err := in.c.Store.Claim(ctx, a.From.Platform, a.ID)
	if err != nil {
		return err
	}
	if found {
		if claim.Hash != a.hash {
			s.done = refuse(a.ID, sgip.Errorf(sgip.InvalidPayload, "id: has been used with another body"))
			return nil
		}
		if claim.Reply != nil {
			s.done, err = remembered(a.ID, claim.Reply)
			return err
		}
		if s.wait = in.flights.find(a); s.wait != nil {
			return nil
		}
	} else if !a.introduced {
		if err := in.throttle(a); err != nil {
			s.done = refuse(a.ID, err)
			return nil
		}
	}
	verdict := in.guard(ctx, a, func(ctx context.Context) (Answer, error) { return in.judge(ctx, a.Incoming) })
	if verdict.ask != nil {
		s.ask, s.mine = verdict.ask, in.flights.start(a)
		if found {
			return nil
		}
		return in.c.Store.AddClaim(ctx, Claim{Platform: a.From.Platform, ID: a.ID, Hash: a.hash, KeyID: a.KeyID, Body: a.Body})
	}
	s.done = verdict.answer
	if found {
		return in.settle(ctx, a, verdict)
	}
	c := Claim{Platform: a.From.Platform, ID: a.ID, Hash: a.hash, KeyID: a.KeyID, Expires: expiry(a.Op, in.c.Clock())}
	switch verdict.end {
	case dropped:
		return nil
	case kept:
		c.Reply = verdict.later
	}
	return in.c.Store.AddClaim(ctx, c)
}

// throttle holds the sender to its rate.
func (in *Inbox) throttle(a accepted) error {
	if in.c.Throttle == nil {
		return nil
	}
	return in.c.Throttle(a.From.Platform, a.Op)
}

// second asks outside any transaction, then keeps the answer and its effects in
// one. It goes on when the request's own context ends: the claim is made.
func (in *Inbox) second(ctx context.Context, a accepted, ask func(context.Context) Finish) answer {
	ctx = context.WithoutCancel(ctx)
	finish := in.ask(ctx, a, ask)
	var done verdict
	err := in.c.Store.InTx(ctx, func(ctx context.Context) error {
		done = in.guard(ctx, a, func(ctx context.Context) (Answer, error) {
			decided, err := finish(ctx)
			if decided.Ask != nil {
				return Answer{}, errors.New("a Finish wants to ask again")
			}
			return decided, err
		})
		return in.settle(ctx, a, done)
	})
	if err != nil {
		// The claim stays open: the next duplicate, or the next start, takes it up.
		in.c.Log.Error("inbox", "id", a.ID, "op", a.Op, "err", err)
		return refuse(a.ID, err)
	}
	return done.answer
}

// ask guards the asking against panics.
func (in *Inbox) ask(ctx context.Context, a accepted, ask func(context.Context) Finish) (finish Finish) {
	defer func() {
		if fault := recover(); fault != nil {
			in.logPanic(a, fault)
			finish = func(context.Context) (Answer, error) { return Answer{}, errFault }
		}
	}()
	return ask(ctx)
}

// settle ends a claim that isn't answered.
func (in *Inbox) settle(ctx context.Context, a accepted, v verdict) error {
	expires := expiry(a.Op, in.c.Clock())
	switch v.end {
	case kept:
		return in.c.Store.AnswerClaim(ctx, a.From.Platform, a.ID, v.later, expires)
	case parked:
		return in.c.Store.ParkClaim(ctx, a.From.Platform, a.ID, expires)
	}
	return in.c.Store.DropClaim(ctx, a.From.Platform, a.ID)
}

// Settle writes down, in the caller's transaction, how an envelope ends that was
// answered Unkept so far. The same envelope gets that answer from then on.
func (in *Inbox) Settle(ctx context.Context, platform, id string, op sgip.Op, r sgip.Reply) error {
	return in.c.Store.AnswerClaim(ctx, platform, id, r.Encode(), expiry(op, in.c.Clock()))
}

// verdict is what a handler has decided, as it goes out.
type verdict struct {
	answer
	end   end
	later []byte // the reply that is kept for the same envelope
	ask   func(ctx context.Context) Finish
}

// end is what becomes of a claim.
type end int

const (
	dropped end = iota // as if nothing had been asked
	parked             // unkept, or nobody answered: the id still names this body alone
	kept               // a definite one
)

// errFault is what is told of a panic, which has been logged already.
var errFault = sgip.Errorf(sgip.Internal, "a fault on this side; nothing was changed")

// guard runs a handler's step in a savepoint. A refusal undoes what the step
// wrote, unless it is wrapped by Keep; so does a panic, which becomes Internal.
func (in *Inbox) guard(ctx context.Context, a accepted, do func(context.Context) (Answer, error)) (v verdict) {
	defer func() {
		if fault := recover(); fault != nil {
			in.logPanic(a, fault)
			v = verdict{answer: refuse(a.ID, errFault)}
		}
	}()
	var refusal, later error
	err := in.c.Store.InTx(ctx, func(ctx context.Context) error {
		decided, err := do(ctx)
		if err != nil {
			refusal, later = err, err
			if k, keep := errors.AsType[keptError](err); keep {
				later = k.later
				return nil
			}
			return err
		}
		if v.ask = decided.Ask; v.ask != nil {
			return nil
		}
		reply, err := sgip.OKReply(a.ID, decided.Result)
		if err != nil {
			return err
		}
		v.answer, v.end = answerOf(reply), kept
		v.later = v.body
		if decided.Unkept {
			v.end = parked
		}
		return nil
	})
	if refusal == nil {
		refusal, later = err, err
	}
	if refusal == nil {
		return v
	}
	e := sgip.AsError(refusal)
	if e.Code == sgip.Internal && !errors.Is(refusal, errFault) {
		in.c.Log.Error("inbox", "id", a.ID, "op", a.Op, "err", refusal)
	}
	l := sgip.AsError(later)
	switch {
	case l.Code == sgip.PlatformOffline:
		return verdict{answer: refuse(a.ID, e), end: parked}
	case l.Code.Transient(): // over the rate, or a fault: it came to nothing here
		return verdict{answer: refuse(a.ID, e)}
	}
	return verdict{answer: refuse(a.ID, e), end: kept, later: refuse(a.ID, l).body}
}

func (in *Inbox) logPanic(a accepted, fault any) {
	in.c.Log.Error("panic in handler", "id", a.ID, "op", a.Op, "panic", fault, "stack", string(debug.Stack()))
}

func (in *Inbox) sweep(ctx context.Context) error {
	if in.served.Add(1)%sweepEvery != 0 {
		return nil
	}
	now := in.c.Clock()
	return errors.Join(in.c.Store.DropNonces(ctx, now, sweepMost), in.c.Store.DropAnswers(ctx, now, sweepMost))
}

// Resume takes up, with the bytes received, every claim that an earlier run left
// without an answer. It returns when all have been answered or ctx is done; the
// error is the store's. Call it once, at start; requests may come in meanwhile.
func (in *Inbox) Resume(ctx context.Context) error {
	open, err := in.c.Store.OpenClaims(ctx)
	if err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(resumeAtOnce)
	for _, c := range open {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			env, err := sgip.ParseEnvelope(in.c.Mode, c.Body)
			if err != nil {
				return err
			}
			in.answer(ctx, accepted{Incoming: Incoming{Envelope: env, Body: c.Body, KeyID: c.KeyID}, hash: c.Hash})
			return nil
		})
	}
	return group.Wait()
}

// claimKey names an envelope among those that are being worked on.
type claimKey struct{ platform, id string }

// flights are the envelopes for which someone is being asked just now.
type flights struct {
	mu   sync.Mutex
	open map[claimKey]*flight
}

func (f *flights) find(a accepted) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open[claimKey{a.From.Platform, a.ID}]
}

func (f *flights) start(a accepted) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	mine := &flight{key: claimKey{a.From.Platform, a.ID}, landed: make(chan struct{})}
	f.open[mine.key] = mine
	return mine
}

// land gives those who wait the answer.
func (in *Inbox) land(mine *flight, a answer) answer {
	if mine == nil {
		return a
	}
	in.flights.mu.Lock()
	delete(in.flights.open, mine.key)
	in.flights.mu.Unlock()
	mine.answer = a
	close(mine.landed)
	return a
}
