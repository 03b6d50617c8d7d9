package graphtest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/counts"
)

// mostRows is the largest number of rows that a test of categories uses; of a longer table it uses the first ones.
const mostRows = 200_000

// Table tests a graph whose nodes are columns of a table, by the test that fits the kinds of these columns: Fisher's z for numeric
// columns, G² with permutations for categorical ones, and for both together the likelihood ratio of a linear or logistic regression
// of the explained column.
func Table(ctx context.Context, t *polydag.Table, columns []string, g *graph.Graph, s Settings) (*Report, error) {
	if len(columns) < 2 {
		return nil, errors.New("the graph joins fewer than two columns; name a graph with edges")
	}
	place := make([]int, len(columns))
	for i, name := range columns {
		if place[i] = slices.Index(t.Moments.Names, name); place[i] < 0 {
			return nil, fmt.Errorf("the table has no column %q", name)
		}
	}
	test, name, rows, err := choose(ctx, t, place)
	if err != nil {
		return nil, err
	}
	return Run(ctx, test, name, rows, columns, g, s)
}

func choose(ctx context.Context, t *polydag.Table, place []int) (test Tester, name string, rows int, err error) {
	categories := make([]bool, len(place))
	for i, v := range place {
		categories[i] = t.Kinds != nil && t.Kinds[v].Kind.Discrete() // ordered categories may be codes without an order
	}
	if !slices.Contains(categories, true) {
		n := t.EffectiveRows()
		z, err := independence.NewFisherZ(t.Moments.CorrelationOf(place), n)
		return Symmetric(z, n), "Fisher's z", n, err
	}
	columns, err := read(ctx, t, place, categories)
	if err != nil {
		return nil, "", 0, err
	}
	rows = max(len(columns[0].Values), len(columns[0].Codes))
	worth := 1.0 // the weight of a row whose values were drawn
	if t.Incomplete() {
		worth = float64(t.EffectiveRows()) / float64(t.Rows())
	}
	levels, err := counted(columns, rows, worth)
	if err != nil {
		return nil, "", 0, err
	}
	if !slices.Contains(categories, false) {
		return levels, "G² with permutations", rows, nil
	}
	added, err := independence.NewAdded(columns)
	if err != nil {
		return nil, "", 0, err
	}
	return func(x, y int, given []int) (p, effect float64) {
		if !slices.ContainsFunc(append([]int{x, y}, given...), func(v int) bool { return columns[v].Levels == 0 }) {
			return levels(x, y, given)
		}
		r, err := added.Test(x, y, given)
		if err != nil {
			return 1, 0
		}
		return independence.ChiSquared(r.Statistic*worth, r.DF), ratioEffect(r.Statistic, rows)
	}, "likelihood ratio of linear and logistic regressions", rows, nil
}

// counted returns the test of categories: G², whose small p-values are checked by permutations.
func counted(columns []independence.Column, rows int, worth float64) (Tester, error) {
	var codes [][]uint32
	place := make([]int, len(columns))
	for i, c := range columns {
		if c.Levels > 0 {
			place[i] = len(codes)
			codes = append(codes, c.Codes)
		}
	}
	table, err := counts.New(codes, counts.Rows{Merge: true})
	if err != nil {
		return nil, err
	}
	g2, err := independence.NewG2(table, worth)
	if err != nil {
		return nil, err
	}
	plain := Symmetric(g2, max(1, int(float64(rows)*worth)))
	return func(x, y int, given []int) (p, effect float64) {
		set := make([]int, len(given))
		condition := make([][]uint32, len(given))
		for k, v := range given {
			set[k], condition[k] = place[v], columns[v].Codes
		}
		slices.Sort(set)
		p, effect = plain(place[x], place[y], set)
		if p <= doubtful && rows <= independence.PermutedRows {
			random := independence.Permuted(columns[x].Codes, columns[y].Codes, condition, uint64(rows))
			if worth < 1 { // permutations count every row as one
				random = max(p, random)
			}
			p = random
		}
		return p, effect
	}, nil
}

// doubtful is the p-value of G² below which permutations decide.
const doubtful = 0.2

// read returns the columns of the table, categories as codes.
func read(ctx context.Context, t *polydag.Table, place []int, categories []bool) ([]independence.Column, error) {
	out := make([]independence.Column, len(place))
	d := len(t.Moments.Names)
	full, most := errors.New("enough rows"), min(mostRows, t.Rows()) // without further copies of completed rows
	err := t.EachRow(ctx, func(b dataset.RowBatch) error {
		for rows := b.Values; len(rows) >= d; rows = rows[d:] {
			if len(out[0].Values) == most {
				return full
			}
			for i, v := range place {
				out[i].Values = append(out[i].Values, rows[v])
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, full) {
		return nil, err
	}
	for i := range out {
		if !categories[i] {
			continue
		}
		values := slices.Clone(out[i].Values)
		slices.Sort(values)
		values = slices.Compact(values)
		out[i].Levels = len(values)
		for _, x := range out[i].Values {
			code, _ := slices.BinarySearch(values, x)
			out[i].Codes = append(out[i].Codes, uint32(code))
		}
		out[i].Values = nil
	}
	return out, nil
}
