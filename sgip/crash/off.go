//go:build !crashpoints

// Package crash marks the points at which a process may be killed by the tests
// of what a crash leaves behind. In a normal build it does nothing; the tests
// build with -tags crashpoints.
package crash

// Point marks one point: before or after a commit, before or after a send.
func Point(string) {}
