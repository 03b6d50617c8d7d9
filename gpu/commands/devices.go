//go:build !js

package commands

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/internal/memory"
)

// devicesSchema is the schema of polydag devices --json.
const devicesSchema = "polydag.devices/1"

// Wing lets continuous methods run on a GPU: the command devices, and the flag --device of learn.
var Wing = command.Wing{
	Commands: func(a *command.App) []*cobra.Command { return []*cobra.Command{devicesCommand(a)} },
	Part:     part,
	Documents: []command.Document{
		{File: "devices", Version: devicesSchema, Title: "What polydag devices --json prints: the accelerators of a machine.", Type: reflect.TypeFor[device.Listing]()},
	},
}

func devicesCommand(a *command.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "List the GPUs that continuous methods can use",
		Long: `Devices lists the NVIDIA GPUs with driver and memory, or the reason why none can be used. polydag uses
a GPU through the program polydag-cuda, which it looks for next to itself and on the PATH;
POLYDAG_CUDA sets another location. It needs only the GPU driver. See docs/guides/gpu.md.`,
		Example: `  polydag devices
  polydag devices --json`,
		Args: command.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := device.Listing{Devices: []device.Info{}}
			cards, err := device.List()
			switch {
			case err != nil && errors.Is(err, device.ErrUnavailable):
				out.Reason = strings.TrimPrefix(err.Error(), device.ErrUnavailable.Error()+": ")
			case err != nil:
				out.Reason = err.Error()
			case len(cards) == 0:
				out.Reason = "the driver knows no card"
			default:
				out.Devices = cards
			}
			return a.Answer(cmd.Context(), asJSON, devicesSchema, out, func(w io.Writer) error { return writeDevices(w, out) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, schema "+devicesSchema)
	return cmd
}

func writeDevices(w io.Writer, out device.Listing) error {
	if len(out.Devices) == 0 {
		_, err := fmt.Fprintf(w, "no accelerator can be used: %s\n", out.Reason)
		return err
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "device\tname\tmemory\tprocessors\tcapability\tCUDA of the driver")
	for _, c := range out.Devices {
		fmt.Fprintf(t, "cuda:%d\t%s\t%s\t%d\t%s\t%s\n", c.Index, c.Name, memory.Size(c.Memory), c.Processors, c.Capability, c.Driver)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, c := range out.Devices {
		if c.Unusable != "" {
			if _, err := fmt.Fprintf(w, "cuda:%d cannot be used: %s\n", c.Index, c.Unusable); err != nil {
				return err
			}
		}
	}
	return nil
}
