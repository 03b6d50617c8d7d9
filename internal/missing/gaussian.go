package missing

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/chol"
)

// Settings of a fit. The number of threads never changes the result.
type Settings struct {
	Threads int
	// Start is a fit to similar rows to start from, or nil.
	Start *Gaussian
}

// ridge is added to the variances, in units of the column's variance, before the covariance matrix is inverted. It keeps linear
// relations between columns computable.
const ridge = 1e-9

// A Gaussian is a normal distribution of d columns.
type Gaussian struct {
	Mean       []float64
	Covariance []float64 // d×d
	Iterations int

	columns []columnFacts
	order   []int     // column of the table in each place
	mu, s   []float64 // mean and covariance in standard units, in canonical order
	inverse []float64 // the inverse of s
}

// mostIterations limits EM. The change per iteration shrinks by about the share of missing information.
const mostIterations = 300

// FitGaussian returns the maximum-likelihood estimate of mean and covariance from rows of d columns, in which NaN is a missing
// value, by EM (Dempster, Laird and Rubin 1977). It neither changes nor keeps the rows. Each column needs two different values.
//
// With Ω the inverse of the covariance matrix and M the missing columns of a row, in standard units, the E-step is
//
//	E(x_M | x_O) = μ_M - Ω_MM⁻¹·Ω_MO·(x_O - μ_O),   Cov(x_M | x_O) = Ω_MM⁻¹,
//
// so a row with m missing values costs m·d + m² multiplications and a new pattern m³/3. Memory: a copy of the rows.
func FitGaussian(ctx context.Context, rows []float64, d int, set Settings) (*Gaussian, error) {
	g := &Gaussian{columns: facts(rows, d)}
	for j, c := range g.columns {
		if !(c.std > 0) || math.IsInf(c.std, 0) {
			return nil, &dataset.ParseError{Column: j + 1, Value: dataset.FormatFloat(c.least), Err: dataset.ErrConstant}
		}
	}
	g.order = canonicalOrder(g.columns)
	all := sortRows(rows, g.columns, g.order)
	if set.Start != nil && len(set.Start.Mean) == d {
		g.startFrom(set.Start)
	} else {
		g.startFromPairs(all)
	}
	tol := math.Max(1e-7, math.Min(1e-4, 2e-3/math.Sqrt(float64(all.rows()))))
	for step := all.rows() / 20_000; step > 1; step /= 8 { // rough estimates from fewer rows are cheaper
		if err := g.run(ctx, all.thinned(step), 4*tol, set.Threads); err != nil {
			return nil, err
		}
	}
	if err := g.run(ctx, all, tol, set.Threads); err != nil {
		return nil, err
	}
	g.finish()
	return g, nil
}

// run iterates on the rows until no entry changes by more than tol in an EM step. After every two steps it extrapolates (SQUAREM,
// Varadhan and Roland 2008, "Simple and globally convergent methods for accelerating the convergence of any EM algorithm"): with r the
// first step and v the change of the step, θ + 2·a·r + a²·v for a = |r|/|v|.
func (g *Gaussian) run(ctx context.Context, rows *sortedRows, tol float64, threads int) error {
	e := newExpectation(rows, threads)
	step := func() float64 {
		g.invert()
		g.Iterations++
		return e.step(g.mu, g.s, g.inverse)
	}
	for last := g.Iterations + mostIterations; g.Iterations < last; {
		if err := ctx.Err(); err != nil {
			return err
		}
		start := g.parameters()
		if step() <= tol {
			break
		}
		one := g.parameters()
		if step() <= tol {
			break
		}
		g.extrapolate(start, one, g.parameters())
	}
	g.invert()
	return nil
}

// parameters returns a copy of mean and covariance in standard units.
func (g *Gaussian) parameters() []float64 { return slices.Concat(g.mu, g.s) }

// mostExtrapolation limits a.
const mostExtrapolation = 20

// extrapolate moves the parameters from the start along two steps. It leaves them at the second step if that does not give a
// covariance matrix.
func (g *Gaussian) extrapolate(start, one, two []float64) {
	var r, v float64
	for i, x := range start {
		first, second := one[i]-x, two[i]-one[i]
		r += first * first
		v += (second - first) * (second - first)
	}
	a := min(mostExtrapolation, math.Sqrt(r/v))
	if !(a > 1) {
		return
	}
	d := len(g.mu)
	for i, x := range start {
		first := one[i] - x
		value := x + 2*a*first + a*a*(two[i]-one[i]-first)
		if i < d {
			g.mu[i] = value
		} else {
			g.s[i-d] = value
		}
	}
	if !definite(g.s, d, 1e-6) {
		copy(g.mu, two)
		copy(g.s, two[d:])
	}
}

// invert computes the inverse of s.
func (g *Gaussian) invert() {
	d := len(g.order)
	var f chol.Factor
	f.Reset(d)
	for i := range d {
		row := f.Next()
		copy(row, g.s[i*d:i*d+i])
		row[i] = g.s[i*d+i] + ridge
		left := f.Reduce()
		f.Append(max(left, ridge))
	}
	if g.inverse == nil {
		g.inverse = make([]float64, d*d)
	}
	var in inverter
	in.invert(g.inverse, &f)
}

// startFromPairs starts from the correlations of the rows that have both values, shrunk until they are positive definite.
func (g *Gaussian) startFromPairs(rows *sortedRows) {
	d := rows.d
	if step := rows.rows() / 5000; step > 1 {
		rows = rows.thinned(step)
	}
	g.mu, g.s = make([]float64, d), pairCorrelations(rows)
	full := slices.Clone(g.s)
	for keep := 0.98; ; keep *= 0.9 {
		for i := range full {
			if g.s[i] = full[i] * keep; i%(d+1) == 0 {
				g.s[i] = 1
			}
		}
		if definite(g.s, d, 1e-3) || keep < 1e-3 {
			return
		}
	}
}

// definite reports whether every column has more than the given variance left after the columns before it.
func definite(s []float64, d int, least float64) bool {
	var f chol.Factor
	f.Reset(d)
	for i := range d {
		copy(f.Next(), s[i*d:i*d+i+1])
		left := f.Reduce()
		if !(left > least) {
			return false
		}
		f.Append(left)
	}
	return true
}

// startFrom starts from the estimates of another fit with the same columns.
func (g *Gaussian) startFrom(o *Gaussian) {
	d := len(g.order)
	g.mu, g.s = make([]float64, d), make([]float64, d*d)
	for a, i := range g.order {
		g.mu[a] = (o.Mean[i] - g.columns[i].mean) / g.columns[i].std
		for b, j := range g.order {
			g.s[a*d+b] = o.Covariance[i*d+j] / g.columns[i].std / g.columns[j].std
		}
	}
}

// finish sets Mean and Covariance in the units and the order of the table.
func (g *Gaussian) finish() {
	d := len(g.order)
	g.Mean, g.Covariance = make([]float64, d), make([]float64, d*d)
	for a, i := range g.order {
		g.Mean[i] = g.columns[i].mean + g.mu[a]*g.columns[i].std
		for b := range a + 1 {
			j := g.order[b]
			v := g.s[a*d+b] * g.columns[i].std * g.columns[j].std
			if i == j {
				v = g.s[a*d+a] * g.columns[i].std * g.columns[i].std
			}
			g.Covariance[i*d+j], g.Covariance[j*d+i] = v, v
		}
	}
}

// Moments returns the estimates as the moments of n rows. Smallest and largest values are those that are there.
func (g *Gaussian) Moments(names []string, n int) *dataset.Moments {
	m := dataset.NewMoments(names)
	m.N = n
	copy(m.Mean, g.Mean)
	for i, v := range g.Covariance {
		m.Scatter[i] = v * float64(n)
	}
	for j, c := range g.columns {
		m.Min[j], m.Max[j] = c.least, c.largest
	}
	return m
}

// A Filler replaces missing values of rows by draws from a model. It holds buffers: use one per goroutine.
type Filler interface {
	// Fill replaces the missing values (NaN) of a row by a draw given the other values.
	Fill(row []float64, random *rand.Rand)
}

// Filler returns a filler that draws from the normal distribution.
func (g *Gaussian) Filler() Filler {
	d := len(g.order)
	return &gaussianFiller{g: g, row: make([]float64, d), normal: make([]float64, d), lacks: make([]int32, 0, d)}
}

type gaussianFiller struct {
	g           *Gaussian
	conditional conditional
	row, normal []float64
	lacks       []int32
}

func (f *gaussianFiller) Fill(row []float64, random *rand.Rand) {
	g, lacks := f.g, f.lacks[:0]
	for k, j := range g.order {
		if v := row[j]; v == v {
			f.row[k] = (v - g.columns[j].mean) / g.columns[j].std
			continue
		}
		f.row[k] = 0
		f.normal[len(lacks)] = random.NormFloat64()
		lacks = append(lacks, int32(k))
	}
	if len(lacks) == 0 {
		return
	}
	f.conditional.set(lacks, g.inverse, len(row))
	f.conditional.fill(f.row, g.mu, g.inverse, f.normal[:len(lacks)])
	for _, k := range lacks {
		j := g.order[k]
		row[j] = g.columns[j].mean + f.row[k]*g.columns[j].std
	}
}
