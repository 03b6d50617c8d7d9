//go:build !js

package commands

import "github.com/spf13/cobra"

// machineCommands are the commands that need other processes or large libraries. The WebAssembly build omits them.
func machineCommands(a *app) []*cobra.Command {
	return []*cobra.Command{a.compareCommand(), a.pathCommand(), a.benchCommand(), a.reproduceCommand()}
}
