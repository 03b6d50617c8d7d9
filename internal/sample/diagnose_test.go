package sample

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// slowESS is the effective sample size of one chain by the definition: sums of two autocorrelations up to the first negative one, each
// replaced by the smallest so far (Geyer 1992). It reports whether a sum rose, so that the replacement matters.
func slowESS(x []float64) (ess float64, rose bool) {
	n := float64(len(x))
	mean, variance := meanVariance(x)
	whole := (n - 1) / n * variance
	correlation := func(lag int) float64 {
		sum := 0.0
		for k := lag; k < len(x); k++ {
			sum += (x[k] - mean) * (x[k-lag] - mean)
		}
		return 1 - (variance-sum/(n-1))/whole
	}
	var pairs []float64
	for lag := 0; lag+1 < len(x); lag += 2 {
		pair := correlation(lag) + correlation(lag+1)
		if pair < 0 {
			break
		}
		pairs = append(pairs, pair)
	}
	time := -1.0
	for i := range pairs {
		if i > 0 && pairs[i] > pairs[i-1] {
			rose, pairs[i] = true, pairs[i-1]
		}
		time += 2 * pairs[i]
	}
	return min(n, n/max(time, 1/math.Log10(n))), rose
}

func TestESSAgainstItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	rising := 0
	for range 40 {
		x := make([]float64, 200)
		for i := 1; i < len(x); i++ {
			x[i] = 0.8*x[i-1] + rng.NormFloat64()
		}
		want, rose := slowESS(x)
		if rose {
			rising++
		}
		if got := (trace{x, x}).ess() / 2; !(math.Abs(got-want) <= 1e-9*want) { // equal chains have no variance between them
			t.Errorf("effective sample size %v of each chain, want %v", got, want)
		}
	}
	if rising < 5 {
		t.Errorf("the autocorrelations rise in only %d chains", rising)
	}
}

// TestHalvesOfAnOddChain checks that the middle draw of an odd number belongs to neither half.
func TestHalvesOfAnOddChain(t *testing.T) {
	if got := (trace{{0, 1, 9, 0, 1}}).rhat(); got != 1 {
		t.Errorf("R-hat is %v, want 1", got)
	}
	// Halves {0, 1} and {4, 5}: within 1/2, between 8, so that R-hat is √((1/4 + 8)/(1/2)).
	must.Near(t, (trace{{0, 1, 9, 4, 5}}).rhat(), math.Sqrt(16.5), 1e-12, "R-hat")
}

// TestConverged checks that chains have converged up to an R-hat of 1.05 and from an effective sample size of
// 200.
func TestConverged(t *testing.T) {
	for _, c := range []struct {
		rhat, ess float64
		want      bool
	}{{1.05, 200, true}, {1.051, 200, false}, {1.05, 199, false}} {
		if got := (&Result{RHat: c.rhat, ESS: c.ess}).Converged(); got != c.want {
			t.Errorf("R-hat %v, effective sample size %v: %v", c.rhat, c.ess, got)
		}
	}
	if !(&Result{Exact: true}).Converged() {
		t.Error("an exact posterior has not converged")
	}
}

// TestDiagnoseLeavesOutRareEdges checks that edges in fewer than 1 % of the graphs, or missing in fewer, do not
// count; the others do.
func TestDiagnoseLeavesOutRareEdges(t *testing.T) {
	const n = 500
	rng := rand.New(rand.NewPCG(4, 4))
	logw := [][]float64{make([]float64, n), make([]float64, n)}
	for _, w := range logw {
		for i := range w {
			w[i] = rng.NormFloat64()
		}
	}
	alone, _ := diagnose(2, [][][]graph.Edge{make([][]graph.Edge, n), make([][]graph.Edge, n)}, logw)
	for _, c := range []struct {
		first  int // graphs of the first chain that differ from all others in the edge
		common bool
		counts bool
	}{{9, false, false}, {9, true, false}, {40, false, true}, {40, true, true}} {
		graphs := [][][]graph.Edge{make([][]graph.Edge, n), make([][]graph.Edge, n)}
		for chain := range graphs {
			for i := range n {
				if (chain == 0 && i < c.first) != c.common {
					graphs[chain][i] = []graph.Edge{{From: 0, To: 1}}
				}
			}
		}
		if got, _ := diagnose(2, graphs, logw); (got != alone) != c.counts {
			t.Errorf("%+v: R-hat %v, without the edge %v", c, got, alone)
		}
	}
}

// Chains that stand still at different values never agree: R-hat is 99, which stands for no bound.
func TestChainsThatNeverAgree(t *testing.T) {
	if got := (trace{{0, 0, 0, 0}, {1, 1, 1, 1}}).rhat(); got != 99 {
		t.Errorf("R-hat is %v", got)
	}
	if got := (trace{{0, 1e-9, 0, 1e-9}, {1, 1, 1, 1}}).rhat(); got != 99 {
		t.Errorf("R-hat is %v", got)
	}
}
