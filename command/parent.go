package command

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// envParent is the environment variable with the process ID of the process that a command works for. When that
// process ends, the command ends as after two signals. The packages for Python and R set it, so that a killed
// interpreter leaves no process behind.
const envParent = "POLYDAG_PARENT"

// envBinary is the environment variable with which those packages find this program. It is not a setting.
const envBinary = "POLYDAG_BINARY"

// orphaned returns a channel that is closed when the process named in the environment has ended.
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
