package marginal_test

import (
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/marginal"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/score"
)

func known(t *testing.T, s knowledge.Spec) *knowledge.Knowledge {
	t.Helper()
	return must.Get(s.Resolve(names))
}

// The prior odds of an edge are the given ones. Otherwise they are fitted under a linear model without enforced knowledge, and 1 to
// the number of columns in all other cases. The score of a set of parents contains them once for each parent.
func TestEdgeOdds(t *testing.T) {
	x := rows(400, 0.8, false)
	discrete := dataset.RowBatch{Values: rows(400, 0.8, true)}.Rows(4)
	for _, c := range []struct {
		what    string
		effects score.Effects
		given   float64
		spec    knowledge.Spec
		want    float64 // 0 for fitted ones
	}{
		{"linear", score.LinearEffects, 0, knowledge.Spec{}, 0},
		{"linear, given", score.LinearEffects, 0.03, knowledge.Spec{}, 0.03},
		{"linear, given as assumed", score.LinearEffects, 0.25, knowledge.Spec{}, 0.25},
		{"linear, a required edge", score.LinearEffects, 0, knowledge.Spec{Require: []string{"a->b"}}, 0.25},
		{"linear, a forbidden edge", score.LinearEffects, 0, knowledge.Spec{Forbid: []string{"d->c"}}, 0.25},
		{"discrete", score.TableEffects, 0, knowledge.Spec{}, 0.25},
		{"discrete, given", score.TableEffects, 0.03, knowledge.Spec{}, 0.03},
	} {
		o := marginal.Posterior{Moments: moments(t, x), Order: []int{2, 0, 3, 1}, Known: known(t, c.spec), Effects: c.effects, EdgeOdds: c.given, Rows: discrete, Seed: 1, Threads: 1}
		p, err := o.Problem(t.Context())
		if err != nil {
			t.Fatal(c.what, err)
		}
		want := c.want
		if want == 0 {
			plain := must.Get(marginal.Linear(o.Moments.Arranged(o.Order), nil, nil))
			s := sample.DefaultSettings()
			s.Seed, s.Threads = 1, 1
			if want, err = sample.FitOdds(t.Context(), sample.Problem{Score: plain}, 0.25, s); err != nil || want == 0.25 {
				t.Fatalf("fitted odds %v, %v", want, err)
			}
		}
		if p.Odds != want {
			t.Errorf("%s: odds %v, want %v", c.what, p.Odds, want)
		}
		o.EdgeOdds = 0.25
		assumed := must.Get(o.Problem(t.Context()))
		for k, set := range [][]int{nil, {0}, {0, 1}} {
			got := p.Score.Evaluator().Score(3, set) - assumed.Score.Evaluator().Score(3, set)
			if add := -2 * float64(k) * math.Log(want/0.25); !(math.Abs(got-add) <= 1e-9*(1+math.Abs(add))) {
				t.Errorf("%s: %d parents add %v to the score, want %v", c.what, k, got, add)
			}
		}
	}
}

// Knowledge, prior costs and the graph that a search starts from are in the order of the variables.
func TestOrderOfTheProblem(t *testing.T) {
	order := []int{2, 0, 3, 1} // c, a, d, b
	o := marginal.Posterior{
		Moments: moments(t, rows(400, 0.8, false)), Order: order, EdgeOdds: 0.25, Threads: 1,
		Known: known(t, knowledge.Spec{Require: []string{"a->b"}, Forbid: []string{"c->d"}}),
		Graph: graph.FromParents([][]int{nil, {0}, {0, 1}, nil}),
	}
	p := must.Get(o.Problem(t.Context()))
	if len(p.Start) != 4 || !slices.Equal(p.Start[0], []int{1, 3}) || !slices.Equal(p.Start[3], []int{1}) || len(p.Start[1])+len(p.Start[2]) > 0 {
		t.Errorf("the search starts from parents %v, want a → b, and a and b → c", p.Start)
	}
	if !slices.Equal(p.Knowledge.Required, [][2]int{{1, 3}}) {
		t.Errorf("required %v, want a → b", p.Knowledge.Required)
	}
	for i := range order {
		for j := range order {
			if want := o.Known.Forbidden(order[i], order[j]); i != j && p.Knowledge.Forbidden(i, j) != want {
				t.Errorf("%s → %s is forbidden: %v, want %v", names[order[i]], names[order[j]], !want, want)
			}
		}
	}
}
