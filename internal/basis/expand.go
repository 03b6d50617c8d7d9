package basis

import (
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/score"
)

// An expanded column has its functions for every row, which regressions of many other columns use.
type expanded struct {
	column
	categorical bool
	size        int       // number of functions
	functions   []float64 // row by row
}

// onScores returns the functions of a numeric column with the given ranks on normal scores.
func onScores(x []float64, r ranks) expanded {
	e := expanded{column: column{ranks: r, curves: scaleCurves, scale: dataset.ScoreScale}, size: 1 + scaleCurves}
	e.standardize()
	e.fill(x)
	return e
}

// onScale returns the column on another scale. The curves are those of ranks, which stay.
func (e expanded) onScale(x []float64, scale dataset.Scale) expanded {
	e.scale, e.functions = scale, slices.Clone(e.functions)
	e.standardize()
	for i, v := range x {
		e.functions[i*e.size] = e.scaled(v)
	}
	return e
}

// categories returns the functions of a categorical column.
func categories(x []float64) expanded {
	times := map[float64]int{}
	for _, v := range x {
		times[v+0]++
	}
	e := expanded{categorical: true, size: len(times) - 1}
	e.base, e.levels = split(times)
	e.fill(x)
	return e
}

func (e *expanded) fill(x []float64) {
	e.functions = make([]float64, len(x)*e.size)
	for i, v := range x {
		e.expand(e.functions[i*e.size:(i+1)*e.size], v, e.categorical)
	}
}

// blocksOf returns the input of scores for n rows of the columns, equal to that of OfRows.
func blocksOf(columns []expanded, n int) (*score.Blocks, error) {
	f := &Functions{names: make([]string, len(columns)), start: []int{0}}
	for _, c := range columns {
		f.columns, f.categorical = append(f.columns, c.column), append(f.categorical, c.categorical)
		f.labels = append(f.labels, make([]string, c.size)...)
		f.start = append(f.start, len(f.labels))
	}
	all := len(f.labels)
	wide := make([]float64, n*all)
	for k, c := range columns {
		for i := range n {
			copy(wide[i*all+f.start[k]:], c.functions[i*c.size:(i+1)*c.size])
		}
	}
	g := f.NewGram(1)
	lane := 0
	for block := range slices.Chunk(wide, blockRows*all) {
		if err := g.addExpanded(lane%len(g.lanes), block); err != nil {
			return nil, err
		}
		lane++
	}
	return g.Blocks()
}

// A Kept is a function that is not constant: number Function of a column.
type Kept struct{ Column, Function int }

// ExpandAll returns the functions of whole rows, without products and without those that are constant.
func (f *Functions) ExpandAll(values []float64) (rows []float64, kept []Kept, err error) {
	d, wide := len(f.names), f.Size()
	n := len(values) / d
	rows = make([]float64, n*wide)
	for i := range n {
		if err := f.Expand(rows[i*wide:(i+1)*wide], values[i*d:(i+1)*d]); err != nil {
			return nil, nil, err
		}
	}
	var from []int
	for j := range d {
		for k := f.start[j]; k < f.start[j+1]; k++ {
			for at := k; at < len(rows); at += wide {
				if rows[at] != rows[k] {
					from, kept = append(from, k), append(kept, Kept{j, k - f.start[j]})
					break
				}
			}
		}
	}
	for i := range n {
		for to, k := range from {
			rows[i*len(from)+to] = rows[i*wide+k]
		}
	}
	return rows[:n*len(from)], kept, nil
}
