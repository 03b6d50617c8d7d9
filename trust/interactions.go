package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/vec"
)

const (
	// interactionShare is the smallest share of the explained variation of a column that must be due to interactions of its
	// parents.
	interactionShare = 0.1
	// cellRows is the mean number of rows that a combination of the parents' categories needs.
	cellRows = 5
)

// interactions compares the probability table of each column with several parents with main effects alone. It compares linear
// regressions of the indicators of its categories on those of its parents, with and without interactions, less the share that each
// degree of freedom explains by chance. A table has a parameter for every combination of categories. If main effects are enough, a
// graph with other parents can have a better score although it is wrong: a third of such directions was wrong in simulated tables.
func (j *judging) interactions() Assumption {
	const name, statement = Interactions, "full probability tables explain more than main effects of the parents"
	if j.res == nil {
		return newAssumption(name, statement, nil, j.why, "")
	}
	var columns, said []string
	for v, y := range j.Moments.Names {
		parents := j.model.Graph.Parents(v)
		if j.model.Additive != nil && j.model.Additive[v] {
			continue
		}
		share, ok := j.interaction(v, parents)
		if !ok || share >= interactionShare {
			continue
		}
		columns = append(columns, y)
		said = append(said, fmt.Sprintf("main effects of %s explain %s of the score gain of the full probability table of %s", strings.Join(slices.Sorted(slices.Values(pick(j.Moments.Names, parents))), ", "), percent(1-max(0, share)), y))
	}
	if len(columns) == 0 {
		return newAssumption(name, statement, nil, "", "where a column has several parents, their interactions improve the fit; "+j.looked())
	}
	way := fault.Out("%s models main effects", fault.Set("model", "mixed"))
	return newAssumption(name, statement, []Finding{newFinding(AdditiveEffects, Warning, columns, "additive effects: "+list(said, 3), way)}, "", "")
}

// interaction returns the share of the explained variation of v that is due to interactions. ok is false with fewer than two
// parents, too few rows or combinations, or nothing explained.
func (j *judging) interaction(v int, parents []int) (share float64, ok bool) {
	if len(parents) < 2 {
		return 0, false
	}
	m := j.res.z.Cols
	cell, index := make([]int, m), map[string]int{}
	key := make([]byte, 0, 8*len(parents))
	for i := range m {
		key = key[:0]
		for _, p := range parents {
			key = fmt.Append(key, j.res.z.At(p, i), ";")
		}
		k, seen := index[string(key)]
		if !seen {
			k = len(index)
			index[string(key)] = k
		}
		cell[i] = k
	}
	if m < cellRows*len(index) {
		return 0, false
	}
	var main [][]float64
	for _, p := range parents {
		main = append(main, indicators(j.res.z.Row(p))...)
	}
	project(make([]float64, m), main) // an orthonormal basis of the main effects, so that the sum below is a sum of squares
	main = slices.DeleteFunc(main, func(f []float64) bool { return vec.Dot(f, f) == 0 })
	degrees := len(main)
	if degrees >= len(index)-1 { // the combinations that occur allow no interaction
		return 0, false
	}
	sum, count := make([]float64, len(index)), make([]float64, len(index))
	for _, k := range cell {
		count[k]++
	}
	var table, additive, within float64 // sums of squares explained by each, and the residual of the table
	responses := indicators(j.res.z.Row(v))
	for _, y := range responses {
		clear(sum)
		for i, k := range cell {
			sum[k] += y[i]
		}
		explained := 0.0
		for k := range sum {
			explained += sum[k] * sum[k] / count[k]
		}
		table += explained
		within += vec.Dot(y, y) - explained
		for _, f := range main {
			c := vec.Dot(f, y)
			additive += c * c
		}
	}
	noise := within / float64(max(1, m-len(index)))
	extra := table - additive - noise*float64(len(index)-1-degrees)
	all := table - noise*float64(len(index)-1)
	if !(all > 0) {
		return 0, false
	}
	return extra / all, true
}
