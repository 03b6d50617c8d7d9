package enco

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/method"
)

const (
	// keptValues limits the values in memory. Of a longer table every second, third, … row is used.
	keptValues = 1 << 26
	// mostLevels limits the categories of a column.
	mostLevels = 1000
)

// rows are the rows of a table. A numeric value is standardized, and a category is the number of its level.
type rows struct {
	n, d    int
	values  []float32
	levels  []int // number of levels of each column; 0 for a numeric one
	regime  []int // regime of each row
	targets [][]int
	fit     [][]int // for each column, the rows that its network is fitted to
	judge   [][]int // for each set of targets, the rows that edges are judged by
}

// readRows reads the table.
func readRows(ctx context.Context, in *method.Input) (*rows, error) {
	if in.Rows == nil {
		return nil, method.ErrNoRows
	}
	r := &rows{d: len(in.Names()), targets: [][]int{nil}}
	every := max(1, (in.RowCount()*r.d+keptValues-1)/keptValues)
	read := in.RegimeRows
	if in.Regimes == nil || read == nil {
		read = func(ctx context.Context, each func([]float64, []int) error) error {
			return in.Rows(ctx, func(rows []float64) error { return each(rows, nil) })
		}
	} else {
		r.targets = in.Regimes.Targets
	}
	var values []float64
	at := 0
	err := read(ctx, func(rows []float64, regimes []int) error {
		for i := range len(rows) / r.d {
			if at++; (at-1)%every != 0 {
				continue
			}
			values = append(values, rows[i*r.d:(i+1)*r.d]...)
			k := 0
			if regimes != nil {
				k = regimes[i]
			}
			r.regime = append(r.regime, k)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	r.n = len(r.regime)
	r.values, r.levels = make([]float32, len(values)), make([]int, r.d)
	for j := range r.d {
		if err := r.code(in, values, j); err != nil {
			return nil, err
		}
	}
	r.divide()
	return r, nil
}

// code converts column j.
func (r *rows) code(in *method.Input, values []float64, j int) error {
	column := make([]float64, r.n)
	for i := range column {
		column[i] = values[i*r.d+j]
	}
	if in.Kinds != nil && discrete(in.Kinds[j].Kind) {
		levels := slices.Clone(column)
		slices.Sort(levels)
		levels = slices.Compact(levels)
		if r.levels[j] = len(levels); len(levels) > mostLevels {
			return fmt.Errorf("column %s has %d categories; at most %d are supported: drop it, or join rare ones", in.Names()[j], len(levels), mostLevels)
		}
		for i, v := range column {
			k, _ := slices.BinarySearch(levels, v)
			r.values[i*r.d+j] = float32(k)
		}
		return nil
	}
	mean, square := 0.0, 0.0
	for _, v := range column {
		mean += v / float64(r.n)
	}
	for _, v := range column {
		square += (v - mean) * (v - mean) / float64(r.n)
	}
	if !(square > 0) {
		return fmt.Errorf("column %s does not vary in the %d rows; drop it", in.Names()[j], r.n)
	}
	for i, v := range column {
		r.values[i*r.d+j] = float32((v - mean) / math.Sqrt(square))
	}
	return nil
}

// divide chooses the rows for networks and for edges. Networks are fitted to the rows without interventions, and edges are judged by
// those with interventions. If there are none of one sort, every second row is set apart to judge edges, and a network is fitted to the
// others that have no intervention on its column.
func (r *rows) divide() {
	var free, told int
	for _, k := range r.regime {
		if len(r.targets[k]) == 0 {
			free++
		} else {
			told++
		}
	}
	r.judge, r.fit = make([][]int, len(r.targets)), make([][]int, r.d)
	for i, k := range r.regime {
		judges := len(r.targets[k]) > 0
		if free == 0 || told == 0 {
			judges = i%2 == 1
		}
		if judges {
			r.judge[k] = append(r.judge[k], i)
			continue
		}
		for j := range r.fit {
			if !slices.Contains(r.targets[k], j) {
				r.fit[j] = append(r.fit[j], i)
			}
		}
	}
}

// row returns row i.
func (r *rows) row(i int) []float32 { return r.values[i*r.d : (i+1)*r.d] }
