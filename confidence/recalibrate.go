package confidence

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/trust"
)

// CalibrateTables is the default number of simulated tables for a recalibration.
const CalibrateTables = 10

// calibrateReplicates limits the replicates of a simulated table. More would distinguish frequencies that fall into one class of
// fitRising.
const calibrateReplicates = 100

// Calibrating returns the number of replicates per simulated table.
func Calibrating(replicates int) int { return min(replicates, calibrateReplicates) }

// recalibration is the curve fitted on simulated tables, with its summary for the result.
type recalibration struct {
	curve  curve
	report *trust.Recalibration
}

// elsewhereError marks a simulated table that a remote runner could not learn from.
type remoteError struct{ error }

func (e remoteError) Unwrap() error { return e.error }

// mend recalibrates if requested. If ctx ends or a remote runner fails, there is no recalibration, and the reason is returned.
func (l *learner) recalibrated(ctx context.Context, learn func() (*recalibration, error)) (r *recalibration, given string, err error) {
	if l.like == nil {
		return nil, "", nil
	}
	if ctx.Err() == nil {
		var others remoteError
		switch r, err = learn(); {
		case err == nil:
			return r, "", nil
		case ctx.Err() != nil:
		case errors.As(err, &others):
			return nil, fmt.Sprintf("the calibration could not be done (%v); confidences are those without it", others), nil
		default:
			return nil, "", err
		}
	}
	return nil, method.Why(context.Cause(ctx)) + " before the calibration was done; confidences are those without it", nil
}

// recalibrate simulates tables like the given one from graphs that are as plausible as its own, and estimates how often frequencies
// are right. find returns the frequency of each ordered pair in a simulated table and calls its last argument after each step. A
// simulated table with a constant column does not count.
func (l *learner) recalibrate(ctx context.Context, replicates int, before curve, graphs []*graph.Graph, find func(*SimulatedTable, *polydag.Table, func()) (func(i, j int) float64, error)) (*recalibration, error) {
	done, steps := 0, l.set.Calibrate*max(1, replicates)
	tell := func() { l.tell("calibration", stage.Replicates, done, steps) }
	tell()
	var by [][]verdict
	for k := range l.set.Calibrate {
		g := graphs[k*len(graphs)/l.set.Calibrate]
		name := &SimulatedTable{Graph: g.Edges(), Model: l.full.Model, Seed: l.cfg.Seed, Number: k}
		table, truth, err := l.like.simulate(ctx, g, name.stream())
		if errors.Is(err, dataset.ErrConstant) {
			continue
		}
		if err != nil {
			return nil, err
		}
		frequency, err := find(name, table, func() { done++; tell() })
		if err != nil {
			return nil, err
		}
		var own []verdict
		for j := range truth.N() {
			for i := range j {
				own = append(own, verdict{frequency(i, j), frequency(j, i), truth.HasEdge(i, j), truth.HasEdge(j, i)})
			}
		}
		by = append(by, own)
	}
	if len(by) < 2 {
		return nil, fault.New(ErrCalibrate, "the simulated tables have constant columns", "omit %s", fault.Use("calibrate"))
	}
	r := learnFrom(by, before)
	r.report.Replicates, r.report.Seed = replicates, l.cfg.Seed
	return r, nil
}

// learnFrom fits a curve on simulated tables, and its calibration error before and after by cross-validation over tables.
func learnFrom(by [][]verdict, before curve) *recalibration {
	var all []verdict
	var was, is reliability
	for k, own := range by {
		all = append(all, own...)
		var others []verdict
		for m, pairs := range by {
			if m != k {
				others = append(others, pairs...)
			}
		}
		was.judge(before, own)
		is.judge(learnCurve(others, before), own)
	}
	r := &recalibration{curve: learnCurve(all, before), report: &trust.Recalibration{Tables: len(by)}}
	var pairs float64
	r.report.Before, _ = was.off()
	r.report.After, pairs = is.off()
	r.report.Pairs = int(pairs)
	return r
}

// replicated is recalibrate with bootstrap replicates.
func (l *learner) replicated(ctx context.Context, plan *Plan, outcomes []*Outcome) (*recalibration, error) {
	columns := len(l.full.Names)
	var graphs []*graph.Graph
	for _, o := range outcomes {
		if g := o.dag(columns); g != nil {
			graphs = append(graphs, g)
		}
	}
	if len(graphs) == 0 {
		return nil, fault.New(ErrCalibrate, "no bootstrap sample gave an acyclic graph to simulate from", "omit %s", fault.Use("calibrate"))
	}
	replicates := Calibrating(l.set.Replicates)
	before := newCurve(calibration(l.set.Resampling, l.full.Model), replicates)
	return l.recalibrate(ctx, replicates, before, graphs, func(name *SimulatedTable, table *polydag.Table, step func()) (func(i, j int) float64, error) {
		units := make([]Unit, replicates)
		found := make([]*Outcome, replicates)
		for k := range units {
			units[k] = Unit{Plan: plan, Draw: l.draw(k)}
		}
		by := l.remote
		if by != nil {
			for k := range units {
				units[k].Simulated = name
			}
		} else if from, err := table.Resampler(ctx, l.set.MostBytes); err != nil {
			return nil, err
		} else {
			by = Pool{From: from, Workers: l.cfg.Threads}
		}
		err := by.Run(ctx, units, func(o Outcome) {
			found[o.Draw.Replicate] = &o
			step()
		})
		if err != nil && l.remote != nil {
			return nil, remoteError{err}
		}
		if err != nil {
			return nil, err
		}
		votes := graph.NewVotes(columns)
		for _, o := range found {
			if o.Failed != "" {
				continue
			}
			m, err := o.Class(columns)
			if err != nil {
				return nil, err
			}
			votes.Add(m)
		}
		return votes.Directed, nil
	})
}

// dag returns a DAG of an outcome, with undirected edges as found if that closes no cycle, or nil.
func (o *Outcome) dag(columns int) *graph.Graph {
	if o == nil || o.Failed != "" {
		return nil
	}
	g := graph.New(columns)
	for _, e := range o.Edges {
		g.AddEdge(e.From, e.To)
	}
	if _, err := g.Order(); err == nil {
		return g
	}
	m, err := o.Class(columns)
	if err != nil {
		return nil
	}
	p, err := m.PDAG()
	if err != nil {
		return nil
	}
	g, err = p.Extension()
	if err != nil {
		return nil
	}
	return g
}

// sampled is recalibrate with posteriors.
func (l *learner) sampled(ctx context.Context, set sample.Settings, found *sample.Result, order []int) (*recalibration, error) {
	var graphs []*graph.Graph
	for _, edges := range found.Graphs {
		graphs = append(graphs, relabelled(edges, order))
	}
	cfg := l.cfg
	cfg.CheckScale = polydag.CheckScaleNever
	if s, ok := cfg.Method.(method.Settler); ok {
		cfg.Method = s.Settled(l.full.Choices)
	}
	return l.recalibrate(ctx, 0, newCurve(NoCalibration, 0), graphs, func(_ *SimulatedTable, table *polydag.Table, step func()) (func(i, j int) float64, error) {
		full, err := table.Learn(ctx, cfg, polydag.Run{})
		if err != nil {
			return nil, err
		}
		problem, at, err := table.Posterior(ctx, cfg, full)
		if err != nil {
			return nil, err
		}
		own, err := sample.Run(ctx, sample.Problem(*problem), set, nil)
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		step()
		place := make([]int, len(at))
		for i, v := range at {
			place[v] = i
		}
		return func(i, j int) float64 { return unit(own.Edge.At(place[i], place[j])) }, nil
	})
}

// relabelled returns a graph over variables as a graph over columns.
func relabelled(edges []graph.Edge, order []int) *graph.Graph {
	g := graph.New(len(order))
	for _, e := range edges {
		g.AddEdge(order[e.From], order[e.To])
	}
	return g
}
