//go:build !js

package commands

import (
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/internal/page"
	"github.com/polydag/polydag/lab/heldout"
)

// comparePage returns the input of the page of a comparison, including the effects that exist. The truth is
// drawn if all its names are columns.
func comparePage(c *heldout.Comparison, effects map[*polydag.Result]*effect.Survey, edges []polydag.Link) page.Input {
	in := page.Input{Methods: &page.Methods{Notes: []string{
		fmt.Sprintf("Scores and rows held out are taken under model %s. Of a class of graphs one member counts.", c.Model),
	}}}
	m := in.Methods
	type column struct {
		page.Figure
		of func(*heldout.Entry) *float64
	}
	count := func(n int) *float64 { v := float64(n); return &v }
	columns := []column{
		{page.Figure{Title: "Edges", About: "edges of the graph"}, func(e *heldout.Entry) *float64 { return count(len(e.Edges)) }},
		{page.Figure{Title: "Cut", About: "edges that were cut to make a DAG of what the threshold left", Best: "less"}, func(e *heldout.Entry) *float64 {
			if e.Cut == nil {
				return nil
			}
			return count(e.Cut.Edges)
		}},
		{page.Figure{Title: "Score", About: "of the graph, refitted on one scale for all methods", Best: "less", Decimals: 1}, func(e *heldout.Entry) *float64 { return e.Score }},
		{page.Figure{Title: "Score, bits behind", About: "by how much the score is behind the best, in bits a row", Best: "less"}, func(e *heldout.Entry) *float64 { return e.Behind }},
		{page.Figure{Title: "Held out", About: "log-likelihood of rows held out, in bits a row", Best: "more"}, func(e *heldout.Entry) *float64 { return e.HeldOut }},
	}
	if c.Truth != nil {
		whole := func(of func(*heldout.Metrics) *int) func(*heldout.Entry) *float64 {
			return ofMetrics(func(m *heldout.Metrics) *float64 {
				if v := of(m); v != nil {
					return count(*v)
				}
				return nil
			})
		}
		columns = append(columns,
			column{page.Figure{Title: "SHD", About: "distance from the known graph: of a DAG from the DAG, of a class from the class", Best: "less"}, whole(func(m *heldout.Metrics) *int { return m.SHD })},
			column{page.Figure{Title: "F1", About: "of directed edges", Best: "more"}, ofMetrics(func(m *heldout.Metrics) *float64 { return m.F1 })},
			column{page.Figure{Title: "Skeleton F1", About: "of joined pairs, whatever the direction", Best: "more"}, ofMetrics(func(m *heldout.Metrics) *float64 { return &m.SkeletonF1 })},
			column{page.Figure{Title: "Class SHD", About: "distance of the equivalence classes: up to directions that such data cannot tell", Best: "less"}, whole(func(m *heldout.Metrics) *int { return m.ClassSHD })},
		)
		if len(c.Truth.Hidden) == 0 {
			in.Truth = &page.Truth{Edges: edges}
			columns = append(columns, column{page.Figure{Title: "SID", About: "structural intervention distance", Best: "less"}, whole(func(m *heldout.Metrics) *int { return m.SID })})
		}
	}
	columns = append(columns, column{page.Figure{Title: "Seconds", About: "time of the run on the whole table", Best: "less"}, func(e *heldout.Entry) *float64 { return &e.Seconds }})
	for _, col := range columns {
		m.Figures = append(m.Figures, col.Figure)
	}
	for k := range c.Methods {
		e := &c.Methods[k]
		row := page.MethodRow{Label: e.Label, Result: -1, Why: e.Why, Values: make([]*float64, len(columns))}
		if e.Result != nil {
			row.Result = len(in.Results)
			in.Results = append(in.Results, page.Labelled{Label: e.Label, Result: e.Result, Effects: effects[e.Result]})
			for i, col := range columns {
				row.Values[i] = col.of(e)
			}
		}
		m.Rows = append(m.Rows, row)
	}
	if a := c.Agreement; a != nil {
		m.Skeleton, m.Marks = a.Skeleton, a.Marks
	} else {
		m.Skeleton, m.Marks = [][]float64{{1}}, [][]float64{{1}} // agreement of a single result with itself
	}
	return in
}

// ofMetrics returns a figure of the metrics of an entry, and nil without a known graph.
func ofMetrics(of func(*heldout.Metrics) *float64) func(*heldout.Entry) *float64 {
	return func(e *heldout.Entry) *float64 {
		if e.Metrics == nil {
			return nil
		}
		return of(e.Metrics)
	}
}
