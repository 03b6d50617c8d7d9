// Package chance tests whether chance explains an edge of a learned graph.
package chance

import (
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// A Test tests edges on the rows of a table. A column x is tested against v given other columns in three steps:
//
//  1. Least squares of x and of v on the functions of the other columns: themselves, indicators of categories, or curves.
//  2. Normal scores of the residuals, so that outliers and heavy tails decide nothing (van der Waerden 1952). Categories keep
//     their indicators.
//  3. The likelihood ratio test of the scores of x and v given the other columns (independence.Blocks).
//
// Where both columns have rare values, the counts of their values must agree: see sparseP.
type Test struct {
	in    *method.Input
	level float64
	read  func(ctx context.Context) []float64
	some  *sheet // the sample
	whole *sheet // all rows, read when an edge needs them; nil if there are too many
}

// A sheet is a number of rows by columns.
type sheet struct {
	n        int
	level    float64 // see New
	counted  float64 // rows that these count as
	value    func(i, j int) float64
	columns  [][]float64
	lumps    [][]int // codes of lumpy columns, see lumpy
	looked   []bool
	scores   []float64         // normal scores of the ranks
	ranked   map[int][]float64 // centred normal scores of columns
	isNormal map[int]bool      // columns that were looked at, see normal
}

// New returns the test of the edges of a table. A p-value of at most level, from a part of the rows or from a quicker test, is final. read returns
// all rows; nil if there are too many.
func New(in *method.Input, level float64, read func(ctx context.Context) []float64) *Test {
	c := &Test{in: in, level: level, read: read}
	if in.Rows != nil && in.Sample != nil {
		c.some = newSheet(in, in.Sample.Values, in.Weight()*float64(in.Copied()), level)
		if in.Sample.Rows() == in.RowCount() {
			c.whole = c.some
		}
	}
	return c
}

func newSheet(in *method.Input, values []float64, weight, level float64) *sheet {
	d := len(in.Names())
	n := len(values) / d
	return &sheet{n: n, level: level, counted: float64(n) * weight, value: func(i, j int) float64 { return values[i*d+j] }, columns: make([][]float64, d), lumps: make([][]int, d), looked: make([]bool, d), ranked: map[int][]float64{}}
}

// P is the p-value of the edge x → v between columns of the input, given the other parents of v.
type P func(x, v int, others []int) float64

// Lines returns the test under linear effects.
func (c *Test) Lines(ctx context.Context) P {
	return c.under(ctx, Functions{Levels: make([]bool, len(c.in.Names()))}, c.moments)
}

// Under returns the test under a model whose effects are not linear.
func (c *Test) Under(ctx context.Context, f Functions) P {
	return c.under(ctx, f, func(int, int, []int) float64 { return 0 })
}

// under returns the test with functions of the columns. many tests tables with too many rows to keep.
func (c *Test) under(ctx context.Context, e Functions, many P) P {
	if c.some == nil {
		return c.moments
	}
	some, whole := newConditions(e, c.some), (*conditions)(nil)
	return func(x, v int, others []int) float64 {
		share := c.in.ShareOf(x, v)
		p := some.p(x, v, others, share)
		if p <= c.level || c.some == c.whole {
			return p
		}
		if c.whole == nil {
			if rows := c.read(ctx); rows != nil {
				c.whole = newSheet(c.in, rows, c.in.Weight(), c.level)
			}
		}
		if c.whole == nil {
			return many(x, v, others)
		}
		if whole == nil {
			whole = newConditions(e, c.whole)
		}
		return whole.p(x, v, others, share)
	}
}

// moments tests a partial correlation.
func (c *Test) moments(x, v int, others []int) float64 {
	reg, err := score.RegressOn(c.in.Moments, v, append(slices.Clone(others), x))
	if err != nil {
		return 1
	}
	free := float64(c.in.Moments.N)*c.in.ShareOf(x, v) - 2.5 - float64(len(others))
	return independence.ChiSquared(max(0, free)*math.Log(reg.Drop[len(others)]/reg.Residual), 1)
}

// Counts returns the G² test of categorical columns, or nil if it does not apply. Column i of the counts is
// column order[i] of the input.
func (c *Test) Counts(t *counts.Data, order []int) P {
	test, err := independence.NewG2(t, c.in.Weight())
	if err != nil {
		return nil
	}
	place := make([]int, len(order))
	for i, v := range order {
		place[v] = i
	}
	counter := t.Counter()
	return func(x, v int, others []int) float64 {
		share := c.in.ShareOf(x, v)
		x, v = place[x], place[v]
		given := make([]int, len(others))
		for i, z := range others {
			given[i] = place[z]
		}
		slices.Sort(given)
		r, err := test.Independent(x, v, given)
		if err != nil {
			return 1
		}
		table := make([][]float64, t.Levels(v))
		counter.Strata(x, v, nil, func(cells []uint32) {
			levels := t.Levels(x)
			for k := range table {
				table[k] = make([]float64, levels)
				for i := range table[k] {
					table[k][i] = float64(cells[k*levels+i])
				}
			}
		})
		if share != 1 {
			r.P = independence.ChiSquared(r.Statistic*share, r.DF)
		}
		return max(r.P, sparseP(table, c.in.Weight()*share))
	}
}

func (s *sheet) column(j int) []float64 {
	if s.columns[j] == nil {
		c := make([]float64, s.n)
		for i := range c {
			c[i] = s.value(i, j)
		}
		s.columns[j] = c
	}
	return s.columns[j]
}

// p returns the p-value of x and v given the other columns. share is that of the rows which have both; see method.Input.PairShare.
//
// A few rows with extreme values of several columns can make all of their slopes significant. The residuals of x and v then share the
// column that was removed with a wrong slope, in all rows, and so do their ranks. So linear effects must also be seen, at the lenient
// level confirmed, in the partial correlation of the normal scores of the columns themselves. Normal columns have no extreme rows, and
// that test only costs power there: where the other columns explain nearly everything, the rounding of scores hides what is left.
func (c *conditions) p(x, v int, others []int, share float64) float64 {
	p := c.residualP(x, v, others, share)
	if p > confirmed || len(others) == 0 || c.e.Curves != nil || c.e.Levels[x] || c.e.Levels[v] || slices.ContainsFunc(others, func(z int) bool { return c.e.Levels[z] }) {
		return p
	}
	if c.s.normal(x) && c.s.normal(v) && !slices.ContainsFunc(others, func(z int) bool { return !c.s.normal(z) }) {
		return p
	}
	if q := c.s.scoresP(x, v, others, c.s.counted*share); q > confirmed {
		return q
	}
	return p
}

// normal reports whether skewness and kurtosis of a column are those of a normal one, so that no row is extreme.
func (s *sheet) normal(j int) bool {
	if is, known := s.isNormal[j]; known {
		return is
	}
	x, n := s.column(j), float64(s.n)
	mean := 0.0
	for _, v := range x {
		mean += v / n
	}
	var m2, m3, m4 float64
	for _, v := range x {
		d := v - mean
		m2, m3, m4 = m2+d*d/n, m3+d*d*d/n, m4+d*d*d*d/n
	}
	skewness, excess := m3/math.Pow(m2, 1.5), m4/(m2*m2)-3
	is := math.Abs(skewness) <= mostErrors*math.Sqrt(6/n) && math.Abs(excess) <= mostErrors*math.Sqrt(24/n) // false for NaN
	if s.isNormal == nil {
		s.isNormal = map[int]bool{}
	}
	s.isNormal[j] = is
	return is
}

// mostErrors is the number of standard errors by which skewness and kurtosis of a normal column may differ from 0.
const mostErrors = 4

// confirmed is the level of scoresP at which an edge with other parents is confirmed.
const confirmed = 0.01

// scoresP tests the partial correlation of the normal scores of x and v given those of the other columns.
func (s *sheet) scoresP(x, v int, others []int, counted float64) float64 {
	columns := append([]int{v, x}, others...)
	k := len(columns)
	scores := make([][]float64, k)
	for i, j := range columns {
		if s.ranked[j] == nil {
			s.ranked[j] = s.normalScores(s.column(j))
			centre(s.ranked[j])
		}
		scores[i] = s.ranked[j]
	}
	gram, set := make([]float64, k*k), make([]int, 0, k)
	for i := range k {
		for j := range i + 1 {
			gram[i*k+j] = vec.Dot(scores[i], scores[j])
			gram[j*k+i] = gram[i*k+j]
		}
		if i > 1 {
			set = append(set, i)
		}
	}
	var reg chol.Regression
	chol.Regress(&reg, gram, k, 0, set)
	_, takes := chol.Candidate(&reg, gram, k, 0, 1, set)
	left := reg.Left - takes
	if !(left > 0) {
		return 0
	}
	return independence.ChiSquared(max(0, counted-2.5-float64(len(others)))*math.Log(reg.Left/left), 1)
}

// residualP tests the residuals of x and v on functions of the other columns.
func (c *conditions) residualP(x, v int, others []int, share float64) float64 {
	e, s := c.e, c.s
	counted := s.counted * share
	given := c.on(v, others)
	var from, to [][]float64
	curved := e.curved(x) && e.curved(v)
	number := func(j int) []float64 { return given.rest(e.scaled(s.column(j), j)) }
	if !e.Levels[x] && !e.Levels[v] && !curved {
		from, to = [][]float64{number(x)}, [][]float64{number(v)}
		if p := s.signs(from[0], to[0], counted); p <= s.level && s.sparse(x, v, counted) <= p {
			return p
		}
	}
	scored := func(j int, cause bool) (out [][]float64) {
		switch {
		case e.Levels[j]:
			out = indicators(s.column(j))
		case cause && curved:
			out = e.bends(s.column(j), j, testedCurves)
		default:
			out = [][]float64{s.normalScores(number(j))}
		}
		for i, f := range out {
			out[i] = given.rest(f)
		}
		return out
	}
	from, to = scored(x, true), scored(v, false)
	k := len(from) + len(to)
	all := slices.Concat(from, to)
	gram := matrix.New[float64](k, k)
	for i := range k {
		for j := range i + 1 {
			sum := dot(all[i], all[j])
			gram.Set(i, j, sum)
			gram.Set(j, i, sum)
		}
	}
	test, err := independence.NewBlocks(gram, []int{0, len(from), k}, max(len(from), len(to)), int(counted)-len(given.functions))
	if err != nil {
		return 1
	}
	r, err := test.Independent(0, 1, nil)
	if err != nil {
		return 1
	}
	return max(r.P, s.sparse(x, v, counted))
}

// signs tests the signs of two residuals. It is exact for heavy tails and, for strong effects, cheaper than
// ranks. It returns 1 if one sign is rare.
func (s *sheet) signs(x, y []float64, counted float64) float64 {
	var cells [4]float64
	for i, a := range x {
		k := 0
		if a > 0 {
			k = 1
		}
		if y[i] > 0 {
			k += 2
		}
		cells[k]++
	}
	n := float64(len(x))
	row, column := (cells[0]+cells[1])/n, (cells[0]+cells[2])/n
	if min(row, 1-row, column, 1-column) < 0.2 {
		return 1
	}
	return independence.ChiSquared(gSquared([][]float64{cells[:2], cells[2:]})*counted/n, 1)
}

// normalScores replaces values by the normal scores of their ranks. Equal values share the mean of their scores.
func (s *sheet) normalScores(x []float64) []float64 {
	if s.scores == nil {
		s.scores = make([]float64, s.n)
		for i := range s.scores {
			s.scores[i] = math.Sqrt2 * math.Erfinv(2*float64(i+1)/float64(s.n+1)-1)
		}
	}
	order := make([]int32, len(x))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return int(a - b)
	})
	out := make([]float64, len(x))
	for at := 0; at < len(order); {
		end := at
		sum := 0.0
		for ; end < len(order) && x[order[end]] == x[order[at]]; end++ {
			sum += s.scores[end]
		}
		for k := at; k < end; k++ {
			out[order[k]] = sum / float64(end-at)
		}
		at = end
	}
	return out
}

// lumpy returns codes of a column with few values, or 0 and 1 for the most frequent value and the others where half of the rows have it;
// nil for other columns.
func (s *sheet) lumpy(j int) []int {
	if s.looked[j] {
		return s.lumps[j]
	}
	s.looked[j] = true
	x := s.column(j)
	values := slices.Clone(x)
	slices.Sort(values)
	mode, most, run := values[0], 0, 0
	for i, v := range values {
		if i > 0 && v != values[i-1] {
			run = 0
		}
		if run++; run > most {
			mode, most = v, run
		}
	}
	values = slices.Compact(values)
	few := len(values) <= kind.FewLevels
	if !few && 2*most < s.n {
		return nil
	}
	codes := make([]int, s.n)
	for i, v := range x {
		if few {
			codes[i], _ = slices.BinarySearch(values, v)
		} else if v != mode {
			codes[i] = 1
		}
	}
	s.lumps[j] = codes
	return codes
}

// sparse is sparseP of two lumpy columns, 0 for others.
func (s *sheet) sparse(x, v int, counted float64) float64 {
	a, b := s.lumpy(x), s.lumpy(v)
	if a == nil || b == nil {
		return 0
	}
	table := make([][]float64, slices.Max(b)+1)
	for k := range table {
		table[k] = make([]float64, slices.Max(a)+1)
	}
	for i, k := range b {
		table[k][a[i]]++
	}
	return sparseP(table, counted/float64(s.n))
}
