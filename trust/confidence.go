package trust

import (
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/resample"
)

// Confidence says how sure the edges of a result are, by the graphs of many tables that were drawn from the rows of one.
type Confidence struct {
	// Resampling is how rows were drawn, Unit what was drawn: rows, or the clusters or rows within regimes of a column.
	Resampling Resampling `json:"resampling"`
	Unit       string     `json:"unit"`
	// Replicates are the tables that the frequencies are of, Asked how many there were to be: less where the run was stopped, or
	// where a table could not be learned from, which Failed lists.
	Replicates int       `json:"replicates"`
	Asked      int       `json:"asked"`
	Failed     []Failure `json:"failed,omitempty"`
	Seed       uint64    `json:"seed"`
	// Calibration names what makes confidences of frequencies: none, where they are the frequencies.
	Calibration string `json:"calibration"`
	// Recalibration is there where Calibration was learned for this table.
	Recalibration *Recalibration `json:"recalibration,omitempty"`
	// Graph says what the edges of the result are: those learned from the whole table, or a consensus of the replicates at Level. Turned
	// lists the edges that point the other way than in the graph of the whole table, as they are now, where Graph is TurnedGraph.
	Graph  ConsensusForm `json:"graph"`
	Level  float64       `json:"level,omitempty"`
	Turned []graph.Link  `json:"turned,omitempty"`
	// Posterior is there where graphs were drawn from the posterior: which it is, and how far the chains agree.
	Posterior *PosteriorSummary `json:"posterior,omitempty"`
	// Stability is there for halves: a bound on false edges.
	Stability *Stability `json:"stability,omitempty"`
	// Pairs lists every ordered pair whose edge, adjacency or path was found in more than LeastFrequency of the replicates, by name.
	Pairs []Pair `json:"pairs"`
}

// Drawn names what the frequencies are of.
func (c *Confidence) Drawn() string {
	switch c.Resampling {
	case Halves:
		return "half samples"
	case PosteriorGraphs:
		return "graphs of the posterior"
	}
	return "bootstrap samples"
}

// Calibrated reports whether confidences were calibrated on simulated tables. Otherwise they are frequencies or posterior probabilities.
func (c *Confidence) Calibrated() bool {
	return c.Recalibration != nil || c.Posterior == nil && c.Calibration != "none"
}

// Said describes the probability of a direction that this share of the edges between two columns has.
func (c *Confidence) Said(share float64) string {
	said := fmt.Sprintf("in %d %s, %.2f of the edges between the two have this direction (one without a direction counts half)", c.Replicates, c.Drawn(), share)
	if c.Posterior != nil {
		said = fmt.Sprintf("posterior probability %.2f of the direction if there is an edge", share)
	}
	if c.Calibrated() {
		said += ", calibrated"
	}
	return said
}

// Resampling says what the confidences were estimated from.
type Resampling string

// The kinds of resampling.
const (
	// Bootstrap draws as many rows as the table has, with replacement (Efron 1979).
	Bootstrap Resampling = resample.Bootstrap
	// Halves draws half of the rows without replacement, in complementary pairs: samples 2k and 2k+1 have no row in
	// common (Shah and Samworth 2013, "Variable selection with error control: another look at stability selection").
	Halves Resampling = resample.Half
	// PosteriorGraphs draws no rows. It draws graphs from the posterior distribution.
	PosteriorGraphs Resampling = "posterior"
)

// Recalibration says what simulated tables a map from frequencies to confidences was learned on.
type Recalibration struct {
	// Tables were simulated from graphs that were found, fitted to the table, and Replicates of each were learned from; 0 where graphs
	// were drawn from the posterior instead. Seed is that of the simulation.
	Tables     int    `json:"tables"`
	Replicates int    `json:"replicates,omitempty"`
	Seed       uint64 `json:"seed"`
	// Pairs are the ordered pairs of the simulated tables with a confidence above 0.1.
	Pairs int `json:"pairs"`
	// Before and After are the mean of |confidence - share that is right| over these pairs, by tenths: with the confidences that are
	// given without, and with those of maps that were learned on the other simulated tables.
	Before float64 `json:"error_before"`
	After  float64 `json:"error_after"`
}

// PosteriorSummary says how the posterior over graphs was found.
type PosteriorSummary struct {
	// Score names the marginal likelihood: BGe or BDeu.
	Score string `json:"score"`
	// EdgeOdds are the odds of each edge before the table was seen.
	EdgeOdds float64 `json:"edge_odds,omitempty"`
	// Exact says that probabilities of edges were computed, from all graphs; those of ancestors are shares of independent draws.
	Exact bool `json:"exact"`
	// Chains and Samples are how many chains there were and how many graphs were kept of each.
	Chains  int `json:"chains"`
	Samples int `json:"samples"`
	// RHat is the largest R-hat and ESS the smallest effective sample size over the edges in doubt. Converged says that they
	// are at most 1.05 and at least 200. BurnIn is how many sweeps went before, and Thin how many are between two graphs.
	RHat      float64 `json:"rhat"`
	ESS       float64 `json:"ess"`
	Converged bool    `json:"converged"`
	BurnIn    int     `json:"burn_in,omitempty"`
	Thin      int     `json:"thin,omitempty"`
}

// LeastFrequency is what a pair needs to be listed.
const LeastFrequency = 0.01

// ConsensusForm says what graph a result with confidences has.
type ConsensusForm string

// The forms.
const (
	NoConsensus    ConsensusForm = "full"   // learned from the whole table
	TurnedGraph    ConsensusForm = "turned" // the same, with the edges turned round that most replicates hold the other way
	ConsensusDAG   ConsensusForm = "dag"    // the DAG that agrees best with the replicates
	ConsensusClass ConsensusForm = "cpdag"  // the Markov equivalence class of that DAG
)

// Failure is a replicate that could not be learned from.
type Failure struct {
	Replicate int    `json:"replicate"`
	Why       string `json:"why"`
}

// Pair is what the replicates say of two columns. A replicate in which the direction of an edge is open counts half for each.
type Pair struct {
	graph.Link
	// Frequency is the share of replicates with the edge in this direction, Confidence the probability that follows from it.
	Frequency  float64 `json:"frequency"`
	Confidence float64 `json:"confidence"`
	// Adjacency is the share of replicates with an edge between the two, and Ancestor that with a directed path from the one to the
	// other.
	Adjacency float64 `json:"adjacency"`
	Ancestor  float64 `json:"ancestor"`
}

// Share is the share of the edges between two columns that have the direction of p. back is the pair with the other direction.
func (p Pair) Share(back Pair) float64 {
	if p.Frequency == 0 {
		return 0
	}
	return p.Frequency / (p.Frequency + back.Frequency)
}

// Stability is the bound of stability selection on the edges between columns that have none.
type Stability struct {
	// Threshold is the share of halves that a pair must be adjacent in to be Selected, Selected how many pairs are.
	Threshold float64 `json:"threshold"`
	Selected  int     `json:"selected"`
	// Edges is the mean number of edges of a half, q, and Pairs the number of pairs of columns, p.
	Edges float64 `json:"mean_edges"`
	Pairs int     `json:"pairs"`
	// Bound is q²/((2·Threshold - 1)·p): at most so many of the selected pairs are false, in expectation, if pairs without an edge are
	// exchangeable and the choice is better than chance (Meinshausen and Bühlmann 2010, Theorem 1).
	Bound float64 `json:"expected_false"`
}

// Check reports what keeps confidences from being those of a result whose columns have these names and places.
func (c *Confidence) Check(index map[string]int) error {
	fault := func(format string, args ...any) error {
		return fmt.Errorf(format, args...)
	}
	share := func(v float64) bool { return v >= 0 && v <= 1 }
	switch {
	case c.Resampling != Bootstrap && c.Resampling != Halves && c.Resampling != PosteriorGraphs:
		return fault("resampling is %q, want %s, %s or %s", c.Resampling, Bootstrap, Halves, PosteriorGraphs)
	case (c.Resampling == PosteriorGraphs) != (c.Posterior != nil):
		return fault("resampling is %q, and what is said of the posterior does not go with it", c.Resampling)
	case c.Posterior != nil && (!(c.Posterior.RHat >= 1) || !(c.Posterior.ESS >= 0) || !(c.Posterior.EdgeOdds >= 0) || c.Posterior.Chains < 1 || c.Posterior.Samples < 1):
		return fault("R-hat %v and an effective sample size of %v", c.Posterior.RHat, c.Posterior.ESS)
	case c.Graph != NoConsensus && c.Graph != TurnedGraph && c.Graph != ConsensusDAG && c.Graph != ConsensusClass:
		return fault("graph is %q, want %s, %s, %s or %s", c.Graph, NoConsensus, TurnedGraph, ConsensusDAG, ConsensusClass)
	case (c.Graph == TurnedGraph) != (len(c.Turned) > 0):
		return fault("graph is %q, and %d edges were turned", c.Graph, len(c.Turned))
	case c.Recalibration != nil && (c.Recalibration.Tables < 1 || c.Recalibration.Pairs < 0 || !share(c.Recalibration.Before) || !share(c.Recalibration.After)):
		return fault("what is said of the recalibration is not right")
	case c.Replicates < 0 || c.Asked < c.Replicates+len(c.Failed) || !share(c.Level):
		return fault("%d replicates and %d that failed of %d, at level %v", c.Replicates, len(c.Failed), c.Asked, c.Level)
	}
	seen := make(map[graph.Link]bool, len(c.Pairs))
	for _, p := range c.Pairs {
		from, okFrom := index[p.From]
		to, okTo := index[p.To]
		if !okFrom || !okTo || from == to || seen[p.Link] {
			return fault("the pair %s and %s is none, or there twice", p.From, p.To)
		}
		seen[p.Link] = true
		if !share(p.Frequency) || !share(p.Confidence) || !share(p.Adjacency) || !share(p.Ancestor) {
			return fault("a share of %s → %s is outside of 0 to 1", p.From, p.To)
		}
	}
	for _, e := range c.Turned {
		if _, ok := index[e.From]; !ok || !seen[e] {
			return fault("%s → %s was turned, and is no pair", e.From, e.To)
		}
	}
	if s := c.Stability; s != nil && (!(s.Threshold > 0.5 && s.Threshold <= 1) || !(s.Edges >= 0) || !(s.Bound >= 0) || s.Selected < 0 || s.Pairs < s.Selected) {
		return fault("the bound of stability selection is not one")
	}
	return nil
}
