package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

// machineCommands returns none in the WebAssembly build, which has neither a network nor processes.
func (a *app) machineCommands() []*cobra.Command { return nil }

// unaskedWork limits the work of a survey that was not requested, in the cells of package effect: less than a
// second on one thread.
const unaskedWork = 3e7

func (a *app) askServer(context.Context, asking, asked) error {
	return errors.New("there is no network in a web page")
}
