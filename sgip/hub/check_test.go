package hub_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"sgip.example/starter/sgip"
)

func (g *game) check() sgip.Reply {
	g.n.t.Helper()
	return g.post(g.checkEnvelope())
}

func (g *game) checkEnvelope() sgip.Envelope {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.checked = true
	return g.envelope(sgip.HubCheck, hubAddress, struct{}{})
}

// serveRaw serves something else than the game's own descriptor.
func (g *game) serveRaw(raw http.HandlerFunc) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.raw = raw
}

func checkOf(t *testing.T, r sgip.CheckReport, name string) sgip.Check {
	t.Helper()
	i := slices.IndexFunc(r.Checks, func(c sgip.Check) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no check %s in %+v", name, r.Checks)
	}
	return r.Checks[i]
}

func TestCheck_Report(t *testing.T) {
	t.Run("OKBeforeItIsRegistered", func(t *testing.T) {
		n := newNetwork(t)
		berlin := n.game("berlin")
		report := result[sgip.CheckReport](t, sgip.HubCheck, berlin.check())
		if report.PlatformID != berlin.id || report.Conforms || !checkOf(t, report, "descriptor").Passed {
			t.Errorf("%+v", report)
		}
		// This small game looks at no signature.
		if c := checkOf(t, report, "wrong_key"); c.Passed || !c.Required || c.Detail == "" {
			t.Errorf("%+v", c)
		}
		if n.query("SELECT COUNT(*) FROM hub_platforms") != 0 {
			t.Error("a check has registered it")
		}
	})
	t.Run("OKDescriptorIsReportedNotRefused", func(t *testing.T) {
		n := newNetwork(t)
		berlin := n.game("berlin")
		berlin.descriptor.Capabilities = []sgip.Op{sgip.HubPing}
		report := result[sgip.CheckReport](t, sgip.HubCheck, berlin.check())
		if c := checkOf(t, report, "descriptor"); c.Passed {
			t.Errorf("%+v", c)
		}
	})
	t.Run("ErrOnceAMinute", func(t *testing.T) {
		n := newNetwork(t)
		berlin := n.game("berlin")
		env := berlin.checkEnvelope()
		first := berlin.post(env)
		wantCode(t, first, "")
		reply := berlin.check()
		wantCode(t, reply, sgip.RateLimited)
		if reply.Error.RetryAfter < 1 || reply.Error.RetryAfter > 60 {
			t.Errorf("%+v", reply.Error)
		}
		asked := len(berlin.got(sgip.HubPing))
		n.clock.advance(time.Minute)
		if again := berlin.post(env); string(again.Result) != string(first.Result) || len(berlin.got(sgip.HubPing)) != asked {
			t.Error("the same envelope was checked a second time")
		}
		n.clock.advance(time.Minute)
		wantCode(t, berlin.check(), "")
	})
}

func TestCheck_Refuse(t *testing.T) {
	// quiet wants that nothing has been sent to the game but for its descriptor.
	quiet := func(t *testing.T, g *game) {
		t.Helper()
		if got := len(g.got(sgip.HubPing)); got != 0 {
			t.Errorf("%d requests were sent", got)
		}
	}
	t.Run("ErrUnlistedKey", func(t *testing.T) {
		n := newNetwork(t)
		berlin := n.game("berlin")
		wantCode(t, berlin.postAs(newSigner("mallory"), berlin.envelope(sgip.HubCheck, hubAddress, struct{}{})), sgip.BadSignature)
		quiet(t, berlin)
		wantCode(t, berlin.check(), "") // nobody has used up its rate
	})
	t.Run("ErrOfAnother", func(t *testing.T) {
		n := newNetwork(t)
		lagos, berlin := n.pair()
		env := berlin.envelope(sgip.HubCheck, hubAddress, struct{}{})
		wantCode(t, lagos.post(env), sgip.BadSignature)
		quiet(t, berlin)
	})
	t.Run("ErrUnreachable", func(t *testing.T) {
		for name, raw := range map[string]http.HandlerFunc{
			"broken": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
			"gone":   func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		} {
			t.Run(name, func(t *testing.T) {
				n := newNetwork(t)
				berlin := n.game("berlin")
				berlin.serveRaw(raw)
				wantCode(t, berlin.check(), sgip.PlatformOffline)
			})
		}
	})
	t.Run("ErrDoorsOffTheDomain", func(t *testing.T) {
		for name, edit := range map[string]func(d *sgip.Descriptor, victim *game){
			"inbox": func(d *sgip.Descriptor, victim *game) { d.Inbox = victim.url("/sgip/inbox") },
			"visit": func(d *sgip.Descriptor, victim *game) { d.Visit = victim.url("/visit") },
		} {
			t.Run(name, func(t *testing.T) {
				n := newNetwork(t)
				mallory, victim := n.game("mallory"), n.game("victim")
				edit(&mallory.descriptor, victim)
				wantCode(t, mallory.check(), sgip.InvalidPayload)
				quiet(t, victim)
				quiet(t, mallory)
			})
		}
	})
	t.Run("ErrSuspended", func(t *testing.T) {
		n := newNetwork(t)
		_, berlin := n.pair()
		n.suspend(berlin)
		wantCode(t, berlin.check(), sgip.Forbidden)
	})
}
