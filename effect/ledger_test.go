package effect

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/score"
)

// ledgerOf returns a survey of 50 rows of two columns with two questions about column 0, which one pass answers for 100 units, and two about
// column 1 for 50 and 70 units. A bootstrap sample of levels costs 300 units in addition.
func ledgerOf(work float64, replicates int) *surveyor {
	v := &surveyor{SurveySettings: SurveySettings{MostWork: work, Replicates: replicates}, source: &source{model: score.TableEffects, data: &mechanism.Rows{N: 50, Columns: make([][]float64, 2)}}}
	v.groups = []*group{{a: 0, price: price{work: 100, passed: true}}, {a: 1, price: price{work: 120}}}
	for k, work := range []float64{0, 0, 50, 70} {
		v.asks = append(v.asks, &asked{work: work, group: v.groups[k/2]})
	}
	return v
}

// TestSettledReplicates checks the number of bootstrap samples, the questions with intervals and the planned work.
func TestSettledReplicates(t *testing.T) {
	for _, c := range []struct {
		work        float64
		asked, want int
		sure        string
		plan        float64
	}{
		{520 * 100, 99, 99, "true true true true", 99 * 220},
		{520 * 30, 99, 30, "true true true true", 30 * 220},
		{520 * 10, 99, 19, "false false false false", 0},
		{19 * (300 + 160), 99, 19, "true true true false", 19 * 150},
		{19 * (300 + 100), 99, 19, "true true false false", 19 * 100},
		{19*(300+100) - 1, 99, 19, "false false true false", 19 * 50},
		{520 * 100, 18, 18, "false false false false", 0},
		{520 * 100, 0, 0, "false false false false", 0},
	} {
		v := ledgerOf(c.work, c.asked)
		v.settle()
		var sure []string
		for _, k := range v.asks {
			sure = append(sure, fmt.Sprint(k.sure))
		}
		if got := strings.Join(sure, " "); v.Replicates != c.want || got != c.sure || v.plan != c.plan {
			t.Errorf("%+v: %d replicates, intervals %s, %v planned", c, v.Replicates, got, v.plan)
		}
	}
	for spent, want := range map[float64]float64{0: 19 * 520, 1e6 - 4*19*520: 19 * 520, 1e6 - 1000: 500} {
		v := ledgerOf(1e6, 99)
		if v.spent = spent; v.least() != want {
			t.Errorf("%v spent: %v is reserved, want %v", spent, v.least(), want)
		}
	}
	v := ledgerOf(0, 0)
	if levels := v.refit(); levels != 3*50*2 {
		t.Errorf("a sample of levels costs %v", levels)
	}
	if v.source.model = score.SmoothEffects; v.refit() != 450*50*2 {
		t.Errorf("a sample of numbers costs %v", v.refit())
	}
	var told []float64
	v.plan, v.Observe = 10, func(done, of float64) { told = append(told, done, of) }
	v.tell(7)
	v.tell(7)
	if !slices.Equal(told, []float64{7, 10, 10, 10}) {
		t.Errorf("progress %v", told)
	}
}

// TestCostOfQuestions checks the cost of averages over rows: 120 units for each row and column, and for each value.
func TestCostOfQuestions(t *testing.T) {
	g, _ := graph.FromEdges(4, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 2}, {From: 3, To: 2}})
	ask := func(b int, do ...float64) *asked {
		k := &asked{class: []member{{dag: g}, {dag: g}}}
		k.study = study{a: 0, b: b, x0: 0, x1: 1, do: do}
		return k
	}
	v := &surveyor{res: &polydag.Result{Graph: g}, source: &source{model: score.SmoothEffects, data: &mechanism.Rows{N: 10}, follows: map[int]*follow{}}}
	for _, c := range []struct {
		k    *asked
		want float64
	}{{ask(2, 0, 1, 2), 2 * (3 + 1) * 120 * 10 * 2}, {ask(2, 5), 2 * (3 + 1) * 120 * 10 * 2}, {ask(1, 0), 2 * (2 + 1) * 120 * 10}} {
		if work, planning := v.cost(&group{price: price{planned: true}}, c.k, 0); work != c.want || planning != 0 {
			t.Errorf("%+v: %v and %v for planning, want %v", c.k.study, work, planning, c.want)
		}
		if work, _ := v.cost(&group{price: price{planned: true, passed: true}}, c.k, 0); work != 0 {
			t.Errorf("a question of a pass costs %v", work)
		}
	}
	const together = 120 * 10 * 2 * (2*3*2 + 2) // two graphs, three values, two columns and two edges
	for _, left := range []float64{together, together - 1} {
		all := &group{asks: []*asked{ask(1, 0, 1, 2), ask(2, 0, 1, 2)}}
		clear(v.source.follows)
		work, _ := v.cost(all, all.asks[1], left)
		want, passed := float64(together), left == together
		if !passed {
			want = 2 * (3 + 1) * 120 * 10 * 2 // one question
		}
		if work != want || all.passed != passed || (v.source.follows[0] != nil) != passed {
			t.Errorf("%v left: %v, all questions together %v; want %v", left, work, all.passed, want)
		}
	}
}

// TestReachedColumns checks the pairs within a horizon, the nearest first. A longer lag does not count.
func TestReachedColumns(t *testing.T) {
	p := &process{order: []int{0, 1, 2}, into: [][]laggedWeight{{{from: 2, lag: 4}}, {{from: 0, lag: 1}, {from: 1, lag: 1}}, {{from: 1, lag: 2}, {from: 0, lag: 9}}}}
	for horizon, want := range map[int]string{0: "", 1: "0-1", 2: "0-1 1-2", 3: "0-1 1-2 0-2", 4: "0-1 1-2 2-0 0-2", 9: "0-1 0-2 1-2 2-0 1-0 2-1"} {
		var got []string
		for _, pair := range p.reached(horizon) {
			got = append(got, fmt.Sprintf("%d-%d", pair.From, pair.To))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%d steps: %s, want %s", horizon, text, want)
		}
	}
}

// TestPartsOfAText checks which parts of an answer are written.
func TestPartsOfAText(t *testing.T) {
	const learned, total, adjusted = "Graph: the learned DAG", "Change in the mean", "djust"
	unstated, effects := []Unstated{{}}, []Effect{{Outcome: "mean"}}
	for _, c := range []struct {
		name string
		a    Answer
		has  []string
		not  []string
	}{
		{"identified", Answer{Identification: Identified, Effects: effects}, []string{total, adjusted}, []string{learned, "Note:"}},
		{"unstated edges", Answer{Identification: Identified, DependsOn: unstated}, []string{learned}, []string{total}},
		{"reversed edges", Answer{Identification: Identified, Reversed: unstated}, []string{learned}, nil},
		{"bounds", Answer{Identification: Open, DependsOn: unstated, Bounds: &Bounds{}}, nil, []string{learned, "Adjust"}},
		{"responses", Answer{Identification: Identified, DependsOn: unstated, Impulse: []Response{{}}}, []string{"that lasts one step"}, []string{learned, "Adjust"}},
		{"no effect", Answer{Identification: None, Effects: effects}, nil, []string{total, "Adjust"}},
		{"no effect with an interval", Answer{Identification: None, Effects: effects, Interval: &Interval{Method: ByFormula, Level: 0.9}}, []string{total}, nil},
		{"notes", Answer{Identification: None, Notes: []string{"one", "two"}, Caution: "care"}, []string{"\n\nNote: one.\nNote: two.\n\nCaution: care.\n"}, nil},
	} {
		var text bytes.Buffer
		must.Succeed(t, c.a.WriteText(&text))
		for _, part := range c.has {
			if !strings.Contains(text.String(), part) {
				t.Errorf("%s: %q is absent from\n%s", c.name, part, text.String())
			}
		}
		for _, part := range c.not {
			if strings.Contains(text.String(), part) {
				t.Errorf("%s: %q is in\n%s", c.name, part, text.String())
			}
		}
	}
}
