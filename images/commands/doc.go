// Package commands has the commands of the wing images: tables from published datasets and from annotations, and the audit of a predictor.
package commands

import (
	"reflect"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/images/audit"
)

// app has the methods that make the commands.
type app struct{ *command.App }

// Wing adds the commands of the wing, and pictures to pages of results.
var Wing = command.Wing{
	Commands: func(a *command.App) []*cobra.Command {
		return []*cobra.Command{(&app{a}).datasetCommand(), (&app{a}).auditCommand()}
	},
	Documents: []command.Document{{File: "audit", Version: audit.Schema, Title: "What polydag audit --json prints: the columns that predictors use beyond the label.", Type: reflect.TypeFor[audit.Report]()}},
	Part:      part,
	Pictures:  newShown,
}
