package store

// Before this step all goods were given and all sellers paid as soon as a sale
// was paid, and a seller kept the share of what was refunded.
const returnColumns = `
ALTER TABLE game_sales ADD COLUMN seller_paid INTEGER NOT NULL DEFAULT 0;
ALTER TABLE game_sales ADD COLUMN goods TEXT NOT NULL DEFAULT 'kept' CHECK (goods IN ('kept', 'given'));
ALTER TABLE game_sales ADD COLUMN gave TEXT NOT NULL DEFAULT '';
ALTER TABLE game_sales ADD COLUMN refund_id TEXT NOT NULL DEFAULT '';
ALTER TABLE game_sales ADD COLUMN refund_why TEXT NOT NULL DEFAULT '';
UPDATE game_sales SET seller_paid = 1 WHERE state IN ('paid', 'refunded') AND seller_share > 0;
UPDATE game_sales SET goods = 'given' WHERE state = 'paid';
CREATE INDEX game_sales_guest ON game_sales (guest, state, goods, id);

ALTER TABLE game_people ADD COLUMN pocket INTEGER NOT NULL DEFAULT 0
	CHECK (typeof(pocket) = 'integer' AND pocket BETWEEN 0 AND 9007199254740991);
`
