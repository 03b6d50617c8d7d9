package confidence

import (
	"math"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// The calibration error by hand: confidences from 0.1 count, in classes of tenths. The class from 0.1 has 0.25 expected and 1 true
// edge, the last one 1.95 expected and 2 true edges, so that the mean over four pairs is (0.75 + 0.05)/4.
func TestCalibrationErrorByHand(t *testing.T) {
	var r reliability
	for _, c := range []struct {
		p     float64
		right bool
	}{{0.099, true}, {0.1, true}, {0.15, false}, {0.95, true}, {1, true}} {
		r.add(c.p, c.right)
	}
	if mean, pairs := r.off(); !(math.Abs(mean-0.2) <= 1e-12) || pairs != 4 {
		t.Errorf("error %v of %v pairs, want 0.2 of 4", mean, pairs)
	}
	var both reliability // i → j in 0.6 of the samples and true, j → i in 0.3 and false
	both.judge(newCurve(NoCalibration, 10), []verdict{{there: 0.6, turned: 0.3, forward: true}})
	if mean, pairs := both.off(); !(math.Abs(mean-(0.4+0.3)/2) <= 1e-12) || pairs != 2 {
		t.Errorf("error %v of %v pairs, want 0.35 of 2", mean, pairs)
	}
}

// A line by the formulas of a simple regression: slope b with squared standard error s² = SSE/(n - 2)/Sxx is shrunk to b·(1 - s²/b²),
// and to 0 where b² ≤ s². The noise has the mean of y minus the shrunken slope times the mean of x, and the variance SSE/(n - 2).
func TestShrunkenLine(t *testing.T) {
	for _, slope := range []float64{0.5, -0.3, 0.02} {
		const n = 10
		x := make([]float64, 0, 2*n)
		var mx, my, sxx, sxy, sse float64
		for i := range n {
			x = append(x, float64(i), 3+slope*float64(i)+float64(i*(9-i)%3))
			mx, my = mx+x[2*i]/n, my+x[2*i+1]/n
		}
		for i := range n {
			sxx, sxy = sxx+(x[2*i]-mx)*(x[2*i]-mx), sxy+(x[2*i]-mx)*(x[2*i+1]-my)
		}
		b := sxy / sxx
		for i := range n {
			e := x[2*i+1] - my - b*(x[2*i]-mx)
			sse += e * e
		}
		want := 0.0
		if s2 := sse / (n - 2) / sxx; b*b > s2 {
			want = b * (1 - s2/(b*b))
		}
		l := &likeness{linear: true, n: n, d: 2, x: x}
		weights, noise := l.line(1, []int{0}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
		if !(math.Abs(weights[0]-want) <= 1e-6) || slope == 0.02 && want != 0 {
			t.Errorf("slope %v: %v, want %v", slope, weights[0], want)
		}
		mean, variance := 0.0, 0.0
		for _, e := range noise {
			mean += e / n
		}
		for _, e := range noise {
			variance += (e - mean) * (e - mean) / n
		}
		if !(math.Abs(mean-(my-want*mx)) <= 1e-6) || !(math.Abs(variance-sse/(n-2)) <= 1e-6) {
			t.Errorf("slope %v: noise of mean %v and variance %v, want %v and %v", slope, mean, variance, my-want*mx, sse/(n-2))
		}
	}
}

// If prior knowledge forbids one direction, the confidence of the other is that of the adjacency.
func TestOnlyDirection(t *testing.T) {
	c := newCurve(Simulated, 100)
	if got, want := c.oneDirection(0.4, 0.7), c.of(0.7, 0.7)/c.direction(1); !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := c.oneDirection(0, 0); got != 0 {
		t.Errorf("never adjacent: %v", got)
	}
	if got := newCurve(NoCalibration, 100).oneDirection(0.4, 0.7); got != 0.4 {
		t.Errorf("without a curve: %v", got)
	}
}

// Distances between rows are in units of the standard deviation, also for a column with a large mean. A categorical column has scale 0.
func TestScaleOfLikeness(t *testing.T) {
	rows := []float64{98, 0, 102, 1, 98, 1, 102, 0} // the deviations of the columns are 2 and 0.5
	moments := must.Get(dataset.MomentsOf([]string{"a", "b"}, matrix.Of(4, 2, rows), 1))
	for _, c := range []struct {
		model score.Effects
		want  []float64
	}{{score.LinearEffects, []float64{2, 0.5}}, {score.TableEffects, []float64{0, 0}}} {
		l := must.Get(readLikeness(t.Context(), polydag.FromMoments(moments), c.model, dataset.RowBatch{Values: rows}.Rows(len(moments.Names))))
		for j, want := range c.want {
			if !(math.Abs(l.scale[j]-want) <= 1e-12) {
				t.Errorf("%s: the scale of column %d is %v, want %v", c.model, j, l.scale[j], want)
			}
		}
	}
}

// Rounding may put the share of a direction, or of an adjacency, above 1: it counts as 1.
func TestSharesAboveOne(t *testing.T) {
	c := newCurve(Simulated, 100)
	for _, share := range [][2]float64{{1.01, 1}, {1, 1.01}, {1.01, 1.01}, {1.02, 1.01}} {
		if got, want := c.of(share[0], share[1]), c.adjacency(1)*c.direction(min(1, share[0]/share[1])); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("shares %v: %v, want %v", share, got, want)
		}
		if got, want := c.oneDirection(share[0], share[1]), c.adjacency(1); got != want {
			t.Errorf("shares %v with one direction: %v, want %v", share, got, want)
		}
	}
}

// The calibration error of one pair is its own, and without pairs it is 0.
func TestCalibrationErrorOfOnePair(t *testing.T) {
	var none, one reliability
	if mean, pairs := none.off(); mean != 0 || pairs != 0 {
		t.Errorf("no pairs: error %v of %v", mean, pairs)
	}
	one.add(0.7, true)
	if mean, pairs := one.off(); !(math.Abs(mean-0.3) <= 1e-12) || pairs != 1 {
		t.Errorf("one pair: error %v of %v, want 0.3 of 1", mean, pairs)
	}
	var two reliability // the two highest classes are apart: 0.85 expected and none true, 0.95 expected and one true
	two.add(0.85, false)
	two.add(0.95, true)
	if mean, _ := two.off(); !(math.Abs(mean-(0.85+0.05)/2) <= 1e-12) {
		t.Errorf("two classes: error %v, want 0.45", mean)
	}
}

// With as many coefficients as rows, the noise counts one degree of freedom: y = 0, 2, 1 at x = 0, 1, 2 has the slope 1/2, whose squared
// error 1.5/1/2 exceeds its square, and the sum of squares 1.5. Two rows leave no residual.
func TestLineOfFewRows(t *testing.T) {
	l := &likeness{linear: true, n: 3, d: 2, x: []float64{0, 0, 1, 2, 2, 1}}
	weights, noise := l.line(1, []int{0}, []int{0, 1, 2})
	variance := 0.0
	for _, e := range noise {
		variance += (e - 1) * (e - 1) / 3
	}
	if weights[0] != 0 || !(math.Abs(variance-1.5) <= 1e-6) {
		t.Errorf("three rows: slope %v and noise %v of variance %v, want 0 and 1.5", weights[0], noise, variance)
	}
	l = &likeness{linear: true, n: 2, d: 2, x: []float64{0, 0, 1, 2}}
	weights, noise = l.line(1, []int{0}, []int{0, 1})
	if !(math.Abs(weights[0]-2) <= 1e-3) || !(math.Abs(noise[0]) <= 1e-3) || !(math.Abs(noise[1]) <= 1e-3) {
		t.Errorf("two rows: slope %v and noise %v, want 2 and 0", weights[0], noise)
	}
}

// A column without parents is drawn from all rows, also if there are more than are searched for neighbours.
func TestDonorsWithoutParents(t *testing.T) {
	l := &likeness{d: 1, scale: []float64{1}, x: make([]float64, mostDonors+5)}
	donors := make([]int, mostDonors+5)
	for i := range donors {
		donors[i] = i
	}
	if got := l.neighbours(nil, donors)([]float64{0}); len(got) != len(donors) {
		t.Errorf("%d rows, want %d", len(got), len(donors))
	}
}

// A pool has as many workers as asked for, at most one for each unit, and at least one.
func TestWorkersOfAPool(t *testing.T) {
	for _, c := range []struct{ workers, units, want int }{{4, 9, 4}, {4, 2, 2}, {1, 9, 1}, {0, 9, 1}, {4, 0, 1}} {
		if got := (Pool{Workers: c.workers}).workers(t.Context(), make([]Unit, c.units)); got != c.want {
			t.Errorf("%d workers for %d units: %d, want %d", c.workers, c.units, got, c.want)
		}
	}
}

// Only undirected edges have prior probabilities of their directions; a directed edge to a column with a smaller number has none.
func TestOpenEdgesOfAPrior(t *testing.T) {
	l := &learner{cfg: polydag.DefaultConfig(), full: &polydag.Result{Names: []string{"a", "b", "c"}}}
	m := graph.NewMixed(graph.KindCPDAG, 3)
	m.Set(graph.MarkedEdge{Edge: graph.Edge{From: 1, To: 0}, AtFrom: graph.Tail, AtTo: graph.Arrow})
	m.Set(graph.MarkedEdge{Edge: graph.Edge{From: 1, To: 2}, AtFrom: graph.Tail, AtTo: graph.Tail})
	if got := l.directionShares(m); got != nil {
		t.Errorf("no prior: %v", got)
	}
	l.cfg.Knowledge.Prior = []string{"a->b=0.9", "b->c=0.8"}
	got := l.directionShares(m)
	for e := range got {
		if e.From == 0 || e.To == 0 {
			t.Errorf("the directed edge is open: %v", got)
		}
	}
	if p := got[graph.Edge{From: 1, To: 2}]; !(p > 0.5) {
		t.Errorf("the undirected edge has the prior probability %v, want more than a half", p)
	}
}

// Chains that have not converged are a warning, and so are columns with too many likely parents.
func TestWarningsOfChains(t *testing.T) {
	for _, c := range []struct {
		rhat, ess float64
		exact     bool
		full      int
		want      int
	}{{1, 500, false, 0, 0}, {1.2, 500, false, 0, 1}, {1, 100, false, 0, 1}, {1.2, 100, true, 0, 0}, {1, 500, false, 2, 1}, {1.2, 500, false, 2, 2}} {
		l := &learner{cfg: polydag.DefaultConfig(), full: &polydag.Result{Names: []string{"a", "b"}, Graph: graph.New(2), Marked: graph.New(2).Mixed()}, set: Settings{Graph: trust.NoConsensus}}
		found := &sample.Result{Edge: matrix.New[float64](2, 2), Ancestor: matrix.New[float64](2, 2), Graphs: make([][]graph.Edge, 4), Chains: 2, RHat: c.rhat, ESS: c.ess, Exact: c.exact, Full: c.full}
		res := must.Get(l.drawn(t.Context(), found, []int{0, 1}, nil))
		if len(res.Warnings) != c.want {
			t.Errorf("%+v: warnings %q, want %d", c, res.Warnings, c.want)
		}
	}
}

// By default a consensus has the edges of more than half of the graphs.
func TestDefaultLevelOfAConsensus(t *testing.T) {
	for _, level := range []float64{DefaultSettings().Level, DefaultPosterior().Level} {
		for with, want := range map[int]int{4: 0, 6: 1} {
			votes := graph.NewVotes(2)
			for k := range 10 {
				g := graph.New(2)
				if k < with {
					g.AddEdge(0, 1)
				}
				votes.Add(g.Mixed())
			}
			if g, err := votes.Consensus(level, []int{0, 1}); err != nil || g.NumEdges() != want {
				t.Errorf("an edge in %d of 10 graphs: %v, %v, want %d edges", with, g, err, want)
			}
		}
	}
}
