package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// envParent names the process that a command works for, by its number. When that process has ended the command ends too, as after
// two signals: nobody is left who would read its answer. The packages for Python and R set it, so that a killed interpreter leaves
// no process behind.
const envParent = "POLYDAG_PARENT"

// envBinary is where those packages look for this program; no setting.
const envBinary = "POLYDAG_BINARY"

// orphaned is closed when the process that the environment names has ended. It never is where none is named.
func orphaned(ctx context.Context, environ []string) <-chan struct{} {
	gone := make(chan struct{})
	i := slices.IndexFunc(environ, func(entry string) bool { return strings.HasPrefix(entry, envParent+"=") })
	if i < 0 {
		return gone
	}
	pid, err := strconv.Atoi(strings.TrimPrefix(environ[i], envParent+"="))
	if err != nil || pid <= 1 {
		return gone
	}
	go func() {
		if awaitEnd(ctx, pid) {
			close(gone)
		}
	}()
	return gone
}
