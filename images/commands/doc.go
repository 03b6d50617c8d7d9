// Package commands has the commands of the wing images: tables from published datasets and from annotations, and the audit of a predictor.
package commands

import (
	"github.com/spf13/cobra"

	"github.com/polydag/polydag/command"
)

// app has the methods that make the commands.
type app struct{ *command.App }

// Commands returns the commands of the wing.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{(&app{a}).datasetCommand(), (&app{a}).auditCommand()}
}
