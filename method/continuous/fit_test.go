package continuous

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// drawn returns the moments of n rows of a random linear model, and the model.
func drawn(t testing.TB, n int, change func(*sim.Settings)) (*dataset.Moments, *sim.Model) {
	t.Helper()
	in, m := inputtest.Simulated(t, n, func(c *sim.Settings) {
		c.Standardize = true
		change(c)
	})
	return in.Moments, m
}

// slowLoss is the objective of one column by the regression of package score.
func slowLoss(t *testing.T, f *fits, v int, parents []int) float64 {
	t.Helper()
	reg := must.Get(score.Regress(f.r, v, parents))
	if f.scale2 != nil {
		return f.n*f.scale2[v]*reg.Residual + f.price*float64(len(parents))
	}
	return f.n*math.Log(reg.Residual) + f.price*float64(len(parents))
}

// TestFitAgainstRegressions checks that every number of a fit is the difference of two objectives, each from a
// separate regression.
func TestFitAgainstRegressions(t *testing.T) {
	const d = 12
	data, _ := drawn(t, 200, func(c *sim.Settings) { c.Nodes, c.Degree, c.Seed = d, 4, 3 })
	rng := rand.New(rand.NewPCG(1, 2))
	gains, drops := 0, 0
	for trial := range 200 {
		f := newFits(data.Correlation(), data.N, 6)
		if trial%2 == 1 {
			f.scale2 = make([]float64, d)
			for v := range d {
				f.scale2[v] = 0.5 + 3*rng.Float64()
			}
		}
		order := rng.Perm(d)
		v, parents := order[0], order[1:1+rng.IntN(6)]
		slices.Sort(parents)
		got, want := f.on(v, parents), slowLoss(t, f, v, parents)
		if !(math.Abs(got.loss-want) <= 1e-6) {
			t.Fatalf("the loss of %d on %v is %v, want %v", v, parents, got.loss, want)
		}
		for j, p := range parents {
			rest := slices.DeleteFunc(slices.Clone(parents), func(q int) bool { return q == p })
			if rise := slowLoss(t, f, v, rest) - want; !(math.Abs(rise-got.drop[j]) <= 1e-6) {
				t.Fatalf("dropping %d from %d on %v costs %v, want %v", p, v, parents, got.drop[j], rise)
			}
			drops++
		}
		for x := range d {
			if x == v || slices.Contains(parents, x) {
				continue
			}
			with := slices.Sorted(slices.Values(append(slices.Clone(parents), x)))
			by := max(0, want-slowLoss(t, f, v, with))
			if !(math.Abs(by-got.of(x)) <= 1e-6) {
				t.Fatalf("adding %d to %d on %v gains %v, want %v", x, v, parents, got.of(x), by)
			}
			if by > 0 {
				gains++
			}
		}
		if again := f.on(v, slices.Clone(parents)); again != got {
			t.Fatal("a fit that is known was computed again")
		}
	}
	if gains < 50 || drops < 50 {
		t.Errorf("%d gains and %d drops were compared, want more", gains, drops)
	}
}

// TestFitOfEqualColumns checks that a column that others determine neither divides by zero nor pays twice.
func TestFitOfEqualColumns(t *testing.T) {
	r := matrix.New[float64](3, 3)
	for i := range 3 {
		for j := range 3 {
			r.Set(i, j, 0.5)
		}
		r.Set(i, i, 1)
	}
	r.Set(0, 1, 1)
	r.Set(1, 0, 1)
	f := newFits(r, 100, 5)
	both := f.on(2, []int{0, 1})
	if !(math.Abs(both.left-0.75) <= 1e-12) || !(math.Abs(both.drop[1]+5) <= 1e-9) {
		t.Errorf("left %v, drops %v: the copy should cost its price and give nothing", both.left, both.drop)
	}
	if one := f.on(2, []int{0}); one.of(1) != 0 {
		t.Errorf("the copy gains %v", one.of(1))
	}
	if copied := f.on(1, []int{0}); math.IsInf(copied.loss, 0) || math.IsNaN(copied.loss) {
		t.Errorf("the loss of a copy is %v", copied.loss)
	}
}

// TestFitKeepsKnowledge checks that a forbidden parent has no gain, and that dropping a required one costs
// infinitely much.
func TestFitKeepsKnowledge(t *testing.T) {
	data, _ := drawn(t, 500, func(c *sim.Settings) { c.Nodes, c.Degree, c.Seed = 6, 3, 1 })
	f := newFits(data.Correlation(), data.N, 6)
	v, x := 0, -1
	for u := range 6 {
		for w := range 6 {
			if u != w && f.on(w, nil).of(u) > 0 {
				v, x = w, u
			}
		}
	}
	if x < 0 {
		t.Fatal("no column depends on another")
	}
	g := newFits(data.Correlation(), data.N, 6)
	g.forbidden = make([]bool, 36)
	g.forbidden[x*6+v] = true
	if g.on(v, nil).of(x) != 0 {
		t.Error("a forbidden parent gains something")
	}
	g.required[v] = []int{x}
	if d := g.on(v, []int{x}).drop[0]; !math.IsInf(d, 1) {
		t.Errorf("a required parent can be dropped for %v", d)
	}
}
