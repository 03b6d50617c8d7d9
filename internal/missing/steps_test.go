package missing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestChangeOfAStep checks that a step returns the largest change of a mean or a covariance, wherever it is.
func TestChangeOfAStep(t *testing.T) {
	nan := math.NaN()
	rows := []float64{1, 2, 0.5, 3, nan, 1.5, nan, 4, 2, 5, 1, nan, 2, 2, 2, 0, 3, 1}
	columns := facts(rows, 3)
	for _, c := range []struct {
		name   string
		change func(mu, s []float64)
		mean   bool
		at     int
	}{
		{"first mean", func(mu, s []float64) { mu[0] = 3 }, true, 0},
		{"second mean", func(mu, s []float64) { mu[1] = -3 }, true, 1},
		{"last mean", func(mu, s []float64) { mu[2] = 3 }, true, 2},
		{"first variance", func(mu, s []float64) { s[0] = 9 }, false, 0},
		{"last variance", func(mu, s []float64) { s[8] = 9 }, false, 8},
	} {
		g := &Gaussian{order: []int{0, 1, 2}, mu: make([]float64, 3), s: []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}}
		c.change(g.mu, g.s)
		mu, s := slices.Clone(g.mu), slices.Clone(g.s)
		g.invert()
		got := newExpectation(sortRows(rows, columns, g.order), 1).step(g.mu, g.s, g.inverse)
		want, mean, at := 0.0, false, 0
		for i := range mu {
			if change := math.Abs(mu[i] - g.mu[i]); change > want {
				want, mean, at = change, true, i
			}
		}
		for i := range s {
			if change := math.Abs(s[i] - g.s[i]); change > want {
				want, mean, at = change, false, i
			}
		}
		if mean != c.mean || min(at, at/3+at%3*3) != min(c.at, c.at/3+c.at%3*3) {
			t.Errorf("%s: the largest change is at %d, of a mean: %v", c.name, at, mean)
		}
		near(t, c.name, got, want, 1e-15)
	}
}

// TestStepsAreExtrapolated checks the limits of extrapolation with a mean whose changes shrink by a constant factor q: a = 1/(1-q) reaches the
// limit of the sequence. Up to a = 1 the parameters stay, and a is at most 20.
func TestStepsAreExtrapolated(t *testing.T) {
	for q, want := range map[float64]float64{-0.5: 0.5, 0.4: 1 / 0.6, 0.9: 10, 0.94: 1 / 0.06, 0.99: 2*20 - 20*20*0.01} {
		g := &Gaussian{mu: []float64{1 + q}, s: []float64{1}}
		g.extrapolate([]float64{0, 1}, []float64{1, 1}, []float64{1 + q, 1})
		near(t, "mean", g.mu[0], want, 1e-9)
		near(t, "variance", g.s[0], 1, 1e-12)
	}
}

// TestStartFromCorrelations checks that a fit starts from correlations times 0.98, and from smaller ones if those are not positive definite.
func TestStartFromCorrelations(t *testing.T) {
	rows := []float64{1, 2, 2, 1, 3, 4, 4, 3, 5, 5} // the correlation is 0.8
	g := &Gaussian{columns: facts(rows, 2), order: []int{0, 1}}
	g.startFromPairs(sortRows(rows, g.columns, g.order))
	for i, want := range []float64{1, 0.98 * 0.8, 0.98 * 0.8, 1} {
		near(t, "start", g.s[i], want, 1e-12)
	}
	// Pairs of columns with correlations 1, 1 and -1 in rows of their own have no common distribution. With correlations k, k and -k the
	// determinant is (1 - 2k)·(1 + k)², so k is the first of 0.98·0.9ⁱ below 0.5.
	nan := math.NaN()
	rows = nil
	for i := range 5 {
		x := float64(i)
		rows = append(rows, x, x, nan, x, nan, x, nan, x, -x)
	}
	g = &Gaussian{columns: facts(rows, 3), order: []int{0, 1, 2}}
	g.startFromPairs(sortRows(rows, g.columns, g.order))
	k := 0.98
	for k >= 0.5 {
		k *= 0.9
	}
	for i, want := range []float64{1, k, k, k, 1, -k, k, -k, 1} {
		near(t, "start of a contradiction", g.s[i], want, 1e-12)
	}
}

// TestInverseOfCollinearColumns checks that equal columns have a finite inverse and that others are not changed by it.
func TestInverseOfCollinearColumns(t *testing.T) {
	g := &Gaussian{order: []int{0, 1}, s: []float64{1, 0.5, 0.5, 1}}
	g.invert()
	for i, want := range []float64{4.0 / 3, -2.0 / 3, -2.0 / 3, 4.0 / 3} {
		near(t, "inverse", g.inverse[i], want, 1e-8)
	}
	g = &Gaussian{order: []int{0, 1}, s: []float64{1, 1, 1, 1}}
	g.invert()
	if x := g.inverse[3]; !(x > 1e7) || math.IsInf(x, 0) {
		t.Errorf("the inverse of equal columns has %v on its diagonal, want a large number", x)
	}
}

// TestPatternsOfManyColumns checks that rows that lack single columns have patterns of their own, beyond the first eight columns too.
func TestPatternsOfManyColumns(t *testing.T) {
	const d = 19
	var rows []float64
	order, columns := make([]int, d), make([]columnFacts, d)
	for j := range d {
		order[j], columns[j].std = j, 1
		for range 2 {
			row := make([]float64, d)
			row[j] = math.NaN()
			rows = append(rows, row...)
		}
	}
	got := sortRows(rows, columns, order)
	seen := map[int32]bool{}
	for _, p := range got.patterns {
		if len(p.lacks) != 1 || p.rows != 2 || seen[p.lacks[0]] {
			t.Errorf("pattern %v of %d rows, want two rows for each column", p.lacks, p.rows)
		}
		seen[p.lacks[0]] = true
	}
	if len(seen) != d {
		t.Errorf("%d patterns, want %d", len(seen), d)
	}
}

// TestLeastRowsOfMeans checks that ten rows with and without a value are needed, and a spread in one of them.
func TestLeastRowsOfMeans(t *testing.T) {
	for _, c := range []struct {
		name          string
		there, absent int
		spread        float64
		want          bool
	}{{"ten and ten", 10, 10, 1, true}, {"nine there", 9, 30, 1, false}, {"nine absent", 30, 9, 1, false}, {"no spread", 10, 10, 0, false}} {
		var rows []float64
		var absent []int32
		for i := range c.there + c.absent {
			x := c.spread * float64(i%3)
			if i >= c.there {
				absent = append(absent, int32(i))
				x++
			}
			rows = append(rows, x)
		}
		if p := newPredictor(rows, 1, 0, false).chance(absent); (p == p) != c.want {
			t.Errorf("%s: p-value %v, want one: %v", c.name, p, c.want)
		}
	}
}

// TestLeastRowsOfAPair checks that a pair of columns needs ten common rows for an edge of the tree.
func TestLeastRowsOfAPair(t *testing.T) {
	var x []int16
	for i := range 10 {
		x = append(x, int16(i%2))
	}
	if got := pairGain(x[:9], x[:9], 2, 2); got != 0 {
		t.Errorf("nine rows: gain %v, want 0", got)
	}
	near(t, "gain of ten rows", pairGain(x, x, 2, 2), 10*math.Ln2-0.5*math.Log(10), 1e-12)
}

// TestLeastNoise checks that a column that others determine keeps noise of a hundredth of its standard deviation, and that a constant
// column has a unit of 1.
func TestLeastNoise(t *testing.T) {
	var rows []float64
	for i := range 8000 {
		x := float64(i%20) - 9.5
		rows = append(rows, x, x)
	}
	columns, coded := codedRows(rows, 2, []bool{false, false})
	near(t, "noise of a copy", fitAdditive(coded, 2, 1, []int{0}, columns).sigma, 0.01, 1e-12)
	constant := newNetColumns([]float64{5, 5, 5}, 1, []bool{false})[0]
	near(t, "code of 6", constant.code(6), 1, 1e-12)
}

// TestDrawsStayInTheRange checks that a proposal beyond the values of a column is its smallest or largest one.
func TestDrawsStayInTheRange(t *testing.T) {
	g := fitted(t, chain(200, 2, 0, 3), 2, false, [][]int{nil, {0}})
	s := newGibbs(g)
	s.random = rand.New(rand.NewPCG(1, 1))
	if got := s.near(0, -50, 1); got != g.columns[0].low {
		t.Errorf("a draw far below is %v, want %v", got, g.columns[0].low)
	}
	if got := s.near(0, 50, 1); got != g.columns[0].high {
		t.Errorf("a draw far above is %v, want %v", got, g.columns[0].high)
	}
}
