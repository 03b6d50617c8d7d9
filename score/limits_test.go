package score

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/search"
)

// Settings are valid up to their limits.
func TestLimitsOfSettings(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		what   string
		change func(s *DiscreteSettings)
		valid  bool
	}{
		{"defaults", func(s *DiscreteSettings) {}, true},
		{"BIC without Ess", func(s *DiscreteSettings) { s.Criterion, s.Ess = BIC, 0 }, true},
		{"no criterion", func(s *DiscreteSettings) { s.Criterion = BDeu + BIC + 1 }, false},
		{"smallest Ess", func(s *DiscreteSettings) { s.Ess = 1e-6 }, true}, {"smaller Ess", func(s *DiscreteSettings) { s.Ess = 9e-7 }, false},
		{"largest Ess", func(s *DiscreteSettings) { s.Ess = 1e9 }, true}, {"larger Ess", func(s *DiscreteSettings) { s.Ess = 1.1e9 }, false},
		{"no Gamma", func(s *DiscreteSettings) { s.Gamma = 0 }, true}, {"negative Gamma", func(s *DiscreteSettings) { s.Gamma = -0.1 }, false}, {"infinite Gamma", func(s *DiscreteSettings) { s.Gamma = inf }, false},
		{"no cells", func(s *DiscreteSettings) { s.CellsPerRow = 0 }, false}, {"infinite cells", func(s *DiscreteSettings) { s.CellsPerRow = inf }, false},
		{"either tables", func(s *DiscreteSettings) { s.Tables = EitherTables }, true}, {"other tables", func(s *DiscreteSettings) { s.Tables = EitherTables + 1 }, false}, {"negative tables", func(s *DiscreteSettings) { s.Tables = -1 }, false},
		{"full weight", func(s *DiscreteSettings) { s.Weight = 1 }, true}, {"larger weight", func(s *DiscreteSettings) { s.Weight = 1.1 }, false}, {"negative weight", func(s *DiscreteSettings) { s.Weight = -0.1 }, false}, {"NaN", func(s *DiscreteSettings) { s.Weight = nan }, false},
	} {
		s := DefaultDiscrete()
		c.change(&s)
		if err := s.Validate(); (err == nil) != c.valid {
			t.Errorf("%s: %v, want valid: %v", c.what, err, c.valid)
		}
	}
	for _, c := range []struct {
		s     SmoothSettings
		valid bool
	}{
		{DefaultSmoothSettings(), true}, {SmoothSettings{}, false}, {SmoothSettings{Linear: true}, true}, {SmoothSettings{Strengths: []float64{1}}, true}, {SmoothSettings{Strengths: []float64{0}}, false},
		{SmoothSettings{Strengths: []float64{inf}}, false}, {SmoothSettings{Linear: true, PairStrength: -1}, false}, {SmoothSettings{Linear: true, PairStrength: inf}, false},
	} {
		if err := c.s.Validate(); (err == nil) != c.valid {
			t.Errorf("%+v: %v, want valid: %v", c.s, err, c.valid)
		}
	}
}

// A regression is crowded with as many functions as rows, or with more than a quarter of the rows and more than ten.
func TestCrowdedRegressions(t *testing.T) {
	for _, c := range []struct {
		rows      float64
		functions int
		want      bool
	}{{8, 7, false}, {8, 8, true}, {20, 10, false}, {20, 11, true}, {40, 10, false}, {44, 11, false}, {100, 25, false}, {100, 26, true}} {
		if got := (&mixedFit{Mixed: &Mixed{n: c.rows}}).crowded(c.functions); got != c.want {
			t.Errorf("%d functions and %v rows: crowded %v, want %v", c.functions, c.rows, got, c.want)
		}
	}
	for price, valid := range map[float64]bool{0: false, -1: false, math.Inf(1): false, 2: true} {
		m := dataset.NewMoments([]string{"a"})
		r := &dataset.Environments{Names: []string{"x", "y"}, Targets: make([][]int, 2), Moments: []*dataset.Moments{m, m}}
		if _, err := NewChanging(m, r, []int{1}, price); (err == nil) != valid {
			t.Errorf("a penalty of %v per parameter: %v, want valid: %v", price, err, valid)
		}
	}
	if b, err := NewByColumn([]search.Score{nil}, []int{0, 0}); err != nil || b.Price() != 1 {
		t.Errorf("a score without usable rows: %v, %v, want a penalty of 1", b, err)
	}
}

// handmade returns blocks of variables with these numbers of functions, all uncorrelated except that the first curve of variable 0 explains a
// part of variable 1.
func handmade(n int, functions []int, crossed int, share float64) *Blocks {
	b := &Blocks{N: n, Start: []int{0}, Levels: make([]bool, len(functions)), Crossed: crossed}
	curved := 0
	for _, k := range functions {
		b.Start = append(b.Start, b.Start[len(b.Start)-1]+k)
		if k > 1 {
			curved++
		}
	}
	all := b.Start[len(functions)] + crossed*crossed*curved*(curved-1)/2
	b.Gram, b.Mean = matrix.New[float64](all, all), make([]float64, all)
	for i := range all {
		b.Gram.Set(i, i, 1)
	}
	b.Gram.Set(1, b.Start[1], share)
	b.Gram.Set(b.Start[1], 1, share)
	return b
}

// Two curved variables have nonlinear effects. With another variable that is not curved, these must gain 10 + 0.05·n more than their
// penalty. The prior on graphs is 2·ln (d-1 choose k), and an edge costs ln(n + 1) more.
func TestCurvesOfFlexible(t *testing.T) {
	const n = 1000
	for _, c := range []struct {
		functions []int
		smooth    bool
		margin    float64
	}{{[]int{3, 3}, true, 0}, {[]int{3, 1}, false, 60}, {[]int{3, 3, 1}, true, 60}, {[]int{3, 3, 3}, true, 0}} {
		share := 0.6
		s := must.Get(NewFlexible(handmade(n, c.functions, 0, share), DefaultSmoothSettings()))
		if (s.smooth != nil) != c.smooth || s.Equivalent() == c.smooth || s.Bent(0) != c.smooth {
			t.Errorf("%v functions: curves %v, want %v", c.functions, s.smooth != nil, c.smooth)
		}
		if !c.smooth {
			if got := s.CurvePrior(1, nil); !math.IsNaN(got) {
				t.Errorf("%v functions: prior %v, want NaN", c.functions, got)
			}
			continue
		}
		d := float64(len(c.functions))
		if got, want := s.Evaluator().Score(1, []int{0}), s.smooth.Evaluator().Score(1, []int{0})+c.margin; !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("%v functions: score %v, want %v", c.functions, got, want)
		}
		if got := s.CurvePrior(1, []int{0}); !(math.Abs(got-2*math.Log(d-1)) <= 1e-12) || s.CurvePrior(1, nil) != 0 || !math.IsNaN(s.CurvePrior(0, []int{1})) && c.margin > 0 {
			t.Errorf("%v functions: prior %v, want %v", c.functions, got, 2*math.Log(d-1))
		}
		must.Near(t, s.smooth.Price(), 2*math.Log(d-1)+math.Log(n+1), 1e-9, "%v functions: penalty", c.functions)
	}
	for crossed, want := range []bool{false, true} {
		s := must.Get(NewFlexible(handmade(n, []int{3, 3, 1}, crossed, 0.6), DefaultSmoothSettings()))
		if s.Products(0, 1) != want || s.Products(1, 0) != want || s.Products(0, 2) || s.Products(2, 0) {
			t.Errorf("products of %d functions: %v and %v, want %v, and none with a straight variable", crossed, s.Products(0, 1), s.Products(0, 2), want)
		}
		if line := s.Straight([]int{0}); line.Products(0, 1) || line.Products(1, 0) || line.Bent(0) || !line.Bent(1) {
			t.Error("a straightened variable has products or curves")
		}
	}
}

// Noise of any shape needs twice as many rows as parents, and two more, of the table and of the sample. A determined column has a finite score.
func TestParentsOfFreeNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	fit := func(d, n, rows int, copies bool) *NoiseFit {
		r := matrix.New[float64](d, d)
		sample := make([]float64, d*rows)
		for i := range sample {
			sample[i] = rng.NormFloat64()
		}
		for i := range d {
			r.Set(i, i, 1)
		}
		if copies {
			r.Set(0, 1, 1)
			r.Set(1, 0, 1)
		}
		f := must.Get(NewFreeNoise(r, n, 3, sample, 1))
		return f.Fit()
	}
	for _, c := range []struct {
		d, n, rows, most int
	}{{5, 6, 100, 2}, {52, 1000, 100, 49}} {
		f := fit(c.d, c.n, c.rows, false)
		var parents []int
		for p := 1; p <= c.most+1; p++ {
			parents = append(parents, p)
		}
		if got := f.Score(0, parents[:c.most]); math.IsInf(got, 0) {
			t.Errorf("%d parents: %v, want a finite score", c.most, got)
		}
		if got := f.Score(0, parents); !math.IsInf(got, 1) {
			t.Errorf("%d parents: %v, want +Inf", c.most+1, got)
		}
		if c.n == 6 {
			if a, b := f.Gaussian().Fit().Score(0, parents[:2]), f.Gaussian().Fit().Score(0, parents); math.IsInf(a, 0) || !math.IsInf(b, 1) {
				t.Errorf("Gaussian scores of 2 and 3 parents: %v and %v, want +Inf for the second", a, b)
			}
		}
	}
	f := fit(3, 200, 100, true)
	want := 200*(1+math.Log(2*math.Pi)) + 200*math.Log(chol.Determined) + 3
	must.Near(t, f.Gaussian().Fit().Score(0, []int{1}), want, 1e-6, "Gaussian score of a determined column")
	must.Near(t, f.Score(0, []int{1}), want, 1e-6, "score of a determined column")
	for i := range tiltTable {
		u := 6 * (2*(float64(i)+0.5)/4096 - 1)
		if want := min(63, int(math.Erfc(-u/math.Sqrt2)/2*64)); int(class(u)) != want {
			t.Errorf("class of %v: %d, want %d", u, class(u), want)
		}
	}
}

// The penalties of additive effects are what the scores of the table without parents and with one exceed twice the negative log-likelihood
// by, also for columns of many categories. A pair of columns with too many cells has the penalty ln n·(r - 1)·(s - 1) + 2·ln d.
func TestPenaltiesOfAdditiveEffects(t *testing.T) {
	const n = 900
	levels := []int{2, 3, counts.MostLevels + 2, 5}
	columns := randomTable(rand.New(rand.NewPCG(5, 1)), n, levels)
	likelihood := func(v, x int) (sum float64) { // x = -1 for no parent
		cells, configs := map[[2]int]float64{}, map[int]float64{}
		for i := range n {
			k := 0
			if x >= 0 {
				k = columns[x][i]
			}
			cells[[2]int{columns[v][i], k}]++
			configs[k]++
		}
		for c, m := range cells {
			sum += 2 * m * math.Log(m/configs[c[1]])
		}
		return sum
	}
	for _, cellsPerRow := range []float64{5, 13. / n} {
		d := eitherTables(t, columns, func(s *DiscreteSettings) { s.CellsPerRow = cellsPerRow })
		e := d.evaluator()
		for v := range levels {
			must.Near(t, d.additive.none[v], e.full(v, nil)+likelihood(v, -1), 1e-6, "penalty of column %d", v)
			for x := range levels {
				if x == v {
					continue
				}
				want := e.full(v, []int{x}) - e.full(v, nil) + likelihood(v, x) - likelihood(v, -1)
				if price := math.Log(n)*float64((levels[v]-1)*(levels[x]-1)) + 2*math.Log(4); float64(levels[v]*levels[x]) > cellsPerRow*n {
					want = price
				}
				must.Near(t, d.additive.pair[v*4+x], want, 1e-6, "%v cells per row, penalty of %d with parent %d", cellsPerRow, v, x)
			}
		}
		// Scores of two columns with the same parents differ.
		one, two := d.evaluator(), d.evaluator()
		one.Score(0, []int{1, 2})
		if a, b := one.Score(3, []int{1, 2}), two.Score(3, []int{1, 2}); a != b {
			t.Errorf("score %v after that of another column, want %v", a, b)
		}
		// A full table with too many cells leaves additive effects.
		want := e.additive(0, []int{1, 3}) + 2*math.Ln2
		if full := e.full(0, []int{1, 3}); full < want-2*math.Ln2 {
			want = full + 2*math.Ln2
		}
		if got := e.Score(0, []int{1, 3}); !(math.Abs(got-want) <= 1e-6) || (cellsPerRow < 1) != math.IsInf(e.full(0, []int{1, 3}), 1) {
			t.Errorf("%v cells per row: score %v, want %v", cellsPerRow, got, want)
		}
	}
}

// Additions and removals are above or below the present score where the score is. They are scores if they are within 0.3 penalties of it.
// The sum of two columns modulo 2 has the score of a full table.
func TestAdditionsOfEitherTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	const n = 600
	for _, levels := range []int{2, 3} {
		columns := randomTable(rng, n, []int{levels, 2, 3, 2, counts.MostLevels + 1, 2})
		for i := range n {
			columns[0][i] = (columns[1][i] + columns[3][i]) % 2
			if columns[2][i] > 0 && rng.IntN(3) > 0 {
				columns[0][i] = levels - 1
			}
			if rng.IntN(10) == 0 {
				columns[0][i] = rng.IntN(levels)
			}
		}
		for _, parents := range [][]int{{1}, {1, 2}, {1, 2, 3}, {1, 4}, {1, 2, 3, 5}} {
			d := eitherTables(t, columns, nil)
			dst, slow := make([]float64, 6), d.evaluator()
			now := slow.Score(0, parents)
			check := func(what string, set []int, x int, got float64) {
				t.Helper()
				want := slow.Score(0, set)
				near := math.Abs(got-now) < 0.3*d.additive.pair[x] || len(set) == 2 && set[0] == 1 && set[1] == 3
				if near && !(math.Abs(got-want) <= 0.05) || got < now && want > now+0.05 || got > now && want < now-0.05 {
					t.Errorf("%d categories, parents %v: %s %v has %v, the score is %v and was %v", levels, parents, what, set, got, want, now)
				}
			}
			d.evaluator().Additions(dst, 0, parents)
			for x := 1; x < 6; x++ {
				if !slices.Contains(parents, x) {
					check("addition", intset.With(parents, x), x, dst[x])
				}
			}
			d.evaluator().Removals(dst, 0, parents)
			for j, x := range parents {
				check("removal", intset.Without(parents, x), x, dst[j])
			}
		}
	}
}

// The linear model of a curved parent has the strength 1, and those of the curves above 1. A parent that is not curved has 1 under every
// prior. With one parent whose correlation is r the score is n·ln(1 - r²/(1 + 1/(n·g))) + ln(n·g + 1) + 2·ln (d-1).
func TestLinearStrengths(t *testing.T) {
	const n = 100
	for _, r := range []float64{0.3, 0.9, 0.99999} {
		for _, c := range []struct {
			strengths []float64
			curved    bool
			g         []float64
		}{
			{nil, true, []float64{1}}, {[]float64{0.5, 1}, true, []float64{1}}, {[]float64{1.5}, true, []float64{1, 1.5}}, {[]float64{10, 0.1}, true, []float64{1, 10}},
			{nil, false, []float64{1}}, {[]float64{10, 0.1}, false, []float64{1}},
		} {
			b := &Blocks{N: n, Start: []int{0, 1, 2, 5}, Levels: make([]bool, 3), Gram: matrix.New[float64](5, 5)}
			for i := range 5 {
				b.Gram.Set(i, i, 1)
			}
			parent := 1
			if c.curved {
				parent = 2
			}
			b.Gram.Set(0, b.Start[parent], r)
			b.Gram.Set(b.Start[parent], 0, r)
			s := must.Get(NewSmooth(b, SmoothSettings{Strengths: c.strengths, Linear: true}))
			want := math.Inf(1)
			for _, g := range c.g {
				want = min(want, n*math.Log(1-r*r/(1+1/(n*g)))+math.Log(n*g+1)+2*math.Log(2))
			}
			if got := s.Evaluator().Score(0, []int{parent}); !(math.Abs(got-want) <= 1e-9*n) {
				t.Errorf("correlation %v, strengths %v, curved %v: score %v, want %v", r, c.strengths, c.curved, got, want)
			}
		}
	}
}
