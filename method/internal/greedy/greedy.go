// Package greedy is the greedy search over Markov equivalence classes for any local score that gives all graphs of a class the same
// total: edges are added, deleted and turned, one at a time and the best first, and every state is the CPDAG of a class.
//
// Adding and deleting are after Chickering (2002), "Optimal structure identification with greedy search", whose operators reach every
// class that differs by one edge of some member; turning is after Hauser and Bühlmann (2012), "Characterization and greedy learning of
// interventional Markov equivalence classes". With a score that is consistent and locally consistent, adding and then deleting end in the
// class of the truth as the rows grow; with the rows that there are, turning leaves some local optima.
package greedy

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/search"
)

// A Problem is what is searched.
type Problem struct {
	Score search.Score
	// Knowledge, where it is not nil, must hold for some graph of every class on the way.
	Knowledge Knowledge
	// Start is a graph that keeps the knowledge, and whose class is where the search begins. Where it is nil, that is the class of the
	// required edges alone.
	Start *graph.Graph
}

// Knowledge is what is known of the graph before the data are seen.
type Knowledge interface {
	// Required lists the edges that every graph has. They have no cycle.
	Required() []graph.Edge
	// Forbidden reports whether no graph has the edge.
	Forbidden(from, to int) bool
	// Orient returns what the graphs of a class that keep the knowledge have in common, or an error where there are none.
	Orient(class *graph.PDAG) (*graph.PDAG, error)
}

// Settings steer a search.
type Settings struct {
	// Turning turns edges after adding and deleting, and begins again where that helped.
	Turning bool
	// MaxDegree bounds how many columns are joined with one; 0 is no bound.
	MaxDegree int
	// Marginal lets an edge come only between columns that depend on each other without any condition. It is the assumption
	// by which Ramsey et al. (2017) make the search fast, and effects that cancel each other are lost by it.
	Marginal bool
	Threads  int // never changes the answer
	// Tell is called after each step; it may be nil.
	Tell func(Progress)
}

// Progress is how far a search is.
type Progress struct {
	Phase string
	Step  int
	Score float64
	Edges int
}

// A Result is the class that a search ended in.
type Result struct {
	Class *graph.PDAG // the CPDAG, with what is known directed besides
	// Member is a graph of the class that keeps the knowledge, and Score its total.
	Member *graph.Graph
	Score  float64
	Steps  int  // changes of the class
	Whole  bool // not cut short by the context
	// Cut is how many columns had so many neighbors that only some of their operators were tried.
	Cut int
}

// ErrNotEquivalent is matched where graphs of one class differ in their score.
var ErrNotEquivalent = errors.New("graphs of one Markov equivalence class have different scores, and a search over classes needs one score for all of them")

// Search finds a class that no single operator improves. When ctx ends, it returns the class so far.
func Search(ctx context.Context, p Problem, s Settings) (*Result, error) {
	w, err := newWalk(p, s)
	if err != nil {
		return nil, err
	}
	return w.search(ctx)
}

func newWalk(p Problem, s Settings) (*walk, error) {
	if !p.Score.Equivalent() {
		return nil, ErrNotEquivalent
	}
	d := p.Score.Variables()
	start, must := graph.New(d), map[graph.Edge]bool{}
	if p.Knowledge != nil {
		for _, e := range p.Knowledge.Required() {
			start.AddEdge(e.From, e.To)
			must[e] = true
		}
	}
	if p.Start != nil {
		start = p.Start
	}
	class, err := graph.CPDAG(start)
	if err != nil {
		return nil, err
	}
	w := &walk{Problem: p, Settings: s, class: class, must: must, least: leastGain * p.Score.Price(), cut: map[int]bool{}}
	for range max(1, s.Threads) {
		w.evals = append(w.evals, p.Score.Evaluator())
	}
	for v := range d {
		if value := w.evals[0].Score(v, start.Parents(v)); value-value != 0 {
			return nil, fmt.Errorf("the score of column %d with the %d parents that it starts with is %v: the rows cannot support them; require fewer", v+1, len(start.Parents(v)), value)
		}
	}
	if s.Marginal {
		w.dependent = w.marginal()
	}
	return w, nil
}

// leastGain is the least improvement that counts, in prices of an edge: less is rounding.
const leastGain = 1e-6

// search goes up, down and round until nothing is gained.
func (w *walk) search(ctx context.Context) (*Result, error) {
	whole := true
	for again := true; again && whole; {
		before := w.value()
		for _, ph := range []phase{adding, deleting, turning} {
			if whole && (ph != turning || w.Turning) {
				whole = w.climb(ctx, ph)
			}
		}
		// After edges were turned others may come and go. The total has the last word on whether that helped.
		again = w.Turning && before-w.value() > w.least
	}
	out := &Result{Steps: w.steps, Whole: whole, Cut: len(w.cut), Class: w.class}
	if w.Knowledge != nil {
		class, err := w.Knowledge.Orient(w.class)
		if err != nil {
			return nil, err // every step has kept the knowledge
		}
		out.Class = class
	}
	var err error
	if out.Member, err = out.Class.Extension(); err != nil {
		return nil, err
	}
	out.Score = w.total(out.Member)
	return out, nil
}

// value is the score of the class, by one of its members.
func (w *walk) value() float64 {
	g, err := w.class.Extension()
	if err != nil {
		panic("greedy: the class has no member") // every class on the way is the CPDAG of a graph
	}
	return w.total(g)
}

// total is the score of a graph.
func (w *walk) total(g *graph.Graph) (sum float64) {
	for v := range g.N() {
		sum += w.evals[0].Score(v, g.Parents(v))
	}
	return sum
}
