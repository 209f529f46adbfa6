//go:build !linux

package main

import "os/exec"

// dieWithParent does nothing where the kernel has no such promise.
func dieWithParent(*exec.Cmd) {}
