package score

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
)

// slowLogit maximizes the log-likelihood of additive effects by gradient ascent over all rows.
func slowLogit(columns [][]int, levels []int, v int, parents []int) float64 {
	r, n := levels[v], len(columns[v])
	var theta [5][5][5]float64 // parent from 1 (0 for the intercept), its category, category of v
	p := make([]float64, r)
	probabilities := func(i int) {
		sum := 0.0
		for y := range p {
			u := theta[0][0][y]
			for _, x := range parents {
				u += theta[x+1][columns[x][i]][y]
			}
			p[y] = math.Exp(u)
			sum += p[y]
		}
		for y := range p {
			p[y] /= sum
		}
	}
	for range 3000 {
		var gradient [5][5][5]float64
		for i := range n {
			probabilities(i)
			for y := range p {
				g := -p[y]
				if columns[v][i] == y {
					g++
				}
				gradient[0][0][y] += g
				for _, x := range parents {
					gradient[x+1][columns[x][i]][y] += g
				}
			}
		}
		for x := range theta {
			for k := range theta[x] {
				for y := range theta[x][k] {
					theta[x][k][y] += 0.8 * gradient[x][k][y] / float64(n)
				}
			}
		}
	}
	l := 0.0
	for i := range n {
		probabilities(i)
		l += math.Log(p[columns[v][i]])
	}
	return l
}

func randomTable(rng *rand.Rand, n int, levels []int) [][]int {
	columns := make([][]int, len(levels))
	for v, r := range levels {
		columns[v] = make([]int, n)
		for i := range n {
			if columns[v][i] = rng.IntN(r); v > 0 && rng.IntN(2) == 0 {
				columns[v][i] = (columns[v-1][i] + columns[0][i]) % r
			}
		}
	}
	return columns
}

func TestLogitAgainstGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, levels := range [][]int{{2, 2, 2, 2}, {3, 2, 4, 2}, {2, 3, 2, 3}} {
		columns := randomTable(rng, 120, levels)
		for v := range levels {
			var parents []int
			for x := range levels {
				if x != v {
					parents = append(parents, x)
				}
			}
			table := must.Get(counts.New(columns, counts.Rows{}))
			s := DefaultDiscrete()
			s.Tables = EitherTables
			d := must.Get(NewDiscrete(table, s))
			e := d.evaluator()
			e.additive(v, parents)
			got, want := e.fit.solve(1e-9), slowLogit(columns, levels, v, parents)
			must.Near(t, got, want, 1e-2, "levels %v, child %d: log-likelihood", levels, v)
			e.fit.scaled(1e-9)
			if again := e.fit.likelihood(); !(math.Abs(got-again) <= 1e-3) {
				t.Errorf("levels %v, child %d: log-likelihood %v by Newton's method, %v by proportional fitting", levels, v, got, again)
			}
		}
	}
}

// With one parent additive effects are the full table, so both directions of a pair have the same score. A chain has no collider, and its
// three graphs have the same score too.
func TestAdditiveScoresOfPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	table := must.Get(counts.New(randomTable(rng, 500, []int{2, 3, 2, 5}), counts.Rows{}))
	s := DefaultDiscrete()
	s.Tables = EitherTables
	d := must.Get(NewDiscrete(table, s))
	e := d.Evaluator()
	for x := range 4 {
		for y := range x {
			a := e.Score(x, nil) + e.Score(y, []int{x})
			b := e.Score(y, nil) + e.Score(x, []int{y})
			if !(math.Abs(a-b) <= 1e-9*math.Abs(a)) {
				t.Errorf("%d and %d: %v and %v", x, y, a, b)
			}
			if p, q := d.additive.pair[4*x+y], d.additive.pair[4*y+x]; !(math.Abs(p-q) <= 1e-9*math.Abs(a)) {
				t.Errorf("%d and %d: penalties %v and %v", x, y, p, q)
			}
		}
	}
}

// Additive effects win where the table is additive, full tables where parents interact, and Additions and Removals agree with Score about
// what improves the score.
func TestAdditiveChoosesTheForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const n = 4000
	columns := make([][]int, 6)
	for v := range columns {
		columns[v] = make([]int, n)
	}
	bit := func(p float64) int {
		if rng.Float64() < p {
			return 1
		}
		return 0
	}
	for i := range n {
		sum := -1.5
		for x := range 3 {
			columns[x][i] = bit(0.4)
			sum += 1.2 * float64(columns[x][i])
		}
		columns[3][i] = bit(1 / (1 + math.Exp(-sum)))
		columns[4][i] = bit(0.1 + 0.8*float64(columns[0][i]^columns[1][i]))
		columns[5][i] = bit(0.5)
	}
	table := must.Get(counts.New(columns, counts.Rows{}))
	s := DefaultDiscrete()
	s.Tables = EitherTables
	d := must.Get(NewDiscrete(table, s))
	e := d.evaluator()
	if !e.Additive(3, []int{0, 1, 2}) || e.Additive(4, []int{0, 1}) || e.Additive(3, []int{0}) {
		t.Errorf("additive %v, interaction %v, one parent %v", e.Additive(3, []int{0, 1, 2}), e.Additive(4, []int{0, 1}), e.Additive(3, []int{0}))
	}
	if !e.Additive(3, []int{0, 1}) {
		t.Error("two parents without an interaction have a full table")
	}
	with, gone := make([]float64, 6), make([]float64, 3)
	now := e.Score(3, []int{0, 1})
	e.Additions(with, 3, []int{0, 1})
	if with[2] >= now || with[5] < now {
		t.Errorf("score %v, with the third parent %v, with an unrelated column %v", now, with[2], with[5])
	}
	now = d.evaluator().Score(3, []int{0, 1, 5})
	e.Removals(gone, 3, []int{0, 1, 5})
	if gone[2] >= now || gone[0] < now || gone[1] < now {
		t.Errorf("score %v, without each parent %v", now, gone)
	}
}

// Removals of additive effects from one count agree with Score near the decision, for few and for many configurations, with and without
// cached counts.
func TestAdditiveRemovalsAgainstScore(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	const n, d = 3000, 11
	columns := make([][]int, d)
	for v := range columns {
		columns[v] = make([]int, n)
	}
	for i := range n {
		sum := 0.0
		for v := range d {
			columns[v][i] = rng.IntN(2 + v%3/2)
			if v != 4 {
				sum += []float64{0.8, 0.1, 0, -0.5}[v%4] * float64(columns[v][i])
			}
		}
		columns[4][i] = 0
		if rng.Float64() < 1/(1+math.Exp(-sum)) {
			columns[4][i] = 1
		}
	}
	table := must.Get(counts.New(columns, counts.Rows{}))
	s := DefaultDiscrete()
	s.Tables = EitherTables
	discrete := must.Get(NewDiscrete(table, s))
	fitted := 0
	for _, parents := range [][]int{{0, 1, 2}, {0, 3, 5, 7}, {1, 2, 3, 6, 8, 9}, {0, 1, 3, 5, 6, 7, 9}, {0, 1, 2, 3, 5, 6, 7, 8}, {0, 1, 2, 3, 5, 6, 7, 8, 9, 10}} {
		for _, cached := range []bool{false, true} {
			e, slow := discrete.evaluator(), discrete.evaluator()
			if cached {
				e.Additions(make([]float64, d), 4, parents)
			}
			gone := make([]float64, len(parents))
			e.Removals(gone, 4, parents)
			now := slow.Score(4, parents)
			for j := range parents {
				rest := slices.Delete(slices.Clone(parents), j, j+1)
				want, fits := slow.Score(4, rest), discrete.fits(slow.configs(rest), len(rest))
				if math.Abs(gone[j]-want) <= 0.01 { // a fit, from parameters near it
					fitted++
				} else if fits && !(math.Abs(gone[j]-want) <= 0.3*math.Abs(want-now)+0.5) {
					t.Errorf("cached %v, parents %v without %d: %v, Score %v, with all %v", cached, parents, parents[j], gone[j], want, now)
				}
			}
		}
	}
	if fitted < 10 {
		t.Errorf("%d removals are fitted, want at least 10", fitted)
	}
}

// The counts of all candidates together give the log-likelihood of the full table of each, Σ n·ln(n/N) over cells n of configurations with N
// rows, for both criteria and also where the full table has too many cells for a score.
func TestLikelihoodsOfCandidates(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	levels := []int{2, 3, 4, 3}
	columns := randomTable(rng, 120, levels)
	table := must.Get(counts.New(columns, counts.Rows{}))
	for _, criterion := range []Criterion{BIC, BDeu} {
		for _, c := range []struct {
			cellsPerRow float64
			kept        bool
		}{{0.1, true}, {100, true}, {100, false}} {
			cellsPerRow := c.cellsPerRow
			s := DefaultDiscrete()
			s.Tables, s.Criterion, s.CellsPerRow = EitherTables, criterion, cellsPerRow
			d := must.Get(NewDiscrete(table, s))
			e := d.evaluator()
			e.prepare(make([]float64, 4), 3, []int{0})
			e.kept.on = c.kept
			if !e.counter.Joined(3, []int{0}, e.visitKept) && !e.counter.Extend(3, []int{0}, e.visitKept) {
				t.Fatal("the candidates are not counted together")
			}
			for i, p := range e.parts {
				cells, configs := map[[3]int]float64{}, map[[2]int]float64{}
				for i := range columns[0] {
					cells[[3]int{columns[0][i], columns[p.x][i], columns[3][i]}]++
					configs[[2]int{columns[0][i], columns[p.x][i]}]++
				}
				want := 0.0
				for c, n := range cells {
					want += n * math.Log(n/configs[[2]int{c[0], c[1]}])
				}
				if got := float64(e.likelihood(3, i)) / d.scale; !(math.Abs(got-want) <= 1e-6) {
					t.Errorf("%v, %v cells per row, candidate %d: log-likelihood %v, want %v", criterion, cellsPerRow, p.x, got, want)
				}
			}
			if len(e.parts) != 2 {
				t.Errorf("%d candidates", len(e.parts))
			}
		}
	}
}
