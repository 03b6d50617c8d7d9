package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/method"
)

// deviceFlag is the flag --device.
type deviceFlag struct {
	text   string
	opened chan opened // receives one result after begin, if a GPU was requested
}

// opened is the result of opening a GPU.
type opened struct {
	on  *device.Device
	why string
	err error
}

func newDeviceFlag(f *pflag.FlagSet) *deviceFlag {
	d := &deviceFlag{}
	f.StringVar(&d.text, "device", "cpu", "device for continuous methods: cpu, cuda (NVIDIA GPU; cuda:1 is the second), or auto (GPU if available); GPU results differ in the last digits")
	return d
}

func (d *deviceFlag) check() error {
	if _, err := device.Parse(d.text); err != nil {
		return usagef("--device %s: %v", d.text, err)
	}
	return nil
}

// begin opens a GPU for a continuous method in the background while the table is read. abandon releases it if use is not called.
func (d *deviceFlag) begin(m method.Method) (abandon func()) {
	choice, err := device.Parse(d.text)
	if err != nil || choice.Here || m != nil && !m.Info().Continuous {
		return func() {}
	}
	answer := make(chan opened, 1)
	d.opened = answer
	go func() {
		var o opened
		o.on, o.why, o.err = choice.Open()
		answer <- o
	}()
	return func() {
		select {
		case o := <-answer:
			if o.on != nil {
				o.on.Close()
			}
		default: // in use or still starting; it ends with this process
		}
	}
}

// use returns a context with the requested device and a function that closes it. A nil method means several
// methods.
func (d *deviceFlag) use(ctx context.Context, m method.Method, screen *console) (context.Context, func(), error) {
	choice, err := device.Parse(d.text)
	if err != nil {
		return ctx, func() {}, usagef("--device %s: %v", d.text, err)
	}
	if choice.Here {
		return ctx, func() {}, nil
	}
	if m != nil && !m.Info().OnDevice() {
		screen.note(fmt.Sprintf("--device %s has no effect with --method %s, which takes no steps along a gradient", d.text, m.Info().Name))
		return ctx, func() {}, nil
	}
	if d.opened == nil {
		d.begin(nil)
	}
	o := <-d.opened
	if o.err != nil {
		return ctx, func() {}, fmt.Errorf("--device %s: %w; polydag devices says what was found", d.text, o.err)
	}
	if o.on == nil {
		screen.note("the run goes on with the CPU: " + o.why)
		return ctx, func() {}, nil
	}
	screen.detail(fmt.Sprintf("steps are taken on %s", o.on.Info.Name), "device", o.on.Info.Name)
	return device.Use(ctx, o.on), o.on.Close, nil
}

func (a *app) devicesCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "List the GPUs that continuous methods can use",
		Long: `Devices lists the NVIDIA GPUs with driver and memory, or the reason why none can be used. polydag uses
a GPU through the program polydag-cuda, which it looks for next to itself and on the PATH;
POLYDAG_CUDA sets another location. It needs only the GPU driver. See docs/guides/gpu.md.`,
		Example: `  polydag devices
  polydag devices --json`,
		Args: exactArgs(0, "no argument"),
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
			return a.answer(cmd.Context(), asJSON, devicesSchema, out, func(w io.Writer) error { return writeDevices(w, out) })
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
		fmt.Fprintf(t, "cuda:%d\t%s\t%s\t%d\t%s\t%s\n", c.Index, c.Name, size(c.Memory), c.Processors, c.Capability, c.Driver)
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
