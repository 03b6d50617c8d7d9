package score_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// counted counts the calls of the evaluators of a score. A search has one thread here.
type counted struct {
	search.Score
	work *work
}

// work has the number of calls of Score, of Additions, and of the two kinds of removals.
type work struct{ scores, additions, removals int }

func (c counted) Evaluator() search.Evaluator {
	e := countedFit{c.Score.Evaluator(), c.work}
	switch e.Evaluator.(type) {
	case search.Remover:
		return countedRemover{e}
	case search.RoundingRemover:
		return countedRounding{e}
	}
	return e
}

type countedFit struct {
	search.Evaluator
	work *work
}

func (f countedFit) Score(v int, parents []int) float64 {
	f.work.scores++
	return f.Evaluator.Score(v, parents)
}

func (f countedFit) Additions(dst []float64, v int, parents []int) {
	f.work.additions++
	f.Evaluator.Additions(dst, v, parents)
}

type countedRemover struct{ countedFit }

func (f countedRemover) Removals(dst []float64, v int, parents []int) {
	f.work.removals++
	f.Evaluator.(search.Remover).Removals(dst, v, parents)
}

type countedRounding struct{ countedFit }

func (f countedRounding) RoundedRemovals(dst []float64, v int, parents []int) {
	f.work.removals++
	f.Evaluator.(search.RoundingRemover).RoundedRemovals(dst, v, parents)
}

// workTable draws a table in which each column depends on about two earlier ones: linearly, or by curves.
func workTable(seed uint64, rows, columns int, curved bool) *matrix.Dense[float64] {
	rng := rand.New(rand.NewPCG(seed, 9))
	x := matrix.New[float64](rows, columns)
	weights := matrix.New[float64](columns, columns)
	for v := 1; v < columns; v++ {
		for range 2 {
			weights.Row(v)[rng.IntN(v)] = 0.5 + rng.Float64()
		}
	}
	for i := range rows {
		row := x.Row(i)
		for v := range row {
			row[v] = rng.NormFloat64()
			for p, w := range weights.Row(v)[:v] {
				if curved {
					row[v] += w * math.Sin(2*row[p])
				} else {
					row[v] += w * row[p] / 2
				}
			}
		}
	}
	return x
}

// codes divides each column of a table into so many categories of about the same size.
func codes(x *matrix.Dense[float64], levels int) [][]int {
	out := make([][]int, x.Cols)
	for v := range out {
		for i := range x.Rows {
			z := 0.5 * math.Erfc(-x.At(i, v)/2)
			out[v] = append(out[v], min(levels-1, int(z*float64(levels))))
		}
	}
	return out
}

// The work of searches on small tables, counted and not timed, stays within 1.3 times that of the day on which the limits were set, so
// that a change that makes the search evaluate more is noticed. A lower count is welcome; then lower the limit.
func TestWorkOfSearches(t *testing.T) {
	discrete := func(levels int, tables score.Tables, drawn bool) search.Score {
		set := score.DefaultDiscrete()
		set.Tables, set.Drawn = tables, drawn
		return must.Get(score.NewDiscrete(must.Get(score.Count(codes(workTable(1, 2000, 20, false), levels), score.CountSettings{})), set))
	}
	curves := func(columns int, categorical []bool) *score.Flexible {
		return flexible(t, workTable(2, 500, columns, true), categorical, make([]bool, columns))
	}
	lines := must.Get(score.NewMixed(blocks(t, workTable(3, 1000, 30, false), make([]bool, 30), basis.DefaultSettings())))
	for _, c := range []struct {
		name   string
		score  search.Score
		rounds int
		today  work
	}{
		{"full tables", discrete(3, score.FullTables, false), 10, work{304, 244, 220}},
		{"full tables of binary columns", discrete(2, score.FullTables, false), 10, work{852, 792, 726}},
		{"additive effects", discrete(2, score.EitherTables, false), 10, work{2069, 2009, 1716}},
		{"additive effects of three categories", discrete(3, score.EitherTables, false), 3, work{638, 578, 499}},
		{"a bootstrap sample", discrete(2, score.EitherTables, true), 3, work{1234, 1174, 1013}},
		{"linear effects, descent", lines, 0, work{4171, 1683, 0}},
		{"linear effects", lines, 20, work{9617, 3781, 0}},
		{"curves", smooth(t, workTable(2, 500, 15, true)), 3, work{135, 90, 71}},
		{"curves and lines", curves(15, make([]bool, 15)), 3, work{146, 101, 83}},
		{"curves, descent", curves(20, make([]bool, 20)).Additive(), 0, work{170, 110, 85}},
	} {
		set := search.DefaultSettings()
		set.Restarts, set.Exact, set.Threads = c.rounds, 0, 1
		var done work
		must.Get(search.Search(t.Context(), search.Problem{Score: counted{c.score, &done}}, set, nil))
		over := func(done, today int) bool { return float64(done) > 1.3*float64(today) }
		if over(done.scores, c.today.scores) || over(done.additions, c.today.additions) || over(done.removals, c.today.removals) {
			t.Errorf("%s: %+v calls, at most 1.3 times %+v wanted", c.name, done, c.today)
		}
	}
}
