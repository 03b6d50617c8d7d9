package enco

import (
	"context"
	"fmt"
	"slices"

	networks "github.com/polydag/polydag/lab/network"
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
	n, d        int
	values      []float32
	levels      []int // number of levels of each column; 0 for a numeric one
	environment []int // environment of each row
	targets     [][]int
	fit         [][]int // for each column, the rows that its network is fitted to
	judge       [][]int // for each set of targets, the rows that edges are judged by
}

// readRows reads the table.
func readRows(ctx context.Context, in *method.Input) (*rows, error) {
	read, err := networks.ReadEnvironments(ctx, in, keptValues)
	if err != nil {
		return nil, err
	}
	r := &rows{n: read.N, d: read.D, environment: read.Environment, targets: read.Targets}
	r.values, r.levels = make([]float32, len(read.Values)), make([]int, r.d)
	for j := range r.d {
		if err := r.code(in, read, j); err != nil {
			return nil, err
		}
	}
	r.divide()
	return r, nil
}

// code converts column j.
func (r *rows) code(in *method.Input, read *networks.EnvironmentRows, j int) error {
	if in.Kinds == nil || !discrete(in.Kinds[j].Kind) {
		err := read.Standardize(j, in.Names()[j], networks.Unit)
		for i := range r.n {
			r.values[i*r.d+j] = float32(read.Values[i*r.d+j])
		}
		return err
	}
	levels := make([]float64, r.n)
	for i := range levels {
		levels[i] = read.Values[i*r.d+j]
	}
	slices.Sort(levels)
	levels = slices.Compact(levels)
	if r.levels[j] = len(levels); len(levels) > mostLevels {
		return fmt.Errorf("column %s has %d categories; at most %d are supported: drop it, or join rare ones", in.Names()[j], len(levels), mostLevels)
	}
	for i := range r.n {
		k, _ := slices.BinarySearch(levels, read.Values[i*r.d+j])
		r.values[i*r.d+j] = float32(k)
	}
	return nil
}

// divide chooses the rows for networks and for edges. Networks are fitted to the rows without interventions, and edges are judged by
// those with interventions. If there are none of one sort, every second row is set apart to judge edges, and a network is fitted to the
// others that have no intervention on its column.
func (r *rows) divide() {
	var free, told int
	for _, k := range r.environment {
		if len(r.targets[k]) == 0 {
			free++
		} else {
			told++
		}
	}
	r.judge, r.fit = make([][]int, len(r.targets)), make([][]int, r.d)
	for i, k := range r.environment {
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
