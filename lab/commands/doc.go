// Package commands has the commands of the lab: simulated tables, comparisons of methods, studies and benchmarks.
package commands

import (
	"github.com/spf13/cobra"

	"github.com/polydag/polydag/command"
)

// app has the methods that make the commands.
type app struct{ *command.App }

// Wing adds the commands of the lab.
var Wing = command.Wing{
	Commands: func(a *command.App) []*cobra.Command {
		return append([]*cobra.Command{(&app{a}).simulateCommand()}, machineCommands(&app{a})...)
	},
	Documents: documents,
}
