package study

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/polydag/polydag/matrix"
)

// A Truth is the true graph of simulated data: one line of truths.jsonl. The runs with this data and seed learned from a sample of it. The
// graph has all columns and no key, and weights only for linear effects.
type Truth struct {
	Data Point  `json:"data"`
	Seed uint64 `json:"seed"`
	Graph
}

// Truths draws the true graphs of the simulated data of the selected runs again, each once.
func Truths(ctx context.Context, st *Study, sel Select) ([]Truth, error) {
	runs, err := st.Expand(sel)
	if err != nil {
		return nil, err
	}
	var out []Truth
	for _, r := range runs {
		if r.Kind != KindLearn || !r.Point.Simulated() || slices.ContainsFunc(out, func(t Truth) bool { return t.Seed == r.Seed && t.Data.same(r.Point) }) {
			continue
		}
		s, err := r.draw(ctx, nil)
		if err != nil {
			return nil, err
		}
		t := Truth{r.Point, r.Seed, Graph{Names: s.table.Names, From: []int{}, To: []int{}}}
		for _, e := range s.truth.Edges() {
			t.From, t.To = append(t.From, e.From), append(t.To, e.To)
			if s.weights != nil {
				t.Weight = append(t.Weight, roundTo(s.weights.At(e.From, e.To), 4))
			}
		}
		out = append(out, t)
	}
	return out, nil
}

// writeTruths writes one graph per line.
func writeTruths(w io.Writer, list []Truth) error {
	b := bufio.NewWriter(w)
	for _, t := range list {
		line, err := json.Marshal(t)
		if err != nil {
			return fmt.Errorf("the true graph of %s, seed %d: %w", t.Data.Label(), t.Seed, err)
		}
		b.Write(append(line, '\n'))
	}
	return b.Flush()
}

// permuteSquare moves entry (i, j) to (perm[i], perm[j]).
func permuteSquare(w *matrix.Dense[float64], perm []int) *matrix.Dense[float64] {
	out := matrix.New[float64](w.Rows, w.Cols)
	for i := range w.Rows {
		for j, v := range w.Row(i) {
			out.Set(perm[i], perm[j], v)
		}
	}
	return out
}
