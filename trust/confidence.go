package trust

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/resample"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// Confidence describes how the confidences of a result were estimated from resampled tables or from the posterior.
type Confidence struct {
	// Resampling is the kind of resampling, and Unit is the resampled unit: rows, groups, or rows within environments.
	Resampling Resampling `json:"resampling"`
	Unit       string     `json:"unit"`
	// Replicates is the number of learned tables, and Asked the requested number. Replicates is smaller if the run was stopped or
	// if some tables could not be learned; Failed lists those.
	Replicates int       `json:"replicates"`
	Asked      int       `json:"asked"`
	Failed     []Failure `json:"failed,omitempty"`
	Seed       uint64    `json:"seed"`
	// Calibration names the map from frequencies to confidences; "none" means that confidences are frequencies.
	Calibration string `json:"calibration"`
	// Recalibration is set if Calibration was learned for this table.
	Recalibration *Recalibration `json:"recalibration,omitempty"`
	// Graph is the source of the edges: the whole table, or a consensus of the replicates at Level. Turned lists the edges that
	// were reversed against the graph of the whole table if Graph is TurnedGraph.
	Graph  ConsensusForm `json:"graph"`
	Level  float64       `json:"level,omitempty"`
	Turned []graph.Link  `json:"turned,omitempty"`
	// Posterior is set if graphs were sampled from the posterior.
	Posterior *PosteriorSummary `json:"posterior,omitempty"`
	// Stability is set for half samples: a bound on the number of false edges.
	Stability *Stability `json:"stability,omitempty"`
	// Pairs lists, by name, every ordered pair whose edge, adjacency or path has a frequency above LeastFrequency.
	Pairs []Pair `json:"pairs"`
	// Graphs has the graphs of the bootstrap samples if they are DAGs, so that effects need not learn them again.
	Graphs *DrawnGraphs `json:"graphs,omitempty"`
}

// Drawn names what the frequencies are computed over.
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

// Sentence describes the probability of a direction that this share of the edges between two columns has.
func (c *Confidence) Sentence(share float64) string {
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

// These are the kinds of resampling.
const (
	// Bootstrap draws as many rows as the table has, with replacement (Efron 1979).
	Bootstrap Resampling = resample.Bootstrap
	// Halves draws half of the rows without replacement, in complementary pairs: samples 2k and 2k+1 have no row in
	// common (Shah and Samworth 2013, "Variable selection with error control: another look at stability selection").
	Halves Resampling = resample.Half
	// PosteriorGraphs samples graphs from the posterior and no rows.
	PosteriorGraphs Resampling = "posterior"
)

// Recalibration describes the simulated tables from which a map from frequencies to confidences was learned.
type Recalibration struct {
	// Tables is the number of simulated tables. They come from learned graphs that were fitted to the table, and each was learned
	// with Replicates samples. It is 0 if graphs were sampled from the posterior instead. Seed is the seed of the simulation.
	Tables     int    `json:"tables"`
	Replicates int    `json:"replicates,omitempty"`
	Seed       uint64 `json:"seed"`
	// Pairs is the number of ordered pairs in the simulated tables with a confidence above 0.1.
	Pairs int `json:"pairs"`
	// Before and After are the mean of |confidence - share of true edges| over these pairs, by tenths. Before uses the default map,
	// and After uses maps that were learned from the other simulated tables.
	Before float64 `json:"error_before"`
	After  float64 `json:"error_after"`
}

// PosteriorSummary describes the posterior over graphs.
type PosteriorSummary struct {
	// Score names the marginal likelihood: BGe or BDeu.
	Score string `json:"score"`
	// EdgeOdds are the prior odds of an edge.
	EdgeOdds float64 `json:"edge_odds,omitempty"`
	// Exact reports that edge probabilities were computed from all graphs. Ancestor probabilities are always frequencies in
	// independent samples.
	Exact bool `json:"exact"`
	// Chains is the number of chains, and Samples the number of graphs kept per chain. A method that approximates the posterior itself,
	// without chains, has one with all its graphs, an RHat of 1 and no statement on convergence.
	Chains  int `json:"chains"`
	Samples int `json:"samples"`
	// RHat is the largest R-hat and ESS the smallest effective sample size over the uncertain edges. Converged reports that they
	// are at most 1.05 and at least 200. BurnIn is the number of burn-in sweeps, and Thin the number of sweeps between two graphs.
	RHat      float64 `json:"rhat"`
	ESS       float64 `json:"ess"`
	Converged bool    `json:"converged"`
	BurnIn    int     `json:"burn_in,omitempty"`
	Thin      int     `json:"thin,omitempty"`
}

// LeastFrequency is the smallest frequency of a listed pair.
const LeastFrequency = 0.01

// ConsensusForm is the kind of graph of a result with confidences.
type ConsensusForm string

// These are the kinds.
const (
	NoConsensus    ConsensusForm = "full"   // learned from the whole table
	TurnedGraph    ConsensusForm = "turned" // the same, with the edges reversed that most replicates have in the other direction
	ConsensusDAG   ConsensusForm = "dag"    // the DAG that agrees best with the replicates
	ConsensusClass ConsensusForm = "cpdag"  // the Markov equivalence class of that DAG
)

// Failure is a replicate that could not be learned.
type Failure struct {
	Replicate int    `json:"replicate"`
	Why       string `json:"why"`
}

// Pair has the frequencies of an ordered pair of columns. A replicate with an undirected edge counts half for each direction.
type Pair struct {
	graph.Link
	// Frequency is the share of replicates with this edge, and Confidence the probability derived from it.
	Frequency  float64 `json:"frequency"`
	Confidence float64 `json:"confidence"`
	// Adjacency is the share of replicates in which the columns are adjacent, and Ancestor the share with a directed path from the
	// first to the second.
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
	// Threshold is the frequency from which a pair counts as selected, and Selected the number of selected pairs.
	Threshold float64 `json:"threshold"`
	Selected  int     `json:"selected"`
	// Edges is the mean number of edges per half sample, q, and Pairs the number of pairs of columns, p.
	Edges float64 `json:"mean_edges"`
	Pairs int     `json:"pairs"`
	// Bound is q²/((2·Threshold - 1)·p), the largest expected number of false selected pairs. It holds if pairs without an edge are
	// exchangeable and the method is better than chance (Meinshausen and Bühlmann 2010, Theorem 1).
	Bound float64 `json:"expected_false"`
}

// Check returns an error if the confidences do not fit a result with these columns.
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
	if c.Graphs != nil {
		if _, err := c.Graphs.Graphs(len(index)); err != nil {
			return err
		}
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
		if !seen[e] {
			return fault("%s → %s was turned, and is no pair", e.From, e.To)
		}
	}
	if s := c.Stability; s != nil && (!(s.Threshold > 0.5 && s.Threshold <= 1) || !(s.Edges >= 0) || !(s.Bound >= 0) || s.Selected < 0 || s.Pairs < s.Selected) {
		return fault("the bound of stability selection is not one")
	}
	return nil
}

// OfPosterior returns the confidences of a posterior that the method itself approximated by weighted graphs. There are no
// chains to compare: ESS is the number of equally weighted graphs with the same variance, and nothing is said of convergence.
func OfPosterior(p *method.Posterior, names []string, seed uint64) *Confidence {
	d, n := len(names), len(p.Graphs)
	edge, ancestor, squares := matrix.New[float64](d, d), matrix.New[float64](d, d), 0.0
	for k, edges := range p.Graphs {
		squares += p.Weights[k] * p.Weights[k]
		g := graph.New(d)
		for _, e := range edges {
			g.AddEdge(e.From, e.To)
			edge.Data[e.From*d+e.To] += p.Weights[k]
		}
		for i := range d {
			for j := range d {
				if i != j && g.HasPath(i, j) {
					ancestor.Data[i*d+j] += p.Weights[k]
				}
			}
		}
	}
	c := &Confidence{
		Resampling: PosteriorGraphs, Unit: "graphs", Replicates: n, Asked: n, Seed: seed, Calibration: "none", Graph: NoConsensus, Pairs: []Pair{},
		Posterior: &PosteriorSummary{Score: p.Score, EdgeOdds: p.EdgeOdds, Chains: 1, Samples: n, RHat: 1, ESS: 1 / squares},
	}
	for i := range d {
		for j := range d {
			share := func(v float64) float64 { return min(1, v) } // weights add up to 1 except for rounding
			q := Pair{Link: graph.Link{From: names[i], To: names[j]}, Frequency: share(edge.At(i, j)), Adjacency: share(edge.At(i, j) + edge.At(j, i)), Ancestor: share(ancestor.At(i, j))}
			if q.Confidence = q.Frequency; max(q.Adjacency, q.Ancestor) > LeastFrequency {
				c.Pairs = append(c.Pairs, q)
			}
		}
	}
	slices.SortStableFunc(c.Pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(b.Adjacency, a.Adjacency), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return c
}
