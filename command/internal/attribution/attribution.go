// Package attribution says what changed between two tables and why a row is unusual, under a graph: which mechanisms differ, and how
// much each contributes to the change of a target or to the outlier score of a row.
package attribution

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/score"
)

// Settings of an attribution.
type Settings struct {
	FDR        float64 // false discovery rate of changed mechanisms
	Level      float64 // confidence level of the intervals
	Replicates int     // bootstrap samples for the intervals; 0 for none
	Seed       uint64
	Threads    int
}

// DefaultSettings returns a false discovery rate of 0.05 and intervals of 90 % from 200 bootstrap samples.
func DefaultSettings() Settings {
	return Settings{FDR: 0.05, Level: 0.9, Replicates: 200, Seed: 1, Threads: 1}
}

// Validate reports every error in the settings.
func (s Settings) Validate() error {
	var errs []error
	if !(s.FDR > 0 && s.FDR < 1) {
		errs = append(errs, fmt.Errorf("false discovery rate %v, want between 0 and 1", s.FDR))
	}
	if !(s.Level > 0 && s.Level < 1) {
		errs = append(errs, fmt.Errorf("level %v, want between 0 and 1", s.Level))
	}
	if s.Replicates < 0 || s.Replicates == 1 {
		errs = append(errs, fmt.Errorf("%d bootstrap samples, want 0 or at least 2", s.Replicates))
	}
	if s.Threads < 1 {
		errs = append(errs, fmt.Errorf("%d threads, want at least 1", s.Threads))
	}
	return errors.Join(errs...)
}

// A Report answers one question. Changes is set for two tables and Row for one row.
type Report struct {
	// Model is the model of each column given its parents.
	Model   score.Effects `json:"model"`
	Columns int           `json:"columns"`
	Edges   int           `json:"edges"`
	Changes *Changes      `json:"changes,omitempty"`
	Row     *Row          `json:"row,omitempty"`
	Notes   []string      `json:"notes,omitempty"`
}

// A Question is a graph over some columns of a table.
type Question struct {
	Names  []string // columns of the graph
	Graph  *graph.Graph
	Model  score.Effects // "" chooses linear, discrete or mixed by the kinds of the columns
	Target string        // column whose change or value is attributed; "" for none
	// Graphs, if not nil, draws a graph for each bootstrap sample of a comparison. Otherwise intervals condition on Graph.
	Graphs *Graphs
}

// data are the columns of the graph, sorted by name, so that no figure depends on the order of the columns.
type data struct {
	names       []string
	words       [][]string
	g           *graph.Graph
	model       score.Effects
	rows        *mechanism.Rows
	environment []int
	order       []int // causal; ties by name
	target      int   // -1 without a target
	needed      []int // the target and its ancestors, in causal order
}

// read returns the rows of the graph's columns.
func (q Question) read(ctx context.Context, t *polydag.Table) (*data, error) {
	if !q.Graph.IsAcyclic() {
		return nil, fmt.Errorf("the graph has a cycle through %s; give a directed acyclic graph", q.Names[q.Graph.ShortestCycle()[0]])
	}
	d := &data{names: slices.Sorted(slices.Values(q.Names)), g: graph.New(len(q.Names)), target: -1}
	at := make([]int, len(q.Names))
	for i, name := range q.Names {
		at[i] = slices.Index(d.names, name)
	}
	for _, e := range q.Graph.Edges() {
		d.g.AddEdge(at[e.From], at[e.To])
	}
	place := make([]int, len(d.names))
	var kinds []dataset.Variable
	for i, name := range d.names {
		if place[i] = slices.Index(t.Moments.Names, name); place[i] < 0 {
			return nil, fmt.Errorf("the graph has a node %q, and the table has no such column", name)
		}
		if t.Kinds != nil {
			kinds = append(kinds, t.Kinds[place[i]])
			d.words = append(d.words, t.Kinds[place[i]].Words)
		} else {
			d.words = append(d.words, nil)
		}
	}
	if q.Target != "" {
		if d.target = slices.Index(d.names, q.Target); d.target < 0 {
			return nil, fmt.Errorf("the graph has no node %q; choose another target", q.Target)
		}
	}
	d.model = modelOf(q.Model, kinds)
	all, err := mechanism.Read(ctx, t, d.model, nil)
	if err != nil {
		return nil, err
	}
	d.rows = all.Select(place, nil)
	if t.Environments != nil {
		err = t.EachRow(ctx, func(b dataset.RowBatch) error {
			d.environment = append(d.environment, b.Environments...)
			return nil
		})
	}
	d.sort()
	return d, err
}

// modelOf returns the model of a result, or the one that fits the kinds. A linear model of a table with categories becomes a mixed one.
func modelOf(model score.Effects, kinds []dataset.Variable) score.Effects {
	discrete, nominal := 0, 0
	for _, k := range kinds {
		if k.Kind.Discrete() {
			discrete++
		}
		if k.Kind == dataset.Categorical || k.Kind == dataset.Binary {
			nominal++
		}
	}
	switch {
	case model != "" && model != score.LinearEffects:
		return model
	case model == "" && discrete > 0 && discrete == len(kinds):
		return score.TableEffects
	case nominal > 0:
		return score.MixedEffects
	}
	return score.LinearEffects
}

// sort computes the causal order and the ancestors of the target.
func (d *data) sort() {
	left := make([]int, d.g.N())
	for v := range left {
		left[v] = len(d.g.Parents(v))
	}
	for len(d.order) < d.g.N() {
		next := slices.Index(left, 0)
		left[next] = -1
		d.order = append(d.order, next)
		for _, c := range d.g.Children(next) {
			left[c]--
		}
	}
	if d.target < 0 {
		return
	}
	before := d.g.Ancestors([]int{d.target})
	for _, v := range d.order {
		if before[v] || v == d.target {
			d.needed = append(d.needed, v)
		}
	}
}

// affine reports whether the target is an affine function of the noise of its ancestors.
func (d *data) affine() bool {
	if d.model == score.SmoothEffects || d.model == score.FlexibleEffects {
		return false
	}
	return !slices.ContainsFunc(d.needed, func(v int) bool { return d.rows.Levels[v] != nil })
}

// exact returns a value in the units of column v, or 0 for a rounding error.
func (d *data) exact(v int, x float64) float64 {
	column := d.rows.Columns[v]
	return kind.Exact(x, slices.Max(column)-slices.Min(column))
}

func (d *data) report() *Report {
	return &Report{Model: d.model, Columns: d.g.N(), Edges: d.g.NumEdges()}
}
