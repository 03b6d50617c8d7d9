package page

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/graph"
)

// TestEffects checks that effects have the column indices of all results, and a range only if the effect is a
// range.
func TestEffects(t *testing.T) {
	low, high := 0.25, 0.75
	answer := func(of, on string, what effect.Identification) *effect.Answer {
		return &effect.Answer{
			Of: of, On: on, Identification: what, Contrast: effect.Contrast{Start: "no", End: "yes"},
			Effects:       []effect.Effect{{Outcome: "wet", Total: effect.Quantity{Value: 0.5, Low: &low, High: &high}}},
			Class:         &effect.Class{Low: []float64{0}, High: []float64{0.5}},
			Interval:      &effect.Interval{Replicates: 99, Level: 0.9},
			Distributions: []effect.Distribution{{Do: "yes"}},
		}
	}
	set := &effect.Survey{Pairs: 7, Answers: []*effect.Answer{answer("b", "c", effect.Open), answer("a", "c", effect.Identified)}}
	other := result("z a", "z>a")
	c := dataOf(t, write(t, Input{Results: []Labelled{{Label: "r", Result: result("a b c", "a>b", "b>c"), Effects: set}, {Label: "s", Result: other}}}))
	e := c.Results[0].Effects
	if e == nil || e.Pairs != 7 || e.Level != 0.9 || len(e.List) != 2 || c.Results[1].Effects != nil {
		t.Fatalf("the page has %+v, and of the other result %+v", e, c.Results[1].Effects)
	}
	open, told := e.List[0], e.List[1]
	if c.Names[open.From] != "b" || c.Names[open.To] != "c" || c.Names[told.From] != "a" {
		t.Errorf("effects of %s on %s, and of %s", c.Names[open.From], c.Names[open.To], c.Names[told.From])
	}
	if len(open.High) != 1 || open.High[0] != 0.5 || told.High != nil {
		t.Errorf("ranges %v and %v; want one for the open effect alone", open.High, told.High)
	}
	if told.Replicates != 99 || *told.Effects[0].Total.High != 0.75 || told.Do[0].Do != "yes" || told.Contrast.End != "yes" {
		t.Errorf("the page says %+v", told)
	}
	set.Answers[0].On = "nobody"
	err := Write(context.Background(), &bytes.Buffer{}, Input{Results: []Labelled{{Label: "r", Result: result("a b c", "a>b", "b>c"), Effects: set}}})
	if !errors.Is(err, ErrInput) {
		t.Errorf("an effect on a column that is not there: %v", err)
	}
}

// TestImpulses checks that the page of a result with lags has the responses over time, without a table.
func TestImpulses(t *testing.T) {
	r := result("a b", "a>b")
	r.Time = &polydag.TimeSeries{Column: "t", Lags: 1, Step: "1"}
	r.Lagged = []polydag.Edge{{Link: polydag.Link{From: "b", To: "b"}, Mark: "-->", Lag: 1, Weight: 0.5}}
	r.Graph = graph.New(2)
	r.Graph.AddEdge(0, 1)
	e := dataOf(t, write(t, Input{Results: []Labelled{{Label: "r", Result: r}}})).Results[0].Effects
	if e == nil || e.Pairs != 1 || len(e.List) != 1 || e.List[0].From != 0 || e.List[0].To != 1 {
		t.Fatalf("the page has %+v", e)
	}
	list := e.List[0].Impulse
	for h, want := range []float64{1, 0.5, 0.25} {
		if list[h].Step != h || list[h].Value != want || list[h].Low != nil {
			t.Errorf("step %d: %+v, want %v without an interval", h, list[h], want)
		}
	}
}
