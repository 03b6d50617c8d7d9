package heldout

import (
	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/score"
)

// CompareSchema names the layout of Comparison in JSON. It changes when a field changes its meaning or goes.
const CompareSchema = "polydag.compare/1"

// A Comparison is what several methods say of one table.
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
	// BudgetSeconds is the longest time that one run of a method could take; 0 is any.
	BudgetSeconds float64 `json:"budget_seconds"`

	// Model is what effects are taken to be in Score and HeldOut of every method.
	Model score.Effects `json:"model"`
	// Splits is how many times the rows were split into two halves. Where there is none although some were asked for, NotHeldOut
	// says why.
	Splits     int    `json:"splits"`
	NotHeldOut string `json:"not_held_out,omitempty"`

	// Truth is there where a graph is known: how many edges it has, and which of its names are no columns of the table.
	Truth *Known `json:"truth,omitempty"`
	// Methods are those that were asked for, in that order.
	Methods []Entry `json:"methods"`
	// Agreement is between the methods that have a graph; absent where fewer than two have one.
	Agreement *Agreement `json:"agreement,omitempty"`
}

// Known is what there is to say of the true graph.
type Known struct {
	Edges  int      `json:"edges"`
	Hidden []string `json:"hidden,omitempty"`
}

// State says what became of a method.
type State string

// The states.
const (
	Done    State = "done"    // it ended by itself
	Stopped State = "stopped" // its time was up, or the comparison was interrupted: the graph, where there is one, is the best so far
	Failed  State = "failed"  // it failed on the way: the graph is that of its last finite point
	Refused State = "refused" // it cannot take the table, or this machine not the method
	Skipped State = "skipped" // it was not begun before the comparison was interrupted
)

// An Entry is one method.
type Entry struct {
	Label    string       `json:"label"`
	Method   string       `json:"method"`
	Settings param.Record `json:"settings,omitempty"` // as used; absent where it was not run
	State    State        `json:"state"`
	Why      string       `json:"why,omitempty"` // there is no more than that
	// Status is that of the run, Kind says what the edges stand for, and Holds that they do.
	Status method.Status `json:"status,omitempty"`
	Kind   graph.Kind    `json:"kind,omitempty"`
	Holds  bool          `json:"holds,omitempty"`
	Edges  []Edge        `json:"edges,omitempty"`
	// Cut is there for methods that threshold a matrix of weights.
	Cut *Cut `json:"cut,omitempty"`

	// Score is that of the graph on the scale of the comparison; less is better. Of a class of graphs it is that of one of them. Behind
	// is by how many bits a row it is worse than the best of the methods. They are absent where Unscored says why.
	Score    *float64 `json:"score,omitempty"`
	Behind   *float64 `json:"behind_bits,omitempty"`
	Unscored string   `json:"unscored,omitempty"`
	// HeldOut is the log-likelihood of rows that were held out, in bits a row, under graphs that the method learned from the others,
	// columns of numbers in units of their standard deviations. HeldOutBehind is by how much that is less than with the best of the methods,
	// and HeldOutError the standard error of that. They are absent where NotHeldOut says why.
	HeldOut       *float64 `json:"held_out_bits,omitempty"`
	HeldOutBehind *float64 `json:"held_out_behind_bits,omitempty"`
	HeldOutError  *float64 `json:"held_out_behind_error,omitempty"`
	NotHeldOut    string   `json:"not_held_out,omitempty"`

	Metrics *Metrics `json:"metrics,omitempty"`
	// Seconds is the time of the run on the whole table; what follows from its graph, and halves, are not in it.
	Seconds float64 `json:"seconds"`

	// Result is that of the run on the whole table, nil where there is none.
	Result *polydag.Result `json:"-"`
}

// An Edge is one of a method's graph.
type Edge struct {
	graph.Link
	Mark string `json:"mark"` // as in a result
}

// Cut says what a threshold left, and what was taken out of it to make a DAG.
type Cut struct {
	H         float64 `json:"h"` // |h(W)| before the threshold
	Threshold float64 `json:"threshold"`
	// Acyclic says that what the threshold left was a DAG. Otherwise it had so many strongly connected components with a cycle,
	// and so many edges were cut.
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

// take puts what a run on the whole table gave into the entry.
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
