package effect

import (
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/trust"
)

// written returns what write puts on a page with intervals.
func written(t *testing.T, write func(p *page)) string {
	t.Helper()
	var b strings.Builder
	p := &page{w: &b, interval: "90 % interval"}
	if write(p); p.err != nil {
		t.Fatal(p.err)
	}
	return b.String()
}

// bounded returns a figure with an interval.
func bounded(value, low, high float64) Quantity {
	return Quantity{Value: value, Low: &low, High: &high}
}

// TestResponsesAsText checks the shock, the outcome and the samples that the text of responses names.
func TestResponsesAsText(t *testing.T) {
	responses := []Response{{Step: 0, Quantity: bounded(0.5, 0.25, 0.75)}, {Step: 1, Quantity: bounded(-2, -3, -1)}}
	levels := []Response{{Step: 0, Outcome: "red", Quantity: Quantity{Value: 0.5}}}
	for _, c := range []struct {
		name string
		a    Answer
		want string
	}{
		{"none", Answer{Interval: &Interval{}}, ""},
		{"one unit, given the graph", Answer{Impulse: responses, Contrast: Contrast{Unit: true}, Interval: &Interval{Method: OverRows, Replicates: 40}}, `
Change in y after a change of x by 1 unit that lasts one step (1 day):
  step  estimate  90 % interval
  0          0.5  [0.25, 0.75]
  1           -2  [-3, -1]
Intervals: 40 bootstrap samples of blocks of rows, given the graph.
`},
		{"a change, own graphs", Answer{Impulse: responses, Contrast: Contrast{Change: 1.5}, Interval: &Interval{Method: OverGraphs, Replicates: 19}}, `
Change in y after a change of x by 1.5 (one standard deviation of its noise) that lasts one step (1 day):
  step  estimate  90 % interval
  0          0.5  [0.25, 0.75]
  1           -2  [-3, -1]
Intervals: 19 bootstrap samples of blocks of rows, each with its own graph.
`},
		{"a category, two values", Answer{Impulse: levels, Contrast: Contrast{Start: "2", End: "3"}}, `
Change in the probability of each value of y for x = 3 instead of 2 that lasts one step (1 day):
  step  value of y  estimate
  0            red       0.5
`},
	} {
		c.a.Of, c.a.On, c.a.TimeStep = "x", "y", "1 day"
		if got := written(t, func(p *page) { p.impulse(&c.a) }); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// TestSensitivityAsText checks the percentages and E-values of the text.
func TestSensitivityAsText(t *testing.T) {
	of := func(x float64) *float64 { return &x }
	ratio := func(interval *float64) *Sensitivity {
		return &Sensitivity{EValue: of(7.26), RiskRatio: of(3.9), Outcome: "yes", EValueInterval: interval}
	}
	const said = "\nE-value: 7.26 (a hidden confounder with this risk ratio with both x and y would explain the effect; the risk ratio of y = yes is 3.9).\n"
	for _, c := range []struct {
		name string
		s    *Sensitivity
		want string
	}{
		{"none", nil, ""},
		{"regression", &Sensitivity{Robustness: of(0.672), RobustnessInterval: of(0.125), Benchmarks: []Benchmark{{Name: "age", WithOf: 0.031, WithOn: 0.25, Slope: -1.5}}}, `
Robustness value: 67.2 % (a confounder explaining this share of the residual variance of both x and y would reduce the effect to 0; 12.5 % would make the interval include 0).
For comparison, bounds for a hidden confounder as strong as a column of the adjustment set, in shares of the residual variance:
  as strong as  explains of x  explains of y  effect becomes
  age                   3.1 %         25.0 %            -1.5
`},
		{"risk ratio", ratio(nil), said},
		{"risk ratio with 1", ratio(of(1)), said + "E-value of the interval limit: 1 (the interval contains zero effect already).\n"},
		{"risk ratio above 1", ratio(of(1.5)), said + "E-value of the interval limit: 1.5.\n"},
	} {
		if got := written(t, func(p *page) { p.sensitivity(&Answer{Of: "x", On: "y", Sensitivity: c.s}) }); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// TestDistributionsAsText checks the tables of numbers and of categories, and the error of sampling.
func TestDistributionsAsText(t *testing.T) {
	two, mean := 2.0, bounded(5, 4, 6)
	number := Distribution{Do: "1", By: byFormula, Mean: &mean, Std: &two, Quantiles: []Quantile{{0.05, 1.5}, {0.5, 5}}}
	words := Distribution{Do: "1", By: bySampling, Levels: []Level{{"red", bounded(0.25, 0.2, 0.3)}, {"blue", bounded(0.75, 0.7, 0.8)}}, Error: 0.004}
	for _, c := range []struct {
		name string
		of   Distribution
		want string
	}{
		{"number", number, `
Distribution of y after the intervention do(x = value) (Gaussian):
  x  mean  90 % interval  std. dev.  5 %  50 %
  1     5  [4, 6]                 2  1.5     5
Legend: the columns in % are quantiles of y.
`},
		{"categories", words, `
Distribution of y after the intervention do(x = value) (sampled from the model):
  x     y  probability  90 % interval
  1   red         0.25  [0.2, 0.3]
  1  blue         0.75  [0.7, 0.8]
Monte Carlo standard error: at most 0.004.
`},
		{"numeric categories", Distribution{Do: "1", By: byRows, Mean: &mean, Std: &two, Levels: words.Levels[:1]}, `
Distribution of y after the intervention do(x = value) (from the rows of the table, each with its own noise):
  x  mean  90 % interval  std. dev.
  1     5  [4, 6]                 2
  x    y  probability  90 % interval
  1  red         0.25  [0.2, 0.3]
`},
	} {
		if got := written(t, func(p *page) {
			p.legend = true
			p.distributions(&Answer{Of: "x", On: "y", Distributions: []Distribution{c.of}})
		}); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// TestProbabilityOfReversedEdges checks the probability of a reversed edge: that of the adjacency less that of the other direction, whichever
// way the result writes the edge, and at least 0.
func TestProbabilityOfReversedEdges(t *testing.T) {
	g, _ := graph.FromEdges(3, []graph.Edge{{From: 1, To: 0}, {From: 1, To: 2}})
	for _, c := range []struct {
		link      polydag.Link
		mark      string
		direction float64
		want      float64
	}{
		{polydag.Link{From: "b", To: "a"}, "-->", 0.7, 0.9 - 0.63},
		{polydag.Link{From: "b", To: "a"}, "-->", 1.2, 0},
		{polydag.Link{From: "a", To: "b"}, "---", 0, 0.45},
	} {
		e := polydag.Edge{Link: c.link, Mark: c.mark, Judgement: trust.Judgement{Verdict: trust.Weak, PAdjacent: 0.9, PDirection: c.direction}}
		k := &asked{res: &polydag.Result{Names: []string{"a", "b", "c"}, Edges: []polydag.Edge{e}}, class: []member{{dag: g}}}
		k.study.a, k.study.b = 0, 2
		got := k.reversed(k.unstated())
		if len(got) != 1 || got[0].From != "a" || got[0].To != "b" || got[0].Probability-c.want > 1e-12 || c.want-got[0].Probability > 1e-12 {
			t.Errorf("%+v %s with direction %v: %+v, want a → b with %v", c.link, c.mark, c.direction, got, c.want)
		}
	}
}

// TestKnownDirectionsAreNotReversed checks that a weak edge whose direction prior knowledge decides leads nowhere in the other direction.
func TestKnownDirectionsAreNotReversed(t *testing.T) {
	g, _ := graph.FromEdges(3, []graph.Edge{{From: 1, To: 0}, {From: 1, To: 2}})
	for basis, want := range map[trust.Basis]int{trust.ByModel: 1, trust.ByKnowledge: 0} {
		e := polydag.Edge{Link: polydag.Link{From: "b", To: "a"}, Mark: "-->", Judgement: trust.Judgement{Verdict: trust.Weak, PAdjacent: 0.7, PDirection: 1, Basis: basis}}
		k := &asked{res: &polydag.Result{Names: []string{"a", "b", "c"}, Edges: []polydag.Edge{e}}, class: []member{{dag: g}}}
		k.study.a, k.study.b = 0, 2
		if got := k.reversed(k.unstated()); len(got) != want {
			t.Errorf("basis %s: reversed %v, want %d edges", basis, got, want)
		}
	}
}

// TestRowsAsText checks the known values of a row, at most six of them, and a value without spread.
func TestRowsAsText(t *testing.T) {
	var given []Value
	for _, name := range strings.Split("abcdefg", "") {
		given = append(given, Value{Name: name, Value: "1"})
	}
	zero, two, mean := 0.0, 2.0, Quantity{Value: 5}
	for _, c := range []struct {
		name string
		f    WhatIf
		want string
	}{
		{"six values", WhatIf{Given: given[:6], Counterfactual: true, Observed: "4", Distribution: Distribution{Do: "3", Mean: &mean, Std: &zero}}, `
Row with a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, if x had been 3 (counterfactual)
  y was 4
  y would have been 5
`},
		{"seven values", WhatIf{Given: given, Distribution: Distribution{Do: "3", Mean: &mean, Std: &two}}, `
Row with a = 1, b = 1, c = 1, d = 1, e = 1, f = 1 and 1 more, if x had been 3 (average of similar rows)
  x  mean  std. dev.
  3     5          2
`},
	} {
		if got := written(t, func(p *page) { p.whatIf(&Answer{Of: "x", On: "y"}, c.f) }); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// TestBoundsAsText checks the range over the graphs of a PAG.
func TestBoundsAsText(t *testing.T) {
	low, high, total := -1.0, 2.5, 2.5
	choices := []Choice{{Cause: false, Total: new(float64)}, {Cause: true, Set: []string{"z", "w"}, Hidden: []string{"y"}, Total: &total}, {Cause: true, Total: &total}, {Cause: true}}
	const table = `Total effect in the graphs that the PAG represents:
  adjustment set                 possible hidden cause with    total effect
  not needed (no directed path)                                           0
  z, w                                                    y             2.5
  empty                                                                 2.5
  does not exist                                             not identified
`
	for _, c := range []struct {
		name string
		a    Answer
		want string
	}{
		{"identified", Answer{Identification: Identified, Bounds: &Bounds{Choices: choices}}, ""},
		{"no range", Answer{Identification: Open, Bounds: &Bounds{Choices: choices}}, "\n" + table},
		{"a range per unit", Answer{Identification: Open, Contrast: Contrast{Unit: true}, Bounds: &Bounds{Low: &low, High: &high, Choices: choices}},
			"\nChange in the mean of y per unit of x:\n  effect  minimum  maximum\n  total        -1      2.5\n\n" + table},
		{"a range with an interval", Answer{Identification: Open, Contrast: Contrast{Start: "1", End: "3"}, Interval: &Interval{Method: ByFormula}, Bounds: &Bounds{Low: &low, High: &high, IntervalLow: &low, IntervalHigh: &high, Choices: choices}},
			"\nChange in the mean of y for x = 3 instead of 1:\n  effect  minimum  maximum  90 % interval\n  total        -1      2.5  [-1, 2.5]\nIntervals: least squares, conditional on the learned graph.\n\n" + table},
	} {
		c.a.Of, c.a.On = "x", "y"
		if got := written(t, func(p *page) { p.bounds(&c.a) }); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// TestIntervalsAsText checks the sentence on each method and its shares.
func TestIntervalsAsText(t *testing.T) {
	share := func(x float64) *float64 { return &x }
	for want, i := range map[string]Interval{
		"1 bootstrap sample, conditional on the learned graph.":                                                                                                                                                       {Method: OverRows, Replicates: 1},
		"99 graphs and weights sampled from the posterior. The probability of a directed path is 0.75.":                                                                                                               {Method: OverPosterior, Replicates: 99, Paths: share(0.75)},
		"99 bootstrap samples, each with its own graph. A directed path exists in 100 % of them, if the model holds.":                                                                                                 {Method: OverGraphs, Replicates: 99, Paths: share(1), OpenShare: share(0)},
		"99 bootstrap samples, each with its own graph. A directed path exists in 25 % of them, if the model holds; the others count as 0. In 50 % the effect is not identified; the interval then covers its range.": {Method: OverGraphs, Replicates: 99, Paths: share(0.25), OpenShare: share(0.5)},
	} {
		if got := i.sentence("directed path"); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}

// TestClassAsText checks the table of parent sets.
func TestClassAsText(t *testing.T) {
	c := &Class{Neighbors: []string{"u", "v"}, Fixed: []string{"w"}, Low: []float64{-1}, High: []float64{2}, LeastAbsolute: []float64{0.5}, Members: []Member{{Totals: []float64{2}}, {Parents: []string{"u", "v"}, Totals: []float64{-1}}}}
	a := &Answer{Of: "x", On: "y", Class: c, Effects: []Effect{{Outcome: "mean"}}}
	want := `
Edges of x that can be reversed with an equal score: u, v. Total effect for each set of parents of x that they allow:
(Other undirected edges of x keep the direction of the learned DAG: w.)
  parents                  total effect
  none (learned DAG)                  2
  u, v                               -1
  minimum                            -1
  maximum                             2
  smallest absolute value           0.5
`
	if got := written(t, func(p *page) { p.class(a) }); got != want {
		t.Errorf("%swant\n%s", got, want)
	}
	a.Effects[0].Outcome, c.Fixed = "red", nil
	if got := written(t, func(p *page) { p.class(a) }); !strings.Contains(got, "  on P(red)\n") || strings.Contains(got, "total effect\n") || strings.Contains(got, "Other") {
		t.Errorf("%swant the probability of red and no other edges", got)
	}
}
