package heldout

import (
	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/score"
)

// CompareSchema is the version of the JSON format of Comparison. It changes when a field changes its meaning or
// is removed.
const CompareSchema = "polydag.compare/1"

// A Comparison is the comparison of several methods on one table.
type Comparison struct {
	Schema string        `json:"schema"`
	Status method.Status `json:"status"`
	Cause  string        `json:"cause,omitempty"` // why it ended early

	Table   polydag.Provenance `json:"table"`
	Program polydag.Program    `json:"program"`
	Rows    int                `json:"rows"`
	Names   []string           `json:"names"`
	Seed    uint64             `json:"seed"`
	Threads int                `json:"threads"`
	// BudgetSeconds is the time limit of one run of a method; 0 means no limit.
	BudgetSeconds float64 `json:"budget_seconds"`

	// Model is the effect model of Score and HeldOut for every method.
	Model score.Effects `json:"model"`
	// Splits is the number of splits of the rows into two halves. If it is 0 although some were requested,
	// NotHeldOut has the reason.
	Splits     int    `json:"splits"`
	NotHeldOut string `json:"not_held_out,omitempty"`

	// Truth describes the true graph, if known: its number of edges, and its names that are not columns of the
	// table.
	Truth *Known `json:"truth,omitempty"`
	// Methods are the requested methods, in that order.
	Methods []Entry `json:"methods"`
	// Agreement is the agreement between the methods with a graph; absent for fewer than two.
	Agreement *Agreement `json:"agreement,omitempty"`
}

// Known describes the true graph.
type Known struct {
	Edges  int      `json:"edges"`
	Hidden []string `json:"hidden,omitempty"`
}

// State is the outcome of a method.
type State string

// These are the values of State.
const (
	Done    State = "done"    // it ended normally
	Stopped State = "stopped" // the time limit was reached, or the comparison was interrupted; the graph, if any, is the best so far
	Failed  State = "failed"  // it failed during the run; the graph is that of its last finite point
	Refused State = "refused" // it does not support the table, or needs too much memory
	Skipped State = "skipped" // it did not start before the comparison was interrupted
)

// An Entry is the result of one method.
type Entry struct {
	Label    string       `json:"label"`
	Method   string       `json:"method"`
	Settings param.Record `json:"settings,omitempty"` // as used; absent if it was not run
	State    State        `json:"state"`
	Why      string       `json:"why,omitempty"` // reason if there is no result
	// Status is the status of the run, Kind the kind of the graph, and Holds whether its certificate holds.
	Status method.Status `json:"status,omitempty"`
	Kind   graph.Kind    `json:"kind,omitempty"`
	Holds  bool          `json:"holds,omitempty"`
	Edges  []Edge        `json:"edges,omitempty"`
	// Cut is set for methods that threshold a weight matrix.
	Cut *Cut `json:"cut,omitempty"`

	// Score is the score of the graph on the common scale; lower is better. For a class of graphs it is that of
	// one member. Behind is the deficit to the best method in bits per row. If they are absent, Unscored has
	// the reason.
	Score    *float64 `json:"score,omitempty"`
	Behind   *float64 `json:"behind_bits,omitempty"`
	Unscored string   `json:"unscored,omitempty"`
	// HeldOut is the held-out log-likelihood in bits per row, with numeric columns standardized. HeldOutBehind
	// is the deficit to the best method, and HeldOutError the standard error of that deficit. If they are
	// absent, NotHeldOut has the reason.
	HeldOut       *float64 `json:"held_out_bits,omitempty"`
	HeldOutBehind *float64 `json:"held_out_behind_bits,omitempty"`
	HeldOutError  *float64 `json:"held_out_behind_error,omitempty"`
	NotHeldOut    string   `json:"not_held_out,omitempty"`

	Metrics *Metrics `json:"metrics,omitempty"`
	// Seconds is the time of the run on the whole table, without halves and evaluations.
	Seconds float64 `json:"seconds"`

	// Result is the result of the run on the whole table, or nil.
	Result *polydag.Result `json:"-"`
}

// An Edge is an edge of a method's graph.
type Edge struct {
	graph.Link
	Mark string `json:"mark"` // as in a result
}

// Cut describes the graph after the threshold and the edges removed to make it a DAG.
type Cut struct {
	H         float64 `json:"h"` // |h(W)| before the threshold
	Threshold float64 `json:"threshold"`
	// Acyclic reports whether the graph after the threshold was a DAG. Otherwise Cyclic is the number of
	// strongly connected components with a cycle, and Edges the number of removed edges.
	Acyclic bool `json:"acyclic"`
	Cyclic  int  `json:"cyclic_components"`
	Edges   int  `json:"edges_cut"`
}

// Graphs returns the entries that have a graph.
func (c *Comparison) Graphs() []*Entry {
	var out []*Entry
	for k := range c.Methods {
		if c.Methods[k].Result != nil {
			out = append(out, &c.Methods[k])
		}
	}
	return out
}

// take fills the entry with the result of a run on the whole table.
func (e *Entry) take(res *polydag.Result) {
	e.Result, e.Settings, e.Status, e.Kind, e.Holds = res, res.Settings, res.Status, res.Kind, res.Certificate.Holds
	e.Edges = make([]Edge, len(res.Edges))
	for k, own := range res.Edges {
		e.Edges[k] = Edge{own.Link, own.Mark}
	}
	if c := res.Continuous; c != nil {
		e.Cut = &Cut{H: c.H, Threshold: c.Threshold, Acyclic: c.CyclicComponents == 0, Cyclic: c.CyclicComponents, Edges: len(c.Cut)}
	}
}
