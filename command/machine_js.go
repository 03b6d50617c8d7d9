package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/analysis"
)

// machineCommands returns none in the WebAssembly build, which has neither a network nor processes.
func (a *app) machineCommands() []*cobra.Command { return nil }

func (a *app) everySetting(root *cobra.Command) []string { return everySetting(root) }

// natsFlags are the flags of a command that connects to a NATS server; the WebAssembly build has none.
type natsFlags struct{}

const spreadHelp = ""

func newNATS(*pflag.FlagSet, string) *natsFlags { return nil }

func (*natsFlags) on() bool     { return false }
func (*natsFlags) check() error { return nil }

func spreadable(*natsFlags, *resampling, []string) error { return nil }

func others(context.Context, *natsFlags, *reading, []string, *analysis.Confidence) (func(), error) {
	return func() {}, nil
}

func (a *app) spreadMoments(context.Context, *natsFlags, *reading, []string, func(int, *dataset.Moments) error) error {
	return errors.New("there is no network in a web page")
}

// unaskedWork limits the work of a survey that was not requested, in the cells of package effect: less than a
// second on one thread.
const unaskedWork = 3e7

func (a *app) spreadCounts(context.Context, *natsFlags, *reading, []string, func(int, *dataset.Counts) error) error {
	return errors.New("there is no network in a web page")
}

func (a *app) askServer(context.Context, asking, asked) error {
	return errors.New("there is no network in a web page")
}
