package command

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
)

// MainHeld is Main for tests of signals. It pauses when it reaches a place (start, progress or write) for the
// nth time and reports that on errw. A stuck command never continues, like a system call that does not return.
// Any other continues when its context ends.
func MainHeld(ctx context.Context, methods polydag.MethodList, place string, n int, stuck bool, args []string, in io.Reader, out, errw io.Writer, wings ...Wing) int {
	a := newApp(methods, in, out, errw, wings...)
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

// Tree returns the commands of the program, for tests and generated docs.
func Tree(methods polydag.MethodList, wings ...Wing) *cobra.Command {
	a := newApp(methods, nil, io.Discard, io.Discard, wings...)
	return a.root()
}
