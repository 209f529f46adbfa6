package store

import (
	"context"

	"sgip.example/starter/sgip/storage"
)

// Migrate brings the game's tables up to date.
func Migrate(ctx context.Context, db *storage.DB) error {
	return db.Migrate(ctx, "game", steps())
}

// steps only ever grow: a step that has shipped isn't changed.
func steps() []storage.Migration {
	return []storage.Migration{
		{Number: 1, Name: "people", SQL: peopleTables},
		{Number: 2, Name: "ledger", SQL: ledgerTables},
		{Number: 3, Name: "sales", SQL: salesTables},
		{Number: 4, Name: "messages", SQL: mailTables},
		{Number: 5, Name: "logins", SQL: loginTables},
		{Number: 6, Name: "returns and pocket money", SQL: returnColumns},
		{Number: 7, Name: "invitations", SQL: inviteColumns},
		{Number: 8, Name: "gatehouse", SQL: gatehouseTables},
	}
}

const peopleTables = `
CREATE TABLE game_town (
	id         INTEGER PRIMARY KEY,
	founded_at INTEGER NOT NULL
);
CREATE TABLE game_people (
	id           TEXT PRIMARY KEY,
	version      INTEGER NOT NULL,
	name         TEXT NOT NULL,
	avatar       TEXT NOT NULL,
	home         TEXT NOT NULL,
	discoverable INTEGER NOT NULL,
	demo         INTEGER NOT NULL,
	job          TEXT NOT NULL,
	visit_id     TEXT NOT NULL,
	seen_at      INTEGER NOT NULL,
	stats        TEXT NOT NULL,
	stats_at     INTEGER NOT NULL,
	place        TEXT NOT NULL,
	came_from    TEXT NOT NULL,
	mode         TEXT NOT NULL,
	left_at      INTEGER NOT NULL,
	arrives_at   INTEGER NOT NULL,
	doing        TEXT NOT NULL,
	doing_since  INTEGER NOT NULL,
	doing_until  INTEGER NOT NULL,
	rent_day     INTEGER NOT NULL,
	present      INTEGER NOT NULL,
	brought      TEXT NOT NULL,
	deeds        TEXT NOT NULL
);
CREATE INDEX game_people_lately ON game_people (present, seen_at);
CREATE INDEX game_people_here ON game_people (place, present, seen_at);

CREATE TABLE game_deeds (
	person   TEXT NOT NULL,
	activity TEXT NOT NULL,
	times    INTEGER NOT NULL,
	last_at  INTEGER NOT NULL,
	PRIMARY KEY (person, activity)
) WITHOUT ROWID;

CREATE TABLE game_stalls (
	place     TEXT PRIMARY KEY,
	owner     TEXT NOT NULL UNIQUE,
	bought_at INTEGER NOT NULL
);

CREATE TABLE game_notes (
	id     INTEGER PRIMARY KEY AUTOINCREMENT,
	person TEXT NOT NULL,
	at     INTEGER NOT NULL,
	icon   TEXT NOT NULL,
	text   TEXT NOT NULL
);
CREATE INDEX game_notes_person ON game_notes (person, id);

CREATE TABLE game_postcards (
	handle    TEXT NOT NULL,
	visit_id  TEXT NOT NULL,
	host      TEXT NOT NULL,
	host_name TEXT NOT NULL,
	reason    TEXT NOT NULL,
	text      TEXT NOT NULL,
	verbs     TEXT NOT NULL,
	changes   TEXT NOT NULL,
	stayed    INTEGER NOT NULL,
	at        INTEGER NOT NULL,
	PRIMARY KEY (handle, visit_id)
);
CREATE INDEX game_postcards_newest ON game_postcards (handle, at);
`

// The bounds are those of game.MaxMoney; a sum that leaves them, or that SQLite
// would turn into a float, is refused by the table itself.
const ledgerTables = `
CREATE TABLE game_accounts (
	account TEXT PRIMARY KEY,
	balance INTEGER NOT NULL CHECK (
		typeof(balance) = 'integer' AND balance BETWEEN -9007199254740991 AND 9007199254740991)
);
CREATE TABLE game_entries (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	transfer  TEXT NOT NULL,
	account   TEXT NOT NULL,
	amount    INTEGER NOT NULL CHECK (
		typeof(amount) = 'integer' AND amount <> 0 AND amount BETWEEN -9007199254740991 AND 9007199254740991),
	kind      TEXT NOT NULL,
	text      TEXT NOT NULL,
	at        INTEGER NOT NULL,
	ref       TEXT NOT NULL,
	visit_id  TEXT NOT NULL,
	host      TEXT NOT NULL,
	host_cost INTEGER NOT NULL CHECK (typeof(host_cost) = 'integer'),
	host_code TEXT NOT NULL,
	UNIQUE (transfer, account)
);
CREATE INDEX game_entries_account ON game_entries (account, id);
INSERT INTO game_accounts (account, balance) VALUES ('town', 0), ('abroad', 0), ('unclaimed', 0);
`

const salesTables = `
CREATE TABLE game_sales (
	id           TEXT PRIMARY KEY,
	visit_id     TEXT NOT NULL,
	guest        TEXT NOT NULL,
	place        TEXT NOT NULL,
	activity     TEXT NOT NULL,
	label        TEXT NOT NULL,
	price        INTEGER NOT NULL CHECK (typeof(price) = 'integer' AND price BETWEEN 1 AND 9007199254740991),
	currency     TEXT NOT NULL,
	state        TEXT NOT NULL CHECK (state IN ('asked', 'paid', 'refused', 'void', 'refunded')),
	why          TEXT NOT NULL,
	item         TEXT NOT NULL,
	refundable   INTEGER NOT NULL,
	seller       TEXT NOT NULL,
	seller_share INTEGER NOT NULL CHECK (typeof(seller_share) = 'integer' AND seller_share BETWEEN 0 AND price),
	asked_at     INTEGER NOT NULL,
	ended_at     INTEGER NOT NULL
);
CREATE INDEX game_sales_visit ON game_sales (visit_id, id);
`

const mailTables = `
CREATE TABLE game_messages (
	seq   INTEGER PRIMARY KEY AUTOINCREMENT,
	id    TEXT NOT NULL,
	owner TEXT NOT NULL,
	peer  TEXT NOT NULL,
	mine  INTEGER NOT NULL,
	text  TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('sending', 'waiting', 'delivered', 'failed')),
	why   TEXT NOT NULL,
	at    INTEGER NOT NULL,
	read  INTEGER NOT NULL,
	UNIQUE (owner, peer, id, mine)
);
CREATE INDEX game_messages_talk ON game_messages (owner, peer, seq);
CREATE INDEX game_messages_id ON game_messages (id);

CREATE TABLE game_talks (
	owner  TEXT NOT NULL,
	peer   TEXT NOT NULL,
	last   INTEGER NOT NULL,
	unread INTEGER NOT NULL,
	wrote  INTEGER NOT NULL,
	PRIMARY KEY (owner, peer)
);
CREATE INDEX game_talks_newest ON game_talks (owner, last);

CREATE TABLE game_blocks (
	owner TEXT NOT NULL,
	peer  TEXT NOT NULL,
	PRIMARY KEY (owner, peer)
) WITHOUT ROWID;
`

const loginTables = `
CREATE TABLE game_logins (
	handle   TEXT PRIMARY KEY,
	password TEXT NOT NULL
);
CREATE TABLE game_codes (
	handle TEXT NOT NULL,
	hash   TEXT NOT NULL,
	PRIMARY KEY (handle, hash)
) WITHOUT ROWID;
CREATE TABLE game_sessions (
	hash       TEXT PRIMARY KEY,
	person     TEXT NOT NULL,
	expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX game_sessions_person ON game_sessions (person);
CREATE INDEX game_sessions_expires ON game_sessions (expires_at);
`

const inviteColumns = `
ALTER TABLE game_messages ADD COLUMN reply_to TEXT NOT NULL DEFAULT '';
ALTER TABLE game_messages ADD COLUMN invite TEXT NOT NULL DEFAULT '';
ALTER TABLE game_people ADD COLUMN bio TEXT NOT NULL DEFAULT '';
`

const gatehouseTables = `
CREATE TABLE game_keepers (
	handle TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE game_gatehouse (
	id         INTEGER PRIMARY KEY CHECK (id = 1),
	keeper_key TEXT NOT NULL,
	closed     INTEGER NOT NULL
);
INSERT INTO game_gatehouse (id, keeper_key, closed) VALUES (1, '', 0);
CREATE TABLE game_barred (
	who TEXT PRIMARY KEY,
	at  INTEGER NOT NULL
) WITHOUT ROWID;
`
