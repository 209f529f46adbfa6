package main

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes the kernel end the child when the demo is killed so hard
// that it can't stop its children itself.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}
