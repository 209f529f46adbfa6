package storage

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockOffset lies past the text, which others must be able to read.
const lockOffset = 1 << 20

func takeLock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{Offset: lockOffset})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errHeld
	}
	return err
}
