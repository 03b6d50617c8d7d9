package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/edgelist"
	"github.com/polydag/polydag/sim"
)

func (a *app) simulateCommand() *cobra.Command {
	cfg := sim.Default()
	cfg.Seed = 1
	samples := 1000
	var output, truth string
	graph, design, noise := cfg.Graph.String(), cfg.Design.String(), cfg.Noise.String()
	cmd := &cobra.Command{
		Use:   "simulate --output DATA.csv --truth TRUTH.csv",
		Short: "Draw a random graph and a table from it",
		Long: `Simulate draws a random graph, weights and a sample of the linear structural equation model
x = xW + noise. The table goes to --output, the true edges with their weights to --truth.`,
		Example: `  polydag simulate --graph er --nodes 100 --degree 4 --samples 1000 --seed 1 --output data.csv --truth truth.csv
  polydag simulate --graph sf --nodes 50 --noise laplace --standardize --output data.csv --truth truth.csv`,
		Args: exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cfg.Graph.UnmarshalText([]byte(graph)); err != nil {
				return usageError{err}
			}
			if err := cfg.Design.UnmarshalText([]byte(design)); err != nil {
				return usageError{err}
			}
			if err := cfg.Noise.UnmarshalText([]byte(noise)); err != nil {
				return usageError{err}
			}
			if err := cfg.Validate(); err != nil {
				return usageError{err}
			}
			if samples < 1 {
				return usagef("--samples %d: want at least 1", samples)
			}
			if output == "" {
				return usagef("--output is missing: name the file for the table, or - for standard output")
			}
			if output == "-" && truth == "-" {
				return usagef("--output and --truth cannot both be standard output")
			}
			if err := distinct(nil, []string{output, truth}); err != nil {
				return err
			}
			format, err := tableFormat("--output", output)
			if err != nil {
				return err
			}
			if err := edgeListName("--truth", truth); err != nil {
				return err
			}
			if err := a.writable(truth); err != nil {
				return err
			}
			model, err := sim.New(cfg)
			if err != nil {
				return err
			}
			if err := a.writeSample(cmd.Context(), output, format, model, samples); err != nil {
				return err
			}
			if truth != "" {
				if err := a.write(cmd.Context(), truth, func(w io.Writer) error { return edgelist.Write(w, trueEdges(model)) }); err != nil {
					return err
				}
			}
			fmt.Fprintf(a.err, "%d rows × %d columns from a graph with %d edges\n", samples, cfg.Nodes, len(model.Edges()))
			return nil
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&output, "output", "o", "", "file for the table, in the format of its name: .csv, .tsv, .csv.gz, .parquet, .npy, .npz (- for CSV on standard output)")
	f.StringVar(&truth, "truth", "", "file for the true edges, with header from,to,weight")
	f.StringVar(&graph, "graph", graph, "er (Erdős–Rényi), sf (scale-free, hubs are causes) or sfin (hubs are effects)")
	f.StringVar(&design, "design", design, "where effects and noise lie: plain; iscm, every column scaled to variance 1 as it is drawn; flat, a share of noise that does not depend on the place; hetero, noise over two orders of magnitude; anti, R² falling along the order")
	f.IntVar(&cfg.Nodes, "nodes", cfg.Nodes, "number of columns")
	f.Float64Var(&cfg.Degree, "degree", cfg.Degree, "expected number of edges at a node, in and out together")
	f.IntVar(&samples, "samples", samples, "number of rows")
	f.StringVar(&noise, "noise", noise, "gaussian, exponential, gumbel, uniform or laplace")
	f.Float64Var(&cfg.SDLow, "noise-low", cfg.SDLow, "smallest standard deviation of a column's noise")
	f.Float64Var(&cfg.SDHigh, "noise-high", cfg.SDHigh, "largest one; each column draws its own between the two")
	f.Float64Var(&cfg.WeightLow, "weight-low", cfg.WeightLow, "smallest |weight|")
	f.Float64Var(&cfg.WeightHigh, "weight-high", cfg.WeightHigh, "largest |weight|")
	f.Float64Var(&cfg.WeightScale, "weight-scale", cfg.WeightScale, "factor on all weights")
	f.BoolVar(&cfg.CausalOrder, "causal-order", cfg.CausalOrder, "number the columns in a causal order, as the paper's released code does")
	f.BoolVar(&cfg.Standardize, "standardize", cfg.Standardize, "scale every column to mean 0 and variance 1")
	f.Uint64Var(&cfg.Seed, "seed", cfg.Seed, "seed of everything random")
	return cmd
}

// writeSample streams the rows, so that memory does not grow with them.
func (a *app) writeSample(ctx context.Context, path string, format files.Writer, m *sim.Model, samples int) error {
	var failed error
	rows := func(yield func([]float64) bool) {
		stop := fmt.Errorf("stop")
		err := m.SampleRows(sim.Stream(m.Config().Seed, sim.StreamNoise), samples, func(row []float64) error {
			for j, v := range row {
				if v-v != 0 {
					return fmt.Errorf("column %d of the sample is %v: the weights make it overflow; lower --weight-high or --weight-scale", j+1, v)
				}
			}
			if !yield(row) {
				return stop
			}
			return nil
		})
		if err != stop {
			failed = err
		}
	}
	err := a.writeTable(ctx, path, format, files.Table{Names: m.Names(), Count: samples, Rows: rows})
	if failed != nil {
		return failed
	}
	return err
}

// trueEdges names the model's edges; the weights are those of the raw columns, also where the sample
// was standardized.
func trueEdges(m *sim.Model) []edgelist.Edge {
	names := m.Names()
	var out []edgelist.Edge
	for _, e := range m.Edges() {
		out = append(out, edgelist.Edge{Link: e.Named(names), Weight: e.Weight, HasWeight: true})
	}
	return out
}
