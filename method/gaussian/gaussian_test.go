package gaussian

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// Columns were standardized if their standard deviations differ by at most 1 %.
func TestSameUnits(t *testing.T) {
	for scale, want := range map[float64]bool{1: true, 1.0099: true, 1.0101: false, 0.9902: true, 0.9899: false, 3: false} {
		if got := SameUnits([]float64{1, scale, 1}, 0); got != want {
			t.Errorf("standard deviations 1 and %v: same units is %v", scale, got)
		}
	}
	// Three standard errors of 1 % at either end are added to the 1 %.
	if !SameUnits([]float64{1, 1.0699}, 0.01) || SameUnits([]float64{1, 1.0701}, 0.01) {
		t.Error("the standard error of a standard deviation does not widen the tolerance by six times")
	}
}

// Bartlett's statistic is n·(d·ln(mean) - Σ ln) of the residual variances, each divided by n less its parameters; it is compared with
// four standard deviations above the mean of χ² with d - 1 degrees of freedom.
func TestUnequalResiduals(t *testing.T) {
	const n = 50
	p := search.Problem{N: n, Scale: []float64{2, 1, 1}}
	parents := [][]int{nil, {0}, {0, 1}}
	limit := 2 + 4*math.Sqrt(4)
	statistic := func(residual []float64) float64 {
		logs, sum := 0.0, 0.0
		for v, s := range residual {
			u := s * n / (n - 1 - float64(len(parents[v])))
			if v == 0 {
				u *= 4
			}
			logs, sum = logs+math.Log(u), sum+u
		}
		return n * (3*math.Log(sum/3) - logs)
	}
	sides := map[bool]int{}
	for k := range 200 {
		residual := []float64{0.25, 1, 0.5 + 0.01*float64(k)}
		b := statistic(residual)
		if got := UnequalResiduals(p, residual, parents) != ""; got != (b > limit) {
			t.Fatalf("residuals %v: statistic %v, limit %v, rejected is %v", residual, b, limit, got)
		}
		sides[b > limit]++
	}
	if len(sides) != 2 {
		t.Errorf("%v: the test looks at one side only", sides)
	}
	if b := statistic([]float64{0.25 * 49, 48, 47}); b > 1e-9 { // equal variances
		t.Errorf("equal variances have the statistic %v", b)
	}
}

// Pruning drops, one at a time, the parent whose removal raises n·ln(residual variance) least, while that is below the price.
func TestPruneAgainstRefits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	for range 20 {
		const d, n = 6, 40
		x := matrix.New[float64](n, d)
		for i := range n {
			for j := range d {
				x.Set(i, j, rng.NormFloat64())
				if j > 0 {
					x.Set(i, j, x.At(i, j)+0.4*x.At(i, j-1))
				}
			}
		}
		r := matrix.New[float64](d, d)
		for i := range d {
			for j := range d {
				for k := range n {
					r.Set(i, j, r.At(i, j)+x.At(k, i)*x.At(k, j)/n)
				}
			}
		}
		g, required := graph.New(d), graph.New(d)
		for j := range d {
			for i := range j {
				g.AddEdge(i, j)
			}
		}
		required.AddEdge(0, d-1)
		const price = 4
		residual := func(v int, parents []int) float64 {
			reg := must.Get(score.Regress(r, v, parents))
			return reg.Residual
		}
		got := must.Get(Prune(search.Problem{R: r, N: n}, price, g, required))
		for v := range d {
			parents := append([]int(nil), g.Parents(v)...)
			for {
				best, least := -1, float64(price)
				for i, p := range parents {
					rest := append(append([]int(nil), parents[:i]...), parents[i+1:]...)
					loss := n * math.Log(residual(v, rest)/residual(v, parents))
					if loss < least && !required.HasEdge(p, v) {
						best, least = i, loss
					}
				}
				if best < 0 {
					break
				}
				parents = append(parents[:best], parents[best+1:]...)
			}
			if len(got.Parents(v)) != len(parents) {
				t.Fatalf("column %d keeps %v, want %v", v, got.Parents(v), parents)
			}
			for i, p := range got.Parents(v) {
				if p != parents[i] {
					t.Fatalf("column %d keeps %v, want %v", v, got.Parents(v), parents)
				}
			}
		}
	}
}
