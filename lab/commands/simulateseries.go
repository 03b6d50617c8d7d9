package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/lab/sim"
)

// seriesFlags are the flags of simulate that apply to time series.
var seriesFlags = []string{"output", "truth", "model", "nodes", "rows", "noise", "seed", "threads", "lags", "series", "links", "contemporaneous", "auto-low", "auto-high", "weight-low", "weight-high", "quiet", "verbose", "log-format", "max-memory"}

// process returns the process that simulate --lags draws.
func (s *simulation) process(cmd *cobra.Command) (*sim.Process, error) {
	var idle error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(seriesFlags, f.Name) {
			idle = errors.Join(idle, fmt.Errorf("%s has no effect with --lags; leave it out", command.Spelled(f.Name)))
		}
	})
	if idle != nil {
		return nil, command.Usage(idle)
	}
	c := &s.series
	c.Mechanism, c.Noise, c.Seed = s.cfg.Mechanism, s.cfg.Noise, s.cfg.Seed
	if s.given("nodes") {
		c.Nodes = s.cfg.Nodes
	}
	if !s.given("links") {
		c.Links = min(c.Links, float64(c.Nodes-1)/2)
	}
	if s.given("weight-low") || s.given("weight-high") {
		c.WeightLow, c.WeightHigh = s.cfg.WeightLow, s.cfg.WeightHigh
	}
	if err := fitsModel(cmd.Context(), c.Memory()); err != nil {
		return nil, err
	}
	p, err := sim.NewProcess(*c)
	if err != nil {
		return nil, command.Usage(err)
	}
	return p, nil
}

// simulateSeries writes a time series, with the columns time and, for several series, series, and its edges with their lags.
func (a *app) simulateSeries(ctx context.Context, s *simulation, p *sim.Process) error {
	c := p.Config()
	columns := command.PlainNames(c.Nodes)
	head := []string{"time"}
	if c.Series > 1 {
		head = append(head, "series")
	}
	table := files.Content{Names: append(head, columns...), Count: s.rows * c.Series}
	var failed error
	table.Rows = command.Pushed(&failed, func(emit func([]float64) error) error {
		out := make([]float64, len(table.Names))
		time, last := 0, 0
		return p.Sample(s.rows, func(series int, row []float64) error {
			if series != last {
				time, last = 0, series
			}
			out[0] = float64(time)
			time++
			if c.Series > 1 {
				out[1] = float64(series)
			}
			copy(out[len(head):], row)
			if err := emit(out); err != nil {
				return err
			}
			return ctx.Err()
		})
	})
	if err := a.WriteTable(ctx, s.output, s.format, table); err != nil || failed != nil {
		return errors.Join(failed, err)
	}
	edges := p.Edges()
	var list []command.Edge
	for _, e := range edges {
		list = append(list, command.Edge{Link: graph.Link{From: columns[e.From], To: columns[e.To]}, Weight: e.Weight, HasWeight: c.Mechanism == sim.Linear, Lag: e.Lag, HasLag: true})
	}
	if err := a.WriteEdges(ctx, s.truth, list); err != nil {
		return err
	}
	a.Line(fmt.Sprintf("%s × %s from a process with %s and %s", names.Count(table.Count, "row"), names.Count(c.Nodes, "column"), names.Count(len(edges), "edge"), names.Count(c.Lags, "lag")))
	return nil
}
