package store

import (
	"context"
	"time"

	"sgip.example/starter/sgip"
	"sgip.example/starter/sgip/exchange"
)

// letterRow is a row of exchange_letters.
type letterRow struct {
	ID         string
	Platform   string
	Op         string
	EnvelopeID string
	Body       []byte
	Until      int
	Lane       string
	Attempts   int
	PostedAt   int64
	DueAt      int64
	Queued     bool
	ExpiresAt  *int64
}

const letterColumns = `id, platform, op, envelope_id, body, until, lane, attempts, posted_at, due_at, queued, expires_at`

func (r letterRow) draft() exchange.Draft {
	d := exchange.Draft{
		Letter: exchange.Letter{
			ID: r.ID, EnvelopeID: r.EnvelopeID, To: r.Platform, Op: sgip.Op(r.Op), Body: r.Body, Until: exchange.Until(r.Until),
			Lane: r.Lane, Attempts: r.Attempts, PostedAt: time.UnixMilli(r.PostedAt),
		},
		Due: time.UnixMilli(r.DueAt), Queued: r.Queued,
	}
	if r.ExpiresAt != nil {
		d.Expires = time.UnixMilli(*r.ExpiresAt)
	}
	return d
}

// AddLetter writes a letter down.
func (s *Exchange) AddLetter(ctx context.Context, d exchange.Draft) error {
	return s.db.Tx(ctx).Exec(`INSERT INTO exchange_letters (`+letterColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		d.ID, d.To, string(d.Op), d.EnvelopeID, d.Body, int(d.Until), d.Lane, d.Attempts, d.PostedAt.UnixMilli(), d.Due.UnixMilli(),
		d.Queued, expiresAt(d.Expires)).Error
}

// HasLetter reports whether a letter is still to be sent.
func (s *Exchange) HasLetter(ctx context.Context, id string) (bool, error) {
	var n int
	err := s.db.Conn(ctx).Raw(`SELECT count(*) FROM exchange_letters WHERE id = ?`, id).Scan(&n).Error
	return n > 0, err
}

// LettersInLane counts those of a lane.
func (s *Exchange) LettersInLane(ctx context.Context, lane string) (n int, err error) {
	err = s.db.Conn(ctx).Raw(`SELECT count(*) FROM exchange_letters WHERE lane <> '' AND lane = ?`, lane).Scan(&n).Error
	return n, err
}

// LettersTo counts those to a platform.
func (s *Exchange) LettersTo(ctx context.Context, platform string) (n int, err error) {
	err = s.db.Conn(ctx).Raw(`SELECT count(*) FROM exchange_letters WHERE platform = ?`, platform).Scan(&n).Error
	return n, err
}

// LetterPlatforms are those that letters wait for.
func (s *Exchange) LetterPlatforms(ctx context.Context) (platforms []string, err error) {
	err = s.db.Conn(ctx).Raw(`SELECT DISTINCT platform FROM exchange_letters ORDER BY platform`).Scan(&platforms).Error
	return platforms, err
}

// DueLetters leaves out letters behind another one of their lane.
func (s *Exchange) DueLetters(ctx context.Context, now time.Time, most int, but []string) ([]exchange.Draft, error) {
	var rows []letterRow
	if len(but) == 0 {
		but = []string{""} // nobody's name
	}
	err := s.db.Conn(ctx).Raw(`SELECT `+letterColumns+` FROM exchange_letters AS l
		WHERE due_at <= ? AND platform NOT IN ? AND (lane = '' OR NOT EXISTS
			(SELECT 1 FROM exchange_letters AS earlier
				WHERE earlier.lane <> '' AND earlier.lane = l.lane AND earlier.queued = l.queued AND earlier.seq < l.seq))
		ORDER BY due_at, seq LIMIT ?`, now.UnixMilli(), padded(but), most).Scan(&rows).Error
	drafts := make([]exchange.Draft, 0, len(rows))
	for _, row := range rows {
		drafts = append(drafts, row.draft())
	}
	return drafts, err
}

// NextDue is when the next letter falls due.
func (s *Exchange) NextDue(ctx context.Context, now time.Time) (time.Time, bool, error) {
	var next *int64
	err := s.db.Conn(ctx).Raw(`SELECT min(due_at) FROM exchange_letters WHERE due_at > ?`, now.UnixMilli()).Scan(&next).Error
	if err != nil || next == nil {
		return time.Time{}, false, err
	}
	return time.UnixMilli(*next), true, nil
}

// PostponeLetter writes down when and with what a letter is tried again.
func (s *Exchange) PostponeLetter(ctx context.Context, d exchange.Draft) error {
	return s.db.Tx(ctx).Exec(`UPDATE exchange_letters SET attempts = ?, envelope_id = ?, body = ?, due_at = ?, queued = ? WHERE id = ?`,
		d.Attempts, d.EnvelopeID, d.Body, d.Due.UnixMilli(), d.Queued, d.ID).Error
}

// RemoveLetter ends a letter.
func (s *Exchange) RemoveLetter(ctx context.Context, id string) (bool, error) {
	r := s.db.Tx(ctx).Exec(`DELETE FROM exchange_letters WHERE id = ?`, id)
	return r.RowsAffected == 1, r.Error
}

// WakeLetters makes a platform's letters due now, everyone's for "".
func (s *Exchange) WakeLetters(ctx context.Context, platform string, now time.Time) error {
	return s.db.Tx(ctx).Exec(`UPDATE exchange_letters SET due_at = ? WHERE ? IN ('', platform) AND due_at > ?`,
		now.UnixMilli(), platform, now.UnixMilli()).Error
}
