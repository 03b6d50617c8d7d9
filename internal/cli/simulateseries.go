package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/edgelist"
	"github.com/polydag/polydag/sim"
)

// seriesFlags are the flags of simulate that apply to time series.
var seriesFlags = []string{"output", "truth", "model", "nodes", "samples", "noise", "seed", "threads", "lags", "series", "links", "contemporaneous", "auto-low", "auto-high", "weight-low", "weight-high"}

// process returns the process that simulate --lags draws.
func (s *simulation) process(given func(visit func(name string))) (*sim.Process, error) {
	var idle error
	given(func(name string) {
		for _, flag := range seriesFlags {
			if flag == name {
				return
			}
		}
		idle = errors.Join(idle, fmt.Errorf("--%s has no effect with --lags; leave it out", name))
	})
	if idle != nil {
		return nil, usageError{idle}
	}
	c := &s.series
	c.Mechanism, c.Noise, c.Seed = s.cfg.Mechanism, s.cfg.Noise, s.cfg.Seed
	if s.given("nodes") {
		c.Nodes = s.cfg.Nodes
	}
	if s.given("weight-low") || s.given("weight-high") {
		c.WeightLow, c.WeightHigh = s.cfg.WeightLow, s.cfg.WeightHigh
	}
	p, err := sim.NewProcess(*c)
	if err != nil {
		return nil, usageError{err}
	}
	return p, nil
}

// simulateSeries writes a time series, with the columns time and, for several series, series, and its edges with their lags.
func (a *app) simulateSeries(ctx context.Context, s *simulation, p *sim.Process) error {
	c := p.Config()
	var names []string
	for j := range c.Nodes {
		names = append(names, fmt.Sprintf("x%d", j))
	}
	head := []string{"time"}
	if c.Series > 1 {
		head = append(head, "series")
	}
	table := files.Content{Names: append(head, names...), Count: s.samples * c.Series}
	var failed error
	table.Rows = func(yield func([]float64) bool) {
		stop := errors.New("stop")
		out := make([]float64, len(table.Names))
		time, last := 0, 0
		err := p.Sample(s.samples, func(series int, row []float64) error {
			if series != last {
				time, last = 0, series
			}
			out[0] = float64(time)
			time++
			if c.Series > 1 {
				out[1] = float64(series)
			}
			copy(out[len(head):], row)
			if !yield(out) {
				return stop
			}
			return ctx.Err()
		})
		if err != stop {
			failed = err
		}
	}
	if err := a.writeTable(ctx, s.output, s.format, table); err != nil || failed != nil {
		return errors.Join(failed, err)
	}
	edges := p.Edges()
	if s.truth != "" {
		var list []edgelist.Edge
		for _, e := range edges {
			list = append(list, edgelist.Edge{Link: graph.Link{From: names[e.From], To: names[e.To]}, Weight: e.Weight, HasWeight: c.Mechanism == sim.Linear, Lag: e.Lag, HasLag: true})
		}
		if err := a.write(ctx, s.truth, func(w io.Writer) error { return edgelist.Write(w, list) }); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.err, "%s × %s from a process with %s and %s\n", plural(table.Count, "row"), plural(c.Nodes, "column"), plural(len(edges), "edge"), plural(c.Lags, "lag"))
	return nil
}
