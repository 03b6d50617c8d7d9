package joint

import (
	"fmt"

	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// curves returns the squared error of each row by curves and products that were fitted to the other half, as the search has them.
func (t *test) curves() ([]float64, error) {
	out := make([]float64, len(t.all.y))
	f := t.Family
	names, parents := make([]string, f.Rows.Cols), make([]int, f.Rows.Cols-1)
	for j := range names {
		names[j] = fmt.Sprint(j)
	}
	for p := range parents {
		parents[p] = p + 1
	}
	standard := matrix.New[float64](f.Rows.Rows, f.Rows.Cols) // with the units of the errors of a network
	copy(standard.Data, f.Rows.Data)
	for i, y := range t.all.y {
		standard.Set(i, 0, y)
	}
	for k, rows := range t.halves {
		fit := basis.NewFit(names, f.Levels)
		for i := range standard.Rows { // all rows, so that all levels are known
			if err := fit.Add(standard.Row(i)); err != nil {
				return nil, err
			}
		}
		functions, err := fit.Functions(basis.DefaultSettings())
		if err != nil {
			return nil, err
		}
		gram := functions.NewGram(1)
		for _, r := range rows {
			if err := gram.Add(standard.Row(r)); err != nil {
				return nil, err
			}
		}
		blocks, err := gram.Blocks()
		if err != nil {
			return nil, err
		}
		set := score.DefaultSmoothSettings()
		set.Categories = true
		s, err := score.NewSmooth(blocks, set)
		if err != nil {
			return nil, err
		}
		weights, wide := s.Weights(blocks, 0, parents), make([]float64, functions.Size())
		for _, r := range t.halves[1-k] {
			if err := functions.Expand(wide, standard.Row(r)); err != nil {
				return nil, err
			}
			e := wide[0] - blocks.Mean[0]
			for _, w := range weights {
				e -= w.W * (wide[w.Function] - blocks.Mean[w.Function])
			}
			out[r] = e * e
		}
	}
	return out, nil
}
