package search

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// searchSoundly runs a search that must end soon with finite numbers. The time limit only detects a hang.
func searchSoundly(t *testing.T, p Problem, s Settings) *Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	res := must.Get(Search(ctx, p, s, nil))
	if res.Status == Stopped {
		t.Fatal("no end after five minutes")
	}
	for _, x := range append([]float64{res.Score, res.Scores.Unequal, res.Scores.Equal}, res.Residual...) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("score %v, scores %v, residuals %v", res.Score, res.Scores, res.Residual)
		}
	}
	return res
}

func gaussian(d, n int, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := make([][]float64, d)
	for v := range x {
		x[v] = make([]float64, n)
		for t := range x[v] {
			x[v][t] = rng.NormFloat64()
		}
	}
	return x
}

// TestSingular gives the search what has no inverse: copies, sums, near copies, one
// variable many times over, and fewer rows than variables.
func TestSingular(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	copied := gaussian(20, 200, 1)
	copy(copied[7], copied[3])
	summed := gaussian(20, 200, 2)
	for i := range summed[0] {
		summed[9][i] = summed[1][i] + summed[2][i] - summed[3][i]
	}
	close := gaussian(20, 200, 3)
	for i := range close[0] {
		close[5][i] = close[4][i] + 1e-5*close[5][i]
	}
	same := gaussian(15, 50, 4)
	for v := range same {
		copy(same[v], same[0])
	}
	factor := gaussian(60, 20, 5)
	for v := range factor {
		for i := range factor[v] {
			factor[v][i] = 0.2*factor[v][i] + factor[0][i]
		}
	}
	for _, c := range []struct {
		name string
		x    [][]float64
		warn string
	}{
		{"copy", copied, "linear function of its parents"},
		{"sum", summed, "linear function of its parents"},
		{"near copy", close, ""},
		{"all the same", same, "linear function of its parents"},
		{"one factor, few rows", factor, "20 rows for 60 columns"},
		{"noise, few rows", gaussian(60, 10, 6), "10 rows for 60 columns"},
	} {
		for _, variance := range []Variance{Unequal, Equal} {
			t.Run(fmt.Sprintf("%s/%v", c.name, variance), func(t *testing.T) {
				n := len(c.x[0])
				var x [][]float64
				for _, row := range c.x {
					x = append(x, slices.Clone(row))
				}
				r, scale := correlate(x)
				s := DefaultSettings()
				s.Variance = variance
				res := searchSoundly(t, Problem{R: r, N: n, Scale: scale}, s)
				if !strings.Contains(strings.Join(res.Warnings, "\n"), c.warn) {
					t.Errorf("warnings %q, want one with %q", res.Warnings, c.warn)
				}
			})
		}
	}
}

// TestIndependent checks that noise gets no edges beyond the few that chance gives.
func TestIndependent(t *testing.T) {
	for _, n := range []int{100, 2000} {
		r, scale := correlate(gaussian(60, n, uint64(n)))
		for _, variance := range []Variance{Unequal, Equal} {
			s := DefaultSettings()
			s.Variance = variance
			if res := searchSoundly(t, Problem{R: r, N: n, Scale: scale}, s); res.Edges > 6 {
				t.Errorf("%v, n = %d: %d edges among 60 independent variables", variance, n, res.Edges)
			}
		}
	}
}

// TestSmall covers one and two variables and the fewest rows.
func TestSmall(t *testing.T) {
	one := matrix.Of(1, 1, []float64{1})
	two := matrix.Of(2, 2, []float64{1, 0.9, 0.9, 1})
	for _, exact := range []int{0, 12} {
		for _, variance := range []Variance{Unequal, Equal} {
			s := DefaultSettings()
			s.Variance, s.Exact = variance, exact
			if res := searchSoundly(t, Problem{R: one, N: 3, Scale: []float64{2}}, s); res.Edges != 0 {
				t.Errorf("one variable has %d edges", res.Edges)
			}
			if res := searchSoundly(t, Problem{R: two, N: 3, Scale: []float64{1, 1}}, s); res.Edges != 0 {
				t.Errorf("three rows gave %d edges", res.Edges)
			}
			res := searchSoundly(t, Problem{R: two, N: 100, Scale: []float64{1, 1}}, s)
			if res.Edges != 1 {
				t.Errorf("correlation 0.9 in 100 rows gave %d edges", res.Edges)
			}
			if len(res.Warnings) > 0 { // having all others as parents is not a limit that was reached
				t.Errorf("warnings %q", res.Warnings)
			}
		}
	}
}

// The rows limit the parents to half of them, and three rows allow none. The warnings say so.
func TestParentsOfFewRows(t *testing.T) {
	for rows, want := range map[int]string{3: "no edge can be learned from 3 rows; add rows", 6: "with 2 parents, the most that 6 rows allow; add rows or raise the penalty"} {
		p := randomSample(12, 200, 500, 4, 3).problem()
		p.N = rows
		res := mustSearch(t, p, DefaultSettings())
		if got := strings.Join(res.Warnings, "\n"); !strings.Contains(got, want) {
			t.Errorf("%d rows: %q, want %q", rows, got, want)
		}
	}
}

// TestMaxParents checks the limit and its warning.
func TestMaxParents(t *testing.T) {
	sm := randomSample(30, 200, 500, 1, 3)
	for _, most := range []int{0, 1, 3} {
		s := DefaultSettings()
		s.MaxParents = most
		res := mustSearch(t, sm.problem(), s)
		for v, parents := range res.Parents {
			if len(parents) > most {
				t.Errorf("MaxParents = %d: variable %d has %d parents", most, v, len(parents))
			}
		}
		if !strings.Contains(strings.Join(res.Warnings, "\n"), fmt.Sprintf(" with %d parents, the most that the search allows", most)) {
			t.Errorf("MaxParents = %d: no warning", most)
		}
	}
}
