package store

import (
	"context"
	"time"

	"sgip.example/starter/sgip/exchange"
	"sgip.example/starter/sgip/storage"
)

// Exchange keeps nonces, claims and letters.
type Exchange struct{ db *storage.DB }

var _ exchange.Store = (*Exchange)(nil)

// NewExchange is the store of inboxes and outboxes.
func NewExchange(db *storage.DB) *Exchange { return &Exchange{db: db} }

// InTx runs fn in the database's transaction.
func (s *Exchange) InTx(ctx context.Context, fn func(ctx context.Context) error) error {
	return s.db.InTx(ctx, fn)
}

// AfterCommit runs fn once the transaction in ctx has been committed.
func (s *Exchange) AfterCommit(ctx context.Context, fn func()) { storage.AfterCommit(ctx, fn) }

// SpendNonce is false if the nonce is remembered. One whose time is over, but
// which hasn't been swept yet, counts as forgotten.
func (s *Exchange) SpendNonce(ctx context.Context, keyID, nonce string, now, until time.Time) (bool, error) {
	r := s.db.Tx(ctx).Exec(`INSERT INTO exchange_nonces (key_id, nonce, until) VALUES (?, ?, ?)
		ON CONFLICT (key_id, nonce) DO UPDATE SET until = excluded.until WHERE exchange_nonces.until <= ?`,
		keyID, nonce, until.UnixMilli(), now.UnixMilli())
	return r.RowsAffected == 1, r.Error
}

// DropNonces forgets those whose time is over.
func (s *Exchange) DropNonces(ctx context.Context, now time.Time, most int) error {
	return s.db.Tx(ctx).Exec(`DELETE FROM exchange_nonces WHERE (key_id, nonce) IN
		(SELECT key_id, nonce FROM exchange_nonces WHERE until <= ? ORDER BY until LIMIT ?)`, now.UnixMilli(), most).Error
}

// claimRow is a row of exchange_claims.
type claimRow struct {
	Platform  string
	ID        string
	Hash      []byte
	KeyID     string
	Body      []byte
	Reply     []byte
	ExpiresAt *int64
}

const claimColumns = `platform, id, hash, key_id, body, reply, expires_at`

func (r claimRow) claim() exchange.Claim {
	c := exchange.Claim{Platform: r.Platform, ID: r.ID, KeyID: r.KeyID, Body: r.Body, Reply: r.Reply}
	copy(c.Hash[:], r.Hash)
	if r.ExpiresAt != nil {
		c.Expires = time.UnixMilli(*r.ExpiresAt)
	}
	return c
}

// expiresAt is NULL for never.
func expiresAt(at time.Time) *int64 {
	if at.IsZero() {
		return nil
	}
	milli := at.UnixMilli()
	return &milli
}

// Claim finds the claim of an envelope.
func (s *Exchange) Claim(ctx context.Context, platform, id string) (exchange.Claim, bool, error) {
	var rows []claimRow
	err := s.db.Conn(ctx).Raw(`SELECT `+claimColumns+` FROM exchange_claims WHERE platform = ? AND id = ?`, platform, id).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return exchange.Claim{}, false, err
	}
	return rows[0].claim(), true, nil
}

// AddClaim writes a claim down, open or answered.
func (s *Exchange) AddClaim(ctx context.Context, c exchange.Claim) error {
	return s.db.Tx(ctx).Exec(`INSERT INTO exchange_claims (`+claimColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		c.Platform, c.ID, c.Hash[:], c.KeyID, blob(c.Body), blob(c.Reply), expiresAt(c.Expires)).Error
}

// blob is NULL for nil: the driver would store an empty value.
func blob(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}

// AnswerClaim writes the answer to an open claim.
func (s *Exchange) AnswerClaim(ctx context.Context, platform, id string, reply []byte, expires time.Time) error {
	return s.db.Tx(ctx).Exec(`UPDATE exchange_claims SET body = NULL, reply = ?, expires_at = ? WHERE platform = ? AND id = ?`,
		reply, expiresAt(expires), platform, id).Error
}

// ParkClaim makes a claim wait for its end.
func (s *Exchange) ParkClaim(ctx context.Context, platform, id string, expires time.Time) error {
	return s.db.Tx(ctx).Exec(`UPDATE exchange_claims SET body = NULL, reply = NULL, expires_at = ? WHERE platform = ? AND id = ?`,
		expiresAt(expires), platform, id).Error
}

// DropClaim forgets a claim that is being worked on.
func (s *Exchange) DropClaim(ctx context.Context, platform, id string) error {
	return s.db.Tx(ctx).Exec(`DELETE FROM exchange_claims WHERE platform = ? AND id = ? AND body IS NOT NULL`, platform, id).Error
}

// OpenClaims are those that are being worked on.
func (s *Exchange) OpenClaims(ctx context.Context) ([]exchange.Claim, error) {
	var rows []claimRow
	err := s.db.Conn(ctx).Raw(`SELECT ` + claimColumns + ` FROM exchange_claims WHERE body IS NOT NULL ORDER BY platform, id`).Scan(&rows).Error
	claims := make([]exchange.Claim, 0, len(rows))
	for _, row := range rows {
		claims = append(claims, row.claim())
	}
	return claims, err
}

// DropAnswers forgets answers, and claims that wait, that have expired.
func (s *Exchange) DropAnswers(ctx context.Context, now time.Time, most int) error {
	return s.db.Tx(ctx).Exec(`DELETE FROM exchange_claims WHERE (platform, id) IN
		(SELECT platform, id FROM exchange_claims WHERE expires_at IS NOT NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?)`,
		now.UnixMilli(), most).Error
}
