package confidence

import (
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/trust"
)

// replicates returns a learner of four unrelated columns and outcomes with a → b → c in all of 200 samples, and with d → a and d → b in the
// given numbers of samples.
func replicates(t *testing.T, da, db int) (*learner, []*Outcome) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	x := matrix.New[float64](60, 4)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	m, err := dataset.MomentsOf([]string{"a", "b", "c", "d"}, x, 1)
	must.Succeed(t, err)
	l := &learner{table: polydag.FromMoments(m), cfg: polydag.DefaultConfig(), set: DefaultSettings()}
	l.set.Graph = trust.NoConsensus
	if l.full, err = l.table.Learn(t.Context(), l.cfg, polydag.Run{}); err != nil {
		t.Fatal(err)
	}
	outcomes := make([]*Outcome, 200)
	for k := range outcomes {
		edges := []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}}
		if k < da {
			edges = append(edges, graph.Edge{From: 3, To: 0})
		}
		if k < db {
			edges = append(edges, graph.Edge{From: 3, To: 1})
		}
		outcomes[k] = &Outcome{Draw: l.draw(k)}
		for _, e := range edges {
			outcomes[k].Edges = append(outcomes[k].Edges, Edge{Edge: e, Mark: "-->"})
		}
	}
	return l, outcomes
}

// A pair is listed if its adjacency or a directed path has a frequency above 0.01. Failed samples and samples that are not done do not count.
func TestListedPairs(t *testing.T) {
	for _, c := range []struct{ da, db, want int }{
		{0, 0, 5},  // both ends of a → b and b → c, and the path from a to c
		{2, 0, 5},  // d → a in 2 of 200 samples
		{3, 0, 9},  // d → a and its reverse, and the paths from d to b and c
		{0, 3, 8},  // d → b and its reverse, and the path from d to c
		{3, 3, 10}, // both
	} {
		l, outcomes := replicates(t, c.da, c.db)
		res := must.Get(l.result(t.Context(), outcomes, nil))
		pairs := map[string]trust.Pair{}
		for _, p := range res.Confidence.Pairs {
			pairs[p.From+p.To] = p
		}
		if p := pairs["ac"]; p.Adjacency != 0 || p.Ancestor != 1 || p.Confidence != 0 {
			t.Errorf("the path from a to c has %+v, want an ancestor in all samples", p)
		}
		if p := pairs["ab"]; p.Frequency != 1 || p.Adjacency != 1 || p.Ancestor != 1 {
			t.Errorf("a → b has %+v, want all samples", p)
		}
		if len(pairs) != c.want {
			t.Errorf("d → a in %d samples and d → b in %d: %d pairs, want %d", c.da, c.db, len(pairs), c.want)
		}
	}
	l, outcomes := replicates(t, 0, 0)
	outcomes[3], outcomes[5].Failed = nil, "constant"
	res := must.Get(l.result(t.Context(), outcomes, nil))
	if got := res.Confidence; got.Replicates != 198 || got.Asked != 200 || len(got.Failed) != 1 || got.Failed[0].Replicate != 5 {
		t.Errorf("%d replicates of %d, failed %v, want 198 of 200 and number 5", got.Replicates, got.Asked, got.Failed)
	}
}

// Stability selection counts the pairs that are adjacent in at least the threshold of the samples, and bounds the false ones by
// q²/((2·threshold - 1)·p).
func TestStabilityOfPairs(t *testing.T) {
	for threshold, selected := range map[float64]int{0.75: 3, 0.76: 2} {
		l, outcomes := replicates(t, 150, 10)
		l.set.Resampling, l.set.Threshold = polydag.Halves, threshold
		for k := range outcomes {
			outcomes[k].Draw = l.draw(k)
		}
		res := must.Get(l.result(t.Context(), outcomes, nil))
		s := res.Confidence.Stability
		mean := 2 + 150./200 + 10./200
		if bound := mean * mean / ((2*threshold - 1) * 6); s == nil || s.Selected != selected || s.Pairs != 6 || !near(s.Edges, mean) || !near(s.Bound, bound) {
			t.Errorf("threshold %v: %+v, want %d of 6 pairs, %v edges and a bound of %v", threshold, s, selected, mean, bound)
		}
	}
}

func near(a, b float64) bool { return a-b <= 1e-12 && b-a <= 1e-12 }
