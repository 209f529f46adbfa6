package game

import "context"

// maxTakings is how many sales the book of a stall shows.
const maxTakings = 100

// StallBook is what the stall of a resident has brought: each sale with the
// owner's share, and what became of it. ErrNoPlayer without such a resident.
func (t *Town) StallBook(ctx context.Context, who PersonID) (StallBook, error) {
	var book StallBook
	if _, err := t.resident(ctx, string(who)); err != nil {
		return book, err
	}
	stalls, err := t.store.Stalls(ctx)
	if err != nil {
		return book, err
	}
	for place, owner := range stalls {
		if owner.ID == who {
			book.Place = t.world.Place(place)
		}
	}
	entries, err := t.store.Sold(ctx, wallet(string(who)), maxTakings)
	if err != nil {
		return book, err
	}
	if book.Takings, err = t.takings(ctx, entries); err != nil {
		return book, err
	}
	book.Earned, err = t.store.Earned(ctx, wallet(string(who)))
	return book, err
}

// takings joins entries with the sales to guests that they are for.
func (t *Town) takings(ctx context.Context, entries []Entry) ([]Taking, error) {
	var ids []string
	for _, e := range entries {
		if e.Ref != "" {
			ids = append(ids, e.Ref)
		}
	}
	sales, err := t.store.SalesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID, names := map[string]Sale{}, map[PersonID]string{}
	for _, s := range sales {
		byID[s.ID] = s
		if names[s.Guest], err = t.nameOf(ctx, s.Guest); err != nil {
			return nil, err
		}
	}
	takings := make([]Taking, 0, len(entries))
	for _, e := range entries {
		taking := Taking{At: e.At, What: e.Text, Price: e.HostCost, Share: e.Amount}
		if s, ok := byID[e.Ref]; ok {
			taking.Guest, taking.Home, taking.Price = names[s.Guest], s.Guest.Home(), s.Price
			if s.State == SaleRefunded {
				taking.Returned, taking.Covered = s.EndedAt, s.SellerPaid
			}
		}
		takings = append(takings, taking)
	}
	return takings, nil
}
