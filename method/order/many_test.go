package order

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// levelled draws a table of d columns with 2 or 3 categories, each with up to three earlier columns as causes.
func levelled(t *testing.T, seed uint64, d, rows int) (*counts.Data, *score.Discrete) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 4))
	columns := make([][]uint8, d)
	for v := range columns {
		r := 2 + v%2
		columns[v] = make([]uint8, rows)
		causes := rng.Perm(v)[:min(v, 1+rng.IntN(3))]
		for i := range rows {
			k := rng.IntN(r)
			if len(causes) > 0 && rng.IntN(3) > 0 {
				sum := 0
				for _, c := range causes {
					sum += int(columns[c][i])
				}
				k = sum % r
			}
			columns[v][i] = uint8(k)
		}
	}
	table, err := counts.New(columns, counts.Rows{})
	must.Succeed(t, err)
	s := must.Get(score.NewDiscrete(table, score.DefaultDiscrete()))
	return table, s
}

// TestStartFromPart compares a search that starts on a part of the rows with one on all rows from the beginning: the mean score is no
// worse, and the number of threads changes nothing.
func TestStartFromPart(t *testing.T) {
	const d, rows, parts = 14, 4000, 4
	worse := 0.0
	for seed := range uint64(6) {
		_, whole := levelled(t, seed, d, rows)
		p := search.Problem{Score: whole}
		plain := search.DefaultSettings()
		slow := must.Get(search.Search(t.Context(), p, plain, nil))
		var results []*search.Result
		for threads := 1; threads <= 2; threads++ {
			l := &searcher{Method: New(), in: &method.Input{}}
			s := plain
			s.Threads = threads
			if stopped, err := l.startFrom(t.Context(), whole, parts, p, &s, "part"); stopped != nil || err != nil {
				t.Fatal(stopped, err)
			}
			if len(s.First) != d || s.Restarts != manyRounds {
				t.Fatalf("first order %v and %d rounds", s.First, s.Restarts)
			}
			found := must.Get(search.Search(t.Context(), p, s, nil))
			results = append(results, found)
		}
		if !reflect.DeepEqual(results[0].Parents, results[1].Parents) || results[0].Score != results[1].Score {
			t.Errorf("seed %d: two threads find %v, one %v", seed, results[1].Parents, results[0].Parents)
		}
		worse += results[0].Score - slow.Score
	}
	if worse > 1e-6 {
		t.Errorf("scores are worse by %v in all", worse)
	}
}

// TestStartStopped checks that a search on a part that was stopped returns its graph with the score of all rows
// and the prior costs of its edges.
func TestStartStopped(t *testing.T) {
	_, whole := levelled(t, 1, 14, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l, s := &searcher{Method: New(), in: &method.Input{}}, search.DefaultSettings()
	p := search.Problem{Score: whole, Knowledge: search.Knowledge{
		Required: [][2]int{{0, 1}}, Prior: func(i, j int) float64 { return 5 },
	}}
	found, err := l.startFrom(ctx, whole, 2, p, &s, "part")
	if err != nil || found == nil || found.Status != search.Stopped || len(found.Parents[1]) != 1 {
		t.Fatal(found, err)
	}
	edges := 0
	for _, parents := range found.Parents {
		edges += len(parents)
	}
	sum, eval := 5*float64(edges), whole.Evaluator()
	for v, parents := range found.Parents {
		sum += eval.Score(v, parents)
	}
	if found.Score != sum {
		t.Errorf("score %v, want %v", found.Score, sum)
	}
}

// TestFromPart checks when a search starts on a part of the rows.
func TestFromPart(t *testing.T) {
	many, whole := levelled(t, 2, 13, scores.ManyRows+1)
	few, short := levelled(t, 2, 13, 1000)
	narrow, exact := levelled(t, 2, 3, scores.ManyRows+1)
	for _, c := range []struct {
		name  string
		table *counts.Data
		score *score.Discrete
		given bool
		want  bool
	}{
		{"many rows", many, whole, false, true},
		{"given rounds", many, whole, true, false},
		{"few rows", few, short, false, false},
		{"few columns", narrow, exact, false, false},
	} {
		l := &searcher{Method: New(), in: &method.Input{Moments: dataset.NewMoments(nil)}}
		if c.given {
			l.Restarts.Word, l.Restarts.N = "", 2
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // the search itself is tested above
		s := search.DefaultSettings()
		stopped, err := l.fromPart(ctx, &scores.ScoredTable{Counts: c.table}, search.Problem{Score: c.score}, &s, "order-discrete")
		if err != nil || (stopped != nil) != c.want || s.First != nil {
			t.Errorf("%s: %v, %v", c.name, stopped, err)
		}
	}
}
