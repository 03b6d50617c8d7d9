package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/method"
)

// part adds --device to learn: the method of the run takes its steps on a GPU.
func part(t *command.Task) *command.Part {
	if t.Command != "learn" {
		return nil
	}
	d := NewFlag(t.Flags)
	return &command.Part{
		Check: func(ctx context.Context, t *command.Task) error {
			if err := d.Check(); err != nil {
				return err
			}
			if t.Config.Method.Info().Continuous {
				d.begin(ctx)
			}
			return nil
		},
		Learn: func(ctx context.Context, t *command.Task, learn command.Learner) (*polydag.Result, error) {
			ctx, release, err := d.use(ctx, t.Config.Method, t.App)
			if err != nil {
				return nil, err
			}
			defer release()
			res, err := learn(ctx)
			if _, why := device.Used(ctx); why != "" {
				t.Note("the run used the CPU for some steps: " + why)
			}
			switch {
			case errors.Is(err, device.ErrLost):
				err = fmt.Errorf("%w; continue from the last checkpoint with --resume, or run with --device cpu", err)
			case errors.Is(err, device.ErrRefused):
				err = fmt.Errorf("%w; run with --device cpu", err)
			}
			return res, err
		},
	}
}

// A Flag is the flag --device.
type Flag struct {
	text   string
	opened chan opened // receives one result after begin, if a GPU was requested
}

// opened is the result of opening a GPU.
type opened struct {
	on  *device.Device
	why string
	err error
}

// NewFlag adds the flag to a command.
func NewFlag(f *pflag.FlagSet) *Flag {
	d := &Flag{}
	f.StringVar(&d.text, "device", "cpu", "device for continuous methods: cpu, cuda (NVIDIA GPU; cuda:1 is the second), or auto (GPU if available); GPU results differ in the last digits")
	return d
}

// Check reports an unknown device.
func (d *Flag) Check() error {
	if _, err := device.Parse(d.text); err != nil {
		return command.Usagef("--device %s: %v", d.text, err)
	}
	return nil
}

// CPU reports whether the device is the CPU.
func (d *Flag) CPU() bool { return d.text == "cpu" }

// Use returns a context with the requested device, for several methods, and a function that closes it.
func (d *Flag) Use(ctx context.Context, a *command.App) (context.Context, func(), error) {
	return d.use(ctx, nil, a)
}

// begin opens a GPU in the background, while the table is read. One that is not used is closed at the end of the command, with ctx.
func (d *Flag) begin(ctx context.Context) {
	choice, err := device.Parse(d.text)
	if err != nil || choice.Here {
		return
	}
	answer := make(chan opened, 1)
	d.opened = answer
	go func() {
		var o opened
		o.on, o.why, o.err = choice.Open()
		answer <- o
	}()
	context.AfterFunc(ctx, func() {
		select {
		case o := <-answer:
			if o.on != nil {
				o.on.Close()
			}
		default: // in use or still starting; it ends with this process
		}
	})
}

// use returns a context with the requested device and a function that closes it. A nil method means several
// methods.
func (d *Flag) use(ctx context.Context, m method.Method, a *command.App) (context.Context, func(), error) {
	choice, err := device.Parse(d.text)
	if err != nil {
		return ctx, func() {}, command.Usagef("--device %s: %v", d.text, err)
	}
	if choice.Here {
		return ctx, func() {}, nil
	}
	if m != nil && !m.Info().OnDevice() {
		a.Note(fmt.Sprintf("--device %s has no effect with --method %s, which takes no steps along a gradient", d.text, m.Info().Name))
		return ctx, func() {}, nil
	}
	if d.opened == nil {
		d.begin(ctx)
	}
	o := <-d.opened
	if o.err != nil {
		return ctx, func() {}, fmt.Errorf("--device %s: %w; polydag devices says what was found", d.text, o.err)
	}
	if o.on == nil {
		a.Note("the run goes on with the CPU: " + o.why)
		return ctx, func() {}, nil
	}
	a.Detail(fmt.Sprintf("steps are taken on %s", o.on.Info.Name), "device", o.on.Info.Name)
	return device.Use(ctx, o.on), o.on.Close, nil
}
