package missing

import (
	"cmp"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/independence"
)

const (
	leastGroup     = 10   // rows with and without a value that a test needs
	togetherLeast  = 0.9  // correlation of absence
	mostPredictors = 20   // the most predictors that are listed
	mostApart      = 20   // the most pairs of columns that are listed
	predictorLevel = 0.05 // the level of p-values after correction
)

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
	var tests []dataset.MissingPredictor
	for j, name := range names {
		if absent[j] < leastGroup || n-absent[j] < leastGroup {
			continue
		}
		for k, by := range names {
			if k == j {
				continue
			}
			var p float64
			if discrete[k] {
				p = absenceByLevel(rows, d, j, k)
			} else {
				p = absenceByMean(rows, d, j, k)
			}
			if p == p {
				tests = append(tests, dataset.MissingPredictor{Column: name, By: by, P: p, Missing: float64(absent[k]) / float64(n)})
			}
		}
	}
	slices.SortFunc(tests, func(a, b dataset.MissingPredictor) int {
		return cmp.Or(cmp.Compare(a.P, b.P), cmp.Compare(a.Column, b.Column), cmp.Compare(a.By, b.By))
	})
	least := 0.0
	for i, t := range tests {
		least = max(least, min(1, t.P*float64(len(tests)-i))) // Holm 1979
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

// absenceByMean compares the mean of column k between the rows with and without column j by Welch's test, in its normal approximation.
func absenceByMean(rows []float64, d, j, k int) float64 {
	var n, sum, square [2]float64
	for at := 0; at < len(rows); at += d {
		if v := rows[at+k]; v == v {
			g := 0
			if rows[at+j] != rows[at+j] {
				g = 1
			}
			n[g]++
			step := v - sum[g]
			sum[g] += step / n[g]
			square[g] += step * (v - sum[g])
		}
	}
	if min(n[0], n[1]) < leastGroup {
		return math.NaN()
	}
	spread := square[0]/(n[0]*(n[0]-1)) + square[1]/(n[1]*(n[1]-1))
	if !(spread > 0) {
		return math.NaN()
	}
	return math.Erfc(math.Abs(sum[0]-sum[1]) / math.Sqrt(2*spread))
}

// absenceByLevel tests whether column j is missing equally often in each category of column k.
func absenceByLevel(rows []float64, d, j, k int) float64 {
	counts := map[float64]*[2]float64{}
	var n [2]float64
	for at := 0; at < len(rows); at += d {
		if v := rows[at+k]; v == v {
			g := 0
			if rows[at+j] != rows[at+j] {
				g = 1
			}
			c := counts[v]
			if c == nil {
				c = &[2]float64{}
				counts[v] = c
			}
			c[g]++
			n[g]++
		}
	}
	if min(n[0], n[1]) < leastGroup {
		return math.NaN()
	}
	levels := make([]float64, 0, len(counts))
	for v := range counts {
		levels = append(levels, v)
	}
	slices.Sort(levels) // sums in one order
	x, df, all := 0.0, -1.0, n[0]+n[1]
	for _, v := range levels {
		c := counts[v]
		total := c[0] + c[1]
		if total*min(n[0], n[1])/all < 1 { // too rare for the approximation
			continue
		}
		df++
		for g := range c {
			want := total * n[g] / all
			x += (c[g] - want) * (c[g] - want) / want
		}
	}
	if df < 1 {
		return math.NaN()
	}
	return independence.ChiSquared(x, df)
}
