package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
)

// ErrNoData marks missing data. Errors of a Loader match it, and the run is skipped and not recorded.
var ErrNoData = errors.New("no data")

// A Loader reads a given data set with the requested columns (all if nil). Notes state what was omitted and
// why.
type Loader func(ctx context.Context, dataset, file string, columns []string) (t *dataset.NamedRows, notes []string, err error)

// sample is a table with its true graph, or nil, and the weights of linear effects, or nil.
type sample struct {
	table   *dataset.NamedRows
	truth   *graph.Graph
	weights *matrix.Dense[float64]
	notes   []string
}

// These are the random streams of a run; those of package sim go up to 4.
const (
	streamShuffle sim.Purpose = 101
	streamJitter  sim.Purpose = 102
)

func (r *Run) draw(ctx context.Context, load Loader) (*sample, error) {
	p := r.Point
	var s *sample
	var err error
	switch {
	case p.Dataset != "":
		s, err = given(ctx, p, load)
	case p.Generator == "released":
		s, err = released(p, r.Seed)
	default:
		s, err = simulated(p, r.Seed)
	}
	if err != nil {
		return nil, err
	}
	logs := strings.HasPrefix(r.Protocol, "log")
	if p.Jitter > 0 || logs { // a loader may return the same table to several runs
		s.table = &dataset.NamedRows{Names: s.table.Names, Rows: s.table.Rows.Clone()}
	}
	if p.Jitter > 0 {
		rng := sim.Stream(r.Seed, streamJitter)
		for i := range s.table.Rows.Data {
			s.table.Rows.Data[i] += p.Jitter * rng.NormFloat64()
		}
	}
	if logs {
		return s, logarithms(s.table)
	}
	return s, nil
}

func simulated(p Point, seed uint64) (*sample, error) {
	cfg := sim.Default()
	cfg.Nodes, cfg.Degree, cfg.Seed = p.Nodes, p.Degree, seed
	if err := cfg.Graph.UnmarshalText([]byte(p.Graph)); err != nil {
		return nil, err
	}
	if p.Design != "" {
		if err := cfg.Design.UnmarshalText([]byte(p.Design)); err != nil {
			return nil, err
		}
	}
	if p.Mechanism != "" {
		if err := cfg.Mechanism.UnmarshalText([]byte(p.Mechanism)); err != nil {
			return nil, err
		}
	}
	if p.Weights != 0 {
		cfg.WeightScale = p.Weights
	}
	model, err := sim.New(cfg)
	if err != nil {
		return nil, err
	}
	x := model.Sample(sim.Stream(seed, sim.StreamNoise), p.Samples)
	s := &sample{table: &dataset.NamedRows{Names: model.Names(), Rows: x}, truth: model.Graph()}
	if cfg.Mechanism == sim.Linear {
		s.weights = model.W()
	}
	return s, nil
}

// released shuffles the columns of Released, because a method could otherwise use their causal order.
func released(p Point, seed uint64) (*sample, error) {
	w, x, err := Released(p.Nodes, p.Degree, p.Samples, seed)
	if err != nil {
		return nil, err
	}
	perm := sim.Stream(seed, streamShuffle).Perm(p.Nodes) // column j goes to perm[j]
	return &sample{table: &dataset.NamedRows{Names: numbered(p.Nodes), Rows: permuteColumns(x, perm)}, truth: permuteGraph(support(w), perm), weights: permuteSquare(w, perm)}, nil
}

func numbered(d int) []string {
	names := make([]string, d)
	for j := range names {
		names[j] = fmt.Sprintf("x%d", j)
	}
	return names
}

func permuteColumns(x *matrix.Dense[float64], perm []int) *matrix.Dense[float64] {
	out := matrix.New[float64](x.Rows, x.Cols)
	for i := range x.Rows {
		from, to := x.Row(i), out.Row(i)
		for j, v := range from {
			to[perm[j]] = v
		}
	}
	return out
}

func permuteGraph(g *graph.Graph, perm []int) *graph.Graph {
	out := graph.New(g.N())
	for _, e := range g.Edges() {
		out.AddEdge(perm[e.From], perm[e.To])
	}
	return out
}

func given(ctx context.Context, p Point, load Loader) (*sample, error) {
	if load == nil {
		return nil, fmt.Errorf("%w: dataset %s", ErrNoData, p.Dataset)
	}
	t, notes, err := load(ctx, p.Dataset, p.File, p.Columns)
	if err != nil {
		return nil, err
	}
	s := &sample{table: t, notes: notes}
	if len(p.Truth) == 0 {
		return s, nil
	}
	variables := slices.DeleteFunc(slices.Clone(t.Names), func(name string) bool { return name == p.Targets })
	s.truth = graph.New(len(variables))
	for _, e := range p.Truth {
		from, to, _ := strings.Cut(e, "->")
		i, j := slices.Index(variables, strings.TrimSpace(from)), slices.Index(variables, strings.TrimSpace(to))
		if i < 0 || j < 0 {
			return nil, fmt.Errorf("dataset %s: the truth has %s, the table %q", p.Dataset, e, variables)
		}
		s.truth.AddEdge(i, j)
	}
	return s, nil
}

// logarithms replaces every value by its natural logarithm.
func logarithms(t *dataset.NamedRows) error {
	for i := range t.Rows.Rows {
		row := t.Rows.Row(i)
		for j, v := range row {
			if !(v > 0) {
				return fmt.Errorf("protocol log: row %d, column %s is %v; logarithms need values above 0", i+1, t.Names[j], v)
			}
			row[j] = math.Log(v)
		}
	}
	return nil
}
