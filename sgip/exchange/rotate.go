package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"sgip.example/starter/sgip"
)

// lookEvery is how often a key file is looked at: a running program follows a
// rotation within a second.
const lookEvery = 300 * time.Millisecond

// nextKey is the file, beside that of the key in use, of the one that follows.
const nextKey = ".next"

// KeyFile is a key on disk that may be rotated beside the running program. The
// hub's is replaced at once; a game's next one is listed beside the old one
// until the hub knows both (sections 6 and 6.1).
type KeyFile struct {
	path string
	log  *slog.Logger

	mu      sync.Mutex
	signers []sgip.Signer // the one in use, then the next one where there is one
}

// OpenKeyFile reads the key at path, or makes one where there is none (LoadKey).
func OpenKeyFile(path string, random io.Reader, log *slog.Logger) (*KeyFile, error) {
	signer, err := LoadKey(path, random)
	if err != nil {
		return nil, err
	}
	k := &KeyFile{path: path, log: log, signers: []sgip.Signer{signer}}
	return k, k.look()
}

// Signer is the key in use.
func (k *KeyFile) Signer() sgip.Signer { return k.Signers()[0] }

// Signers are the key in use and, during a rotation, the one that follows it.
func (k *KeyFile) Signers() []sgip.Signer {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.signers)
}

// Follow notices, until ctx is done, what a rotation has changed on disk. What
// can't be read is told, and the keys stay as they were.
func (k *KeyFile) Follow(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	told := ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		err := k.look()
		if err == nil {
			told = ""
		} else if told != err.Error() {
			told = err.Error()
			k.log.Error("key file", "err", err)
		}
	}
}

// look reads the files as they are now.
func (k *KeyFile) look() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	signers, err := readKeys(k.path)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(signers, k.signers, sameKey) {
		for _, signer := range signers {
			k.log.Info("signing key", "key", signer.Public.ID)
		}
		k.signers = signers
	}
	return nil
}

func sameKey(a, b sgip.Signer) bool { return a.Public.ID == b.Public.ID }

// readKeys reads the key in use and the next one. Between the two reads the next
// one may have taken the place of the first.
func readKeys(path string) ([]sgip.Signer, error) {
	inUse, err := readKey(path)
	if err != nil {
		return nil, err
	}
	next, err := readKey(path + nextKey)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		inUse, err = readKey(path)
		return []sgip.Signer{inUse}, err
	case err != nil:
		return nil, err
	case sameKey(inUse, next):
		return []sgip.Signer{inUse}, nil
	}
	return []sgip.Signer{inUse, next}, nil
}

// Promote puts the next key in place of the one in use, once the hub has
// registered both: keyIDs are those that it answered hello with. Otherwise it
// does nothing.
func (k *KeyFile) Promote(keyIDs []string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.signers) < 2 || !slices.Contains(keyIDs, k.signers[0].Public.ID) || !slices.Contains(keyIDs, k.signers[1].Public.ID) {
		return nil
	}
	if err := os.Rename(k.path+nextKey, k.path); err != nil {
		return fmt.Errorf("rotate key: %w", err)
	}
	k.log.Warn("key replaced", "old", k.signers[0].Public.ID, "new", k.signers[1].Public.ID)
	k.signers = k.signers[1:]
	return nil
}

// ReplaceKey puts a new key in place of the one at path, whatever is wrong with
// that, for the hub, and gives its id. A running hub takes it over within a
// second.
func ReplaceKey(path string, random io.Reader) (keyID string, err error) {
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("key file: %w", err)
	}
	signer, err := createKey(path, random)
	return signer.Public.ID, err
}

// PrepareKey puts the next key beside the one at path, for a game, and gives its
// id. A running game, or the next one that starts, lists both, says hello, drops
// the old one and says hello. It refuses while an earlier rotation is under way.
func PrepareKey(path string, random io.Reader) (keyID string, err error) {
	if _, err := readKey(path); err != nil {
		return "", err
	}
	if _, err := os.Stat(path + nextKey); err == nil {
		return "", errors.New("a rotation is under way already: it ends once the game has reached the hub")
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("key file: %w", err)
	}
	signer, err := createKey(path+nextKey, random)
	return signer.Public.ID, err
}
