package chance

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// input returns the input of a table with all rows in its sample.
func input(t *testing.T, x *matrix.Dense[float64]) *method.Input {
	t.Helper()
	names := make([]string, x.Cols)
	for j := range names {
		names[j] = string(rune('a' + j))
	}
	in := inputtest.Of(t, names, x)
	in.Sample = &dataset.Sample{Columns: x.Cols, Values: x.Data, Index: make([]int, x.Rows)}
	return in
}

// related draws columns of which each depends on the one before it, with weak effects.
func related(rng *rand.Rand, n, d int) *matrix.Dense[float64] {
	x := matrix.New[float64](n, d)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
			if j > 0 {
				x.Set(i, j, x.At(i, j)+0.2*x.At(i, j-1))
			}
		}
	}
	return x
}

// leastSquares returns the residuals of y on a constant and the columns, by the normal equations.
func leastSquares(t *testing.T, y []float64, columns ...[]float64) []float64 {
	t.Helper()
	ones := make([]float64, len(y))
	for i := range ones {
		ones[i] = 1
	}
	columns = append([][]float64{ones}, columns...)
	k := len(columns)
	a, b := matrix.New[float64](k, k), matrix.New[float64](k, 1)
	for i, f := range columns {
		for j, g := range columns {
			a.Set(i, j, dot(f, g))
		}
		b.Set(i, 0, dot(f, y))
	}
	var lu matrix.LU[float64]
	must.Succeed(t, lu.Factor(a))
	beta := matrix.New[float64](k, 1)
	lu.Solve(beta, b)
	out := slices.Clone(y)
	for j, f := range columns {
		for i := range out {
			out[i] -= beta.At(j, 0) * f[i]
		}
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

// ranked returns the normal scores Φ⁻¹(rank/(n + 1)) of values without ties.
func ranked(x []float64) []float64 {
	sorted := slices.Sorted(slices.Values(x))
	out := make([]float64, len(x))
	for i, v := range x {
		k, _ := slices.BinarySearch(sorted, v)
		out[i] = math.Sqrt2 * math.Erfinv(2*float64(k+1)/float64(len(x)+1)-1)
	}
	return out
}

// The test under linear effects regresses both columns on the others, takes normal scores of the residuals, regresses these again and
// tests their correlation r with (n - k - 2.5)·ln(1/(1 - r²)) and one degree of freedom.
func TestLinesStepByStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	x := related(rng, 60, 4)
	p := New(input(t, x), 0, nil).Lines(t.Context())
	for _, others := range [][]int{nil, {0}, {0, 3}} {
		var condition [][]float64
		for _, z := range others {
			condition = append(condition, column(x, z))
		}
		scored := func(j int) []float64 {
			return leastSquares(t, ranked(leastSquares(t, column(x, j), condition...)), condition...)
		}
		a, b := scored(1), scored(2)
		r2 := dot(a, b) * dot(a, b) / (dot(a, a) * dot(b, b))
		want := independence.ChiSquared(-(60-2.5-float64(len(others)))*math.Log(1-r2), 1)
		near(t, "p", p(1, 2, others), want, 1e-9)
	}
}

// Without rows the test is that of the partial correlation, with the same degrees of freedom.
func TestMomentsStepByStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	x := related(rng, 60, 4)
	in := input(t, x)
	in.Rows, in.Sample = nil, nil
	p := New(in, 0.01, nil).Lines(t.Context())
	for _, others := range [][]int{nil, {0}, {0, 3}} {
		var condition [][]float64
		for _, z := range others {
			condition = append(condition, column(x, z))
		}
		a, b := leastSquares(t, column(x, 1), condition...), leastSquares(t, column(x, 2), condition...)
		r2 := dot(a, b) * dot(a, b) / (dot(a, a) * dot(b, b))
		near(t, "p", p(1, 2, others), independence.ChiSquared(-(60-2.5-float64(len(others)))*math.Log(1-r2), 1), 1e-9)
	}
}

// Equal values share the mean of their normal scores, and any increasing function of a column has the same scores.
func TestNormalScores(t *testing.T) {
	s := &sheet{n: 5}
	q := func(k float64) float64 { return math.Sqrt2 * math.Erfinv(2*k/6-1) }
	got := s.normalScores([]float64{3, 1, 3, 9, 2})
	for i, want := range []float64{(q(3) + q(4)) / 2, q(1), (q(3) + q(4)) / 2, q(5), q(2)} {
		near(t, "normal score", got[i], want, 1e-12)
	}
	near(t, "score of the middle", q(3), 0, 1e-12)
	near(t, "first score", q(1), -0.9674215661, 1e-9) // R 4.2.2: qnorm(1/6)
}

// The signs of two residuals form a 2×2 table, whose G² has one degree of freedom; one rare sign gives no test.
func TestSigns(t *testing.T) {
	table := func(cells [4]int) (x, y []float64) {
		for k, n := range cells {
			for range n {
				x, y = append(x, float64(2*(k&1)-1)), append(y, float64(k&2)-1)
			}
		}
		return x, y
	}
	x, y := table([4]int{20, 10, 12, 22})
	s, half := &sheet{}, float64(len(x))/2
	near(t, "p of half rows", s.signs(x, y, half), independence.ChiSquared(gSquared([][]float64{{20, 10}, {12, 22}})/2, 1), 1e-12)
	x, y = table([4]int{10, 3, 50, 1}) // 4 of 64 positive signs
	near(t, "p of a rare sign", s.signs(x, y, half), 1, 0)
	x, y = table([4]int{1, 50, 3, 10})
	near(t, "p of a rare negative sign", s.signs(x, y, half), 1, 0)
}

// Fisher's test is twice the smaller tail of the hypergeometric distribution, by products of binomial coefficients.
func TestFisherAgainstSums(t *testing.T) {
	choose := func(n, k int) float64 {
		out := 1.0
		for i := range k {
			out *= float64(n-i) / float64(i+1)
		}
		return out
	}
	for _, c := range [][4]int{{0, 4, 6, 20}, {3, 4, 6, 20}, {4, 4, 6, 20}, {5, 12, 9, 15}, {9, 12, 9, 15}} {
		k, r, s, n := c[0], c[1], c[2], c[3]
		below, above := 0.0, 0.0
		for i := max(0, r+s-n); i <= min(r, s); i++ {
			p := choose(r, i) * choose(n-r, s-i) / choose(n, s)
			if i <= k {
				below += p
			}
			if i >= k {
				above += p
			}
		}
		near(t, "p", fisher(float64(k), float64(r), float64(s), float64(n)), min(1, 2*min(below, above)), 1e-9)
	}
}

// Two rare values that never meet by chance have a p-value that chance explains, and values that always meet one that it does not.
func TestSparseP(t *testing.T) {
	if p := sparseP([][]float64{{96, 0}, {0, 4}}, 1); p > 1e-5 { // 1/C(100, 4) = 2.6e-7
		t.Errorf("p = %v for two values that always meet", p)
	}
	// Six of 100 rows have each value, and three have both: P(at least 3) = 0.002304437, twice for both tails, for each of four cells,
	// twice for two tests.
	near(t, "p of two values that often meet", sparseP([][]float64{{91, 3}, {3, 3}}, 1), 0.0368709966, 1e-9)
	if a, b := sparseP([][]float64{{96, 0}, {0, 4}}, 1), sparseP([][]float64{{96, 0}, {0, 4}}, 0.5); !(a < b) {
		t.Errorf("half as many rows have p = %v, all %v", b, a)
	}
}

// Lumpy columns have few values, or one that half of the rows have.
func TestLumpyColumns(t *testing.T) {
	x := matrix.New[float64](40, 3)
	for i := range 40 {
		x.Set(i, 0, float64(i%10))
		x.Set(i, 1, float64(max(0, i-19))) // 20 zeros
		x.Set(i, 2, float64(max(0, i-18))) // 19 zeros
	}
	s := New(input(t, x), 0, nil).some
	if codes := s.lumpy(0); codes == nil || codes[13] != 3 {
		t.Errorf("codes %v", codes)
	}
	if codes := s.lumpy(1); codes == nil || codes[5] != 0 || codes[30] != 1 {
		t.Errorf("codes %v", codes)
	}
	if codes := s.lumpy(2); codes != nil {
		t.Errorf("codes %v", codes)
	}
	if s.lumpy(0)[13] != 3 || s.lumpy(2) != nil {
		t.Error("a second look differs")
	}
}

// TestExtremeRowsMakeNoEdges checks independent columns with one row in which three of them are extreme: the slopes of two make the
// residuals of the third dependent in all rows, and no edge may be significant.
func TestExtremeRowsMakeNoEdges(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n = 1000
	s := newSheet(&method.Input{Moments: dataset.NewMoments([]string{"a", "b", "c"})}, make([]float64, 3*n), 1, 1e-6)
	values := make([]float64, 3*n)
	for i := range values {
		values[i] = math.Exp(rng.NormFloat64())
	}
	values[0], values[1], values[2] = 200, 200, 200
	s.value = func(i, j int) float64 { return values[i*3+j] }
	c := newConditions(Functions{Levels: make([]bool, 3)}, s)
	for v := range 3 {
		x, z := (v+1)%3, (v+2)%3
		if wrong, p := c.residualP(x, v, []int{z}, 1), c.p(x, v, []int{z}, 1); p <= 0.01 || wrong > 1e-4 {
			t.Errorf("%d → %d given %d: p = %v, %v from the residuals alone", x, v, z, p, wrong)
		}
	}
}
