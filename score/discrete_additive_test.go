package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
)

// eitherTables returns the score of the better of full tables and additive effects.
func eitherTables(t *testing.T, columns [][]int, change func(*DiscreteSettings)) *Discrete {
	t.Helper()
	table := must.Get(counts.New(columns, counts.Rows{}))
	s := DefaultDiscrete()
	s.Tables = EitherTables
	if change != nil {
		change(&s)
	}
	return must.Get(NewDiscrete(table, s))
}

// Additive effects are considered for up to three parents, and for more of them if they have at most 256 configurations.
func TestConfigurationsOfAdditiveEffects(t *testing.T) {
	for _, c := range []struct {
		levels []int // of the parents
		fits   bool
	}{
		{[]int{7, 7, 7}, true},
		{[]int{4, 4, 4, 4}, true},
		{[]int{5, 4, 4, 4}, false},
		{[]int{2, 2, 2, 2, 2, 2, 2, 2}, true},
		{[]int{2, 2, 2, 2, 2, 2, 2, 2, 2}, false},
	} {
		rng := rand.New(rand.NewPCG(4, 1))
		columns := randomTable(rng, 200, append([]int{2}, c.levels...))
		parents := make([]int, len(c.levels))
		for i := range parents {
			parents[i] = i + 1
		}
		e := eitherTables(t, columns, nil).evaluator()
		if got := !math.IsInf(e.additive(0, parents), 1); got != c.fits {
			t.Errorf("parents with %v categories: additive effects are considered %v, want %v", c.levels, got, c.fits)
		}
	}
}

// The choice between a full table and additive effects costs one bit, 2·ln 2 on the scale of -2 log-likelihood. There is no choice with one
// parent or with additive effects alone.
func TestChoiceCostsOneBit(t *testing.T) {
	columns := randomTable(rand.New(rand.NewPCG(4, 2)), 300, []int{2, 3, 2, 2})
	bit := math.Log(4)
	for _, parents := range [][]int{{1}, {0, 1}, {1, 2}, {0, 1, 2}} {
		e := eitherTables(t, columns, nil).evaluator()
		want := e.full(3, parents)
		if len(parents) > 1 {
			want = min(want, e.additive(3, parents)) + bit
		}
		must.Near(t, e.Score(3, parents), want, 1e-9*math.Abs(want), "parents %v: score", parents)
		alone := eitherTables(t, columns, func(s *DiscreteSettings) { s.Tables = AdditiveTables }).evaluator()
		if len(parents) > 1 {
			want = alone.additive(3, parents)
		}
		must.Near(t, alone.Score(3, parents), want, 1e-9*math.Abs(want), "additive effects alone, parents %v: score", parents)
	}
}

// The estimate of a candidate is the score statistic of its documentation. With one parent P(y | j) is the share of rows with y among those
// with category j of the parent, so that the statistic follows from counts.
func TestEstimateOfCandidates(t *testing.T) {
	for _, levels := range [][]int{{2, 3, 4, 2}, {3, 2, 3, 3}, {2, 2, 2, 2}} {
		columns := randomTable(rand.New(rand.NewPCG(4, 3)), 240, levels)
		d := eitherTables(t, columns, nil)
		e := d.evaluator()
		parents, v := []int{0}, 3
		e.prepare(make([]float64, 4), v, parents)
		if !e.counter.Joined(v, parents, e.visitKept) && !e.counter.Extend(v, parents, e.visitKept) {
			t.Fatal("the candidates are not counted together")
		}
		e.loadParents(v, parents)
		e.fit.solve(1e-12)
		e.estimate()
		for _, p := range e.parts {
			r, s := levels[v], levels[p.x]
			sum := 0.0
			for l := range s {
				for y := range r {
					u, variance := 0.0, 0.0
					for j := range levels[0] {
						var n, ny, nl, nly float64
						for i := range columns[0] {
							if columns[0][i] != j {
								continue
							}
							n++
							if columns[v][i] == y {
								ny++
							}
							if columns[p.x][i] == l {
								nl++
								if columns[v][i] == y {
									nly++
								}
							}
						}
						u += nly - nl*ny/n
						variance += ny / n * (1 - ny/n) * nl * (1 - nl/n)
					}
					sum += u * u / variance
				}
			}
			want := sum * float64((r-1)*(s-1)) / float64(r*s)
			must.Near(t, p.estimate, want, 1e-4*want, "categories %v, candidate %d: estimate", levels, p.x)
		}
		if len(e.parts) != 2 {
			t.Errorf("%d candidates, want 2", len(e.parts))
		}
	}
}

// A removal without additive effects is worth the penalty of the edge over one plus the score gain of the parent alone, if it has a gain.
func TestWeakestParent(t *testing.T) {
	d := eitherTables(t, randomTable(rand.New(rand.NewPCG(4, 4)), 300, []int{2, 3, 2, 4}), nil)
	e := d.evaluator()
	signs := map[bool]int{}
	for v := range 4 {
		for x := range 4 {
			if x == v {
				continue
			}
			gain := e.full(v, nil) - e.full(v, []int{x})
			signs[gain > 0]++
			want := 1000 - d.additive.pair[4*v+x]/(1+max(0, gain))
			must.Near(t, e.weakest(1000, v, x), want, 1e-9, "child %d, parent %d", v, x)
		}
	}
	if signs[true] == 0 || signs[false] == 0 {
		t.Errorf("%d gains and %d losses: the test needs another table", signs[true], signs[false])
	}
}

// Newton's method fits at most 40 parameters: an intercept and one for every category of a parent but the first.
func TestParametersOfNewtonsMethod(t *testing.T) {
	for _, c := range []struct {
		levels []int
		fits   bool
	}{{[]int{40}, true}, {[]int{41}, false}, {[]int{20, 21}, true}, {[]int{20, 22}, false}} {
		var f logit
		f.reset(2, c.levels)
		at := make([]int32, len(c.levels))
		for i := range c.levels {
			for l := range c.levels[i] {
				clear(at)
				at[i] = int32(l)
				f.add(at, []uint32{uint32(3 + l%3), uint32(4 + l%2)})
			}
		}
		if got := f.newton(1e-6); got != c.fits {
			t.Errorf("parents with %v categories: Newton's method is used %v, want %v", c.levels, got, c.fits)
		}
	}
}

// For a binary parent the Wald statistic is the squared log odds ratio over its variance, the sum of the reciprocal counts. Other parents
// have none.
func TestWaldOfAnOddsRatio(t *testing.T) {
	var f logit
	f.reset(2, []int{2})
	f.add([]int32{0}, []uint32{30, 70})
	f.add([]int32{1}, []uint32{55, 20})
	if !f.newton(1e-9) {
		t.Fatal("Newton's method does not converge")
	}
	ratio := math.Log(30. * 20 / (70 * 55))
	want := ratio * ratio / (1./30 + 1./70 + 1./55 + 1./20)
	got := []float64{0}
	if f.wald(got); !(math.Abs(got[0]/want-1) <= 1e-3) {
		t.Errorf("Wald statistic %v, want %v", got[0], want)
	}
	f.reset(2, []int{3})
	f.add([]int32{0}, []uint32{30, 70})
	f.add([]int32{1}, []uint32{55, 20})
	f.add([]int32{2}, []uint32{5, 20})
	if !f.newton(1e-9) {
		t.Fatal("Newton's method does not converge")
	}
	if f.wald(got); !math.IsNaN(got[0]) {
		t.Errorf("a parent with three categories has the Wald statistic %v, want NaN", got[0])
	}
}

// A removal after which there are still more than three parents with more than 256 configurations has the value of weakest. The others
// have a score.
func TestRemovalsWithManyConfigurations(t *testing.T) {
	for _, c := range []struct {
		levels []int
		scored []bool // by removed parent
	}{
		{[]int{2, 3, 5, 5, 5}, []bool{false, true, true, true, true}}, // 375, 250 and 150 configurations
		{[]int{5, 5, 5, 5, 5}, []bool{false, false, false, false, false}},
		{[]int{7, 7, 7, 7}, []bool{true, true, true, true}},
	} {
		columns := randomTable(rand.New(rand.NewPCG(4, 5)), 2000, append([]int{2}, c.levels...))
		parents := make([]int, len(c.levels))
		for i := range parents {
			parents[i] = i + 1
		}
		d := eitherTables(t, columns, nil)
		got, slow := make([]float64, len(parents)), d.evaluator()
		d.evaluator().Removals(got, 0, parents)
		now := slow.Score(0, parents)
		for j, x := range parents {
			want := slow.weakest(now, 0, x)
			if scored := !(math.Abs(got[j]-want) <= 1e-9*(1+math.Abs(want))); math.IsInf(now, 1) || scored != c.scored[j] {
				t.Errorf("parents with %v categories, %d removed: %v, weakest %v, want a score: %v", c.levels, x, got[j], want, c.scored[j])
			}
		}
	}
}
