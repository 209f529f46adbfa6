package store

import "sgip.example/starter/sgip/storage"

// visitSteps are the numbered migrations of the room visit. Times are in Unix
// milliseconds, 0 for never; issued is in Unix seconds as in the passport.
func visitSteps() []storage.Migration {
	return []storage.Migration{
		{Number: 1, Name: "guest sessions", SQL: `
CREATE TABLE visit_sessions (
	visit_id        TEXT PRIMARY KEY,
	guest           TEXT NOT NULL,
	handle          TEXT NOT NULL,
	home            TEXT NOT NULL,
	name            TEXT NOT NULL,
	avatar          TEXT NOT NULL,
	stats           TEXT NOT NULL,
	budget          INTEGER,
	budget_currency TEXT,
	token_hash      TEXT NOT NULL UNIQUE,
	issued          INTEGER NOT NULL,
	started_at      INTEGER NOT NULL,
	seen_at         INTEGER NOT NULL,
	expires_at      INTEGER NOT NULL,
	ended_at        INTEGER NOT NULL,
	reason          TEXT NOT NULL
);
CREATE INDEX visit_sessions_guest ON visit_sessions (guest) WHERE ended_at = 0;
CREATE INDEX visit_sessions_expires ON visit_sessions (expires_at) WHERE ended_at = 0;
CREATE INDEX visit_sessions_seen ON visit_sessions (seen_at) WHERE ended_at = 0;
`},
	}
}
