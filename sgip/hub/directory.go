package hub

import (
	"context"
	"slices"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

const (
	// pageDefault is how many platforms a page lists unless asked otherwise,
	// pageMost the most one may ask for (contract 9).
	pageDefault = 50
	pageMost    = 200
	// pageBytes keeps a page within sgip.MaxHubReply; a page may be shorter
	// than asked for.
	pageBytes = sgip.MaxHubReply * 3 / 4
)

// directory answers platform.directory@1 as the asking platform is to see it.
func (h *Hub) directory(ctx context.Context, in exchange.Incoming) (exchange.Answer, error) {
	var q sgip.DirectoryQuery
	if err := in.Decode(h.mode, &q); err != nil {
		return exchange.Answer{}, err
	}
	if q.Platform != "" {
		return h.directoryOf(ctx, in.From.Platform, q.Platform)
	}
	limit := q.Limit
	if limit <= 0 {
		limit = pageDefault
	}
	limit = min(limit, pageMost)
	ids, err := h.store.PlatformIDs(ctx, q.Cursor, limit+1)
	if err != nil {
		return exchange.Answer{}, err
	}
	more := len(ids) > limit
	entries, err := h.entries(ctx, in.From.Platform, ids[:min(limit, len(ids))])
	if err != nil {
		return exchange.Answer{}, err
	}
	fit, err := fitting(entries)
	if err != nil {
		return exchange.Answer{}, err
	}
	page := sgip.DirectoryPage{Platforms: entries[:fit]}
	switch {
	case fit < len(entries):
		page.NextCursor = entries[fit-1].PlatformID
	case more:
		page.NextCursor = ids[limit-1] // whether it is shown or not
	}
	return exchange.Answer{Result: page}, nil
}

// directoryOf answers for one platform: a page of one entry, or of none.
func (h *Hub) directoryOf(ctx context.Context, asker, platform string) (exchange.Answer, error) {
	entries, err := h.entries(ctx, asker, []string{platform})
	if err != nil {
		return exchange.Answer{}, err
	}
	return exchange.Answer{Result: sgip.DirectoryPage{Platforms: entries}}, nil
}

// fitting is how many entries a page can hold, at least one.
func fitting(entries []sgip.DirectoryEntry) (int, error) {
	size := 0
	for i, entry := range entries {
		text, err := sgip.Marshal(entry)
		if err != nil {
			return 0, err
		}
		if size += len(text) + 1; size > pageBytes && i > 0 {
			return i, nil
		}
	}
	return len(entries), nil
}

// entries shows those of ids that are registered and not suspended, in their
// order, to the asker.
func (h *Hub) entries(ctx context.Context, asker string, ids []string) ([]sgip.DirectoryEntry, error) {
	members, err := h.registry.free(ctx, ids...)
	if err != nil {
		return nil, err
	}
	homes, err := h.registry.free(ctx, homesOf(members)...)
	if err != nil {
		return nil, err
	}
	entries := []sgip.DirectoryEntry{}
	for _, id := range ids {
		if m, ok := members[id]; ok {
			entries = append(entries, h.entry(asker, m, homes))
		}
	}
	return entries, nil
}

// homesOf are the platforms whose money the members accept.
func homesOf(members map[string]Registration) []string {
	var homes []string
	for _, m := range members {
		for _, edge := range edgesOf(m.Descriptor) {
			homes = append(homes, edge.From)
		}
	}
	slices.Sort(homes)
	return slices.Compact(homes)
}

func (h *Hub) entry(asker string, m Registration, homes map[string]Registration) sgip.DirectoryEntry {
	d := m.Descriptor
	entry := sgip.DirectoryEntry{
		PlatformID: d.PlatformID, Name: d.Name, Description: d.Description, Icon: d.Icon, IconURL: d.IconURL,
		Languages: d.Languages, Visit: d.Visit, ReturnURL: d.ReturnURL(h.mode), Origins: d.Origins(h.mode),
		Embed: sgip.Embed{Allowed: d.EmbedAllowed()}, Currencies: d.Currencies, Accepts: []sgip.Accepts{},
		SpendingAbroad: d.Money != nil && d.Money.SpendingAbroad != nil, Capabilities: d.Capabilities,
		VisitorsWelcome: d.Welcomes(asker), Online: h.marks.isOnline(m.ID, m.Online),
	}
	if entry.Currencies == nil {
		entry.Currencies = []string{}
	}
	if d.Money != nil {
		for _, accepts := range d.Money.Accepts {
			if isActive(accepts, homes[accepts.From].Descriptor) {
				entry.Accepts = append(entry.Accepts, accepts)
			}
		}
	}
	return entry
}
