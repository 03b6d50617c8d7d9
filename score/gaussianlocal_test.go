package score_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
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
		s := must.Get(score.NewGaussianLocal(correlations(8, max(n, 9), 1, uint64(seed)), n, 3))
		if err := kit.LocalScore(s, kit.LocalScoreSettings{MaxParents: 5}, uint64(seed)); err != nil {
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
	s := must.Get(score.NewGaussianLocal(r, n, 3))
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
		must.Near(t, s.Evaluator().Score(v, parents), want, 1e-9*n, "variable %d given %v", v, parents)
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
			fast := must.Get(search.Search(context.Background(), search.Problem{R: r, N: c.n, Knowledge: k}, s, nil))
			g := must.Get(score.NewGaussianLocal(r, c.n, fast.Penalty))
			slow := must.Get(search.Search(context.Background(), search.Problem{Score: g, Knowledge: k}, s, nil))
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

// byRows gives the rows of a matrix of correlations.
type byRows struct{ *matrix.Dense[float64] }

func (r byRows) Dim() int                            { return r.Rows }
func (r byRows) CorrelationRow(dst []float64, i int) { copy(dst, r.Row(i)) }

// Scores by rows that are computed on demand are those of a stored matrix, whether the rows are kept or not.
func TestScoresByRows(t *testing.T) {
	const d, n = 9, 200
	r := correlations(d, n, 0.5, 4)
	stored := must.Get(score.NewGaussianLocal(r, n, 5))
	bge := must.Get(score.NewBGe(r, n, score.DefaultBGe()))
	for _, values := range []int64{0, 4 * d, 1000} {
		lines := must.Get(score.GaussianLocalBy(byRows{r}, n, 5, score.NewRowMemory(values)))
		marginal := must.Get(score.BGeBy(byRows{r}, n, score.DefaultBGe(), score.NewRowMemory(values)))
		for _, pair := range [][2]search.Score{{lines, stored}, {marginal, bge}} {
			if err := kit.LocalScore(pair[0], kit.LocalScoreSettings{}, 1); err != nil {
				t.Errorf("%T, memory for %d values: %v", pair[0], values, err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			a, b := pair[0].Evaluator(), pair[1].Evaluator()
			for range 100 {
				v := rng.IntN(d)
				var set []int
				for x := range d {
					if x != v && rng.IntN(3) == 0 {
						set = append(set, x)
					}
				}
				if got, want := a.Score(v, set), b.Score(v, set); got != want {
					t.Fatalf("%T, memory for %d values: %v given %v: %v, want %v", pair[0], values, v, set, got, want)
				}
				got, want := make([]float64, d), make([]float64, d)
				a.Additions(got, v, set)
				b.Additions(want, v, set)
				for x := range got {
					if math.Abs(got[x]-want[x]) > 1e-9*math.Abs(want[x]) {
						t.Fatalf("%T: %v given %v and %d: %v, want %v", pair[0], v, set, x, got[x], want[x])
					}
				}
			}
		}
	}
	for _, price := range []float64{0, math.NaN(), math.Inf(1)} {
		if _, err := score.GaussianLocalBy(byRows{r}, n, price, score.NewRowMemory(0)); err == nil {
			t.Errorf("the price %v is taken", price)
		}
	}
}

// TestGaussianLocalAgainstR compares BIC of standardized columns of mtcars (mpg, wt, hp) with R 4.2.2:
//
//	s <- as.data.frame(scale(mtcars[, c("mpg", "wt", "hp")]) * sqrt(32 / 31))
//	-2 * logLik(lm(mpg ~ wt + hp, s)) + 2 * log(32); -2 * logLik(lm(mpg ~ 1, s))
//
// The intercept and the variance of a column cost the same in every graph, and are not charged.
func TestGaussianLocalAgainstR(t *testing.T) {
	const mpgWt, mpgHp, wtHp = -0.867659376517228, -0.776168371826586, 0.658747887344759
	r := matrix.Of(3, 3, []float64{1, mpgWt, mpgHp, mpgWt, 1, wtHp, mpgHp, wtHp, 1})
	s := must.Get(score.NewGaussianLocal(r, 32, math.Log(32)))
	eval := s.Evaluator()
	if got := eval.Score(0, []int{1, 2}); !(math.Abs(got-41.6403606403469) <= 1e-9) {
		t.Errorf("two parents: %v, R has 41.64036064", got)
	}
	if got := eval.Score(0, nil); !(math.Abs(got-90.8120661250991) <= 1e-9) {
		t.Errorf("no parents: %v, R has 90.81206613", got)
	}
}
