package mechanism

import (
	"cmp"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// Sizes of the test of equal mechanisms.
const (
	mostDummies  = 8       // distinct values of a number that gets an indicator of each
	leastMass    = 0.05    // share of the rows with one value that makes it a point mass
	mostMasses   = 3       // point masses of a number that are compared
	leastCount   = 10      // rows of a category that has an indicator of its own
	farthest     = 4       // clip of a residual, in mean absolute residuals at these values of the parents
	rowsPerTerm  = 8       // rows for each function of the parents
	alikeWork    = 2 << 30 // limit of rows·functions²
	mostAlike    = 200     // limit of the functions
	leastResidue = 1e-5    // part of the length of a function that others must leave for it to count
)

// knots of the cubic splines, in normal scores.
var knots = []float64{-1.2, -0.4, 0.4, 1.2}

// alike returns the p-value of the hypothesis that column v, given its parents, has the same distribution in the rows a and b. Under it,
// functions h of the column have the same expected value given the parents in both. A number has these h: the residual given the parents
// and its absolute value, both divided by the spread given the parents and clipped; an indicator of each point mass; and residuals of
// the normal scores of the rows outside the point masses. A category has an indicator of each level.
//
// h is regressed on a basis of the parents and on the indicator of b, alone and multiplied by each parent. The Wald test of these last
// terms has the covariance HC3 (MacKinnon and White 1985), which allows unequal spread. By the theorem of Frisch and Waugh the test is
// valid if the basis describes either h given the parents or the probability of b given the parents. Bonferroni's correction covers
// the functions h. The cost is O(n·k²) for n rows and k terms.
func alike(g *graph.Graph, a, b *Rows, v int) float64 {
	both := a.join(b)
	x := both.Family(g, v)
	first := a.Family(g, v).Rows
	n := x.Rows
	parents := make([]predictor, len(g.Parents(v)))
	tested := 1
	for j, p := range g.Parents(v) {
		parents[j] = newPredictor(column(x, j+1), first, both.categorical[p])
		tested += len(parents[j].slopes)
	}
	if min(first, n-first) < tested+3 {
		if tested = 1; min(first, n-first) < 4 {
			return 1
		}
	}
	base := newSubspace(n)
	base.add(slices.Repeat([]float64{1}, n))
	for _, p := range parents {
		for _, f := range p.linear {
			base.add(f)
		}
	}
	base.addWithin(min(n/rowsPerTerm, mostAlike, int(math.Sqrt(alikeWork/float64(n)))), parents)

	full := &subspace{rows: n, q: slices.Clone(base.q)}
	after := make([]float64, n)
	for i := first; i < n; i++ {
		after[i] = 1
	}
	full.add(after)
	if tested > 1 {
		for _, p := range parents {
			for _, f := range p.slopes {
				full.add(times(after, f))
			}
		}
	}
	terms := full.q[len(base.q):]
	if len(terms) == 0 {
		return 1
	}
	left := make([]float64, n) // 1 - leverage
	for i := range left {
		left[i] = 1
	}
	for _, q := range full.q {
		for i, u := range q {
			left[i] -= u * u
		}
	}
	least := 1.0
	functions := responses(base, column(x, 0), both.Levels[v])
	if len(functions) == 0 {
		return 1
	}
	for _, h := range functions {
		least = min(least, equal(h, full, terms, left))
	}
	return min(1, least*float64(len(functions)))
}

// equal returns the p-value of the Wald test that the coefficients of the last terms of a regression of h are 0.
func equal(h []float64, full *subspace, terms [][]float64, left []float64) float64 {
	k := len(terms)
	beta, cov := matrix.New[float64](k, 1), matrix.New[float64](k, k)
	for c, s := range terms {
		beta.Set(c, 0, vec.Dot(s, h))
	}
	u := full.residual(h)
	for i := range u {
		e := u[i] / max(left[i], 1e-3)
		u[i] = e * e
	}
	for c, s := range terms {
		weighted := times(u, s)
		for d := range c + 1 {
			sum := vec.Dot(weighted, terms[d])
			cov.Set(c, d, sum)
			cov.Set(d, c, sum)
		}
	}
	scale := vec.Dot(h, h)
	for c := range k {
		cov.Set(c, c, cov.At(c, c)*(1+1e-10)+1e-20*scale+math.SmallestNonzeroFloat64)
	}
	var lu matrix.LU[float64]
	if lu.Factor(cov) != nil {
		return 1
	}
	x := matrix.New[float64](k, 1)
	lu.Solve(x, beta)
	statistic := vec.Dot(beta.Data, x.Data)
	if !(statistic > 0) {
		return 1
	}
	return independence.ChiSquared(statistic, float64(k))
}

// responses returns the functions of a column whose expected values are compared.
func responses(base *subspace, y []float64, levels []float64) (out [][]float64) {
	indicator := func(x float64) []float64 {
		h := make([]float64, len(y))
		for i := range y {
			if y[i] == x {
				h[i] = 1
			}
		}
		return h
	}
	masses := frequent(y)
	if levels != nil {
		for _, m := range masses {
			if m.count >= leastCount {
				out = append(out, indicator(m.value))
			}
		}
		if len(out) == 2 && len(levels) == 2 {
			out = out[:1] // the other one says the same
		}
		return out
	}
	out = base.residuals(y)
	if out == nil || len(masses) == 2 {
		return out
	}
	points := masses[:0:0]
	for _, m := range masses {
		if len(points) < mostMasses && m.count > 1 && m.count >= leastMass*float64(len(y)) {
			points = append(points, m)
			out = append(out, indicator(m.value))
		}
	}
	var rows []int // outside the point masses
	var rest []float64
	for i, u := range y {
		if !slices.ContainsFunc(points, func(m mass) bool { return m.value == u }) {
			rows, rest = append(rows, i), append(rest, u)
		}
	}
	within := newSubspace(len(rows))
	for _, q := range base.q {
		own := make([]float64, len(rows))
		for k, i := range rows {
			own[k] = q[i]
		}
		within.add(own)
	}
	if len(rows) < 2*len(within.q) {
		return out
	}
	for _, h := range within.residuals(scores(rest, frequent(rest))) {
		own := make([]float64, len(y))
		for k, i := range rows {
			own[i] = h[k]
		}
		out = append(out, own)
	}
	return out
}

// residuals returns the residual of a column and its absolute value, both divided by the spread given the parents and clipped; nil if the
// parents determine the column.
func (s *subspace) residuals(y []float64) [][]float64 {
	e := s.residual(y)
	deviation := make([]float64, len(e))
	mean := 0.0
	for i, r := range e {
		deviation[i] = math.Abs(r)
		mean += deviation[i] / float64(len(e))
	}
	if mean <= 1e-9*math.Sqrt(vec.Dot(y, y)/float64(len(y))) {
		return nil
	}
	rest := s.residual(deviation)
	location, spread := make([]float64, len(e)), make([]float64, len(e))
	for i, r := range e {
		scale := max(deviation[i]-rest[i], mean/5)
		location[i] = max(-farthest, min(farthest, r/scale))
		spread[i] = math.Abs(location[i])
	}
	return [][]float64{location, spread}
}

// A mass is a value with the number of its rows.
type mass struct{ value, count float64 }

// frequent returns the values of a column with their counts, the most frequent first.
func frequent(x []float64) (out []mass) {
	for i, v := range slices.Sorted(slices.Values(x)) {
		if i == 0 || v != out[len(out)-1].value {
			out = append(out, mass{value: v})
		}
		out[len(out)-1].count++
	}
	slices.SortStableFunc(out, func(a, b mass) int { return cmp.Compare(b.count, a.count) })
	return out
}

// A predictor has the functions of one parent.
type predictor struct {
	linear [][]float64 // needed by a linear model: the parent, or an indicator of each category
	curves [][]float64 // more functions of it alone
	cross  [][]float64 // functions whose products with those of another parent count
	slopes [][]float64 // functions whose coefficients are compared
}

// newPredictor returns the functions of a parent whose first rows belong to the first set. A value that only one of the sets has gets no
// indicator, which would explain each difference; its effect is extrapolated.
func newPredictor(x []float64, first int, categorical bool) predictor {
	masses := frequent(x)
	dummies := func(masses []mass) (out [][]float64) {
		for _, m := range masses {
			if !categorical && (!slices.Contains(x[:first], m.value) || !slices.Contains(x[first:], m.value)) {
				continue
			}
			own := make([]float64, len(x))
			for i := range x {
				if x[i] == m.value {
					own[i] = 1
				}
			}
			out = append(out, own)
		}
		return out
	}
	if categorical {
		all := dummies(masses[1:])
		return predictor{linear: all, cross: all, slopes: all}
	}
	z := scores(x, masses)
	mean := 0.0
	for _, u := range x {
		mean += u / float64(len(x))
	}
	centred := make([]float64, len(x))
	for i, u := range x {
		centred[i] = u - mean
	}
	square := times(z, z)
	p := predictor{linear: [][]float64{centred}, curves: [][]float64{z, square}, cross: [][]float64{z, square}, slopes: [][]float64{z}}
	if len(masses) > mostDummies {
		p.curves = append(p.curves, times(z, square))
		for _, knot := range knots {
			own := make([]float64, len(x))
			for i, u := range z {
				own[i] = math.Pow(max(0, u-knot), 3)
			}
			p.curves = append(p.curves, own)
		}
		masses = slices.DeleteFunc(masses, func(m mass) bool { return m.count < leastMass*float64(len(x)) })
	}
	own := dummies(masses)
	p.curves, p.cross = append(p.curves, own...), append(p.cross, own...)
	return p
}

// scores returns the normal scores of the ranks; ties share the middle one.
func scores(x []float64, masses []mass) []float64 {
	ascending := slices.Clone(masses)
	slices.SortFunc(ascending, func(a, b mass) int { return cmp.Compare(a.value, b.value) })
	at, before := map[float64]float64{}, 0.0
	for _, m := range ascending {
		at[m.value] = math.Sqrt2 * math.Erfinv(2*(before+m.count/2)/float64(len(x))-1)
		before += m.count
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = at[v]
	}
	return out
}

// A subspace has an orthonormal basis of functions of the rows.
type subspace struct {
	rows int
	q    [][]float64
}

func newSubspace(rows int) *subspace { return &subspace{rows: rows} }

// add adds a function unless it is a combination of those before. Each is made orthogonal twice, which keeps rounding errors small.
func (s *subspace) add(f []float64) {
	length := math.Sqrt(vec.Dot(f, f))
	rest := s.residual(f)
	if left := math.Sqrt(vec.Dot(rest, rest)); left > leastResidue*length && len(s.q) < s.rows {
		vec.Scale(rest, 1/left, rest)
		rest = s.residual(rest)
		vec.Scale(rest, 1/math.Sqrt(vec.Dot(rest, rest)), rest)
		s.q = append(s.q, rest)
	}
}

// addWithin adds curves of all parents and then products of pairs, up to a number of functions.
func (s *subspace) addWithin(most int, parents []predictor) {
	var all [][]float64
	longest := 0
	for _, p := range parents {
		longest = max(longest, len(p.curves))
	}
	for k := range longest {
		for _, p := range parents {
			if k < len(p.curves) {
				all = append(all, p.curves[k])
			}
		}
	}
	for _, f := range all {
		if len(s.q) < most {
			s.add(f)
		}
	}
	for sum := range most { // the simplest products first
		for j, p := range parents {
			for _, r := range parents[:j] {
				for k := range min(sum+1, len(p.cross)) {
					if len(s.q) >= most {
						return
					}
					if sum-k < len(r.cross) {
						s.add(times(p.cross[k], r.cross[sum-k]))
					}
				}
			}
		}
	}
}

// residual returns what remains of a function outside the subspace.
func (s *subspace) residual(f []float64) []float64 {
	out := slices.Clone(f)
	for _, q := range s.q {
		vec.Axpy(out, -vec.Dot(q, out), q)
	}
	return out
}

func times(x, y []float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		out[i] = x[i] * y[i]
	}
	return out
}

func column(x *matrix.Dense[float64], j int) []float64 {
	out := make([]float64, x.Rows)
	for i := range out {
		out[i] = x.At(i, j)
	}
	return out
}
