package command

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
)

// Program runs the command line of another program of a wing, with the streams, signals and common flags of polydag, and returns the exit
// code. The environment may have the settings of polydag with these methods and wings too.
func Program(ctx context.Context, program func(*App) *cobra.Command, methods polydag.MethodList, args []string, in io.Reader, out, errw io.Writer, wings ...Wing) int {
	a := newApp(methods, in, out, errw, wings...)
	a.other = program
	return a.main(ctx, args)
}

// Programs returns the commands of the other programs of wings, for manual pages and the list of commands.
func Programs(wings ...Wing) (list []*cobra.Command) {
	for _, w := range wings {
		if w.Program != nil {
			a := newApp(nil, nil, io.Discard, io.Discard)
			a.other = w.Program
			list = append(list, a.root())
		}
	}
	return list
}

// programRoot returns the only command of another program.
func (a *app) programRoot() *cobra.Command {
	root := a.other(&App{a, a.screen})
	a.equip(root)
	addHelpAll(root)
	return root
}

// everySetting returns the settings of a program and of the others: the environment may have those of all.
func (a *app) everySetting(root *cobra.Command) []string {
	all := everySetting(root)
	if a.other != nil {
		return append(all, everySetting(Tree(a.methods, a.wings...))...)
	}
	for _, other := range Programs(a.wings...) {
		all = append(all, everySetting(other)...)
	}
	return all
}
