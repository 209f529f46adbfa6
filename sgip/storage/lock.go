package storage

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// errHeld is what takeLock says when another process holds the lock.
var errHeld = errors.New("held by another process")

// lockFile takes the advisory lock that keeps a second server from the same
// database. It goes with the process, however that ends. The file stays: taking
// it away would let two servers hold locks on two files of one name.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the data folder can't be written: %w", err)
	}
	if err := takeLock(f); err != nil {
		defer f.Close()
		if !errors.Is(err, errHeld) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		return nil, fmt.Errorf("another server%s is using %s; stop it, or give this one a data folder of its own",
			holder(f), strings.TrimSuffix(path, ".lock"))
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(fmt.Errorf("write lock file: %w", err), f.Close())
	}
	if _, err := fmt.Fprintf(f, "%d\n", os.Getpid()); err != nil {
		return nil, errors.Join(fmt.Errorf("write lock file: %w", err), f.Close())
	}
	return f, nil
}

func holder(f *os.File) string {
	text := make([]byte, 20)
	n, _ := f.ReadAt(text, 0)
	if pid := strings.TrimSpace(string(text[:n])); pid != "" {
		return " (process " + pid + ")"
	}
	return ""
}
