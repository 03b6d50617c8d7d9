package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
)

// MainHeld is Main for a process that is held up when it reaches a place, start, progress or write, for the nth time, which it says
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

// ExampleFiles makes a folder with every file that the examples of the commands name.
var ExampleFiles = exampleFiles

// Commands lists every command that can be run, such as "dataset sachs", sorted.
func Commands() []string {
	var list []string
	var visit func(cmd *cobra.Command, path string)
	visit = func(cmd *cobra.Command, path string) {
		for _, sub := range cmd.Commands() {
			name := path + sub.Name()
			if sub.Runnable() {
				list = append(list, name)
			}
			visit(sub, name+" ")
		}
	}
	visit(newApp(nil, io.Discard, io.Discard).root(), "")
	slices.Sort(list)
	return list
}
