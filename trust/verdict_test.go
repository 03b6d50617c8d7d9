package trust

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/series"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// named is a table of which only the names are known.
func namesOnly(names ...string) Evidence { return Evidence{Moments: &dataset.Moments{Names: names}} }

// ahead is the record of the edge from column 0 to column 1.
var ahead = method.EdgeRecord{Edge: graph.Edge{From: 0, To: 1}}

// losing is the record of an edge whose reversal loses this score.
func losing(loss *float64) method.EdgeRecord {
	return method.EdgeRecord{EdgeFacts: method.EdgeFacts{Reversal: loss}}
}

// compelled is an edge from column 0 to column 1 whose direction the model fixes.
func compelled(gain, reversal float64) Claim {
	return Claim{EdgeRecord: method.EdgeRecord{Edge: graph.Edge{From: 0, To: 1}, EdgeFacts: method.EdgeFacts{Compelled: true, Reversal: &reversal}}, Directed: true, DeltaBIC: gain, Penalty: 7, Share: 0.5}
}

// TestStoppedSearchStatesNoDirection checks that only prior knowledge determines a direction in a graph whose search did not finish.
func TestStoppedSearchStatesNoDirection(t *testing.T) {
	edge := compelled(20, 1000)
	of := func(stopped bool) Judgement {
		return Judge(namesOnly("a", "b"), Model{Stopped: stopped}, nil, []Claim{edge})[0]
	}
	if whole, cut := of(false), of(true); whole.Verdict != Directed || cut.Verdict != Undirected || cut.PDirection != 0.5 || cut.PAdjacent != whole.PAdjacent {
		t.Errorf("%+v became %+v", whole, cut)
	}
	if edge.Known = true; of(true).Verdict != Directed {
		t.Error("a known direction is not stated")
	}
}

// The points of the calibration that docs/explanation/confidence.md publishes.
func TestPublishedProbabilities(t *testing.T) {
	edges := func(f Claim, model Model, a ...Assumption) Judgement {
		return Judge(namesOnly("a", "b"), model, a, []Claim{f})[0]
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 0.0005) {
			t.Errorf("%s: %.4f, want %.3f", what, got, want)
		}
	}
	for _, c := range []struct{ gain, want float64 }{{-10, 0.100}, {0, 0.574}, {4, 0.786}, {8, 0.909}, {14.8, 0.982}, {1000, 0.982}} {
		near("p_adjacent", edges(compelled(c.gain, 50), Model{}).PAdjacent, c.want)
	}
	unseen := compelled(1000, 50)
	unseen.Unseen = true
	near("p_adjacent of an edge that ranks do not show", edges(unseen, Model{}).PAdjacent, 0.3775)
	for _, c := range []struct{ reversal, want float64 }{{0, 0.5}, {4, 0.690}, {8, 0.832}, {12, 0.9168}, {25, 0.982}, {1000, 0.982}} {
		near("p_direction", edges(compelled(20, c.reversal), Model{}).PDirection, c.want)
	}
	free := func(f Claim) Claim { // tests exclude a hidden cause
		f.HiddenCause, f.Class = method.HiddenExcluded, true
		return f
	}
	elsewhere := func(f Claim, model Model, from int) Judgement { // a check fails at a column with another edge
		failed := []Assumption{{Name: Interactions, Outcome: Failed, Evidence: []Finding{{Columns: []string{"d"}}}}}
		return Judge(namesOnly("a", "b", "c", "d"), model, failed, []Claim{f, {EdgeRecord: method.EdgeRecord{Edge: graph.Edge{From: from, To: 3}}}})[0]
	}
	for _, c := range []struct{ reversal, failed, passed, excluded float64 }{{8, 0.540, 0.618, 0.690}, {20, 0.599, 0.769, 0.881}, {35, 0.668, 0.891, 0.9707}, {1000, 0.668, 0.891, 0.9707}} {
		near("p_direction under probability tables", edges(compelled(20, c.reversal), Model{Effects: score.TableEffects}).PDirection, c.passed)
		near("p_direction under probability tables, a check failed elsewhere", elsewhere(compelled(20, c.reversal), Model{Effects: score.TableEffects}, 1).PDirection, c.failed)
		near("p_direction under probability tables, a check failed at columns without an edge to these", elsewhere(compelled(20, c.reversal), Model{Effects: score.TableEffects}, 2).PDirection, c.passed)
		near("p_direction under probability tables without a hidden cause", edges(free(compelled(20, c.reversal)), Model{Effects: score.TableEffects}).PDirection, c.excluded)
	}
	class := compelled(20, 1000)
	class.Class = true
	near("p_direction under smooth effects", edges(class, Model{Effects: score.SmoothEffects}).PDirection, 0.881)
	near("p_direction under mixed effects", elsewhere(class, Model{Effects: score.MixedEffects}, 1).PDirection, 0.731)
	near("p_direction under flexible effects", edges(free(class), Model{Effects: score.FlexibleEffects}).PDirection, 0.731)
	near("p_direction under mixed effects, all checks passed", edges(class, Model{Effects: score.MixedEffects}).PDirection, 0.953)
	open := Claim{EdgeRecord: ahead, Directed: true, DeltaBIC: 20}
	for _, c := range []struct{ share, want float64 }{{0.5, 0.5}, {0.7, 0.7505}, {0.95, 0.8}, {0.05, 0.2}} {
		open.Share = c.share
		near("p_direction of an open edge", edges(open, Model{}).PDirection, c.want)
	}
	noise := 1e-4
	open.DirectionP, open.Share = &noise, 0.5
	three := func(f Claim) Judgement { return Judge(namesOnly("a", "b", "c"), Model{}, nil, []Claim{f})[0] }
	near("p_direction by noise that is not Gaussian", three(open).PDirection, 0.881)
	near("p_direction by noise that is not Gaussian, in a table of two columns", edges(open, Model{}).PDirection, 0.7685)
	turned := compelled(20, 20)
	turned.Turned = true
	near("p_direction where a part of the rows has the edge reversed", edges(turned, Model{}).PDirection, 0.7685)
	fixed := compelled(20, 0)
	fixed.Reversal = nil
	near("p_direction where the cost of a reversal is unknown", edges(fixed, Model{}).PDirection, 0.802)
	alike := Assumption{Name: IndependentRows, Outcome: Failed}
	near("p_adjacent of dependent rows", edges(compelled(40, 50), Model{}, alike).PAdjacent, 0.8157)                             // gain 47/4 − 7
	near("p_adjacent of dependent rows", edges(compelled(40, 50), Model{Effects: score.SmoothEffects}, alike).PAdjacent, 0.2428) // gain 61/4 − 21
	near("p_direction of dependent rows", edges(compelled(40, 40), Model{}, alike).PDirection, 0.8808)
	known := open
	known.Known = true
	if j := edges(known, Model{}, failing("b")); j.PDirection != 1 || j.Verdict != Directed {
		t.Errorf("prior knowledge: %+v", j)
	}
	near("p_direction after a failed check", edges(compelled(20, 1000), Model{}, failing("b")).PDirection, 0.6225)
}

// failing is a check that failed at some columns.
func failing(columns ...string) Assumption {
	return Assumption{Name: LinearEffects, Outcome: Failed, Evidence: []Finding{{Code: Curvature, Columns: columns}}}
}

// randomClaims draws edges among d columns.
func randomClaims(rng *rand.Rand, d, edges int) []Claim {
	out := make([]Claim, edges)
	for k := range out {
		from := rng.IntN(d)
		f := Claim{EdgeRecord: method.EdgeRecord{Edge: graph.Edge{From: from, To: (from + 1 + rng.IntN(d-1)) % d}, EdgeFacts: method.EdgeFacts{Compelled: rng.IntN(2) == 0, Turned: rng.IntN(4) == 0}}, Directed: rng.IntN(8) > 0, DeltaBIC: 40*rng.Float64() - 5, Penalty: 7, Known: rng.IntN(8) == 0, Identified: rng.IntN(8) == 0, Share: rng.Float64()}
		if r := 40 * rng.Float64(); f.Compelled && rng.IntN(3) > 0 {
			f.Reversal = &r
		}
		if p := rng.Float64() * rng.Float64() * rng.Float64(); rng.IntN(3) == 0 {
			f.DirectionP = &p
		}
		out[k] = f
	}
	return out
}

// Probabilities lie between 0 and 1, the verdict follows from them, and the evidence adds up to p_direction.
func TestVerdictFollowsFromProbabilities(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	e := namesOnly("a", "b", "c", "d")
	seen := map[Verdict]int{}
	for range 300 {
		var checks []Assumption
		if rng.IntN(2) == 0 {
			checks = append(checks, failing([]string{"a", "c"}[:1+rng.IntN(2)]...))
		}
		if rng.IntN(4) == 0 {
			checks = append(checks, Assumption{Name: IndependentRows, Outcome: Failed})
		}
		for _, j := range Judge(e, Model{}, checks, randomClaims(rng, 4, 6)) {
			seen[j.Verdict]++
			must.Succeed(t, j.Check())
			both := j.PAdjacent * j.PDirection
			if (j.Verdict == Directed) != (both >= StatedLevel) || (j.Verdict == Weak) != (j.PAdjacent < StatedLevel) {
				t.Fatalf("%+v", j)
			}
			want := j.PAdjacent
			if j.Verdict == Directed {
				want = both
			}
			sum := 0.0
			for _, r := range j.Evidence {
				sum += r.LogOdds
			}
			p := 1 / (1 + math.Exp(-min(max(sum, -4), 4)))
			if len(j.Evidence) > 0 && j.Evidence[0].Source == FromKnowledge {
				p = 1
			}
			if j.Confidence != want || len(j.Evidence) > 0 && !(math.Abs(p-j.PDirection) <= 1e-12) {
				t.Fatalf("%+v", j)
			}
		}
	}
	for _, v := range []Verdict{Directed, Undirected, Weak} {
		if seen[v] < 50 {
			t.Errorf("%d edges are %s: the test is too narrow", seen[v], v)
		}
	}
}

// A failed check lowers a stated direction of the edges that touch its columns, and changes no other edge. One without columns concerns
// all. Dependent residuals of a column lower the probability of the edges into it, and of the directions of all its edges.
func TestFailedCheckIsLocal(t *testing.T) {
	e := namesOnly("a", "b", "c", "d")
	var edges []Claim
	for _, ends := range [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}} {
		f := compelled(8, 12)
		f.From, f.To = ends[0], ends[1]
		edges = append(edges, f)
	}
	before := Judge(e, Model{}, nil, edges)
	for k, j := range Judge(e, Model{}, []Assumption{failing("b")}, edges) {
		touches := edges[k].From == 1 || edges[k].To == 1
		if (j.PDirection < before[k].PDirection) != touches || j.PAdjacent != before[k].PAdjacent || !touches && j.PDirection != before[k].PDirection {
			t.Errorf("b fails, edge %v: %+v, was %+v", edges[k], j, before[k])
		}
	}
	for k, j := range Judge(e, Model{}, []Assumption{failing()}, edges) {
		if !(j.PDirection < before[k].PDirection) {
			t.Errorf("the table fails, edge %v: %+v", edges[k], j)
		}
	}
	for k, j := range Judge(e, Model{}, []Assumption{{Name: IndependentRows, Outcome: Failed, Evidence: []Finding{{Code: AlikeNeighbours, Columns: []string{"b"}}}}}, edges) {
		into, touches := edges[k].To == 1, edges[k].From == 1 || edges[k].To == 1
		if (j.PDirection < before[k].PDirection) != touches || (j.PAdjacent < before[k].PAdjacent) != into {
			t.Errorf("rows of b depend on each other, edge %v: %+v", edges[k], j)
		}
	}
	passed := failing("b")
	passed.Outcome = Passed
	for k, j := range Judge(e, Model{}, []Assumption{passed}, edges) {
		if j.PDirection != before[k].PDirection {
			t.Errorf("a check that passed counts: %+v", j)
		}
	}
}

// Dependent rows count less in the verdict, but a result shows the whole loss of a reversal.
func TestWeighKeepsClaims(t *testing.T) {
	claims := []Claim{compelled(40, 40)}
	alike := []Assumption{{Name: IndependentRows, Outcome: Failed}}
	if j := Judge(namesOnly("a", "b"), Model{}, alike, claims)[0]; j.PDirection == Judge(namesOnly("a", "b"), Model{}, nil, claims)[0].PDirection || *claims[0].Reversal != 40 || claims[0].dependent {
		t.Errorf("%+v after the verdict %+v", claims[0], j)
	}
}

// Probabilities of bootstrap samples take the place of those of the model, and failed checks count as before.
func TestResampledJudgement(t *testing.T) {
	f := compelled(20, 30)
	for checks, want := range map[*Assumption]float64{nil: 0.9, {Name: LinearEffects, Outcome: Failed, Evidence: []Finding{{Columns: []string{"a"}}}}: logistic(0.1 * math.Log(9))} {
		var list []Assumption
		if checks != nil {
			list = append(list, *checks)
		}
		was := Judge(namesOnly("a", "b"), Model{}, list, []Claim{f})[0]
		j := was.Resampled(0.95, 0.9, "calibrated frequency", Doubts{})
		if j.PAdjacent != 0.95 || !(math.Abs(j.PDirection-want) <= 1e-12) || j.Evidence[0].Source != FromRows || was.Evidence[0].Source != FromClass {
			t.Errorf("%+v, want %v", j, want)
		}
	}
	known := f
	known.Known = true
	if j := Judge(namesOnly("a", "b"), Model{}, nil, []Claim{known})[0].Resampled(0.9, 0.3, "", Doubts{}); j.PDirection != 1 {
		t.Errorf("prior knowledge is overruled: %+v", j)
	}
}

// Samples that leave a direction open say nothing against its share of the class, and a share of a half says nothing.
func TestWithShare(t *testing.T) {
	for _, c := range []struct{ direction, share, want float64 }{{0.5, 0.7, 1 / (1 + math.Pow(3./7, 1.3))}, {0.9, 0.5, 0.9}, {0.5, 0.99, 0.8}, {0.8, 0.8, 16. / 17}, {0.2, 0.8, 0.5}, {0, 0.5, 1e-6}} {
		if got := WithShare(c.direction, c.share); !(math.Abs(got-c.want) <= 1e-9) {
			t.Errorf("%v with a share of %v: %v, want %v", c.direction, c.share, got, c.want)
		}
	}
}

// TestStatedLevelIsFourFifths checks the documented level of a verdict on both sides: a direction is stated, and an adjacency
// not called weak, from a probability of 0.8.
func TestStatedLevelIsFourFifths(t *testing.T) {
	for _, c := range []struct {
		adjacent, direction float64
		want                Verdict
	}{{1, 0.8, Directed}, {1, 0.79, Undirected}, {0.8, 0.5, Undirected}, {0.79, 1, Weak}} {
		if got := State(c.adjacent, c.direction, nil).Verdict; got != c.want {
			t.Errorf("probabilities %v and %v: %s, want %s", c.adjacent, c.direction, got, c.want)
		}
	}
}

// Every basis has one of four words, and only these.
func TestWordOfBasis(t *testing.T) {
	want := map[Basis]string{ByKnowledge: "you", ByPrior: "you", ByNames: "names", ByModel: "model", ByKnowledgeAndModel: "model", ByRule: "rules", ByModelAndRule: "rules", "": ""}
	for _, b := range append(slices.Clone(bases), "") {
		if word, ok := want[b]; !ok || b.Word() != word {
			t.Errorf("the word of %q is %q, want %q", b, b.Word(), word)
		}
	}
	if len(want) != len(bases)+1 {
		t.Errorf("%d bases, want %d", len(bases), len(want)-1)
	}
}

// Every judgement says what its direction mainly rests on, and bootstrap samples do not change it.
func TestBasis(t *testing.T) {
	e := namesOnly("a", "b")
	known, derived := compelled(20, 30), compelled(20, 30)
	known.Known, derived.Derived = true, true
	for _, c := range []struct {
		claim Claim
		fails bool
		want  Basis
	}{{compelled(20, 30), false, ByModel}, {compelled(20, 30), true, ByModel}, {known, true, ByKnowledge}, {derived, false, ByKnowledgeAndModel}, {derived, true, ByKnowledgeAndModel}} {
		var checks []Assumption
		if c.fails {
			checks = append(checks, failing("a"))
		}
		j := Judge(e, Model{}, checks, []Claim{c.claim})[0]
		if j.Basis != c.want || j.Resampled(0.9, 0.9, "", Doubts{}).Basis != c.want {
			t.Errorf("%+v: %+v, want %s", c, j, c.want)
		}
		if c.want == ByKnowledgeAndModel && !(j.PDirection < 1) {
			t.Errorf("a derived direction is certain: %+v", j)
		}
	}
}

// Only confidences from a calibration curve are called calibrated.
func TestSaidCalibrated(t *testing.T) {
	for _, c := range []struct {
		c    Confidence
		want bool
	}{
		{Confidence{Calibration: "simulated-1"}, true}, {Confidence{Calibration: "none", Resampling: Halves}, false},
		{Confidence{Calibration: "none", Posterior: &PosteriorSummary{}}, false}, {Confidence{Calibration: "simulated", Posterior: &PosteriorSummary{}, Recalibration: &Recalibration{}}, true},
	} {
		if said := c.c.Sentence(0.5); strings.Contains(said, "calibrated") != c.want {
			t.Errorf("%+v: %s", c.c, said)
		}
	}
}

// TestResampledRowsThatDepend checks that samples of dependent rows count a quarter on the scale of log odds.
func TestResampledRowsThatDepend(t *testing.T) {
	j := Judgement{Evidence: []Reason{{Source: FromClass, LogOdds: 2, Weight: 1}}}
	own := j.Resampled(0.99, 0.97, "frequency", Doubts{Effect: true, Direction: true})
	for _, c := range []struct{ got, from float64 }{{own.PAdjacent, 0.99}, {own.PDirection, 0.97}} {
		if odds := c.got / (1 - c.got); !(math.Abs(math.Pow(odds, 4)-c.from/(1-c.from)) <= 1e-6*c.from/(1-c.from)) {
			t.Errorf("%v from %v: odds to the power of 4 are %v", c.got, c.from, math.Pow(odds, 4))
		}
	}
	if own.Verdict == Directed || j.Resampled(0.99, 0.97, "frequency", Doubts{}).Verdict != Directed {
		t.Error("dependent rows do not change the verdict")
	}
}

// TestDependenceOfRowsByColumn checks that dependent residuals of a column concern the effects on it and the directions of its edges.
func TestDependenceOfRowsByColumn(t *testing.T) {
	check := func(findings ...Finding) []Assumption {
		return []Assumption{{Name: IndependentRows, Outcome: Failed, Evidence: findings}}
	}
	everywhere := Doubts{Effect: true, Direction: true}
	alike := Finding{Code: AlikeNeighbours, Columns: []string{"a"}}
	moved := []Assumption{{Name: Stationary, Outcome: Failed, Evidence: []Finding{{Code: series.Trend, Columns: []string{"a", "b"}}, {Code: series.ChangingVariance, Columns: []string{"c"}}}}}
	for _, c := range []struct {
		list     []Assumption
		from, to string
		want     Doubts
	}{
		{nil, "a", "b", Doubts{}},
		{check(), "a", "b", everywhere},
		{check(alike), "a", "b", Doubts{Direction: true}},
		{check(alike), "b", "a", everywhere},
		{check(alike), "b", "c", Doubts{}},
		{check(alike, Finding{Code: RepeatedRows}), "b", "c", everywhere},
		{check(Finding{Code: RepeatedRows}, alike), "b", "c", everywhere},
		{[]Assumption{{Name: IndependentRows, Outcome: Passed, Evidence: []Finding{{}}}}, "a", "b", Doubts{}},
		{moved, "a", "b", Doubts{Together: true}},
		{moved, "a(t-2)", "b(t)", Doubts{Together: true}},
		{moved, "a(t-1)", "a(t)", Doubts{}},
		{moved, "a", "c", Doubts{}},
	} {
		if got := DoubtsOf(c.list, nil)(graph.Link{From: c.from, To: c.to}); got != c.want {
			t.Errorf("%v, %s → %s: %+v, want %+v", c.list, c.from, c.to, got, c.want)
		}
	}
}

// Columns with means that change over time, and with codes for missing values, change together without an edge.
func TestColumnsThatChangeTogether(t *testing.T) {
	edges := []Claim{compelled(1000, 1000), compelled(1000, 1000)}
	edges[1].From, edges[1].To = 1, 2
	profile := &dataset.Profile{RowsRead: 100, Columns: []dataset.ColumnProfile{{Name: "a", Mean: -49, Std: 218, Suspect: -999, Suspects: 5}, {Name: "b", Mean: -49, Std: 218, Suspect: -999, Suspects: 5}, {Name: "c", Std: 1}}}
	stationary := Assumption{Name: Stationary, Outcome: Failed, Evidence: []Finding{{Code: series.LevelShift, Columns: []string{"a", "b"}}}}
	plain := namesOnly("a", "b", "c")
	coded, moved := plain, plain
	coded.Profile, moved.Stationary = profile, stationary
	for what, e := range map[string]Evidence{"codes": coded, "means": moved} {
		got, want := Judge(e, Model{}, nil, edges), Judge(plain, Model{}, nil, edges)
		if got[0].PAdjacent != 0.5 || got[0].Verdict != Weak || got[1].PAdjacent != want[1].PAdjacent {
			t.Errorf("%s: %+v and %+v", what, got[0], got[1])
		}
	}
	doubts := DoubtsOf(nil, []Finding{{Code: Sentinel, Columns: []string{"a", "b"}}})
	if j := Judge(plain, Model{}, nil, edges)[0].Resampled(0.99, 0.99, "samples", doubts(graph.Link{From: "a", To: "b"})); j.PAdjacent != 0.5 {
		t.Errorf("samples: %+v", j)
	}
}

// Prior odds multiply the odds of the other evidence (Bayes), and a direction rests on the prior only if the rows do not outweigh it.
func TestPriorOfADirection(t *testing.T) {
	open := Claim{EdgeRecord: ahead, Directed: true, DeltaBIC: 20, Share: 0.05} // the model has odds of 1/4, at the limit for open edges
	for prior, basis := range map[float64]Basis{1: ByModel, 2: ByPrior, -1: ByModel} {
		open.PriorDirection = prior
		got := Judge(namesOnly("a", "b"), Model{}, nil, []Claim{open})[0]
		odds := math.Exp(prior)
		if want := (odds / 4) / (1 + odds/4); !(math.Abs(got.PDirection-want) <= 1e-9) || got.Basis != basis {
			t.Errorf("prior log odds %v: %v by %s, want %v by %s", prior, got.PDirection, got.Basis, want, basis)
		}
	}
}
