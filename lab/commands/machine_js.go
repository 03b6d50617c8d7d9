package commands

import "github.com/spf13/cobra"

// machineCommands returns none in the WebAssembly build.
func machineCommands(*app) []*cobra.Command { return nil }
