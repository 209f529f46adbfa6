package hub

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// visitRequest answers visit.request@1: a passport for a first request, or a
// fresh one for the visit named.
func (h *Hub) visitRequest(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	var p sgip.VisitRequestPayload
	if err := in.Decode(h.mode, &p); err != nil {
		return exchange.Answer{}, err
	}
	if in.From.Player == "" {
		return exchange.Answer{}, sgip.Errorf(sgip.InvalidPayload, "from.player: must name the traveller")
	}
	if p.Host == in.From.Platform {
		return exchange.Answer{}, sgip.Errorf(sgip.InvalidPayload, "payload.host: a player can't visit the game they live in")
	}
	host, err := h.registry.member(ctx, p.Host)
	if err != nil {
		return exchange.Answer{}, err
	}
	if !host.Descriptor.Welcomes(in.From.Platform) {
		return exchange.Answer{}, sgip.Errorf(sgip.Forbidden, "%s takes no visitors from %s", p.Host, in.From.Platform)
	}
	begin := h.startVisit
	if p.VisitID != "" {
		begin = h.refreshVisit
	}
	visit, err := begin(ctx, in, p, host.Descriptor)
	if err != nil {
		return exchange.Answer{}, err
	}
	return h.issue(visit, host.Descriptor)
}

// startVisit opens a visit with the budget and scope of this request, and ends
// an earlier one by the same player to the same host (contract 7.2).
func (h *Hub) startVisit(ctx context.Context, in exchange.Incoming, p sgip.VisitRequestPayload, host sgip.Descriptor) (Visit, error) {
	scope, err := scopeOf(p)
	if err != nil {
		return Visit{}, err
	}
	if p.Budget != nil {
		if err := h.checkBudget(ctx, in.From.Platform, *p.Budget, host); err != nil {
			return Visit{}, err
		}
	}
	expires, err := h.passportExpiry(ctx)
	if err != nil {
		return Visit{}, err
	}
	if err := h.store.EndVisitsOf(ctx, in.From.Player, host.PlatformID, h.now()); err != nil {
		return Visit{}, err
	}
	visit := Visit{
		ID: h.newID(), Home: in.From.Platform, Player: in.From.Player, Host: host.PlatformID, Scope: scope, Budget: p.Budget,
		StartedAt: h.now(), ExpiresAt: expires,
	}
	if visit.Profile, err = h.shown(p.Profile, sgip.Profile{}); err != nil {
		return Visit{}, err
	}
	return visit, h.store.AddVisit(ctx, visit)
}

// refreshVisit extends a visit that is still under way; budget and scope stay
// as they were, whatever the request holds.
func (h *Hub) refreshVisit(ctx context.Context, in exchange.Incoming, p sgip.VisitRequestPayload, host sgip.Descriptor) (Visit, error) {
	visit, err := h.visit(ctx, p.VisitID)
	if err != nil {
		return Visit{}, err
	}
	if visit.Home != in.From.Platform || visit.Player != in.From.Player || visit.Host != host.PlatformID {
		return Visit{}, sgip.Errorf(sgip.Forbidden, "the visit belongs to another traveller or host")
	}
	if !visit.UnderWay(h.now()) {
		return Visit{}, sgip.Errorf(sgip.Forbidden, "the visit is over")
	}
	if visit.ExpiresAt, err = h.passportExpiry(ctx); err != nil {
		return Visit{}, err
	}
	if visit.Profile, err = h.shown(p.Profile, visit.Profile); err != nil {
		return Visit{}, err
	}
	extended, err := h.store.ExtendVisit(ctx, visit)
	if err != nil {
		return Visit{}, err
	}
	if !extended {
		return Visit{}, sgip.Errorf(sgip.Forbidden, "the visit is over")
	}
	return visit, nil
}

// visit finds a visit; NotFound if there is none.
func (h *Hub) visit(ctx context.Context, id string) (Visit, error) {
	visit, err := h.store.Visit(ctx, id)
	if errors.Is(err, ErrNone) {
		return Visit{}, sgip.Errorf(sgip.NotFound, "No visit %s", id)
	}
	return visit, err
}

// scopeOf reads the first request's scope: pay brings visit along, and pay and
// a budget come together or not at all (7.4).
func scopeOf(p sgip.VisitRequestPayload) ([]string, error) {
	scope := []string{sgip.ScopeVisit}
	for _, s := range p.Scope {
		switch {
		case s != sgip.ScopeVisit && s != sgip.ScopePay:
			return nil, sgip.Errorf(sgip.InvalidPayload, "payload.scope: must hold only visit and pay")
		case !slices.Contains(scope, s):
			scope = append(scope, s)
		}
	}
	pays := slices.Contains(scope, sgip.ScopePay)
	switch {
	case pays && p.Budget == nil:
		return nil, sgip.Errorf(sgip.InvalidPayload, "payload.budget: must be there with the scope pay")
	case !pays && p.Budget != nil:
		return nil, sgip.Errorf(sgip.InvalidPayload, "payload.scope: must hold pay when there is a budget")
	case pays && p.Budget.Amount < 1:
		return nil, sgip.Errorf(sgip.InvalidPayload, "payload.budget.amount: must be at least 1")
	}
	return scope, nil
}

// checkBudget is Forbidden unless the host accepts the budget's currency from
// the home game.
func (h *Hub) checkBudget(ctx context.Context, homeID string, budget sgip.Money, host sgip.Descriptor) error {
	home, err := h.registry.member(ctx, homeID)
	if err != nil {
		return err
	}
	if len(activeRates(host, home.Descriptor, budget.Currency)) == 0 {
		return sgip.Errorf(sgip.Forbidden, "%s doesn't accept %s from %s", host.PlatformID, budget.Currency, homeID)
	}
	return nil
}

// passportExpiry is 900 s from now, or the key's expiry where that is earlier,
// so that no passport outlives its key (6.1).
func (h *Hub) passportExpiry(ctx context.Context) (time.Time, error) {
	keyExpires, err := h.keyExpires(ctx)
	if err != nil {
		return time.Time{}, err
	}
	now := h.now().Truncate(time.Second)
	expires := now.Add(sgip.PassportLife)
	if keyExpires.Before(expires) {
		expires = keyExpires
	}
	if !expires.After(now) {
		return time.Time{}, sgip.Errorf(sgip.Internal, "the hub's key has expired and is being renewed")
	}
	return expires, nil
}

// shown is the part of a profile that goes into a passport: of the stats only
// registered ones (contract 7.1). Without a profile, kept stays as it was.
func (h *Hub) shown(p *sgip.Profile, kept sgip.Profile) (sgip.Profile, error) {
	if p == nil {
		return kept, nil
	}
	for _, text := range []struct {
		field, value string
		max          int
	}{
		{"payload.profile.name", p.Name, sgip.MaxName},
		{"payload.profile.avatar", p.Avatar, sgip.MaxAvatar},
	} {
		if text.value == "" {
			continue
		}
		if err := sgip.CheckText(text.field, text.value, text.max); err != nil {
			return sgip.Profile{}, err
		}
	}
	profile := sgip.Profile{Name: p.Name, Avatar: p.Avatar}
	for id, value := range p.Stats {
		if h.registeredStat(id) {
			if profile.Stats == nil {
				profile.Stats = map[string]int{}
			}
			profile.Stats[id] = value
		}
	}
	return profile, nil
}

// issue signs a passport for the visit and says where it is to be taken.
func (h *Hub) issue(v Visit, host sgip.Descriptor) (exchange.Answer, error) {
	handle, _, ok := h.mode.SplitPlayer(v.Player)
	if !ok {
		return exchange.Answer{}, sgip.Errorf(sgip.InvalidPayload, "from.player: not a player id")
	}
	token, err := sgip.SignPassport(h.signer(), sgip.Passport{
		Issuer: sgip.HubID, Subject: handle, Home: v.Home, Host: v.Host, Issued: h.now().Unix(), Expires: v.ExpiresAt.Unix(),
		ID: h.newID(), VisitID: v.ID, Scope: v.Scope, Budget: v.Budget,
		Name: v.Profile.Name, Avatar: v.Profile.Avatar, Stats: v.Profile.Stats,
	})
	if err != nil {
		return exchange.Answer{}, err
	}
	launch, origin, err := launchURL(host.Visit, v)
	if err != nil {
		return exchange.Answer{}, err
	}
	return exchange.Answer{Result: sgip.VisitRequestResult{
		VisitID: v.ID, Passport: token, ExpiresAt: v.ExpiresAt.Unix(), LaunchURL: launch, HostOrigin: origin,
		Embed: sgip.Embed{Allowed: host.EmbedAllowed()},
	}}, nil
}

// launchURL adds home and visit to the host's visit URL, keeping the query it
// has, and gives the URL's origin as browsers write it.
func launchURL(visitURL string, v Visit) (launch, origin string, err error) {
	u, err := url.Parse(visitURL)
	if err != nil {
		return "", "", err
	}
	query := url.Values{"home": {v.Home}, "visit": {v.ID}}.Encode()
	if u.RawQuery != "" {
		query = u.RawQuery + "&" + query
	}
	u.RawQuery = query
	return u.String(), sgip.OriginOf(u), nil
}
