package trust

import (
	"slices"
	"strings"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/series"
	"github.com/polydag/polydag/score"
)

// These constants calibrate the probability of an adjacency. docs/explanation/confidence.md describes the study and its tables.
const (
	// adjacencyShift and adjacencySlope convert the ΔBIC of an edge to log odds of the adjacency.
	adjacencyShift, adjacencySlope, adjacencyMost = 0.3, 0.25, 4.0
	// unseenMost limits the log odds of an edge that is Unseen. In the knockouts of DREAM4, with two rows for each target, about a third of such
	// edges are right; among independent columns with heavy tails none is.
	unseenMost = -0.5
	// togetherMost limits the log odds of an edge between columns that change together without one. Of such edges between independent
	// series with a trend, a shift or a season nearly all are false, and of those between columns with 5 % of -999 in the same rows one half.
	togetherMost = 0.0
	// dependentRows is the weight of a row if consecutive rows are similar.
	dependentRows = 0.25
	// curveWeights is the approximate number of parameters of a smooth effect, each of which pays the penalty if rows have smaller
	// weights.
	curveWeights = 3
)

// Judge returns the verdicts on edges. A failed check counts for the edges at the columns that it names, and for all edges if it
// names none.
func Judge(e Evidence, model Model, assumptions []Assumption, edges []Claim) []Judgement {
	failed := newFailures(append(slices.Clip(assumptions), e.Stationary))
	if e.Profile != nil {
		for _, c := range e.Profile.Columns {
			if _, ok := sentinel(c, e.Profile.RowsRead); ok {
				failed.drift([]string{c.Name})
			}
		}
	}
	pictured := e.repeats()
	chosen := newCollection(e, model)
	pairs, swaps := newAsymmetry(e, model), newExchanges(e, model)
	columns := e.Moments.Names
	connected := newConnected(len(columns), edges)
	spoilt := failed.spoilt(columns, connected)
	out := make([]Judgement, len(edges))
	for k, c := range edges {
		c.model, c.pairs, c.columns, c.environments = model, pairs, len(columns), e.Environments != nil
		c.failed, c.passed, c.adjacentMost = failed.of(columns, c.Edge), !pictured && !spoilt[connected.of(c.From)], min(adjacencyMost, swaps.most(c.Edge, (c.DeltaBIC+c.Penalty)/e.worth(e.Moments.N)))
		if model.Effects == score.SmoothEffects && len(c.failed) == 0 {
			c.failed = failed.beside(columns, edges, c.Edge)
		}
		doubts := failed.doubts(columns[c.From], columns[c.To])
		if pictured && (model.label(c.From) || model.label(c.To)) {
			doubts.Effect, doubts.Direction = true, true
		}
		doubts.Together = doubts.Together || chosen.explains(c.From, c.To)
		if model.Kinds != nil && model.label(c.From) && model.label(c.To) {
			c.annotations = e.Pictures || e.Faces || chosen != nil && chosen.selected
		}
		out[k] = judge(&c, doubts)
	}
	return out
}

// judge returns the verdict on one edge. It changes the claim.
func judge(c *Claim, doubts Doubts) Judgement {
	var j Judgement
	delta := c.DeltaBIC
	if doubts.Effect {
		penalty := c.Penalty
		if c.model.Effects == score.SmoothEffects || c.model.Effects == score.FlexibleEffects {
			penalty *= curveWeights
		}
		delta = (c.DeltaBIC+penalty)*dependentRows - penalty
	}
	if doubts.Direction && c.Reversal != nil {
		less := *c.Reversal * dependentRows
		c.Reversal, c.dependent = &less, true
	}
	most := c.adjacentMost
	if c.Unseen {
		most = unseenMost
	}
	if doubts.Together {
		most = min(most, togetherMost)
	}
	j.PAdjacent = logistic(min(most, adjacencyShift+adjacencySlope*delta+c.PriorAdjacent))
	if c.Required {
		j.PAdjacent = 1
	}
	if c.Directed {
		j.Evidence = c.evidence()
	}
	return j.stated()
}

// evidence collects what all sources say about the direction.
func (c *Claim) evidence() []Reason {
	if c.Known {
		return []Reason{known()}
	}
	if c.model.Stopped {
		return slices.Clone(stopped)
	}
	c.weigh()
	var out []Reason
	for _, source := range sources {
		if r, ok := source(c); ok {
			out = append(out, r)
		}
	}
	if len(c.failed) > 0 {
		out = append(out, c.remark())
	}
	if r, ok := byHidden(c); ok {
		out = append(out, r)
	}
	return out
}

// stopped is the evidence on a direction in a run that was stopped.
var stopped = []Reason{{Source: FromChecks, Text: "the run was stopped before it was done"}}

// Stopped returns the judgement in a run that was stopped after its search: only prior knowledge determines a direction.
func (j Judgement) Stopped() Judgement {
	if len(j.Evidence) == 0 || j.Basis == ByKnowledge {
		return j
	}
	j.Evidence, j.Basis = slices.Clone(stopped), ByModel
	return j.stated()
}

// directionMost limits the log odds of a direction: no check finds all hidden causes and all effects back in time.
const directionMost = 4.0

// stated derives the probability of the direction from the evidence, and the verdict from both probabilities.
func (j Judgement) stated() Judgement {
	if len(j.Evidence) > 0 {
		odds, hidden := 0.0, 0.0
		for _, r := range j.Evidence {
			odds, hidden = odds+r.LogOdds, hidden+r.P
		}
		j.PDirection = logistic(bounded(odds, directionMost)) * (1 - hidden)
		if j.Evidence[0].Source == FromKnowledge {
			j.PDirection = 1
		}
		j.Basis = j.restsOn()
	}
	switch both := j.PAdjacent * j.PDirection; {
	case j.PAdjacent < StatedLevel:
		j.Verdict, j.Confidence = Weak, j.PAdjacent
	case both < StatedLevel:
		j.Verdict, j.Confidence = Undirected, j.PAdjacent
	default:
		j.Verdict, j.Confidence = Directed, both
	}
	return j
}

// restsOn returns the source that contributes most to the direction that is more probable.
func (j Judgement) restsOn() Basis {
	by, total, derived := map[Basis]float64{}, 0.0, false
	for _, r := range j.Evidence {
		total += r.LogOdds
		switch derived = derived || strings.HasPrefix(r.Text, derivedText); r.Source {
		case FromKnowledge:
			return ByKnowledge
		case FromNames:
			by[ByNames] += r.LogOdds
		case FromPrior:
			by[ByPrior] += r.LogOdds
		case FromRule:
			by[ByRule] += r.LogOdds
		default:
			by[ByModel] += r.LogOdds
		}
	}
	best, most := ByModel, 0.0
	for _, b := range []Basis{ByPrior, ByNames, ByModel, ByRule} {
		if odds := by[b] * sign(total); odds > most {
			best, most = b, odds
		}
	}
	switch {
	case best == ByModel && derived:
		return ByKnowledgeAndModel
	case (best == ByModel || best == ByRule) && by[ByModel]*by[ByRule] > 0 && logistic(most) < StatedLevel:
		return ByModelAndRule
	}
	return best
}

func sign(x float64) float64 {
	if x < 0 {
		return -1
	}
	return 1
}

// failures holds the failed checks, and those with evidence against directions only, by the columns that they name.
type failures struct {
	at    map[string][]string
	table []string        // checks without columns
	rows  bool            // rows are not independent in any column
	alike map[string]bool // columns whose residuals are dependent
	moved map[string]bool // columns that may change together without an edge
}

func newFailures(assumptions []Assumption) failures {
	f := failures{at: map[string][]string{}, alike: map[string]bool{}, moved: map[string]bool{}}
	for _, a := range assumptions {
		if a.Outcome != Failed && a.Name != SmoothEffects {
			continue
		}
		if a.Name == IndependentRows {
			f.rows = len(a.Evidence) == 0
			for _, finding := range a.Evidence {
				f.rows = f.rows || len(finding.Columns) == 0
				for _, name := range finding.Columns {
					f.alike[name] = true
				}
			}
			continue
		}
		if a.Name == Stationary {
			for _, finding := range a.Evidence {
				if finding.Code != series.ChangingVariance {
					f.drift(finding.Columns)
				}
			}
			continue
		}
		for _, finding := range a.Evidence {
			word := CodeWords(finding.Code)
			if len(finding.Columns) == 0 {
				f.table = append(f.table, word)
			}
			for _, name := range finding.Columns {
				f.at[name] = append(f.at[name], word+" ("+name+")")
			}
		}
	}
	return f
}

// drift marks columns that may change together without an edge.
func (f failures) drift(columns []string) {
	for _, name := range columns {
		f.moved[name] = true
	}
}

func (f failures) doubts(from, to string) Doubts {
	a, _, _ := names.CutLag(from)
	b, _, _ := names.CutLag(to)
	return Doubts{Effect: f.rows || f.alike[to], Direction: f.rows || f.alike[from] || f.alike[to], Together: a != b && f.moved[a] && f.moved[b]}
}

// spoilt returns the parts of the graph in which a check failed. A check that names no column counts for all parts.
func (f failures) spoilt(columns []string, parts connected) map[int]bool {
	out := map[int]bool{}
	for j, name := range columns {
		if f.rows || len(f.table) > 0 || f.alike[name] || len(f.at[name]) > 0 {
			out[parts.of(j)] = true
		}
	}
	return out
}

// connected holds the parts of a graph that edges connect, whatever their directions: each column points towards the smallest of its part.
type connected []int

func newConnected(columns int, edges []Claim) connected {
	c := make(connected, columns)
	for j := range c {
		c[j] = j
	}
	for _, e := range edges {
		a, b := c.of(e.From), c.of(e.To)
		c[max(a, b)] = min(a, b)
	}
	return c
}

// of returns the first column of the part to which column j belongs.
func (c connected) of(j int) int {
	for c[j] != j {
		c[j] = c[c[j]]
		j = c[j]
	}
	return j
}

// of lists the failed checks that concern an edge.
func (f failures) of(columns []string, e graph.Edge) []string {
	return slices.Concat(f.table, f.at[columns[e.From]], f.at[columns[e.To]])
}

// beside lists the failed checks at columns that have edges with both ends of an edge. Such an edge can stand for what a smooth model lacks at
// the third column: without the product of two causes, the graph joins the causes to each other.
func (f failures) beside(columns []string, edges []Claim, e graph.Edge) (out []string) {
	touched := make([]int, len(columns))
	for _, c := range edges {
		for _, v := range []int{e.From, e.To} {
			switch v {
			case c.From:
				touched[c.To]++
			case c.To:
				touched[c.From]++
			}
		}
	}
	for v, name := range columns {
		if v != e.From && v != e.To && touched[v] == 2 {
			out = append(out, f.at[name]...)
		}
	}
	return out
}
