package missing

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
)

const (
	leastGroup     = 10   // rows with and without a value that a test needs
	togetherLeast  = 0.9  // correlation of absence
	mostPredictors = 20   // the most predictors that are listed
	mostApart      = 20   // the most pairs of columns that are listed
	predictorLevel = 0.05 // the level of p-values after correction
)

// Describe is the function Describe for evenly spaced rows of a long table without weights.
func (r *Rows) Describe(ctx context.Context, names []string, discrete []bool) (*dataset.Missingness, error) {
	const most = 20_000
	some, err := r.every(ctx, len(names), 1, (r.N+most-1)/most)
	if err != nil {
		return nil, err
	}
	return Describe(some, names, discrete), nil
}

// Describe tests which columns of rows with d columns are missing together and which columns predict that a value is missing.
func Describe(rows []float64, names []string, discrete []bool) *dataset.Missingness {
	d := len(names)
	n := len(rows) / d
	out := &dataset.Missingness{Rows: n}
	absent := make([]int, d)
	for at := 0; at < len(rows); at += d {
		complete := true
		for j, v := range rows[at : at+d] {
			if v != v {
				absent[j]++
				complete = false
			}
		}
		if complete {
			out.CompleteRows++
		}
	}
	pairs := CountPairs(rows, d)
	out.Together = together(pairs, names, absent)
	for i := range d {
		for j := range i {
			if absent[i]+absent[j] >= n && absent[i] < n && absent[j] < n && pairs.Of(i, j) == 0 && len(out.Apart) < mostApart {
				out.Apart = append(out.Apart, [2]string{min(names[i], names[j]), max(names[i], names[j])})
			}
		}
	}
	slices.SortFunc(out.Apart, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	lacks := make([][]int32, d)
	for j := range lacks {
		lacks[j] = pairs.absent(j)
	}
	var tests []dataset.MissingPredictor
	for k, by := range names {
		x := newPredictor(rows, d, k, discrete[k])
		for j, name := range names {
			if k == j || absent[j] < leastGroup || n-absent[j] < leastGroup {
				continue
			}
			if p := x.chance(lacks[j]); p == p {
				tests = append(tests, dataset.MissingPredictor{Column: name, By: by, P: p, Missing: float64(absent[k]) / float64(n)})
			}
		}
	}
	slices.SortFunc(tests, func(a, b dataset.MissingPredictor) int {
		return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(a.Column, b.Column), cmp.Compare(a.By, b.By))
	})
	least := 0.0
	for i, t := range tests {
		least = max(least, t.P*float64(len(tests)-i)) // Holm 1979
		if least >= predictorLevel || i == mostPredictors {
			break
		}
		t.P = least
		out.Predicted = append(out.Predicted, t)
	}
	return out
}

// together groups columns whose absence is correlated.
func together(pairs *PairCount, names []string, absent []int) [][]string {
	d, n := len(names), float64(pairs.n)
	taken := make([]bool, d)
	var out [][]string
	for i := range d {
		if absent[i] < leastGroup || taken[i] {
			continue
		}
		group := []string{names[i]}
		for j := i + 1; j < d; j++ {
			if absent[j] < leastGroup || taken[j] {
				continue
			}
			a, b := float64(absent[i])/n, float64(absent[j])/n
			both := float64(pairs.Of(i, j))/n - (1 - a) - (1 - b) + 1 // share of rows without either
			if phi := (both - a*b) / math.Sqrt(a*(1-a)*b*(1-b)); phi >= togetherLeast {
				group, taken[j] = append(group, names[j]), true
			}
		}
		if len(group) > 1 {
			slices.Sort(group)
			out = append(out, group)
		}
	}
	slices.SortFunc(out, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	return out
}
