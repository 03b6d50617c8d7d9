package cli

import (
	"os"
	"syscall"

	"github.com/polydag/polydag/internal/memory"
)

// untraced starts a process with a limit of addresses (ulimit -v) again, with GOTRACEBACK=none: a failed allocation, which Go cannot
// recover from, then ends it with one line and without a dump of its stacks. Go reads the variable at its start only.
func untraced() {
	const name = "GOTRACEBACK"
	if _, limited := memory.Addresses(); !limited || os.Getenv(name) != "" {
		return
	}
	if self, err := os.Executable(); err == nil && os.Setenv(name, "none") == nil {
		_ = syscall.Exec(self, os.Args, os.Environ()) // after an error the process continues as it is
	}
}
