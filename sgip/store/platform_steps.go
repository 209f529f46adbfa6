package store

import "sgip.example/starter/sgip/storage"

// platformSteps are the numbered migrations of the room platform. Times are in
// Unix milliseconds, 0 for never.
func platformSteps() []storage.Migration {
	return []storage.Migration{
		{Number: 1, Name: "book, trips and directory", SQL: `
CREATE TABLE platform_debits (
	charge_id     TEXT PRIMARY KEY,
	player        TEXT NOT NULL,
	visit_id      TEXT NOT NULL,
	host          TEXT NOT NULL,
	amount        INTEGER NOT NULL CHECK (typeof(amount) = 'integer' AND amount >= 0),
	currency      TEXT NOT NULL,
	host_amount   INTEGER NOT NULL CHECK (typeof(host_amount) = 'integer'),
	host_currency TEXT NOT NULL,
	description   TEXT NOT NULL,
	state         TEXT NOT NULL CHECK (state IN ('asked', 'taken', 'refused', 'voided', 'barred')),
	code          TEXT NOT NULL,
	message       TEXT NOT NULL,
	credited      INTEGER NOT NULL CHECK (typeof(credited) = 'integer' AND credited BETWEEN 0 AND amount),
	at            INTEGER NOT NULL
);
CREATE INDEX platform_debits_visit ON platform_debits (visit_id);

CREATE TABLE platform_credits (
	refund_id     TEXT PRIMARY KEY,
	charge_id     TEXT NOT NULL REFERENCES platform_debits (charge_id),
	player        TEXT NOT NULL,
	host          TEXT NOT NULL,
	amount        INTEGER NOT NULL CHECK (typeof(amount) = 'integer'),
	currency      TEXT NOT NULL,
	host_amount   INTEGER,
	host_currency TEXT,
	reason        TEXT NOT NULL,
	moved         INTEGER NOT NULL CHECK (typeof(moved) = 'integer' AND moved IN (0, amount)),
	at            INTEGER NOT NULL
);
CREATE INDEX platform_credits_charge ON platform_credits (charge_id);

CREATE TABLE platform_trips (
	visit_id        TEXT PRIMARY KEY,
	handle          TEXT NOT NULL,
	host            TEXT NOT NULL,
	host_name       TEXT NOT NULL,
	host_icon       TEXT NOT NULL,
	host_origin     TEXT NOT NULL,
	launch_url      TEXT NOT NULL,
	embed           INTEGER NOT NULL,
	budget          INTEGER,
	budget_currency TEXT,
	passport        TEXT NOT NULL,
	issued_at       INTEGER NOT NULL,
	expires_at      INTEGER NOT NULL,
	started_at      INTEGER NOT NULL,
	closed_at       INTEGER NOT NULL,
	ended_at        INTEGER NOT NULL,
	accepted        TEXT NOT NULL
);
CREATE INDEX platform_trips_handle ON platform_trips (handle, started_at, visit_id);

CREATE TABLE platform_directory (
	platform_id TEXT PRIMARY KEY,
	entry       TEXT NOT NULL,
	fetched_at  INTEGER NOT NULL
);
`},
	}
}
