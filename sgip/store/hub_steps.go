package store

import "sgip.example/starter/sgip/storage"

// hubSteps are the numbered migrations of the room hub. Times are in Unix
// milliseconds. Amounts are held to integers, since SQLite would turn a sum that
// is too large into a float.
func hubSteps() []storage.Migration {
	return []storage.Migration{
		{Number: 1, Name: "registry", SQL: hubRegistrySQL},
		{Number: 2, Name: "visits and bank", SQL: hubBankSQL},
		{Number: 3, Name: "limits in force", SQL: hubLimitsSQL},
		{Number: 4, Name: "suspensions", SQL: hubSuspensionsSQL},
	}
}

const hubRegistrySQL = `
CREATE TABLE hub_platforms (
	id            TEXT PRIMARY KEY,
	revision      INTEGER NOT NULL,
	descriptor    TEXT NOT NULL,
	registered_at INTEGER NOT NULL,
	hello_at      INTEGER NOT NULL,
	online        BOOLEAN NOT NULL
);
CREATE TABLE hub_keys (
	key_id     TEXT NOT NULL,
	platform   TEXT NOT NULL REFERENCES hub_platforms (id),
	public_key TEXT NOT NULL,
	PRIMARY KEY (key_id, platform)
);
CREATE INDEX hub_keys_platform ON hub_keys (platform);
CREATE TABLE hub_edges (
	host          TEXT NOT NULL REFERENCES hub_platforms (id),
	position      INTEGER NOT NULL,
	home          TEXT NOT NULL,
	give_amount   INTEGER NOT NULL,
	give_currency TEXT NOT NULL,
	get_amount    INTEGER NOT NULL,
	get_currency  TEXT NOT NULL,
	PRIMARY KEY (host, position)
);
CREATE TABLE hub_own_keys (
	key_id     TEXT PRIMARY KEY,
	expires_at INTEGER NOT NULL
);
`

const hubBankSQL = `
CREATE TABLE hub_visits (
	id              TEXT PRIMARY KEY,
	home            TEXT NOT NULL,
	player          TEXT NOT NULL,
	host            TEXT NOT NULL,
	scope           TEXT NOT NULL,
	budget_amount   INTEGER CHECK (budget_amount IS NULL OR typeof(budget_amount) = 'integer'),
	budget_currency TEXT,
	profile         TEXT NOT NULL,
	started_at      INTEGER NOT NULL,
	expires_at      INTEGER NOT NULL,
	over_at         INTEGER
);
CREATE INDEX hub_visits_open ON hub_visits (player, host) WHERE over_at IS NULL;
CREATE INDEX hub_visits_expiry ON hub_visits (expires_at) WHERE over_at IS NULL;

CREATE TABLE hub_counters (
	kind  TEXT NOT NULL,
	owner TEXT NOT NULL,
	party TEXT NOT NULL,
	give  TEXT NOT NULL,
	get   TEXT NOT NULL,
	day   TEXT NOT NULL,
	used  INTEGER NOT NULL CHECK (typeof(used) = 'integer' AND used >= 0),
	PRIMARY KEY (kind, owner, party, give, get, day)
);

CREATE TABLE hub_money_ids (
	id       TEXT PRIMARY KEY,
	platform TEXT NOT NULL
);

CREATE TABLE hub_charges (
	id             TEXT PRIMARY KEY,
	visit_id       TEXT NOT NULL REFERENCES hub_visits (id),
	host           TEXT NOT NULL,
	home           TEXT NOT NULL,
	player         TEXT NOT NULL,
	amount         INTEGER NOT NULL CHECK (typeof(amount) = 'integer' AND amount >= 1),
	currency       TEXT NOT NULL,
	debit          INTEGER NOT NULL CHECK (typeof(debit) = 'integer' AND debit >= 1),
	debit_currency TEXT NOT NULL,
	day            TEXT NOT NULL,
	state          TEXT NOT NULL CHECK (state IN ('asked', 'settled', 'failed', 'void')),
	code           TEXT NOT NULL,
	refunded       INTEGER NOT NULL CHECK (typeof(refunded) = 'integer' AND refunded BETWEEN 0 AND amount),
	credited       INTEGER NOT NULL CHECK (typeof(credited) = 'integer' AND credited BETWEEN 0 AND debit),
	run            TEXT NOT NULL,
	accepted_at    INTEGER NOT NULL
);
CREATE INDEX hub_charges_asked ON hub_charges (accepted_at) WHERE state = 'asked';
CREATE INDEX hub_charges_visit ON hub_charges (visit_id);

CREATE TABLE hub_credits (
	refund_id    TEXT PRIMARY KEY,
	charge_id    TEXT NOT NULL REFERENCES hub_charges (id),
	letter_id    TEXT NOT NULL,
	reason       TEXT NOT NULL CHECK (reason IN ('refund', 'void')),
	host_amount  INTEGER NOT NULL CHECK (typeof(host_amount) = 'integer' AND host_amount >= 1),
	currency     TEXT NOT NULL,
	amount       INTEGER NOT NULL CHECK (typeof(amount) = 'integer' AND amount >= 0),
	home_currency TEXT NOT NULL,
	committed_at INTEGER NOT NULL,
	settled_at   INTEGER
);
CREATE UNIQUE INDEX hub_credits_letter ON hub_credits (letter_id) WHERE letter_id <> '';
CREATE INDEX hub_credits_charge ON hub_credits (charge_id);
`

// Limits change with each hello, so that a charge keeps those it was held to:
// only so can an audit tell later that none was passed. Charges from before have
// none.
const hubLimitsSQL = `
ALTER TABLE hub_charges ADD COLUMN daily_limit INTEGER CHECK (daily_limit IS NULL OR typeof(daily_limit) = 'integer');
ALTER TABLE hub_charges ADD COLUMN inflow_limit INTEGER CHECK (inflow_limit IS NULL OR typeof(inflow_limit) = 'integer');
`

// A platform may be suspended before it has ever said hello.
const hubSuspensionsSQL = `
CREATE TABLE hub_suspensions (
	platform     TEXT PRIMARY KEY,
	suspended_at INTEGER NOT NULL
);
CREATE INDEX hub_charges_void ON hub_charges (id) WHERE state = 'void';
CREATE INDEX hub_credits_owed ON hub_credits (refund_id) WHERE settled_at IS NULL;
`
