package mechanism

import (
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// Difference is the outcome of a test whether a mechanism is the same in two sets of rows.
type Difference struct {
	P float64
	// Size is, for a number, the root mean square difference of the two expected values given the same parents, in standard
	// deviations of the column; for a category, the mean total variation distance of the two distributions, 0–1.
	Size float64
}

// Differ tests whether column v of g has the same mechanism in the rows a and b of all. A number is tested twice, with Bonferroni's
// correction: its coefficients by a Wald test with covariances that allow unequal variances (HC3; MacKinnon and White 1985), its
// noise by the test of Brown and Forsythe (1974). A category is tested by a likelihood ratio, and under a discrete model by G²
// with permutations within the configurations of the parents.
func Differ(model score.Effects, g *graph.Graph, all *Rows, a, b []int, v int) (Difference, error) {
	before, after := all.Select(nil, a), all.Select(nil, b)
	f, err := Fit(model, g, before, v)
	if err != nil {
		return Difference{}, err
	}
	h, err := Fit(model, g, after, v)
	if err != nil {
		return Difference{}, err
	}
	out := Difference{Size: distance(g, all, v, f, h)}
	switch {
	case model == score.TableEffects:
		out.P = permuted(g, all, a, b, v)
	case all.Levels[v] != nil:
		out.P, err = ratio(model, g, before, after, v, f, h)
	default:
		out.P, err = wald(model, g, before, after, v)
	}
	return out, err
}

// distance returns Difference.Size of two mechanisms.
func distance(g *graph.Graph, all *Rows, v int, f, h Function) float64 {
	parents := make([]float64, len(g.Parents(v)))
	sum := 0.0
	for i := range all.N {
		p, q := f.At(all.Parents(g, v, i, parents)), h.At(parents)
		if all.Levels[v] == nil {
			sum += (p[0] - q[0]) * (p[0] - q[0])
			continue
		}
		for c := range p {
			sum += math.Abs(p[c]-q[c]) / 2
		}
	}
	sum /= float64(all.N)
	if all.Levels[v] != nil {
		return sum
	}
	mean, spread := 0.0, 0.0
	for _, x := range all.Columns[v] {
		mean += x / float64(all.N)
	}
	for _, x := range all.Columns[v] {
		spread += (x - mean) * (x - mean) / float64(all.N)
	}
	if spread == 0 {
		return 0
	}
	return math.Sqrt(sum / spread)
}

// Parents writes the values of the parents of v in row i.
func (d *Rows) Parents(g *graph.Graph, v, i int, dst []float64) []float64 {
	for j, p := range g.Parents(v) {
		dst[j] = d.Columns[p][i]
	}
	return dst
}

// permuted returns the p-value of G² of the table and column v, given the parents of v.
func permuted(g *graph.Graph, all *Rows, a, b []int, v int) float64 {
	codes := func(v int) []uint32 {
		own := all.codes(v)
		out := make([]uint32, 0, len(a)+len(b))
		for _, rows := range [][]int{a, b} {
			for _, i := range rows {
				out = append(out, uint32(own[i]))
			}
		}
		return out
	}
	table := make([]uint32, len(a)+len(b))
	for k := range b {
		table[len(a)+k] = 1
	}
	var given [][]uint32
	for _, p := range g.Parents(v) {
		given = append(given, codes(p))
	}
	return independence.Permuted(table, codes(v), given, uint64(len(table)))
}

// ratio returns the p-value of the likelihood ratio of one logit for both sets of rows.
func ratio(model score.Effects, g *graph.Graph, a, b *Rows, v int, f, h Function) (float64, error) {
	both := a.join(b)
	one, err := Fit(model, g, both, v)
	if err != nil {
		return 0, err
	}
	log := func(d *Rows, f Function) (sum float64) {
		parents := make([]float64, len(g.Parents(v)))
		for i, c := range d.codes(v) {
			sum += math.Log(max(f.At(d.Parents(g, v, i, parents))[c], math.SmallestNonzeroFloat64))
		}
		return sum
	}
	df := (len(a.Levels[v]) - 1) * newTerms(g, both, v, both.Family(g, v)).count
	return independence.ChiSquared(2*(log(a, f)+log(b, h)-log(both, one)), float64(df)), nil
}

// wald returns the p-value for a numeric column: the residuals of one function for both sets of rows are regressed on the terms of
// the parents in each set, and the coefficients and the spread are compared.
func wald(model score.Effects, g *graph.Graph, a, b *Rows, v int) (float64, error) {
	both := a.join(b)
	f, err := Fit(model, g, both, v)
	if err != nil {
		return 0, err
	}
	t := newTerms(g, both, v, both.Family(g, v))
	sides := [2]*side{newSide(g, a, v, t, f), newSide(g, b, v, t, f)}
	var used []int
	for j := range t.count {
		if sides[0].varies(j) && sides[1].varies(j) {
			used = append(used, j)
		}
	}
	k := len(used)
	for _, s := range sides {
		if len(s.y) < k+3 || !s.fit(used) {
			return 1, nil
		}
	}
	sum, delta := matrix.New[float64](k, k), matrix.New[float64](k, 1)
	for i := range k {
		for j := range k {
			sum.Set(i, j, sides[0].cov.At(i, j)+sides[1].cov.At(i, j))
		}
		delta.Set(i, 0, sides[0].beta[i]-sides[1].beta[i])
	}
	for i := range k {
		sum.Set(i, i, sum.At(i, i)*(1+1e-10)+math.SmallestNonzeroFloat64)
	}
	var lu matrix.LU[float64]
	if lu.Factor(sum) != nil {
		return 1, nil
	}
	x := matrix.New[float64](k, 1)
	lu.Solve(x, delta)
	statistic := 0.0
	for i := range k {
		statistic += delta.At(i, 0) * x.At(i, 0)
	}
	if statistic-statistic != 0 {
		return 1, nil
	}
	p := min(independence.ChiSquared(statistic, float64(k)), sides[0].spread(sides[1]))
	return min(1, 2*p), nil
}

// side is one set of rows of a Wald test: the terms of the parents and the residuals of the common function.
type side struct {
	x    *matrix.Dense[float64]
	y    []float64
	beta []float64
	cov  *matrix.Dense[float64]
	left []float64 // residuals of the regression on the terms
}

func newSide(g *graph.Graph, d *Rows, v int, t *terms, f Function) *side {
	x := d.Family(g, v)
	s := &side{x: matrix.New[float64](x.Rows, t.count), y: make([]float64, x.Rows)}
	for i := range x.Rows {
		t.fill(s.x.Row(i), x.Row(i)[1:])
		s.y[i] = x.At(i, 0) - f.At(x.Row(i)[1:])[0]
	}
	return s
}

// varies reports whether a term has two values; the constant counts as varying.
func (s *side) varies(j int) bool {
	for i := range s.x.Rows {
		if j == 0 || s.x.At(i, j) != s.x.At(0, j) {
			return true
		}
	}
	return false
}

// fit regresses the residuals on the used terms, with the covariance HC3 of the coefficients. It returns false if the terms are collinear.
func (s *side) fit(used []int) bool {
	k, n := len(used), s.x.Rows
	gram, b := matrix.New[float64](k, k), matrix.New[float64](k, 1)
	row := make([]float64, k)
	take := func(i int) []float64 {
		for c, j := range used {
			row[c] = s.x.At(i, j)
		}
		return row
	}
	for i := range n {
		for c, u := range take(i) {
			for e, w := range row {
				gram.Set(c, e, gram.At(c, e)+u*w)
			}
			b.Set(c, 0, b.At(c, 0)+u*s.y[i])
		}
	}
	var lu matrix.LU[float64]
	if lu.Factor(gram) != nil {
		return false
	}
	inverse, beta := matrix.New[float64](k, k), matrix.New[float64](k, 1)
	lu.Inverse(inverse)
	lu.Solve(beta, b)
	s.beta = beta.Data
	meat := matrix.New[float64](k, k)
	s.left = make([]float64, n)
	scale := math.Sqrt(float64(n) / float64(n-k))
	for i := range n {
		e, h := s.y[i], 0.0
		for c, u := range take(i) {
			e -= s.beta[c] * u
			for d, w := range row {
				h += u * inverse.At(c, d) * w
			}
		}
		s.left[i] = e * scale
		e /= max(1-h, 1e-3)
		for c, u := range row {
			for d, w := range row {
				meat.Set(c, d, meat.At(c, d)+u*w*e*e)
			}
		}
	}
	s.cov = matrix.New[float64](k, k)
	for i := range k {
		for j := range k {
			sum := 0.0
			for c := range k {
				for d := range k {
					sum += inverse.At(i, c) * meat.At(c, d) * inverse.At(d, j)
				}
			}
			s.cov.Set(i, j, sum)
		}
	}
	return s.cov.Finite()
}

// spread returns the p-value of equal spread of two sets of residuals: absolute deviations from the median, compared by Welch's z.
func (s *side) spread(other *side) float64 {
	describe := func(x []float64) (mean, variance float64) {
		sorted := slices.Sorted(slices.Values(x))
		median, n := sorted[len(sorted)/2], float64(len(x))
		for _, e := range x {
			mean += math.Abs(e-median) / n
		}
		for _, e := range x {
			d := math.Abs(e-median) - mean
			variance += d * d / (n - 1)
		}
		return mean, variance / n
	}
	m0, v0 := describe(s.left)
	m1, v1 := describe(other.left)
	if !(v0+v1 > 0) {
		return 1
	}
	return math.Erfc(math.Abs(m0-m1) / math.Sqrt(v0+v1) / math.Sqrt2)
}
