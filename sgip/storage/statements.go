package storage

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// maxStatements bounds the statements kept prepared. The programs' own are far
// fewer; past it a statement is run unprepared, and none is ever evicted while
// someone may be using it.
const maxStatements = 1024

// runner is what a database and a single connection have in common.
type runner interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// statements is the pool GORM works on. It prepares each statement once for the
// life of the connection: GORM's own cache would prepare it again in every
// transaction. On the writing connection rows must be read to their end before
// the same statement runs again (Find and Scan do).
type statements struct {
	on    runner
	mu    sync.RWMutex
	known map[string]*sql.Stmt
}

// prepared is the kept statement for query, or nil when it should run unprepared.
func (s *statements) prepared(ctx context.Context, query string) *sql.Stmt {
	s.mu.RLock()
	stmt, full := s.known[query], len(s.known) >= maxStatements
	s.mu.RUnlock()
	if stmt != nil || full {
		return stmt
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt := s.known[query]; stmt != nil {
		return stmt
	}
	stmt, err := s.on.PrepareContext(ctx, query)
	if err != nil {
		return nil // running it unprepared tells the caller why
	}
	if s.known == nil {
		s.known = map[string]*sql.Stmt{}
	}
	s.known[query] = stmt
	return stmt
}

func (s *statements) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	return s.on.PrepareContext(ctx, query)
}

func (s *statements) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if stmt := s.prepared(ctx, query); stmt != nil {
		return stmt.ExecContext(ctx, args...)
	}
	return s.on.ExecContext(ctx, query, args...)
}

func (s *statements) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if stmt := s.prepared(ctx, query); stmt != nil {
		return stmt.QueryContext(ctx, args...)
	}
	return s.on.QueryContext(ctx, query, args...)
}

func (s *statements) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if stmt := s.prepared(ctx, query); stmt != nil {
		return stmt.QueryRowContext(ctx, args...)
	}
	return s.on.QueryRowContext(ctx, query, args...)
}

func (s *statements) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, stmt := range s.known {
		errs = append(errs, stmt.Close())
	}
	s.known = nil
	return errors.Join(errs...)
}
