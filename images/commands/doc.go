// Package commands has the commands of the wing images: tables from published datasets and from annotations, and the audit of a predictor.
package commands

import (
	"github.com/spf13/cobra"

	"github.com/polydag/polydag/command"
)

// app has the methods that make the commands.
type app struct{ *command.App }

// Wing adds the commands of the wing, and pictures to pages of results.
var Wing = command.Wing{
	Commands: func(a *command.App) []*cobra.Command {
		return []*cobra.Command{(&app{a}).datasetCommand(), (&app{a}).auditCommand()}
	},
	Part:     part,
	Pictures: newShown,
}
