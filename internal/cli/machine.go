//go:build !js

package cli

import "github.com/spf13/cobra"

// machineCommands are the commands that need a machine of their own: a network, other processes, or the libraries of the
// laboratory. The program inside a web page is built without them.
func (a *app) machineCommands() []*cobra.Command {
	return []*cobra.Command{a.compareCommand(), a.pathCommand(), a.serveCommand(), a.datasetCommand(), a.devicesCommand(), a.benchCommand(), a.reproduceCommand(), a.hubCommand(), a.workerCommand(), a.jobsCommand(), a.manCommand()}
}

// unaskedWork is what a survey that nobody asked for may take, in the cells that package effect counts in: one or two seconds on two
// cores.
const unaskedWork = 1.2e9
