package trust

import (
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// Without a prior the evidence has no remark about one.
func TestNoPriorOfADirection(t *testing.T) {
	f := Claim{EdgeRecord: ahead, Directed: true, DeltaBIC: 20, Share: 0.5}
	for prior, want := range map[float64]bool{0: false, 0.1: true} {
		f.PriorDirection = prior
		got := false
		for _, r := range Judge(namesOnly("a", "b"), Model{}, nil, []Claim{f})[0].Evidence {
			got = got || r.Source == FromPrior
		}
		if got != want {
			t.Errorf("prior log odds %v: the evidence mentions a prior: %v, want %v", prior, got, want)
		}
	}
}

// Noise settles a direction that the model leaves open up to a probability of 0.05, with log odds of 2.
func TestNoiseSettlesADirection(t *testing.T) {
	f := Claim{EdgeRecord: ahead, Directed: true, DeltaBIC: 20, Share: 0.5}
	for p, odds := range map[float64]float64{0.001: 2, 0.05: 2, 0.0501: 0, 0.064: 0, 0.5: 0} {
		f.DirectionP = &p
		got := Judge(namesOnly("a", "b", "c"), Model{}, nil, []Claim{f})[0].PDirection
		if want := 1 / (1 + math.Exp(-odds)); !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("p = %v: probability %v of the direction, want %v", p, got, want)
		}
		if got := f.open(); got != (odds == 0) {
			t.Errorf("p = %v: the direction is open: %v", p, got)
		}
		f.columns, f.weight = 3, 1
		if _, got := byShape(&f); got != (odds > 0) {
			t.Errorf("p = %v: the direction rests on the noise: %v", p, got)
		}
	}
}

// A frequency of 0 or 1 counts as one in a million or one less that.
func TestOddsOfFrequencies(t *testing.T) {
	most := math.Log(1e6 - 1)
	for p, want := range map[float64]float64{0: -most, 1e-7: -most, 1e-6: -most, 1.2e-6: math.Log(1.2e-6 / (1 - 1.2e-6)), 0.5: 0, 0.8: math.Log(4), 1 - 1.2e-6: math.Log((1 - 1.2e-6) / 1.2e-6), 1: most} {
		if got := oddsOf(p); !(math.Abs(got-want) <= 1e-6) {
			t.Errorf("log odds of the frequency %v: %v, want %v", p, got, want)
		}
	}
}

// The probabilities of both directions and of a hidden cause add up to 1. None is negative.
func TestProbabilityOfTheReverse(t *testing.T) {
	for _, c := range []struct{ direction, hidden, want float64 }{{0.7, 0, 0.3}, {0.6, 0.3, 0.1}, {0.8, 0.3, 0}} {
		j := Judgement{PDirection: c.direction}
		if c.hidden > 0 {
			j.Evidence = []Reason{{Source: FromClass, LogOdds: 1}, {Source: FromHidden, P: c.hidden}}
		}
		if got := j.PReverse(); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("direction %v, hidden cause %v: probability %v of the reverse, want %v", c.direction, c.hidden, got, c.want)
		}
	}
}

// The model leaves a direction open if nothing of it settles the direction: the equivalence class, the model, a reversal or the noise.
func TestOpenDirections(t *testing.T) {
	number := 0.01
	for what, f := range map[string]Claim{"compelled": {EdgeRecord: method.EdgeRecord{EdgeFacts: method.EdgeFacts{Compelled: true}}}, "identified": {Identified: true}, "reversal": {EdgeRecord: losing(&number)},
		"noise": {EdgeRecord: method.EdgeRecord{EdgeFacts: method.EdgeFacts{DirectionP: &number}}}} {
		if f.open() {
			t.Errorf("%s: the direction is open", what)
		}
	}
	if !new(Claim).open() {
		t.Error("a direction without any evidence is not open")
	}
}

// The log odds of a direction under the model: a slope times the loss of a reversal, up to a limit, by model.
func TestOddsUnderTheModel(t *testing.T) {
	small, less, large := 4.0, -4.0, 1000.0
	for _, c := range []struct {
		what  string
		f     Claim
		model Model
		want  float64
	}{
		{"linear", Claim{EdgeRecord: losing(&small)}, Model{}, 0.8},
		{"linear, at the limit", Claim{EdgeRecord: losing(&large)}, Model{Effects: score.LinearEffects}, 5},
		{"mixed", Claim{EdgeRecord: losing(&small), Class: true}, Model{Effects: score.MixedEffects}, 0.8},
		{"mixed, by curves", Claim{EdgeRecord: losing(&small)}, Model{Effects: score.MixedEffects}, 0.8},
		{"the reverse fits better", Claim{EdgeRecord: losing(&less)}, Model{}, -0.8},
		{"tables", Claim{EdgeRecord: losing(&small)}, Model{Effects: score.TableEffects}, 0.4},
		{"tables, at the limit", Claim{EdgeRecord: losing(&large)}, Model{Effects: score.TableEffects}, 3.5},
		{"additive tables", Claim{EdgeRecord: losing(&small)}, Model{Effects: score.TableEffects, Additive: []bool{true}}, 0.6},
		{"additive tables, at the limit", Claim{EdgeRecord: losing(&large)}, Model{Effects: score.TableEffects, Additive: []bool{true}}, 3.5},
		{"smooth", Claim{EdgeRecord: losing(&small), Class: true}, Model{Effects: score.SmoothEffects}, 0.8},
		{"smooth, at the limit", Claim{EdgeRecord: losing(&large), Class: true}, Model{Effects: score.SmoothEffects}, 2},
		{"smooth, by curves, at the limit", Claim{EdgeRecord: losing(&large)}, Model{Effects: score.SmoothEffects}, 2},
		{"flexible, by curves, at the limit", Claim{EdgeRecord: losing(&large)}, Model{Effects: score.FlexibleEffects}, 2},
		{"flexible, by the class", Claim{EdgeRecord: losing(&large), Class: true}, Model{Effects: score.FlexibleEffects}, 5},
		{"identified", Claim{Identified: true}, Model{}, 5},
		{"identified by a margin", Claim{Identified: true, Margin: &small}, Model{}, 0.8},
		{"identified by a large margin", Claim{Identified: true, Margin: &large}, Model{}, 5},
		{"compelled", Claim{EdgeRecord: method.EdgeRecord{EdgeFacts: method.EdgeFacts{Compelled: true}}}, Model{}, 1.4},
		{"compelled and reversed in a part", Claim{EdgeRecord: method.EdgeRecord{EdgeFacts: method.EdgeFacts{Compelled: true, Turned: true}}}, Model{}, 0.42},
		{"open", Claim{Share: 0.5}, Model{}, 0},
		{"open, with a share", Claim{Share: 0.6}, Model{}, 1.3 * math.Log(1.5)},
		{"open, at the limit", Claim{Share: 0.9}, Model{}, math.Log(4)},
	} {
		got := 0.0
		own := &c.f
		own.model, own.columns, own.weight = c.model, 3, 1
		for _, source := range []func(*Claim) (Reason, bool){byClass, byVariances, byShape, byIntervention} {
			if r, ok := source(own); ok {
				got += r.LogOdds
			}
		}
		if !(math.Abs(got-c.want) <= 1e-9) {
			t.Errorf("%s: log odds %v, want %v", c.what, got, c.want)
		}
	}
}

// A judgement of a supplied graph has no verdict, and any probabilities from 0 to 1. Others allow a rounding of 0.01.
func TestCheckOfJudgements(t *testing.T) {
	by := func(r Reason) Judgement { return Judgement{Evidence: []Reason{r}} }
	for _, c := range []struct {
		j     Judgement
		valid bool
	}{
		{by(Reason{Source: FromClass, LogOdds: -1, Weight: 1, Text: "x"}), true}, {by(Reason{Source: FromHidden, P: 0.3, Text: "x"}), true},
		{by(Reason{Source: FromClass, P: 0.3, Text: "x"}), false}, {by(Reason{Source: FromClass, Weight: 1.1, Text: "x"}), false}, {by(Reason{Source: FromClass, LogOdds: math.Inf(1), Text: "x"}), false},
		{by(Reason{Source: FromHidden, P: 1.1, Text: "x"}), false}, {by(Reason{Source: FromClass}), false}, {by(Reason{Text: "x"}), false},
		{Judgement{Basis: ByRule}, true}, {Judgement{Basis: "rumour"}, false},
		{Judgement{PAdjacent: 0.1, PDirection: 0.1}, true}, {Judgement{PAdjacent: 1.1}, false}, {Judgement{PDirection: -0.1}, false}, {Judgement{Confidence: 2}, false}, {Judgement{PDirection: math.NaN()}, false},
		{Judgement{Verdict: "sure"}, false}, {Judgement{Verdict: Weak, Confidence: 0.3, PAdjacent: 0.3, PDirection: 1}, true},
		{Judgement{Verdict: Directed, PAdjacent: 1, PDirection: 0.791}, true}, {Judgement{Verdict: Directed, PAdjacent: 1, PDirection: 0.789}, false},
		{Judgement{Verdict: Weak, PAdjacent: 0.809}, true}, {Judgement{Verdict: Weak, PAdjacent: 0.811}, false},
		{Judgement{Verdict: Undirected, PAdjacent: 0.791}, true}, {Judgement{Verdict: Undirected, PAdjacent: 0.789}, false},
	} {
		if err := c.j.Check(); (err == nil) != c.valid {
			t.Errorf("%+v: %v, want valid: %v", c.j, err, c.valid)
		}
	}
}

// Remarks have no log odds.
func TestPriorLeavesRemarks(t *testing.T) {
	f := compelled(20, 30)
	f.PriorDirection = 1
	for _, r := range Judge(namesOnly("a", "b"), Model{}, []Assumption{failing("a")}, []Claim{f})[0].Evidence {
		if r.Source == FromChecks && (r.P != 0 || r.LogOdds != 0) {
			t.Errorf("the remark %q has the probability %v and the log odds %v", r.Text, r.P, r.LogOdds)
		}
	}
}

// The words about a reversal say where dependent rows reduced it.
func TestWordsOfDependentRows(t *testing.T) {
	for _, dependent := range []bool{false, true} {
		f := compelled(20, 30)
		f.dependent, f.columns, f.weight = dependent, 3, 1
		if got, _ := byClass(&f); strings.Contains(got.Text, "a quarter of the difference") != dependent {
			t.Errorf("dependent %v: %q", dependent, got.Text)
		}
	}
}

// Bootstrap samples take the place of the sources of the model, with their weight. Other evidence stays.
func TestEvidenceThatSamplesChange(t *testing.T) {
	for _, c := range []struct {
		of   Reason
		want float64
	}{
		{Reason{Source: FromClass, LogOdds: 1, Weight: 0.25}, 0.25 * 5}, {Reason{Source: FromClass, LogOdds: 1, Weight: 1}, 5}, {Reason{Source: FromShape, LogOdds: 1, Weight: 0.6}, 0.6 * 2},
		{Reason{Source: FromRows, LogOdds: 1, Weight: 0.1}, 0.1 * 5},
	} {
		j := Judgement{PAdjacent: 0.9, Evidence: []Reason{c.of, {Source: FromRule, LogOdds: 0.4}, {Source: FromChecks}}}
		got := j.Resampled(0.9, 0.999, "samples", Doubts{}).Evidence
		if len(got) != 3 || got[0].Source != FromRows || !(math.Abs(got[0].LogOdds-c.want) <= 1e-12) || got[0].Weight != c.of.Weight || got[1] != j.Evidence[1] || got[2] != j.Evidence[2] {
			t.Errorf("%+v: %+v, want %v", c.of, got, c.want)
		}
	}
}

// A hidden common cause in place of the edge takes its probability from both directions, also after resampling.
func TestHiddenCauseInPlaceOfAnEdge(t *testing.T) {
	weigh := func(gain float64, model Model, change func(*Claim)) Judgement {
		f := compelled(20, 1000)
		f.HiddenDeltaBIC = &gain
		if change != nil {
			change(&f)
		}
		return Judge(namesOnly("a", "b"), model, nil, []Claim{f})[0]
	}
	plain := weigh(-3, Model{}, nil)
	if plain.PDirection < 0.98 || !(math.Abs(plain.PDirection+plain.PReverse()-1) <= 1e-12) {
		t.Errorf("a negative gain changes the probability to %v", plain.PDirection)
	}
	for _, c := range []struct{ gain, want float64 }{{4, 0.269}, {10, 0.475}, {20, 0.802}, {100, 0.802}} { // logistic(0.15·gain − 1.6)
		j := weigh(c.gain, Model{}, nil)
		if !(math.Abs(j.PDirection-plain.PDirection*(1-c.want)) <= 0.001) || !(math.Abs(1-j.PDirection-j.PReverse()-c.want) <= 0.001) || j.Verdict != Undirected {
			t.Errorf("gain %v: %v, %.4f and reversed %.4f", c.gain, j.Verdict, j.PDirection, j.PReverse())
		}
		again := j.Resampled(0.99, 0.9, "in 200 bootstrap samples", Doubts{})
		if !(math.Abs(again.PDirection-(1-c.want)*0.9) <= 0.001) {
			t.Errorf("gain %v: %.4f after resampling", c.gain, again.PDirection)
		}
	}
	noise := 1e-4
	for name, j := range map[string]Judgement{
		"discrete":  weigh(10, Model{Effects: score.TableEffects}, nil),
		"smooth":    weigh(10, Model{Effects: score.SmoothEffects}, nil),
		"noise":     weigh(10, Model{}, func(f *Claim) { f.DirectionP = &noise }),
		"known":     weigh(10, Model{}, func(f *Claim) { f.Known = true }),
		"variances": weigh(10, Model{}, func(f *Claim) { f.Identified = true }),
	} {
		if j.hidden() != 0 {
			t.Errorf("%s: a hidden cause has weight %v", name, j.hidden())
		}
	}
}

// TestShareOfTheClass checks that a direction that most equivalent graphs have is explained by their share.
func TestShareOfTheClass(t *testing.T) {
	for share, want := range map[float64]string{0.5: "both directions fit equally well (Markov equivalence)", 0.75: "both directions fit equally well (Markov equivalence); 75 % of the equivalent graphs have this one"} {
		c := Claim{Directed: true, Share: share, weight: 1}
		if r, ok := byClass(&c); !ok || r.Text != want {
			t.Errorf("a share of %v: %q", share, r.Text)
		}
	}
}
