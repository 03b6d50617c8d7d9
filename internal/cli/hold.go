package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// MainHeld is Main for a process of a test that is held up when it reaches a place, start, progress or write, for the nth time, which it says
// on errw. A stuck command stays there for ever, as one in a system call that does not return. Any other goes on when its
// context ends, and has to notice that by itself.
func MainHeld(ctx context.Context, place string, n int, stuck bool, args []string, in io.Reader, out, errw io.Writer) int {
	a := newApp(in, out, errw)
	a.reached = func(ctx context.Context, here string) {
		if here != place {
			return
		}
		if n--; n != 0 {
			return
		}
		fmt.Fprintln(errw, "held at "+place)
		if stuck {
			select {}
		}
		<-ctx.Done()
	}
	return a.main(ctx, args)
}

// Tree returns the commands of the program as they stand, for whoever wants to look at all of them.
func Tree() *cobra.Command { return newApp(nil, io.Discard, io.Discard).root() }
