package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/edgelist"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/score"
)

// A learned is the model of a result, to draw rows from or to write with its probabilities.
type learned struct {
	res   *polydag.Result
	net   *mechanism.Network
	words [][]string // categories of each column
}

// learnedModel returns the model of a result. A linear one is in the result; others are fitted to the table that it was learned from.
func (a *app) learnedModel(ctx context.Context, path string, tables []string) (*learned, error) {
	res, err := a.readResult(ctx, path)
	if err != nil {
		return nil, err
	}
	if res.Kind != graph.KindDAG {
		return nil, fmt.Errorf("the graph is a %s, and a model needs directed edges only; learn a DAG", res.Kind)
	}
	out := &learned{res: res, words: make([][]string, len(res.Names))}
	for v, n := range res.Nodes {
		out.words[v] = n.Levels
	}
	if len(tables) == 0 {
		if !res.Sloped() {
			return nil, usagef("the probabilities of a %s model are not in the result; add the table that it was learned from: --data DATA", res.Model)
		}
		return out, out.linear()
	}
	in := newReading(a, pflag.NewFlagSet("", pflag.ContinueOnError))
	if err := in.check(1); err != nil {
		return nil, err
	}
	data, err := in.gatherAgain(ctx, res, tables)
	if err != nil {
		return nil, err
	}
	defer data.input.Close()
	if err := sameNames(data.Moments.Names, res.Names); err != nil {
		return nil, err
	}
	for v, k := range data.Kinds {
		out.words[v] = k.Words
	}
	table, err := data.Completed(ctx, res)
	if err != nil {
		return nil, err
	}
	model := res.Model
	if res.Sloped() {
		model = score.LinearEffects
	}
	rows, err := mechanism.Read(ctx, table, model, nil)
	if err != nil {
		return nil, err
	}
	out.net, err = mechanism.FitNetwork(model, res.Graph, rows, nil)
	return out, err
}

// linear takes the coefficients and variances of the result.
func (l *learned) linear() error {
	intercepts, err := l.res.Intercepts()
	if err != nil {
		return err
	}
	at := names.Index(l.res.Names)
	weights := map[graph.Edge]float64{}
	for _, e := range l.res.Edges {
		weights[graph.Edge{From: at[e.From], To: at[e.To]}] = e.Weight
	}
	variance := make([]float64, len(l.res.Names))
	for v, n := range l.res.Nodes {
		variance[v] = n.ResidualVariance
	}
	l.net = mechanism.LinearNetwork(l.res.Graph, intercepts, variance, func(p, v int) float64 { return weights[graph.Edge{From: p, To: v}] })
	return nil
}

// setting returns the values of an intervention by column.
func (l *learned) setting(list []string) (map[int]float64, error) {
	values, err := parseValues("do", list)
	if err != nil {
		return nil, err
	}
	out := map[int]float64{}
	for _, x := range values {
		v := slices.Index(l.res.Names, x.Name)
		if v < 0 {
			return nil, usagef("--do %s: the result has no such column%s", x.Name, nearColumn(x.Name, l.res.Names))
		}
		if k := slices.Index(l.words[v], x.Value); k >= 0 {
			out[v] = float64(k)
			continue
		}
		number, err := strconv.ParseFloat(x.Value, 64)
		if err != nil || number-number != 0 || len(l.words[v]) > 0 {
			want := "a number"
			if len(l.words[v]) > 0 {
				want = fmt.Sprintf("one of %v", l.words[v])
			}
			return nil, usagef("--do %s=%s: want %s", x.Name, x.Value, want)
		}
		if levels := l.net.Levels[v]; levels != nil && !slices.Contains(levels, number) {
			return nil, usagef("--do %s=%s: want one of %v", x.Name, x.Value, levels)
		}
		out[v] = number
	}
	return out, nil
}

// edges returns the edges of the model, with weights if it is linear.
func (l *learned) edges() (out []edgelist.Edge) {
	for _, e := range l.res.Edges {
		edge := edgelist.Edge{Link: e.Link}
		if l.res.Sloped() {
			edge.Weight, edge.HasWeight = e.Weight, true
		}
		out = append(out, edge)
	}
	return out
}

// Draws are rows to draw from the model of a result.
type Draws struct {
	Result        string   // the file of the result
	Tables        []string // the table that it was learned from, for models that are not linear
	Do            []string // interventions, such as age=40
	Seed          uint64
	Rows          int
	Output, Truth string
	Format        files.Writer // of Output
}

// writeLearned writes rows drawn from the model of a result.
func (a *app) writeLearned(ctx context.Context, s Draws) error {
	l, err := a.learnedModel(ctx, s.Result, s.Tables)
	if err != nil {
		return err
	}
	set, err := l.setting(s.Do)
	if err != nil {
		return err
	}
	table := files.Content{Names: l.res.Names, Count: s.Rows}
	if s.Format.Text() {
		table.Words = l.words
	}
	if table.Rows, err = l.net.Sample(ctx, s.Seed, s.Rows, set); err != nil {
		return err
	}
	if err := a.writeTable(ctx, s.Output, s.Format, table); err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	if err := a.writeEdges(ctx, s.Truth, l.edges()); err != nil {
		return err
	}
	a.screen.line(fmt.Sprintf("%s × %s from the %s model of %s", plural(s.Rows, "row"), plural(len(l.res.Names), "column"), l.res.Model, s.Result))
	return context.Cause(ctx)
}
