//go:build !unix

package cli

import (
	"context"
	"os"
)

// awaitEnd waits until the process has ended, and reports false where ctx has ended before. On Windows any process can be waited for.
func awaitEnd(ctx context.Context, pid int) bool {
	p, err := os.FindProcess(pid)
	if err == nil {
		_, err = p.Wait()
	}
	return ctx.Err() == nil && err == nil
}
