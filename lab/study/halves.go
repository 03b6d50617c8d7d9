package study

import (
	"context"
	"fmt"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/analysis"
	"github.com/polydag/polydag/matrix"
)

// Halves compares the graphs learned from odd and from even rows.
type Halves struct {
	Edges [2]int `json:"edges"` // edges of each half
	// Alike and Reversed count the pairs of columns that are adjacent in both, with the same and the opposite
	// direction.
	Alike    int `json:"alike"`
	Reversed int `json:"reversed"`
	// CertainAlike and CertainReversed count those whose direction is identified in both halves.
	CertainAlike    int `json:"certain_alike"`
	CertainReversed int `json:"certain_reversed"`
}

// halves learns from both halves and compares.
func halves(ctx context.Context, t *dataset.NamedRows, targets string, cfg polydag.Config) (*Halves, error) {
	var found [2]*polydag.Result
	for k := range found {
		var err error
		if found[k], err = learnRows(ctx, every(t, k, 2), targets, cfg, nil); err != nil {
			return nil, fmt.Errorf("half %d of the rows: %w", k+1, err)
		}
	}
	return compareHalves(found[0].Edges, found[1].Edges), nil
}

// fixed reports whether the direction of an edge is identified.
func fixed(e polydag.Edge) bool { return e.Verdict == polydag.Directed }

func compareHalves(a, b []polydag.Edge) *Halves {
	h := &Halves{Edges: [2]int{len(a), len(b)}}
	certain := make(map[[2]string]bool, len(b))
	for _, e := range b {
		certain[[2]string{e.From, e.To}] = fixed(e)
	}
	for _, e := range a {
		if sure, ok := certain[[2]string{e.From, e.To}]; ok {
			h.Alike++
			if sure && fixed(e) {
				h.CertainAlike++
			}
		} else if sure, ok := certain[[2]string{e.To, e.From}]; ok {
			h.Reversed++
			if sure && fixed(e) {
				h.CertainReversed++
			}
		}
	}
	return h
}

// learnRows learns from the rows of a table, as the command does. Column kinds follow from the values, and the
// model may follow from the kinds. targets is the column with the intervention targets of a row, or "".
func learnRows(ctx context.Context, t *dataset.NamedRows, targets string, cfg polydag.Config, observe polydag.Observer) (*polydag.Result, error) {
	prepare := polydag.DefaultPreparation()
	prepare.Targets, prepare.Exclude = targets, false // the graph is compared over all columns
	columns, err := polydag.RowColumns(t.Names, slices.Collect(dataset.RowsOf(t.Rows)))
	if err != nil {
		return nil, err
	}
	how := analysis.Analysis{Preparation: prepare, Config: cfg}
	table, err := how.Gather(ctx, columns)
	if err != nil {
		return nil, err
	}
	return how.Learn(ctx, table, polydag.Run{Observe: observe})
}

// every returns the rows first, first + step, … of a table.
func every(t *dataset.NamedRows, first, step int) *dataset.NamedRows {
	n := (t.Rows.Rows - first + step - 1) / step
	out := &dataset.NamedRows{Names: t.Names, Rows: matrix.New[float64](n, t.Rows.Cols)}
	for i := range n {
		copy(out.Rows.Row(i), t.Rows.Row(first+i*step))
	}
	return out
}
