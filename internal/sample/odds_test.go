package sample

import (
	"context"
	"math"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/search"
)

// TestExpectedEdgesAgainstAllGraphs compares the mean number of edges with an enumeration of all DAGs of up to
// four variables.
func TestExpectedEdgesAgainstAllGraphs(t *testing.T) {
	for d := 1; d <= 4; d++ {
		for _, odds := range []float64{0.05, 0.5, 1} {
			var sum, edges float64
			slots := d * (d - 1)
			for set := range 1 << slots {
				parents := make([][]int, d)
				n := 0
				for k := range slots {
					if set>>k&1 == 1 {
						from, to := k/(d-1), k%(d-1)
						if to >= from {
							to++
						}
						parents[to] = append(parents[to], from)
						n++
					}
				}
				if topological(d, parents) == nil {
					continue
				}
				w := math.Pow(odds, float64(n))
				sum += w
				edges += w * float64(n)
			}
			must.Near(t, expectedEdges(d, odds), edges/sum, 1e-6, "%d variables at odds %v", d, odds)
		}
	}
}

// TestOddsFor checks that odds and expected edges are inverse to each other, and scaling beyond mostCounted
// agrees with counting.
func TestOddsFor(t *testing.T) {
	for _, d := range []int{3, 12, 40, 300} {
		for _, degree := range []float64{0.1, 1, 1.9} {
			edges := min(degree*float64(d)/2, expectedEdges(d, 0.9)) // even odds are the most
			if got := expectedEdges(d, oddsFor(d, edges)); !(math.Abs(got-edges) <= 1e-4*edges) {
				t.Errorf("%d variables: %v edges, want %v", d, got, edges)
			}
		}
	}
	if got := oddsFor(6, 15); !(math.Abs(got-1) <= 1e-9) {
		t.Errorf("odds %v for as many edges as there are pairs, want even odds", got)
	}
	for _, odds := range []float64{1e-6, 0.01, 1, 100} {
		if few, many := logDAGs(mostCounted, odds, 256), logDAGs(mostCounted, odds, 1024); !(math.Abs(few-many) <= 1e-12*(1+many)) {
			t.Errorf("odds %v: %v with 256 bits, %v with 1024", odds, few, many)
		}
	}
	// There are 1.1248e276 DAGs of 40 nodes.
	if got := logDAGs(40, 1, 1024) / math.Ln10; !(math.Abs(got-276.0511) <= 1e-3) {
		t.Errorf("10^%v DAGs of 40 nodes", got)
	}
	step := func(d int, odds float64) float64 { // expectedEdges without scaling
		return (logDAGs(d, odds*1.0001, 1024) - logDAGs(d, odds/1.0001, 1024)) / (2 * math.Log(1.0001))
	}
	if got := step(40, oddsFor(40, 60)); !(math.Abs(got/60-1) <= 0.05) {
		t.Errorf("odds that are scaled from %d variables to 40 make %v edges, want 60", mostCounted, got)
	}
}

// TestFitOdds checks that odds increase if a table has more edges than the prior expects, decrease if it has
// fewer, and stay with knowledge.
func TestFitOdds(t *testing.T) {
	const d = 14
	s := DefaultSettings()
	dense, none := stub{d, -40}, stub{d, 9}
	up, err := FitOdds(context.Background(), Problem{Score: dense}, 1.0/d, s)
	if err != nil || up < 2.0/d {
		t.Errorf("odds %v, %v: want more than twice those before", up, err)
	}
	down, err := FitOdds(context.Background(), Problem{Score: none}, 1.0/d, s)
	if err != nil || down > 0.5/d || down <= 0 {
		t.Errorf("odds %v, %v: want less than half of those before", down, err)
	}
	known := Problem{Score: dense, Knowledge: search.Knowledge{Required: [][2]int{{0, 1}}}}
	if same, err := FitOdds(context.Background(), known, 1.0/d, s); err != nil || same != 1.0/d {
		t.Errorf("odds %v, %v: want those before", same, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := FitOdds(ctx, Problem{Score: dense}, 1.0/d, s); err == nil {
		t.Error("a context that has ended is passed over")
	}
}

// stub charges each parent in a chain: those next to a variable change its score by edge, the others cost 30.
type stub struct {
	d    int
	edge float64
}

func (s stub) Variables() int              { return s.d }
func (s stub) Price() float64              { return 1 }
func (s stub) Equivalent() bool            { return false }
func (s stub) Evaluator() search.Evaluator { return s }

func (s stub) Score(v int, parents []int) float64 {
	sum := 0.0
	for _, x := range parents {
		if x == v-1 || x == v-2 || x == v-3 {
			sum += s.edge
		} else {
			sum += 30
		}
	}
	return sum
}

func (s stub) Additions(dst []float64, v int, parents []int) {
	search.AdditionsByScore(dst, s, v, parents)
}

// TestWithOdds checks that every method of the score includes the prior penalty.
func TestWithOdds(t *testing.T) {
	s := WithOdds(stub{5, -1}, 0.5)
	e, plain := s.Evaluator(), stub{5, -1}
	price := 2 * math.Ln2
	if got, want := e.Score(3, []int{1, 2}), plain.Score(3, []int{1, 2})+2*price; !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("%v, want %v", got, want)
	}
	got, want := make([]float64, 5), make([]float64, 5)
	e.Additions(got, 3, []int{1})
	plain.Additions(want, 3, []int{1})
	for x := range got {
		if x != 3 && x != 1 {
			want[x] += 2 * price
		}
		must.Near(t, got[x], want[x], 1e-12, "adding %d", x)
	}
	if !(math.Abs(s.Price()-1-price) <= 1e-12) {
		t.Errorf("price %v", s.Price())
	}
}

// TestFitOddsWeighsThePrior uses a score that determines all 36 edges for any odds. The prior counts as ten
// pairs in addition to the 91 pairs of 14 columns.
func TestFitOddsWeighsThePrior(t *testing.T) {
	const d, odds = 14, 1.0 / 14
	got, err := FitOdds(context.Background(), Problem{Score: stub{d, -40}}, odds, DefaultSettings())
	want := oddsFor(d, (36*91+expectedEdges(d, odds)*10)/101)
	if err != nil || !(math.Abs(got/want-1) <= 1e-3) {
		t.Errorf("odds %v (%v), want %v", got, err, want)
	}
	if p := WithOdds(stub{d, -40}, 1e6).Price(); !(p > 0) {
		t.Errorf("price %v, want a positive one", p)
	}
}

// TestFitOddsTakesTwoSteps uses a score whose number of edges depends on the odds, so that each step changes them.
func TestFitOddsTakesTwoSteps(t *testing.T) {
	const d, odds, pairs = 8, 1.0 / 8, 28
	score, s := stub{d, 3}, DefaultSettings()
	short := s
	short.Chains, short.Samples, short.Rounds, short.Candidates, short.steady = 2, 60, 0, min(s.Candidates, 10), true
	steps := []float64{odds}
	for range 3 {
		last := steps[len(steps)-1]
		found := must.Get(Run(t.Context(), Problem{Score: WithOdds(score, last/odds)}, short, nil))
		edges := 0.0
		for _, p := range found.Edge.Data {
			edges += p
		}
		steps = append(steps, oddsFor(d, (edges*pairs+expectedEdges(d, odds)*10)/(pairs+10)))
	}
	got := must.Get(FitOdds(t.Context(), Problem{Score: score}, odds, s))
	if got != steps[2] || math.Abs(steps[1]/steps[2]-1) < 0.02 || math.Abs(steps[3]/steps[2]-1) < 0.001 {
		t.Errorf("odds %v, want the third of %v", got, steps)
	}
}

// TestFitOddsWithKnowledge checks that each kind of knowledge, and fewer than three variables, leave the odds as they are.
func TestFitOddsWithKnowledge(t *testing.T) {
	for name, c := range map[string]struct {
		d     int
		known search.Knowledge
		fits  bool
	}{
		"none":          {3, search.Knowledge{}, true},
		"two variables": {2, search.Knowledge{}, false},
		"required":      {3, search.Knowledge{Required: [][2]int{{0, 1}}}, false},
		"forbidden":     {3, search.Knowledge{Forbidden: func(i, j int) bool { return i == 0 && j == 1 }}, false},
		"tiers":         {3, search.Knowledge{Tiers: []int{0, 1, 1}}, false},
	} {
		s := DefaultSettings()
		s.Exact, s.Threads = 0, 1
		got, err := FitOdds(t.Context(), Problem{Score: stub{c.d, -20}, Knowledge: c.known}, 0.2, s)
		if err != nil || (got != 0.2) != c.fits {
			t.Errorf("%s: odds %v, %v; want others than 0.2: %v", name, got, err, c.fits)
		}
	}
}
