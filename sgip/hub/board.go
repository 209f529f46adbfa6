package hub

import (
	"context"
	"time"
)

// BoardRow is one game on the hub's own page.
type BoardRow struct {
	ID           string
	Name         string
	Icon         string
	Description  string
	Home         string // where its players go in
	Online       bool
	RegisteredAt time.Time
	LastSeen     time.Time // its last hello
	Visits       int       // guests there just now
}

// boardMost bounds the board: it is a page for people.
const boardMost = 500

// Games lists the registered games by id, for the hub's page.
func (h *Hub) Games(ctx context.Context) ([]BoardRow, error) {
	ids, err := h.store.PlatformIDs(ctx, "", boardMost)
	if err != nil {
		return nil, err
	}
	members, err := h.registry.membersOf(ctx, ids...)
	if err != nil {
		return nil, err
	}
	visits, err := h.store.VisitsUnderWay(ctx, h.now())
	if err != nil {
		return nil, err
	}
	var rows []BoardRow
	for _, id := range ids {
		m, ok := members[id]
		if !ok {
			continue
		}
		rows = append(rows, BoardRow{
			ID: id, Name: m.Descriptor.Name, Icon: m.Descriptor.Icon, Description: m.Descriptor.Description,
			Home: m.Descriptor.ReturnURL(h.mode), Online: h.marks.isOnline(id, m.Online),
			RegisteredAt: m.RegisteredAt, LastSeen: m.HelloAt, Visits: visits[id],
		})
	}
	return rows, nil
}
