//go:build !js

package command

import "github.com/spf13/cobra"

// machineCommands are the commands that need a network, other processes or large libraries. The WebAssembly
// build omits them.
func (a *app) machineCommands() []*cobra.Command {
	return []*cobra.Command{a.serveCommand(), a.manCommand()}
}

// unaskedWork limits the work of a survey that was not requested, in the cells of package effect: one or two
// seconds on two cores.
const unaskedWork = 1.2e9
