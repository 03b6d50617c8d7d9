package sample

import (
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/search"
)

// Problem is a posterior over DAGs: the probability of a graph is proportional to exp(-½ Σ_v Score(v, parents of v)).
type Problem struct {
	// Score is minus twice the logarithm of the marginal likelihood and prior of a parent set, such as
	// score.BGe or score.Discrete with BDeu. For other scores the results are not probabilities.
	Score search.Score
	// Odds are the prior odds of an edge in Score, for reports; 0 if unknown.
	Odds float64
	// Knowledge is enforced: graphs that violate it have probability 0.
	Knowledge search.Knowledge
	// Start lists the parents of each variable in an initial graph, such as the result of a search; nil lets
	// Run search.
	Start [][]int
}

// Settings are the settings of Run. Start from DefaultSettings; zero values are not defaults.
type Settings struct {
	// Chains is the number of independent chains, at least 2; comparing them shows convergence.
	Chains int
	// Samples is the number of graphs kept per chain, at least 8.
	Samples int
	// Rounds is the largest number of doublings of the chains until they agree.
	Rounds int
	// Exact is the largest number of variables, at most 12, for which probabilities are computed exactly. The
	// graphs of the result are then independent samples.
	Exact int
	// Candidates is the largest number of candidate parents of a variable, 1 to 16. Bytes limits their tables,
	// and thus their number if there are many variables.
	Candidates int
	Bytes      int64
	// Seed is the random seed.
	Seed uint64
	// Threads is the number of goroutines, at least 1. It does not change the result.
	Threads int

	steady bool // every chain starts from Problem.Start
}

// DefaultSettings returns four chains of 500 graphs, on one thread.
func DefaultSettings() Settings {
	return Settings{Chains: 4, Samples: 500, Rounds: 2, Exact: maxExact, Candidates: 12, Bytes: 256 << 20, Threads: 1}
}

// mostSamples is the largest number of graphs kept per chain.
const mostSamples = 1e6

// Validate returns all errors of the settings.
func (s Settings) Validate() error {
	var errs []error
	within := func(name string, v, low, high int) {
		if v < low || v > high {
			errs = append(errs, fmt.Errorf("setting %s = %d, want %d to %d", name, v, low, high))
		}
	}
	within("Chains", s.Chains, 2, 1000)
	within("Samples", s.Samples, fewest, mostSamples)
	within("Rounds", s.Rounds, 0, 30)
	within("Exact", s.Exact, 0, maxExact)
	within("Candidates", s.Candidates, 1, 16)
	within("Threads", s.Threads, 1, 1<<16)
	if s.Bytes < 1<<20 {
		errs = append(errs, fmt.Errorf("setting Bytes = %d, want at least 1 MiB (%d)", s.Bytes, 1<<20))
	}
	return errors.Join(errs...)
}

// Validate returns all errors of the problem, at the cost of two evaluations of the score per variable.
func (p Problem) Validate() error {
	if p.Score == nil {
		return errors.New("there is no score; bring a marginal likelihood such as score.BGe")
	}
	if err := (search.Problem{Score: p.Score, Knowledge: p.Knowledge}).Validate(); err != nil {
		return err
	}
	d := p.Score.Variables()
	if d > maxVariables {
		return fmt.Errorf("%d variables, want at most %d: select columns", d, maxVariables)
	}
	if p.Start != nil && len(p.Start) != d {
		return fmt.Errorf("setting Start has %d lists for %d variables", len(p.Start), d)
	}
	r := newRules(p.Knowledge, d)
	for v, set := range p.Start {
		for _, x := range set {
			if x < 0 || x >= d {
				return fmt.Errorf("setting Start has parent %d for variable %d, want 0 to %d", x, v, d-1)
			}
		}
	}
	if p.Start != nil && topological(d, p.Start, r.required) == nil {
		return errors.New("setting Start and the required edges have a cycle together")
	}
	return nil
}

// validate returns the errors of the settings or, if there are none, of the problem.
func validate(p Problem, s Settings) error {
	if err := s.Validate(); err != nil {
		return err
	}
	return p.Validate()
}

// maxVariables keeps the number of edges within 32 bits and limits the tables.
const maxVariables = 2000

// rules is Knowledge in the form used by the tables.
type rules struct {
	d        int
	allowed  []bool  // [x·d + v]: x may be a parent of v
	required [][]int // required parents of each variable, ascending
}

func newRules(k search.Knowledge, d int) *rules {
	r := &rules{d: d, allowed: make([]bool, d*d), required: make([][]int, d)}
	for x := range d {
		for v := range d {
			r.allowed[x*d+v] = x != v && (k.Forbidden == nil || !k.Forbidden(x, v)) && (k.Tiers == nil || k.Tiers[x] <= k.Tiers[v])
		}
	}
	for _, e := range k.Required {
		r.required[e[1]] = append(r.required[e[1]], e[0])
	}
	for v := range r.required {
		slices.Sort(r.required[v])
		r.required[v] = slices.Compact(r.required[v])
	}
	return r
}

func (r *rules) may(x, v int) bool { return r.allowed[x*r.d+v] }

// topological returns an order in which all parents precede their children, the smallest index first, or nil if
// there is a cycle.
func topological(d int, parents ...[][]int) []int {
	all := make([][]int, d)
	for _, kind := range parents {
		for v, set := range kind {
			all[v] = append(all[v], set...)
		}
	}
	order, _ := graph.FromParents(all).Order()
	return order
}
