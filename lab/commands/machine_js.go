package commands

import (
	"github.com/spf13/cobra"

	"github.com/polydag/polydag/command"
)

// machineCommands returns none in the WebAssembly build.
func machineCommands(*app) []*cobra.Command { return nil }

// documents are none.
var documents []command.Document
