//go:build nohub && !js

package command

import (
	"errors"

	"github.com/spf13/cobra"
)

// hubCommand is for a build without the server, which would be a quarter of its size.
func (a *app) hubCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "hub",
		Short:              "NATS server (not included in this build)",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("this program was built without the server (tag nohub); run nats-server -js, or use a standard build of polydag")
		},
	}
}
