package basis

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

const (
	// byChance is the significance level of the curvature test.
	byChance = 0.001
	// responses is the largest number of columns that Compare explains, candidates the length of each of two
	// lists of predictors, and compared the number of rows, spread evenly. They limit the time for any size of
	// the table.
	responses  = 50
	candidates = 10
	compared   = 1024
)

// Suspected reports whether some pair of columns is significantly curved.
func (b *Bends) Suspected() bool { return b.Chance() < byChance }

// Compare compares nonlinear with linear effects by the scores of a search, as score.Curvature does, at a cost
// that is not quadratic in the columns. It explains at most 50 columns, spread evenly, each by the 10 best
// linear and the 10 best nonlinear predictors. Up to 11 columns it equals score.Curvature.
//
// A row counts as weight rows, 1 for independent rows. Ties are resolved by the column order.
func (b *Bends) Compare(ctx context.Context, x *matrix.Dense[float64], s Settings, weight float64, threads int) (score.Evidence, error) {
	d := x.Cols
	s.Crossed, s.Bounded = 0, true
	names := make([]string, d)
	explained := make([]int, min(d, responses))
	for i := range explained {
		explained[i] = i * d / len(explained)
	}
	evidence, faults := make([]score.Evidence, len(explained)), make([]error, len(explained))
	parallel.For(len(explained), threads, func(i int) {
		if faults[i] = ctx.Err(); faults[i] != nil {
			return
		}
		v := explained[i]
		of := append([]int{v}, b.likely(v)...)
		part := matrix.New[float64](min(x.Rows, compared), len(of))
		for r := range part.Rows {
			from, to := x.Row(r*x.Rows/part.Rows), part.Row(r)
			for k, j := range of {
				to[k] = from[j]
			}
		}
		blocks, err := OfRows(names[:len(of)], nil, part, s, 1)
		if err != nil {
			faults[i] = err
			return
		}
		blocks.N = max(1, int(math.Round(weight*float64(blocks.N))))
		evidence[i], faults[i] = score.CurvatureOf(blocks, 0)
	})
	var sum score.Evidence
	for _, e := range evidence {
		sum.Linear += e.Linear
		sum.Smooth += e.Smooth
	}
	return sum, errors.Join(faults...)
}

// likely lists the best predictors of column v, in ascending order.
func (b *Bends) likely(v int) []int {
	d := b.Line.Rows
	line, both := make([]float64, d), make([]float64, d)
	for j := range d {
		line[j] = b.Line.At(j, v)
		both[j] = line[j] + b.Curve.At(j, v)
	}
	var out []int
	for _, share := range [][]float64{line, both} {
		order := make([]int, 0, d-1)
		for j := range d {
			if j != v {
				order = append(order, j)
			}
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(share[j], share[i]), cmp.Compare(i, j)) })
		out = append(out, order[:min(candidates, len(order))]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
