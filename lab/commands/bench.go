//go:build !js

package commands

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/lab/bench"
)

// These are the schemas of polydag bench --json.
const (
	benchSchema       = "polydag.bench/1"
	benchSearchSchema = "polydag.bench-search/1"
	benchDeviceSchema = "polydag.bench-device/1"
)

// documents lists the kinds of JSON whose schemas are made from types.
var documents = []command.Document{
	{File: "bench", Version: benchSchema, Title: "What polydag bench --json prints: kernels, constraints and steps on one machine.", Type: reflect.TypeFor[bench.Report]()},
	{File: "bench-search", Version: benchSearchSchema, Title: "What polydag bench --search --json prints: searches over orders on one machine.", Type: reflect.TypeFor[bench.SearchReport]()},
	{File: "bench-device", Version: benchDeviceSchema, Title: "What polydag bench --device cuda --json prints: descents on an accelerator.", Type: reflect.TypeFor[bench.DeviceReport]()},
}

func (a *app) benchCommand() *cobra.Command {
	nodes := []int{100, 200, 500}
	precision, threads := 32, []int{1}
	var only []string
	on, batch, steps := "cpu", 1, 2000
	var asJSON, search bool
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Benchmark kernels, constraints and solver steps on this machine",
		Long: `Bench measures matrix products with each kernel, one evaluation of each constraint with its gradient,
and one solver step of each method. It reports medians in seconds and in products: the time divided
by that of one matrix product of the same size, measured in the same run. With several thread counts
it also reports the speedup over the first.

With --device cuda it measures whole optimizations of the paper's method on a GPU: seconds, arithmetic
and memory throughput relative to the peak, and the kernel launches of one step.

With --search it measures the order search on standardized data, with and without restarts, on one
and two threads, and the nonlinearity check that precedes the default search.`,
		Example: `  polydag bench
  polydag bench --search --nodes 100,200,500,1000
  polydag bench --nodes 50 --threads 1,2 --only steps
  polydag bench --nodes 50 --set precision=64 --json`,
		Args: command.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, d := range nodes {
				if d < 2 || d > 20000 {
					return command.Usagef("--nodes %d: want 2 to 20000", d)
				}
			}
			if precision != 64 && precision != 32 {
				return command.Usagef("--set precision=%d: want 64 or 32", precision)
			}
			for i, n := range threads {
				if n < 1 || slices.Contains(threads[:i], n) {
					return command.Usagef("--threads %d: want different numbers, at least 1", n)
				}
			}
			parts, err := benchParts(only)
			if err != nil {
				return err
			}
			if batch < 1 || batch > device.MaxBatch {
				return command.Usagef("--set batch=%d: want 1 to %d", batch, device.MaxBatch)
			}
			if steps < 1 {
				return command.Usagef("--set steps=%d: want at least 1", steps)
			}
			bar := a.Bar()
			progress := func(d int, what string) {
				bar.Draw(true, "d = %d: %s", d, what)
			}
			show := func(schema string, rep any, err error, text func(io.Writer) error) error {
				bar.Clear()
				if err != nil {
					return err
				}
				return a.Answer(cmd.Context(), asJSON, schema, rep, text)
			}
			switch choice, err := device.Parse(on); {
			case err != nil:
				return command.Usagef("--device %s: %v", on, err)
			case !choice.Here:
				open := func() (*device.Device, error) {
					d, why, err := choice.Open()
					if err == nil && d == nil {
						err = errors.New(why)
					}
					return d, err
				}
				r, err := bench.Device(cmd.Context(), open, nodes, precision, steps, batch, progress)
				return show(benchDeviceSchema, r, err, func(w io.Writer) error { return writeDeviceBench(w, r) })
			case search:
				r, err := bench.Search(cmd.Context(), nodes, progress)
				return show(benchSearchSchema, r, err, func(w io.Writer) error { return writeSearch(w, r) })
			}
			s := bench.Settings{Nodes: nodes, Precision: precision, Threads: threads, Parts: parts}
			r, err := bench.Run(cmd.Context(), s, progress)
			return show(benchSchema, r, err, func(w io.Writer) error { return writeBench(w, r) })
		},
	}
	f := command.Ordered(cmd)
	f.IntSliceVar(&nodes, "nodes", nodes, "numbers of columns, comma-separated")
	f.IntVar(&precision, "precision", precision, "bits of the arithmetic of constraints and steps: 32 (as in the released code of the paper) or 64")
	f.IntSliceVar(&threads, "threads", threads, "numbers of threads for constraints and steps, comma-separated")
	f.StringSliceVar(&only, "only", nil, "parts to measure, comma-separated: kernels, constraints, steps (default all)")
	f.StringVar(&on, "device", on, "measure the paper's method on a GPU instead: cuda, or cuda:1 for the second GPU")
	f.IntVar(&batch, "batch", batch, "with --device: number of concurrent problems")
	f.IntVar(&steps, "steps", steps, "with --device: number of optimization steps")
	f.BoolVar(&search, "search", false, "measure the order search")
	f.BoolVar(&asJSON, "json", false, "print JSON (schema "+benchSchema+", "+benchSearchSchema+" or "+benchDeviceSchema+")")
	return cmd
}

func benchParts(only []string) (bench.Parts, error) {
	if len(only) == 0 {
		return bench.Parts{Kernels: true, Constraints: true, Steps: true}, nil
	}
	var p bench.Parts
	for _, name := range only {
		switch name {
		case "kernels":
			p.Kernels = true
		case "constraints":
			p.Constraints = true
		case "steps":
			p.Steps = true
		default:
			return p, command.Usagef("--only %s: want kernels, constraints, steps or several of them", name)
		}
	}
	return p, nil
}

func writeSearch(w io.Writer, r *bench.SearchReport) error {
	fmt.Fprintf(w, "%s %s, %s, %d CPUs; standardized ER data, 2d edges, %d rows; median seconds from the moments on\n\n", r.Go, r.Arch, r.CPU, r.CPUs, r.Rows)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "d\tone descent\ttwo threads\t×\tdefault\ttwo threads\t×\tF1\tskeleton F1\tcache MB\tlook\tof default\t\n")
	for _, s := range r.Sizes {
		fmt.Fprintf(t, "%d\t%.4f\t%.4f\t%.2f\t%.4f\t%.4f\t%.2f\t%.3f\t%.3f\t%.0f\t%.4f\t%.0f %%\t\n", s.D, s.Descent, s.DescentTwo, s.Descent/s.DescentTwo,
			s.Full, s.FullTwo, s.Full/s.FullTwo, s.F1, s.SkeletonF1, s.CacheMegabytes, s.Look, 100*s.LookShare)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\none descent grows as d^%.2f over these sizes\n", r.Exponent)
	return err
}

func writeBench(w io.Writer, r *bench.Report) error {
	fmt.Fprintf(w, "%s %s, %d CPUs, kernel %s; constraints and steps in float%d on %d thread(s)", r.Go, r.Arch, r.CPUs, r.Kernel, r.Precision, r.Threads)
	for _, n := range r.More {
		fmt.Fprintf(w, " and %d", n)
	}
	fmt.Fprintln(w)
	for _, s := range r.Sizes {
		fmt.Fprintf(w, "\nd = %d, one product %.3g ms", s.D, 1e3*s.ProductSeconds)
		for _, m := range s.ProductMore {
			fmt.Fprintf(w, "; %d threads %.3g ms, %.2f times", m.Threads, 1e3*m.Seconds, m.Gain)
		}
		fmt.Fprintln(w)
		t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
		for _, prec := range slices.Sorted(maps.Keys(s.GemmGFLOPS)) {
			for _, k := range slices.Sorted(maps.Keys(s.GemmGFLOPS[prec])) {
				fmt.Fprintf(t, "  product\t%s %s\t%.1f GFLOP/s\n", prec, k, s.GemmGFLOPS[prec][k])
			}
		}
		for _, name := range slices.Sorted(maps.Keys(s.Constraints)) {
			c := s.Constraints[name]
			fmt.Fprintf(t, "  constraint\t%s\t%.3g ms\t%.1f products%s\n", name, 1e3*c.EvalSeconds, c.EvalProducts, benchMore(c.More))
		}
		for _, name := range slices.Sorted(maps.Keys(s.Steps)) {
			m := s.Steps[name]
			fmt.Fprintf(t, "  step under\t%s\t%.3g ms\t%.1f products%s\n", name, 1e3*m.StepSeconds, m.StepProducts, benchMore(m.More))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// benchMore formats the columns for the other numbers of threads.
func benchMore(more []bench.OnThreads) string {
	var b strings.Builder
	for _, m := range more {
		fmt.Fprintf(&b, "\t%d threads\t%.3g ms\t%.2f times", m.Threads, 1e3*m.Seconds, m.Gain)
	}
	return b.String()
}

func writeDeviceBench(w io.Writer, r *bench.DeviceReport) error {
	peak := r.Device.Peak(r.Precision)
	fmt.Fprintf(w, "%s, %d processors at %.2f GHz, %s; %d steps of the paper's method in float%d, %d at a time; start-up %.2f s\n",
		r.Device.Name, r.Device.Processors, r.Device.Clock/1e9, memory.Size(r.Device.Memory), r.Steps, r.Precision, r.Batch, r.StartUp)
	fmt.Fprintf(w, "peak %.1f TFLOP/s outside the tensor units", peak/1e12)
	if r.Device.Bandwidth > 0 {
		fmt.Fprintf(w, ", memory %.2f TB/s", r.Device.Bandwidth/1e12)
	}
	fmt.Fprintln(w)
	for _, s := range r.Sizes {
		fmt.Fprintf(w, "\nd = %d: %.3f s in all, %.1f µs a step, %.2f TFLOP/s (%.0f %% of the peak)\n",
			s.D, s.Seconds, 1e6*s.Step, s.Flops/1e12, 100*s.Flops/peak)
		t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
		for _, l := range s.Shares {
			fmt.Fprintf(t, "  %s\t%.1f µs\t%.2f TFLOP/s\t%.2f TB/s\t\n", l.Name, 1e6*l.Seconds, l.Flops/l.Seconds/1e12, l.Bytes/l.Seconds/1e12)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}
