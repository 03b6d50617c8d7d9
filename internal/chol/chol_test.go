package chol_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/must"
)

// covariances returns a d×d covariance matrix of random data. Column c is a linear combination of columns before it where
// dependent has it.
func covariances(rng *rand.Rand, d int, dependent ...int) []float64 {
	n := d + 20
	x := make([][]float64, d)
	for j := range x {
		x[j] = make([]float64, n)
		for i := range x[j] {
			x[j][i] = rng.NormFloat64()
		}
		if j > 0 {
			for i := range x[j] {
				x[j][i] += 0.5 * x[rng.IntN(j)][i]
			}
		}
		for _, c := range dependent {
			if c == j {
				for i := range x[j] {
					x[j][i] = 2*x[0][i] - 3*x[j-1][i]
				}
			}
		}
	}
	s := make([]float64, d*d)
	for i := range d {
		for j := range d {
			for r := range n {
				s[i*d+j] += x[i][r] * x[j][r] / float64(n)
			}
		}
	}
	return s
}

// standardized returns the correlations of covariances.
func standardized(s []float64, d int) []float64 {
	r := make([]float64, d*d)
	for i := range d {
		for j := range d {
			r[i*d+j] = s[i*d+j] / math.Sqrt(s[i*d+i]*s[j*d+j])
		}
		r[i*d+i] = 1
	}
	return r
}

// eliminate is a slow reference: Gauss-Jordan elimination in 300 bits. It returns the coefficients of the
// response, the residual variance, the determinant and the diagonal of the inverse.
func eliminate(s []float64, d, v int, set []int, ridge float64) (beta []float64, left, logdet float64, inverse []float64) {
	k := len(set)
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }
	a := make([][]*big.Float, k)
	for i, p := range set {
		for _, q := range set {
			a[i] = append(a[i], number(s[p*d+q]))
		}
		a[i][i].Add(a[i][i], number(ridge))
		a[i] = append(a[i], number(s[p*d+v]))
		for j := range k {
			a[i] = append(a[i], number(0))
			if i == j {
				a[i][k+1+j] = number(1)
			}
		}
	}
	for i := range k {
		pivot := number(0).Set(a[i][i])
		x, _ := pivot.Float64()
		logdet += math.Log(x)
		for c := range a[i] {
			a[i][c].Quo(a[i][c], pivot)
		}
		for h := range k {
			if h == i {
				continue
			}
			by := number(0).Set(a[h][i])
			for c := range a[h] {
				a[h][c].Sub(a[h][c], number(0).Mul(by, a[i][c]))
			}
		}
	}
	rest := number(s[v*d+v])
	rest.Add(rest, number(ridge))
	for i, p := range set {
		b, _ := a[i][k].Float64()
		beta = append(beta, b)
		rest.Sub(rest, number(0).Mul(a[i][k], number(s[p*d+v])))
		b, _ = a[i][k+1+i].Float64()
		inverse = append(inverse, b)
	}
	left, _ = rest.Float64()
	return beta, left, logdet, inverse
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	must.Near(t, got, want, 1e-9*(1+math.Abs(want)), "%s", what)
}

func TestRegressionAgainstElimination(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const d = 45
	s := covariances(rng, d)
	var g chol.Regression
	for _, k := range []int{0, 1, 2, 3, 7, 15, 16, 17, 18, 25, 40} {
		for _, ridge := range []float64{0, 0.01} {
			perm := rng.Perm(d)
			v, x, set := perm[0], perm[1], perm[2:2+k]
			g.Ridge = ridge
			chol.Regress(&g, s, d, v, set)
			beta, left, logdet, inverse := eliminate(s, d, v, set, ridge)
			name := fmt.Sprintf("%d regressors, ridge %v: ", k, ridge)
			near(t, name+"residual variance", g.Left, left)
			near(t, name+"log-determinant", g.LogDet(0), logdet)
			for i, b := range g.Coefficients() {
				near(t, name+"coefficient", b, beta[i])
			}
			diagonal, scratch := make([]float64, k), make([]float64, k)
			g.InverseDiagonal(diagonal, scratch)
			for i := range diagonal {
				near(t, name+"inverse", diagonal[i], inverse[i])
			}
			pivot, takes := chol.Candidate(&g, s, d, v, x, set)
			_, with, _, _ := eliminate(s, d, v, append([]int{x}, set...), ridge)
			_, own, _, _ := eliminate(s, d, x, set, ridge)
			near(t, name+"residual variance with a candidate", g.Left-takes, with)
			near(t, name+"pivot of a candidate", pivot, own)
		}
	}
}

// TestDeterminedColumnAddsNothing checks that a determined column changes nothing: the regression is the one
// without it.
func TestDeterminedColumnAddsNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	const d = 8
	s := covariances(rng, d, 4, 6)
	r := standardized(s, d)
	var g, without chol.Regression
	all, independent := []int{0, 1, 2, 3, 4, 5, 6}, []int{0, 1, 2, 3, 5}
	chol.Regress(&g, s, d, 7, all)
	chol.Regress(&without, s, d, 7, independent)
	near(t, "residual variance", g.Left, without.Left)
	near(t, "log-determinant", g.LogDet(0), without.LogDet(0)+2*math.Log(chol.Determined))
	beta, want := g.Coefficients(), without.Coefficients()
	for i, at := range []int{0, 1, 2, 3, 5} {
		near(t, "coefficient", beta[at], want[i])
	}
	if beta[4] != 0 || beta[6] != 0 {
		t.Errorf("determined columns have the coefficients %v and %v", beta[4], beta[6])
	}
	if pivot, takes := chol.Candidate(&without, s, d, 7, 4, independent); pivot != 0 || takes != 0 {
		t.Errorf("a determined candidate has pivot %v and takes %v", pivot, takes)
	}

	scan := chol.Scan{R: r, Columns: d, Stride: d}
	left := chol.RegressUnit(&scan, 7, all)
	near(t, "residual variance from correlations", left, without.Left/s[7*d+7])
	if scan.Rise[4] != 0 || scan.Rise[6] != 0 {
		t.Errorf("removal of determined columns raises the residual variance by %v and %v", scan.Rise[4], scan.Rise[6])
	}
	chol.RegressUnit(&scan, 7, independent)
	if hits := chol.Screen(&scan, 7, independent, 0); len(hits) != 0 {
		t.Errorf("determined columns pass the screen: %v", hits)
	}
}

// TestDeterminedIsAShare has two columns of correlation √(1-share), which leave this share of each other's
// variance. The rule must change at Determined, on any scale.
func TestDeterminedIsAShare(t *testing.T) {
	if chol.Determined != 1e-10 {
		t.Errorf("Determined = %v; docs/reference/data.md and docs/reference/checks.md say 10⁻¹⁰", chol.Determined)
	}
	for _, c := range []struct {
		share float64
		used  bool
	}{{0.5, true}, {1e-6, true}, {1e-9, true}, {1.1e-10, true}, {0.9e-10, false}, {1e-12, false}, {0, false}} {
		for _, scale := range []float64{1, 1e-8, 1e8} {
			var f chol.Factor
			f.Reset(2)
			rho := math.Sqrt(1 - c.share)
			f.Next()[0] = 1
			f.Add(1)
			copy(f.Next(), []float64{rho * scale, scale * scale})
			if left := f.Add(scale * scale); left > 0 != c.used {
				t.Errorf("share %v, scale %v: variance left %v", c.share, scale, left)
			}
		}
		r := []float64{1, math.Sqrt(1 - c.share), 0.5, math.Sqrt(1 - c.share), 1, 0.2, 0.5, 0.2, 1}
		scan := chol.Scan{R: r, Columns: 3, Stride: 3}
		chol.RegressUnit(&scan, 2, []int{0, 1})
		if used := scan.Rise[1] > 0; used != c.used {
			t.Errorf("share %v: the second regressor lowers the residual variance: %v", c.share, used)
		}
		chol.RegressUnit(&scan, 2, []int{0})
		if used := len(chol.Screen(&scan, 2, []int{0}, 0)) > 0; used != c.used {
			t.Errorf("share %v: the second regressor passes the screen: %v", c.share, used)
		}
	}
}

// Candidate does not depend on units: with covariances of 1e-14 a regressor still counts, and lowers the residual by r².
func TestCandidateInSmallUnits(t *testing.T) {
	s := []float64{1e-14, 0.5e-14, 0.5e-14, 1e-14}
	var g chol.Regression
	chol.Regress(&g, s, 2, 0, nil)
	pivot, takes := chol.Candidate(&g, s, 2, 0, 1, nil)
	near(t, "pivot", pivot*1e14, 1)
	near(t, "takes", takes*1e14, 0.25)
}

func TestScanAgainstElimination(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const d, stride = 40, 43
	r := standardized(covariances(rng, d), d)
	wide := make([]float64, (d-1)*stride+d) // rows with a gap between them
	for i := range d {
		copy(wide[i*stride:], r[i*d:(i+1)*d])
	}
	scan := chol.Scan{R: wide, Columns: d, Stride: stride}
	for _, k := range []int{0, 1, 2, 5, 17, 30} {
		perm := rng.Perm(d)
		v, set := perm[0], perm[1:1+k]
		unsigned := make([]uint32, k)
		for i, p := range set {
			unsigned[i] = uint32(p)
		}
		left := chol.RegressUnit(&scan, uint32(v), unsigned)
		_, want, _, _ := eliminate(r, d, v, set, 0)
		near(t, "residual variance", left, want)
		for i := range set {
			_, without, _, _ := eliminate(r, d, v, append(append([]int(nil), set[:i]...), set[i+1:]...), 0)
			near(t, "residual variance without a regressor", left+scan.Rise[i], without)
		}
		const t2 = 0.002
		hits := map[int]float64{}
		for _, h := range chol.Screen(&scan, uint32(v), unsigned, t2) {
			hits[int(h.X)] = h.Takes
		}
		for _, x := range perm[1+k:] {
			_, with, _, _ := eliminate(r, d, v, append([]int{x}, set...), 0)
			if takes := want - with; takes > t2 {
				near(t, "what a candidate takes", hits[x], takes)
			} else if _, hit := hits[x]; hit {
				t.Errorf("column %d takes %v and passes the screen", x, takes)
			}
			delete(hits, x)
		}
		if len(hits) > 0 {
			t.Errorf("the screen lets %v pass, which are no candidates", hits)
		}
	}
}

// TestTruncateAndMatrix checks that Truncate leaves the factor of the first columns, and that Matrix uses
// covariances filled in before.
func TestTruncateAndMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	const d = 6
	s := covariances(rng, d)
	var f chol.Factor
	f.Reset(d)
	copy(f.Matrix(), s)
	for i := range d {
		f.Add(s[i*d+i])
	}
	all := make([]int, d)
	for i := range all {
		all[i] = i
	}
	_, _, want, _ := eliminate(s, d, 0, all, 0)
	near(t, "log-determinant", f.LogDet(0), want)
	_, _, first, _ := eliminate(s, d, 0, all[:4], 0)
	near(t, "logarithm of the last pivots", f.LogDet(4), want-first)
	f.Truncate(4)
	near(t, "log-determinant of four columns", f.LogDet(0), first)
	for i := range 4 {
		for j := range 4 {
			sum := 0.0
			for h := range min(i, j) + 1 {
				sum += f.Row(i)[h] * f.Row(j)[h]
			}
			near(t, "L·Lᵀ", sum, s[i*d+j])
		}
	}
	if f.Len() != 4 {
		t.Errorf("%d columns, want 4", f.Len())
	}
}

func TestLogProductDoesNotOverflow(t *testing.T) {
	for _, x := range []float64{1e-30, 1e30, 0.5} {
		many := make([]float64, 1000)
		for i := range many {
			many[i] = x
		}
		near(t, "Σ ln x", chol.LogProduct(many), 1000*math.Log(x))
	}
	near(t, "empty sum", chol.LogProduct(nil), 0)
}

func TestNoAllocation(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const d = 30
	r := standardized(covariances(rng, d), d)
	set := rng.Perm(d - 2)
	var g chol.Regression
	scan := chol.Scan{R: r, Columns: d, Stride: d}
	if n := testing.AllocsPerRun(10, func() {
		chol.Regress(&g, r, d, d-1, set)
		chol.Candidate(&g, r, d, d-1, d-2, set)
		g.Coefficients()
		chol.RegressUnit(&scan, d-1, set)
		chol.Screen(&scan, d-1, set, 0)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRegress(b *testing.B) {
	const d = 100
	r := standardized(covariances(rand.New(rand.NewPCG(6, 1)), d), d)
	for _, k := range []int{2, 5, 10, 40} {
		set := rand.New(rand.NewPCG(7, 1)).Perm(d - 1)[:k]
		b.Run(fmt.Sprintf("k=%d/regress", k), func(b *testing.B) {
			var g chol.Regression
			for b.Loop() {
				chol.Regress(&g, r, d, d-1, set)
			}
		})
		b.Run(fmt.Sprintf("k=%d/scan", k), func(b *testing.B) {
			s := chol.Scan{R: r, Columns: d, Stride: d}
			for b.Loop() {
				chol.RegressUnit(&s, d-1, set)
			}
		})
	}
}
