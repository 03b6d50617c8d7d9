// Package greedy is a greedy search over Markov equivalence classes for any score-equivalent local score. It
// adds, deletes and reverses one edge at a time, the best first, and every state is the CPDAG of a class.
//
// Additions and deletions follow Chickering (2002), "Optimal structure identification with greedy search",
// whose operators reach every class that differs by one edge of some member. Reversals follow Hauser and
// Bühlmann (2012), "Characterization and greedy learning of interventional Markov equivalence classes". With a
// consistent and locally consistent score, additions followed by deletions end in the true class as the number
// of rows grows. On finite samples, reversals leave some local optima.
package greedy

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/search"
)

// A Problem is the input of a search.
type Problem struct {
	Score search.Score
	// Knowledge, if not nil, must be satisfied by some graph of every visited class.
	Knowledge Knowledge
	// Start is a graph that satisfies the knowledge; the search begins at its class. Nil means the class of the
	// required edges alone.
	Start *graph.Graph
}

// Knowledge is prior knowledge about the graph.
type Knowledge interface {
	// Required lists the required edges, which are acyclic.
	Required() []graph.Edge
	// Forbidden reports whether the edge is forbidden.
	Forbidden(from, to int) bool
	// Orient returns the common edges of the graphs of a class that satisfy the knowledge, or an error if there
	// are none.
	Orient(class *graph.PDAG) (*graph.PDAG, error)
}

// Settings are the settings of a search.
type Settings struct {
	// Turning reverses edges after additions and deletions, and starts again if that helped.
	Turning bool
	// MaxDegree limits the degree of a column; 0 means no limit.
	MaxDegree int
	// Marginal allows an edge only between marginally dependent columns. Ramsey et al. (2017) make this
	// assumption for speed. It misses effects that cancel each other.
	Marginal bool
	Threads  int // does not change the answer
	// Tell is called after each step, with the phase as the stage; it may be nil.
	Tell func(stage.Progress)
}

// A Result is the final class of a search.
type Result struct {
	Class *graph.PDAG // the CPDAG, with further directions from the knowledge
	// Member is a graph of the class that satisfies the knowledge, and Score is its score.
	Member *graph.Graph
	Score  float64
	Steps  int  // changes of the class
	Whole  bool // not stopped early by the context
	// Cut is the number of columns with so many neighbors that only some operators were tried.
	Cut int
}

// ErrNotEquivalent is matched if graphs of one class have different scores.
var ErrNotEquivalent = errors.New("graphs of one Markov equivalence class have different scores, and a search over classes needs one score for all of them")

// Search finds a class that no single operator improves. When ctx ends, it returns the present class.
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

// leastGain is the smallest improvement that counts, in multiples of the penalty per edge; less is rounding
// error.
const leastGain = 1e-6

// search repeats additions, deletions and reversals until nothing improves.
func (w *walk) search(ctx context.Context) (*Result, error) {
	whole := true
	for again := true; again && whole; {
		before := w.value()
		for _, ph := range []phase{adding, deleting, turning} {
			if whole && (ph != turning || w.Turning) {
				whole = w.climb(ctx, ph)
			}
		}
		// After reversals, other additions and deletions may pay. The total score decides whether that helped.
		again = w.Turning && before-w.value() > w.least
	}
	out := &Result{Steps: w.steps, Whole: whole, Cut: len(w.cut), Class: w.class}
	if w.Knowledge != nil {
		class, err := w.Knowledge.Orient(w.class)
		if err != nil {
			return nil, err // every step satisfies the knowledge
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

// value returns the score of the class, computed from one of its members.
func (w *walk) value() float64 {
	g, err := w.class.Extension()
	if err != nil {
		panic("greedy: the class has no member") // every visited class is the CPDAG of a graph
	}
	return w.total(g)
}

func (w *walk) total(g *graph.Graph) (sum float64) {
	for v := range g.N() {
		sum += w.evals[0].Score(v, g.Parents(v))
	}
	return sum
}
