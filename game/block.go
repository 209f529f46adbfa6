package game

import "context"

// maxBlocksShown bounds the list of those whom one person has blocked.
const maxBlocksShown = 500

// Block stops letters from someone, by handle or player id, or from everyone of a
// game, by platform id; or lets them through again.
func (t *Town) Block(ctx context.Context, who PersonID, with string, on bool) error {
	return t.tx(ctx, func(ctx context.Context) error {
		t.wake(ctx, who)
		return t.store.SetBlocked(ctx, who, with, on)
	})
}

// Blocks are whom someone has blocked: handles, player ids and platform ids.
func (t *Town) Blocks(ctx context.Context, who PersonID) ([]string, error) {
	return t.store.Blocks(ctx, who, maxBlocksShown)
}
