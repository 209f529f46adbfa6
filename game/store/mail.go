package store

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"

	"sgip.example/starter/game"
)

type messageRow struct {
	Seq   int64 `gorm:"primaryKey"`
	ID    string
	Owner string
	Peer  string
	Mine  bool
	Text  string
	State string
	Why   string
	At    int64
	Read  bool

	ReplyTo string
	Invite  string // JSON, "" for a plain letter
}

func (messageRow) TableName() string { return "game_messages" }

// talkRow is one side of a conversation. Last is the seq of its newest message.
type talkRow struct {
	Owner  string `gorm:"primaryKey"`
	Peer   string `gorm:"primaryKey"`
	Last   int64
	Unread int
	Wrote  bool
}

func (talkRow) TableName() string { return "game_talks" }

type blockRow struct {
	Owner string `gorm:"primaryKey"`
	Peer  string `gorm:"primaryKey"`
}

func (blockRow) TableName() string { return "game_blocks" }

// AddMessage keeps one side's copy of a message; added is false for one that is there.
func (s *Store) AddMessage(ctx context.Context, m game.Message) (added bool, err error) {
	tx := s.db.Tx(ctx)
	row := messageRow{
		ID: m.ID, Owner: string(m.Owner), Peer: m.With, Mine: m.Mine, Text: m.Text,
		State: string(m.State), Why: m.Why, At: ms(m.At), Read: m.Read, ReplyTo: m.ReplyTo,
	}
	if m.Invite != nil {
		if row.Invite, err = packed(m.Invite); err != nil {
			return false, wrap("add invitation", err)
		}
	}
	added, err = insert(tx, &row)
	if err != nil || !added {
		return false, wrap("add message", err)
	}
	unread := 0
	if !m.Read {
		unread = 1
	}
	talk := talkRow{Owner: row.Owner, Peer: row.Peer, Last: row.Seq, Unread: unread, Wrote: m.Mine}
	first, err := insert(tx, &talk)
	if err != nil || first {
		return true, wrap("add conversation", err)
	}
	changes := map[string]any{"last": row.Seq, "unread": gorm.Expr("unread + ?", unread)}
	if m.Mine {
		changes["wrote"] = true
	}
	done := tx.Model(&talkRow{}).Where("owner = ? AND peer = ?", row.Owner, row.Peer).Updates(changes)
	return true, wrap("move conversation", done.Error)
}

// EndMessage moves a sent message on; ErrNoSuch for an unknown one. One that
// has ended stays as it is.
func (s *Store) EndMessage(ctx context.Context, id string, state game.MessageState, why string) (game.PersonID, error) {
	tx := s.db.Tx(ctx)
	row, ok, err := one[messageRow](tx.Where("id = ? AND mine = ?", id, true))
	if err != nil {
		return "", wrap("read message", err)
	}
	if !ok {
		return "", game.ErrNoSuch
	}
	open := []string{string(game.MessageSending), string(game.MessageWaiting)}
	done := tx.Model(&messageRow{}).Where("seq = ? AND state IN ?", row.Seq, open).
		Updates(map[string]any{"state": string(state), "why": why})
	return game.PersonID(row.Owner), wrap("end message", done.Error)
}

// WroteTo reports whether owner has written to with.
func (s *Store) WroteTo(ctx context.Context, owner game.PersonID, with string) (bool, error) {
	row, ok, err := one[talkRow](s.db.Conn(ctx).Where("owner = ? AND peer = ?", string(owner), with))
	return ok && row.Wrote, wrap("read conversation", err)
}

// Conversations are someone's, newest first.
func (s *Store) Conversations(ctx context.Context, owner game.PersonID, limit int) ([]game.Conversation, error) {
	var rows []struct {
		Peer, Text, State, Invite string
		Name, Avatar              *string
		Mine                      bool
		At                        int64
		Unread                    int
	}
	err := s.db.Conn(ctx).Table("game_talks AS t").
		Select("t.peer, t.unread, m.text, m.state, m.mine, m.at, m.invite, p.name, p.avatar").
		Joins("JOIN game_messages AS m ON m.seq = t.last").
		Joins("LEFT JOIN game_people AS p ON p.id = t.peer").
		Where("t.owner = ?", string(owner)).Order("t.last DESC").Limit(limit).Scan(&rows).Error
	talks := make([]game.Conversation, 0, len(rows))
	for _, r := range rows {
		c := game.Conversation{
			With: r.Peer, Last: r.Text, Mine: r.Mine, State: game.MessageState(r.State), At: at(r.At), Unread: r.Unread,
		}
		if r.Invite != "" {
			var i game.Invite
			if err := unpack(r.Invite, &i); err != nil {
				return nil, wrap("read invitation", err)
			}
			c.Invite, c.Last = true, i.Label
		}
		if r.Name != nil && r.Avatar != nil {
			c.Name, c.Avatar = *r.Name, *r.Avatar
		}
		talks = append(talks, c)
	}
	return talks, wrap("read conversations", err)
}

// Messages are the newest of a conversation, oldest first.
func (s *Store) Messages(ctx context.Context, owner game.PersonID, with string, limit int) ([]game.Message, error) {
	var rows []messageRow
	err := s.db.Conn(ctx).Where("owner = ? AND peer = ?", string(owner), with).
		Order("seq DESC").Limit(limit).Find(&rows).Error
	messages := make([]game.Message, 0, len(rows))
	for _, r := range slices.Backward(rows) {
		m, err := r.message()
		if err != nil {
			return nil, err
		}
		messages = append(messages, m)
	}
	return messages, wrap("read messages", err)
}

func (r messageRow) message() (game.Message, error) {
	m := game.Message{
		ID: r.ID, Owner: game.PersonID(r.Owner), With: r.Peer, Mine: r.Mine, Text: r.Text,
		State: game.MessageState(r.State), Why: r.Why, At: at(r.At), Read: r.Read, ReplyTo: r.ReplyTo,
	}
	if r.Invite == "" {
		return m, nil
	}
	m.Invite = &game.Invite{}
	return m, wrap("read invitation", unpack(r.Invite, m.Invite))
}

// Letter is one message that with wrote to owner; ErrNoSuch for another.
func (s *Store) Letter(ctx context.Context, owner game.PersonID, with, id string) (game.Message, error) {
	row, ok, err := one[messageRow](s.db.Conn(ctx).
		Where("owner = ? AND peer = ? AND id = ? AND mine = ?", string(owner), with, id, false))
	if err != nil {
		return game.Message{}, wrap("read letter", err)
	}
	if !ok {
		return game.Message{}, game.ErrNoSuch
	}
	return row.message()
}

// MarkRead marks a conversation as read.
func (s *Store) MarkRead(ctx context.Context, owner game.PersonID, with string) error {
	tx := s.db.Tx(ctx)
	err := tx.Model(&messageRow{}).Where("owner = ? AND peer = ? AND read = ?", string(owner), with, false).
		Update("read", true).Error
	if err != nil {
		return wrap("mark read", err)
	}
	return wrap("mark read", tx.Model(&talkRow{}).Where("owner = ? AND peer = ?", string(owner), with).
		Update("unread", 0).Error)
}

// Unread is how many messages someone hasn't seen.
func (s *Store) Unread(ctx context.Context, owner game.PersonID) (int, error) {
	var n int
	err := s.db.Conn(ctx).Model(&talkRow{}).Where("owner = ?", string(owner)).
		Select("COALESCE(SUM(unread), 0)").Scan(&n).Error
	return n, wrap("count unread", err)
}

// Blocked reports whether owner has blocked with, or the game that with is of.
func (s *Store) Blocked(ctx context.Context, owner game.PersonID, with string) (bool, error) {
	_, home, _ := strings.Cut(with, "@")
	_, ok, err := one[blockRow](s.db.Conn(ctx).Where("owner = ? AND peer IN ?", string(owner), []string{with, home}))
	return ok, wrap("read block", err)
}

// SetBlocked blocks with, or no longer.
func (s *Store) SetBlocked(ctx context.Context, owner game.PersonID, with string, on bool) error {
	tx := s.db.Tx(ctx)
	if on {
		_, err := insert(tx, &blockRow{Owner: string(owner), Peer: with})
		return wrap("block", err)
	}
	return wrap("unblock", tx.Where("owner = ? AND peer = ?", string(owner), with).Delete(&blockRow{}).Error)
}

// Blocks are whom owner has blocked, in alphabetical order.
func (s *Store) Blocks(ctx context.Context, owner game.PersonID, limit int) ([]string, error) {
	var peers []string
	err := s.db.Conn(ctx).Model(&blockRow{}).Where("owner = ?", string(owner)).Order("peer").Limit(limit).Pluck("peer", &peers).Error
	return peers, wrap("read blocks", err)
}
