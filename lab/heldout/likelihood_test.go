package heldout

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// halvesOf returns two halves of a table that have no row in common.
func halvesOf(t testing.TB, table *polydag.Table) (fit, test *polydag.Table) {
	t.Helper()
	from := must.Get(table.Resampler(context.Background(), 1<<30))
	half := func(k int) *polydag.Table {
		out := must.Get(from.Draw(context.Background(), polydag.Draw{Kind: polydag.Halves, Seed: 3, Replicate: k}))
		return out
	}
	return half(0), half(1)
}

func bits(t testing.TB, model score.Effects, whole, fit, test *polydag.Table, g *graph.Graph) float64 {
	t.Helper()
	l := must.Get(NewLikelihood(context.Background(), model, whole, fit, test))
	for range 2 { // the second time from the cache
		must.Get(l.Bits(context.Background(), g))
	}
	b := must.Get(l.Bits(context.Background(), g))
	return b
}

// rowsOf reads all rows of a table.
func rowsOf(t testing.TB, table *polydag.Table) (out [][]float64) {
	t.Helper()
	d := table.Moments.Dim()
	if err := table.EachRow(context.Background(), func(b dataset.RowBatch) error {
		rows := b.Values
		for at := 0; at < len(rows); at += d {
			out = append(out, append([]float64(nil), rows[at:at+d]...))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// cascade is a, b = 2a + noise, c = b - a + noise, and d, which has nothing to do with them, in units far apart.
func cascade(n int) *matrix.Dense[float64] {
	rng := rand.New(rand.NewPCG(1, 2))
	x := matrix.New[float64](n, 4)
	for i := range n {
		a := rng.NormFloat64()
		b := 2*a + rng.NormFloat64()
		c := b - a + 0.5*rng.NormFloat64()
		for j, v := range []float64{a, 100 * b, 3 + c, 1e-3 * rng.NormFloat64()} {
			x.Set(i, j, v)
		}
	}
	return x
}

// TestLinearLikelihoodIsMultivariateNormal compares the likelihood with that of a multivariate normal
// distribution with the implied covariance matrix, (I-W)⁻ᵀ D (I-W)⁻¹, row by row.
func TestLinearLikelihoodIsMultivariateNormal(t *testing.T) {
	whole := tableOf(t, []string{"a", "b", "c", "d"}, nil, cascade(301))
	fit, test := halvesOf(t, whole)
	g, _ := graph.FromEdges(4, []graph.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 2}})
	// Least squares from the moments of fit: b = I - W, with unbiased noise variances.
	b, noise := matrix.New[float64](4, 4), make([]float64, 4)
	m := fit.Moments
	for v := range 4 {
		b.Set(v, v, 1)
		parents := g.Parents(v)
		index := append([]int{v}, parents...)
		places := intset.Range(1, len(parents)+1)
		reg := score.Regression{Residual: 1}
		if len(parents) > 0 {
			reg = must.Get(score.Regress(m.CorrelationOf(index), 0, places))
		}
		for i, p := range parents {
			b.Set(p, v, -reg.Beta[i]*math.Sqrt(m.Scatter[v*4+v]/m.Scatter[p*4+p]))
		}
		noise[v] = reg.Residual * m.Scatter[v*4+v] / float64(m.N-len(parents)-1)
	}
	std := whole.Moments.Std()
	logDet := 0.0
	inverse := matrix.New[float64](4, 4) // the inverse of the covariance matrix: b D⁻¹ bᵀ
	for k := range 4 {                   // only D has a determinant other than 1, and units change it
		logDet += math.Log(noise[k]) - 2*math.Log(std[k])
		for i := range 4 {
			for j := range 4 {
				inverse.Set(i, j, inverse.At(i, j)+b.At(i, k)*b.At(j, k)/noise[k])
			}
		}
	}
	sum := 0.0
	rows := rowsOf(t, test)
	for _, x := range rows {
		q := 0.0
		for i := range 4 {
			for j := range 4 {
				q += (x[i] - m.Mean[i]) * inverse.At(i, j) * (x[j] - m.Mean[j])
			}
		}
		sum += -0.5 * (4*math.Log(2*math.Pi) + logDet + q)
	}
	want := sum / float64(len(rows)) / math.Ln2
	got := bits(t, score.LinearEffects, whole, fit, test, g)
	if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
		t.Errorf("%v bits a row, the twin has %v", got, want)
	}
	if none := bits(t, score.LinearEffects, whole, fit, test, graph.New(4)); got-none < 1.5 {
		t.Errorf("the true graph has %v bits a row and none %v", got, none)
	}
}

// TestDiscreteLikelihoodCounts compares each row with the product of shares counted by the text of the parents'
// categories.
func TestDiscreteLikelihoodCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x := matrix.New[float64](200, 3)
	for i := range x.Rows {
		a, b := rng.IntN(3), rng.IntN(2)
		c := (a + b) % 2
		if rng.Float64() < 0.1 {
			c = 1 - c
		}
		for j, v := range []int{a, b, c} {
			x.Set(i, j, float64(v))
		}
	}
	levels := []int{3, 2, 2}
	whole := tableOf(t, []string{"a", "b", "c"}, levels, x)
	fit, test := halvesOf(t, whole)
	g, _ := graph.FromEdges(3, []graph.Edge{{From: 0, To: 2}, {From: 1, To: 2}})
	seen := rowsOf(t, fit)
	want := 0.0
	for _, row := range rowsOf(t, test) {
		for v := range levels {
			configs, with, both, overall := 1.0, 0.0, 0.0, 0.0
			text := func(r []float64) (s string) {
				for _, p := range g.Parents(v) {
					s += fmt.Sprint(r[p], " ")
				}
				return s
			}
			for _, p := range g.Parents(v) {
				configs *= float64(levels[p])
			}
			for _, r := range seen {
				same := r[v] == row[v]
				if same {
					overall++
				}
				if text(r) == text(row) {
					with++
					if same {
						both++
					}
				}
			}
			share := (overall + 1/float64(levels[v])) / (float64(len(seen)) + 1)
			want += math.Log2((both + share/configs) / (with + 1/configs))
		}
	}
	want /= float64(test.Moments.N)
	if got := bits(t, score.TableEffects, whole, fit, test, g); !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%v bits a row, counting has %v", got, want)
	}
}

// TestMixedLikelihood checks numeric columns with numeric parents (linear), with a categorical parent (means by
// category), and a category without parents (its share).
func TestMixedLikelihood(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	x := matrix.New[float64](400, 3)
	for i := range x.Rows {
		l := rng.IntN(3)
		y := []float64{0, 2, -1}[l] + rng.NormFloat64()
		x.Set(i, 0, float64(l))
		x.Set(i, 1, y)
		x.Set(i, 2, y+rng.NormFloat64())
	}
	whole := tableOf(t, []string{"l", "y", "z"}, []int{3, 0, 0}, x)
	fit, test := halvesOf(t, whole)
	g, _ := graph.FromEdges(3, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
	seen, std := rowsOf(t, fit), whole.Moments.Std()
	n := float64(len(seen))
	var count, mean [3]float64
	for _, r := range seen {
		count[int(r[0])]++
		mean[int(r[0])] += r[1]
	}
	left, sy, sz, syy, syz := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, r := range seen {
		e := r[1] - mean[int(r[0])]/count[int(r[0])]
		left += e * e / (n - 2)
		sy, sz, syy, syz = sy+r[1], sz+r[2], syy+r[1]*r[1], syz+r[1]*r[2]
	}
	slope := (syz - sy*sz/n) / (syy - sy*sy/n)
	leftZ := 0.0
	for _, r := range seen {
		e := r[2] - sz/n - slope*(r[1]-sy/n)
		leftZ += e * e / (n - 2)
	}
	normal := func(e, variance, unit float64) float64 {
		return -0.5*math.Log2(2*math.Pi*variance) + math.Log2(unit) - e*e/(2*variance)/math.Ln2
	}
	want := 0.0
	for _, r := range rowsOf(t, test) {
		k := int(r[0])
		want += math.Log2(count[k]/n) + normal(r[1]-mean[k]/count[k], left, std[1]) + normal(r[2]-sz/n-slope*(r[1]-sy/n), leftZ, std[2])
	}
	want /= float64(test.Moments.N)
	if got := bits(t, score.MixedEffects, whole, fit, test, g); !(math.Abs(got-want) <= 1e-4) { // the logit has a prior
		t.Errorf("%v bits a row, formulas have %v", got, want)
	}
}

// TestSmoothLikelihood checks that smooth fits of linear effects nearly equal linear fits, and that a nonlinear
// effect gains likelihood.
func TestSmoothLikelihood(t *testing.T) {
	x := cascade(600)
	whole := tableOf(t, []string{"a", "b", "c", "d"}, nil, x)
	fit, test := halvesOf(t, whole)
	g, _ := graph.FromEdges(4, []graph.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 2}})
	lines, curves := bits(t, score.LinearEffects, whole, fit, test, g), bits(t, score.SmoothEffects, whole, fit, test, g)
	if !(math.Abs(lines-curves) <= 0.02) {
		t.Errorf("straight effects: %v bits a row as curves and %v as lines", curves, lines)
	}
	for i := range x.Rows {
		x.Set(i, 3, math.Sin(2*x.At(i, 0))+0.3*x.At(i, 3)*1e3)
	}
	whole = tableOf(t, []string{"a", "b", "c", "d"}, nil, x)
	fit, test = halvesOf(t, whole)
	bent, _ := graph.FromEdges(4, []graph.Edge{{From: 0, To: 3}})
	gain := bits(t, score.SmoothEffects, whole, fit, test, bent) - bits(t, score.SmoothEffects, whole, fit, test, graph.New(4))
	// ln of the standard deviations with and without the curve, in bits, is about 1.3.
	if gain < 1 || gain > 1.6 {
		t.Errorf("a curve is worth %v bits a row", gain)
	}
}

// TestLikelihoodStops checks that there is no likelihood after the context has ended.
func TestLikelihoodStops(t *testing.T) {
	whole := tableOf(t, []string{"a", "b", "c", "d"}, nil, cascade(50))
	fit, test := halvesOf(t, whole)
	l := must.Get(NewLikelihood(context.Background(), score.LinearEffects, whole, fit, test))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := l.Bits(ctx, graph.New(4)); err == nil {
		t.Error("a likelihood after the end")
	}
}

// tableOf prepares rows, with columns of levels as the words l0, l1, …; levels has the number of levels of each column and may be nil.
func tableOf(t testing.TB, names []string, levels []int, x *matrix.Dense[float64]) *polydag.Table {
	t.Helper()
	columns := must.Get(polydag.RowColumns(names, slices.Collect(dataset.RowsOf(x))))
	for j := range levels {
		if levels[j] > 0 {
			text := make([]string, x.Rows)
			for i, v := range columns[j].Numbers {
				text[i] = fmt.Sprintf("l%d", int(v))
			}
			columns[j] = polydag.Column{Name: names[j], Text: text}
		}
	}
	table := must.Get(polydag.FromColumns(columns...))
	return table
}

// A column that others determine has a noise variance of 1e-10 of its own variance: the density at its mean is 1/√(2π·1e-10) in standard units.
func TestLeastNoise(t *testing.T) {
	l := &Likelihood{std: []float64{3}}
	if got, want := l.normal(0, 8, 0, 0), -4*math.Log(2*math.Pi*1e-10); !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("log-likelihood %v, want %v", got, want)
	}
}
