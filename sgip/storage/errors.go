package storage

import (
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
)

// Result codes of SQLite (https://www.sqlite.org/rescode.html), which GORM
// doesn't translate for this driver.
const (
	codeBusy     = 5
	codeReadOnly = 8
	codeIO       = 10
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeNotADB   = 26

	codePrimaryKey = 1555
	codeUnique     = 2067
	codeRowID      = 2579
)

func code(err error) int {
	if e, ok := errors.AsType[*driver.Error](err); ok {
		return e.Code()
	}
	return 0
}

// IsUnique reports whether err is a breach of a unique or primary key.
func IsUnique(err error) bool {
	switch code(err) {
	case codePrimaryKey, codeUnique, codeRowID:
		return true
	}
	return false
}

// explain says in one plain line what a person can do about err.
func explain(path string, err error) error {
	var what string
	switch code(err) & 0xff {
	case codeBusy:
		what = "another program holds the database for too long"
	case codeReadOnly:
		what = "the database can't be written; are the file and its folder read-only?"
	case codeIO:
		what = "the disk gave an error"
	case codeCorrupt, codeNotADB:
		what = "this isn't a sound SQLite database; put a copy of it back, or move it away to start afresh"
	case codeFull:
		what = "the disk is full"
	case codeCantOpen:
		what = "the database can't be opened; does its folder exist, and may this program write there?"
	default:
		return err
	}
	return fmt.Errorf("%s: %s (%w)", path, what, err)
}
