// Package commands has the wing of the program for a cluster: the worker, the list of jobs, the program polydag-hub, and the flag --nats of
// commands whose work can run on other machines.
package commands

import (
	"github.com/spf13/cobra"

	"github.com/polydag/polydag/command"
)

// app has the methods that make the commands.
type app struct{ *command.App }

// Wing lets other machines do the work of commands.
var Wing = command.Wing{
	Commands: func(a *command.App) []*cobra.Command {
		return []*cobra.Command{(&app{a}).workerCommand(), (&app{a}).jobsCommand()}
	},
	Part:      part,
	Program:   func(a *command.App) *cobra.Command { return hubCommand(a, nil) },
	Documents: documents,
}
