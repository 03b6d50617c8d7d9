//go:build !unix

package command

import (
	"context"
	"os"
)

// awaitEnd waits until the process has ended and returns false if ctx ends first. On Windows any process can be
// waited for.
func awaitEnd(ctx context.Context, pid int) bool {
	p, err := os.FindProcess(pid)
	if err == nil {
		_, err = p.Wait()
	}
	return ctx.Err() == nil && err == nil
}
