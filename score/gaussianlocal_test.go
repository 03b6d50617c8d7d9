package score_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/polydag/polydag/internal/contract"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// correlations draws a random linear model with two parents a variable on average and returns the correlations of n rows.
func correlations(d, n int, strength float64, seed uint64) *matrix.Dense[float64] {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := matrix.New[float64](n, d)
	order := rng.Perm(d)
	for j, v := range order {
		for i := range n {
			x.Set(i, v, rng.NormFloat64())
		}
		for _, u := range order[:j] {
			if rng.Float64() < 4/float64(d-1) {
				w := strength * (0.5 + rng.Float64()) * float64(2*rng.IntN(2)-1)
				for i := range n {
					x.Set(i, v, x.At(i, v)+w*x.At(i, u))
				}
			}
		}
	}
	for v := range d {
		mean, sum := 0.0, 0.0
		for i := range n {
			mean += x.At(i, v) / float64(n)
		}
		for i := range n {
			x.Set(i, v, x.At(i, v)-mean)
			sum += x.At(i, v) * x.At(i, v)
		}
		for i := range n {
			x.Set(i, v, x.At(i, v)/math.Sqrt(sum))
		}
	}
	r := matrix.New[float64](d, d)
	matrix.MulTA(r, x, x, 1)
	for v := range d {
		r.Set(v, v, 1)
	}
	return r
}

func TestGaussianLocalKit(t *testing.T) {
	for seed, n := range []int{9, 3, 200} { // sets of more than (n-2)/2 are beyond the rows
		s, err := score.NewGaussianLocal(correlations(8, max(n, 9), 1, uint64(seed)), n, 3)
		if err != nil {
			t.Fatal(err)
		}
		if err := contract.LocalScore(s, contract.LocalScoreOptions{MaxParents: 5}, uint64(seed)); err != nil {
			t.Errorf("%d rows: %v", n, err)
		}
	}
	if _, err := score.NewGaussianLocal(correlations(4, 50, 1, 1), 50, 0); err == nil {
		t.Error("a price of 0 is taken")
	}
}

// The slow twin is the residual of the regression, row by row: here by its definition as a ratio of determinants.
func TestGaussianLocalAgainstDeterminants(t *testing.T) {
	const n = 50
	r := correlations(5, n, 1, 1)
	s, err := score.NewGaussianLocal(r, n, 3)
	if err != nil {
		t.Fatal(err)
	}
	part := func(set []int) *matrix.Dense[float64] {
		m := matrix.New[float64](len(set), len(set))
		for i, a := range set {
			for j, b := range set {
				m.Set(i, j, r.At(a, b))
			}
		}
		return m
	}
	for v, parents := range map[int][]int{0: nil, 1: {0}, 2: {0, 3}, 3: {0, 1, 2, 4}} {
		residual := 1.0
		if len(parents) > 0 {
			residual = det(part(append([]int{v}, parents...))) / det(part(parents))
		}
		want := n*(math.Log(2*math.Pi*residual)+1) + 3*float64(len(parents))
		if got := s.Evaluator().Score(v, parents); !(math.Abs(got-want) <= 1e-9*n) {
			t.Errorf("variable %d given %v: %v, want %v", v, parents, got, want)
		}
	}
}

// The search by correlations and the search by this score go the same way: the same graphs, orders and scores, and as many
// reinsertions looked at.
func TestSearchBothWays(t *testing.T) {
	for _, c := range []struct {
		d, n, restarts int
		strength       float64
		known          bool
	}{
		{8, 100, 0, 1, false}, {15, 200, 8, 0.7, false}, {15, 200, 8, 0.7, true}, {30, 500, 8, 0.5, false},
		{30, 40, 4, 1, false}, {60, 1000, 4, 1, false},
	} {
		for seed := range uint64(3) {
			r := correlations(c.d, c.n, c.strength, seed)
			s := search.DefaultSettings()
			s.Adapt, s.Restarts, s.Seed = false, c.restarts, seed
			var k search.Knowledge
			if c.known {
				k = search.Knowledge{Required: [][2]int{{3, 4}}, Forbidden: func(i, j int) bool { return (i+2*j)%5 == 0 && i != 3 }}
			}
			fast, err := search.Search(context.Background(), search.Problem{R: r, N: c.n, Knowledge: k}, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			g, err := score.NewGaussianLocal(r, c.n, fast.Penalty)
			if err != nil {
				t.Fatal(err)
			}
			slow, err := search.Search(context.Background(), search.Problem{Score: g, Knowledge: k}, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("d = %d, n = %d, knowledge %v, seed %d", c.d, c.n, c.known, seed)
			if !reflect.DeepEqual(fast.Parents, slow.Parents) || !reflect.DeepEqual(fast.Order, slow.Order) || fast.Status != slow.Status {
				t.Errorf("%s: correlations give %v, the score %v", name, fast.Parents, slow.Parents)
			}
			constant := float64(c.n*c.d) * (1 + math.Log(2*math.Pi))
			if !(math.Abs(fast.Score+constant-slow.Score) <= 1e-9*constant) {
				t.Errorf("%s: score %v by correlations, %v less the constant", name, fast.Score, slow.Score-constant)
			}
			if fast.Stats.Scans != slow.Stats.Scans || fast.Stats.Moves != slow.Stats.Moves || fast.Stats.Rounds != slow.Stats.Rounds {
				t.Errorf("%s: work %+v by correlations, %+v by the score", name, fast.Stats, slow.Stats)
			}
		}
	}
}
