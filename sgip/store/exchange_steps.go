package store

import "sgip.example/starter/sgip/storage"

// exchangeSteps are the numbered migrations of the room exchange. Times are in
// Unix milliseconds.
func exchangeSteps() []storage.Migration {
	return []storage.Migration{
		{Number: 1, Name: "inbox and outbox", SQL: `
CREATE TABLE exchange_nonces (
	key_id  TEXT NOT NULL,
	nonce   TEXT NOT NULL,
	until   INTEGER NOT NULL,
	PRIMARY KEY (key_id, nonce)
) WITHOUT ROWID;
CREATE INDEX exchange_nonces_until ON exchange_nonces (until);

CREATE TABLE exchange_claims (
	platform   TEXT NOT NULL,
	id         TEXT NOT NULL,
	hash       BLOB NOT NULL,
	key_id     TEXT NOT NULL,
	body       BLOB,
	reply      BLOB,
	expires_at INTEGER,
	PRIMARY KEY (platform, id)
);
CREATE INDEX exchange_claims_open ON exchange_claims (platform, id) WHERE reply IS NULL;
CREATE INDEX exchange_claims_expires ON exchange_claims (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE exchange_letters (
	seq         INTEGER PRIMARY KEY AUTOINCREMENT,
	id          TEXT NOT NULL UNIQUE,
	platform    TEXT NOT NULL,
	op          TEXT NOT NULL,
	envelope_id TEXT NOT NULL,
	body        BLOB NOT NULL,
	until       INTEGER NOT NULL,
	lane        TEXT NOT NULL,
	attempts    INTEGER NOT NULL,
	posted_at   INTEGER NOT NULL,
	due_at      INTEGER NOT NULL
);
CREATE INDEX exchange_letters_due ON exchange_letters (due_at);
CREATE INDEX exchange_letters_lane ON exchange_letters (lane, seq) WHERE lane <> '';
`},
		// A claim with neither body nor reply waits for its end. Before this step
		// none did.
		{Number: 2, Name: "queue", SQL: `
DROP INDEX exchange_claims_open;
CREATE INDEX exchange_claims_open ON exchange_claims (platform, id) WHERE body IS NOT NULL;
ALTER TABLE exchange_letters ADD COLUMN queued INTEGER NOT NULL DEFAULT 0;
ALTER TABLE exchange_letters ADD COLUMN expires_at INTEGER;
CREATE INDEX exchange_letters_platform ON exchange_letters (platform);
`},
	}
}
