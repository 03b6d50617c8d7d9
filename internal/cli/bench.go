package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/internal/bench"
)

func (a *app) benchCommand() *cobra.Command {
	nodes := []int{100, 200, 500}
	precision, threads := 64, 1
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure kernels, constraints and solver steps on this machine",
		Long: `Bench times matrix products by every kernel of this machine, one evaluation of each constraint with its gradient,
and one whole solver step of each method, in seconds and in products: divided by the time of
one product of that size, measured in turns in the same run. Medians.`,
		Example: `  polydag bench
  polydag bench --nodes 100,200 --precision 32 --json`,
		Args: exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, d := range nodes {
				if d < 2 || d > 5000 {
					return usagef("--nodes %d: want 2 to 5000", d)
				}
			}
			if precision != 64 && precision != 32 {
				return usagef("--precision %d: want 64 or 32", precision)
			}
			if threads < 1 {
				return usagef("--threads %d: want at least 1", threads)
			}
			bar := newProgress(a.err, false)
			rep, err := bench.Run(cmd.Context(), nodes, precision, threads, func(d int, what string) {
				if bar.w != nil {
					bar.draw("d = %d: %s", d, what)
				}
			})
			bar.clear()
			if err != nil {
				return err
			}
			return a.write("-", func(w io.Writer) error {
				if asJSON {
					enc := json.NewEncoder(w)
					enc.SetIndent("", "  ")
					return enc.Encode(rep)
				}
				return writeBench(w, rep)
			})
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntSliceVar(&nodes, "nodes", nodes, "sizes")
	f.IntVar(&precision, "precision", precision, "bits of constraints and steps: 64 or 32")
	f.IntVar(&threads, "threads", threads, "threads of constraints and steps")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func writeBench(w io.Writer, r *bench.Report) error {
	fmt.Fprintf(w, "%s %s, %d CPUs, kernel %s; constraints and steps in float%d on %d thread(s)\n", r.Go, r.Arch, r.CPUs, r.Kernel, r.Precision, r.Threads)
	for _, s := range r.Sizes {
		fmt.Fprintf(w, "\nd = %d, one product %.3g ms\n", s.D, 1e3*s.ProductSeconds)
		t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
		for _, prec := range slices.Sorted(maps.Keys(s.GemmGFLOPS)) {
			for _, k := range slices.Sorted(maps.Keys(s.GemmGFLOPS[prec])) {
				fmt.Fprintf(t, "  product\t%s %s\t%.1f GFLOP/s\n", prec, k, s.GemmGFLOPS[prec][k])
			}
		}
		for _, name := range slices.Sorted(maps.Keys(s.Constraints)) {
			c := s.Constraints[name]
			fmt.Fprintf(t, "  constraint\t%s\t%.3g ms\t%.1f products\n", name, 1e3*c.EvalSeconds, c.EvalProducts)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Methods)) {
			m := s.Methods[name]
			fmt.Fprintf(t, "  step\t%s\t%.3g ms\t%.1f products\n", name, 1e3*m.StepSeconds, m.StepProducts)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}
