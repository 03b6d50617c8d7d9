package scores

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// If rows come from several environments with unknown targets, each environment except the largest becomes a variable, its context: 1 in its
// rows and 0 elsewhere. Contexts have no parents and may be parents of any column. A context that is a parent means that the
// mechanism of the column differs in that environment from the largest one (joint causal inference: Mooij, Magliacane and Claassen
// 2020). One search then finds the graph and the changes, in every model.

// contextsOf lists the environments that become variables, in their order.
func contextsOf(r *dataset.Environments) (list []int) {
	largest := 0
	for k, m := range r.Moments {
		if m.N > r.Moments[largest].N {
			largest = k
		}
	}
	for k := range r.Names {
		if k != largest {
			list = append(list, k)
		}
	}
	return list
}

// contextInput returns the input of a table with one more column of 0 and 1 for each context.
func contextInput(in *method.Input, contexts []int) *method.Input {
	d := len(in.Names())
	names := slices.Clone(in.Names())
	out := &method.Input{Kinds: slices.Clone(in.Kinds), Seed: in.Seed, Threads: in.Threads}
	for _, k := range contexts {
		names = append(names, fmt.Sprintf("%c%d", rune(0), k)) // no column has this name
		out.Kinds = append(out.Kinds, kind.Column{Kind: kind.Binary})
	}
	out.Moments = dataset.NewMoments(names)
	out.Moments.N = in.Moments.N
	out.Rows = func(ctx context.Context, each func(dataset.RowBatch) error) error {
		var wide []float64
		return in.Rows(ctx, func(b dataset.RowBatch) error {
			wide = wide[:0]
			for i, of := range b.Environments {
				wide = append(wide, b.Values[i*d:(i+1)*d]...)
				for _, k := range contexts {
					x := 0.0
					if k == of {
						x = 1
					}
					wide = append(wide, x)
				}
			}
			return each(dataset.RowBatch{Values: wide})
		})
	}
	return out
}

// withContexts returns the table of a model over columns and contexts.
func (s *Settings) withContexts(ctx context.Context, in *method.Input, model Model) (t *ScoredTable, err error) {
	contexts := contextsOf(in.Environments)
	if model == Linear {
		t = &ScoredTable{rows: []float64{float64(in.Moments.N)}}
		price := s.Price.Apply(search.DefaultSettings()).EdgePenalty(in.Moments.N, len(in.Names()))
		if t.Score, err = score.NewChanging(in.Moments, in.Environments, contexts, price); err != nil {
			return nil, err
		}
		for v := range t.Score.Variables() {
			t.Order, t.group = append(t.Order, v), append(t.group, 0)
		}
	} else if t, err = s.build(ctx, contextInput(in, contexts), model, len(contexts)); err != nil {
		return nil, err
	}
	t.Contexts = contexts
	return t, nil
}

// IsContext reports whether variable i of the score is a context.
func (t *ScoredTable) IsContext(i int) bool { return t.Order[i] >= len(t.Order)-len(t.Contexts) }

// TakeContexts removes the contexts from an answer over columns and contexts. The edges from contexts in parents become changes.
func (t *ScoredTable) TakeContexts(a *method.Answer, parents [][]int) {
	if t.Contexts == nil {
		return
	}
	d := len(t.In.Names())
	cut := func(g *graph.Graph) *graph.Graph {
		out := graph.New(d)
		for _, e := range g.Edges() {
			if e.From < d && e.To < d {
				out.AddEdge(e.From, e.To)
			}
		}
		return out
	}
	a.Graph = cut(a.Graph.Directed()).Mixed()
	for i := range a.Stages {
		if g := a.Stages[i].Graph; g != nil {
			a.Stages[i].Graph = cut(g)
		}
	}
	a.Edges = slices.DeleteFunc(a.Edges, func(e method.EdgeRecord) bool { return e.From >= d || e.To >= d })
	a.Nodes, a.Categories = a.Nodes[:min(d, len(a.Nodes))], a.Categories[:min(d, len(a.Categories))]
	a.Scales, a.Straight = a.Scales[:min(d, len(a.Scales))], a.Straight[:min(d, len(a.Straight))]
	tests := float64(d * len(t.Contexts))
	for i, set := range parents {
		for _, p := range set {
			if t.IsContext(p) && !t.IsContext(i) {
				ratio, df := t.evidence(i, set, p)
				pvalue := independence.ChiSquared(ratio, df)
				a.Changes = append(a.Changes, method.Change{Environment: t.Contexts[t.Order[p]-d], Column: t.Order[i], P: pvalue, Adjusted: min(1, tests*pvalue)})
			}
		}
	}
	slices.SortFunc(a.Changes, func(a, b method.Change) int {
		if a.Environment != b.Environment {
			return a.Environment - b.Environment
		}
		return a.Column - b.Column
	})
}

// evidence returns twice the log-likelihood ratio between the model of column v with all parents and the one without context c, and
// the difference of their numbers of parameters.
func (t *ScoredTable) evidence(v int, parents []int, c int) (ratio, df float64) {
	fewer := intset.Without(parents, c)
	switch t.Model {
	case Linear:
		columns := 0
		for _, p := range parents {
			if !t.IsContext(p) {
				columns++
			}
		}
		eval := t.Score.Evaluator()
		df = float64(columns + 2)
		return eval.Score(v, fewer) - eval.Score(v, parents) + t.Score.Price()*df, df
	case Discrete:
		bic, err := score.NewDiscrete(t.Counts, score.DiscreteSettings{Criterion: score.BIC, CellsPerRow: math.MaxFloat32})
		if err != nil {
			return 0, 1
		}
		df = float64(t.Counts.Levels(v) - 1)
		priced := df // BIC counts all configurations, although contexts exclude each other
		for _, p := range fewer {
			priced *= float64(t.Counts.Levels(p))
			if !t.IsContext(p) {
				df *= float64(t.Counts.Levels(p))
			}
		}
		eval := bic.Evaluator()
		return eval.Score(v, fewer) - eval.Score(v, parents) + math.Log(float64(t.Counts.Total(v)))*priced, df
	}
	// All functions of a parent form one block, like indicators of levels.
	b := *t.Blocks[0]
	b.Levels = slices.Clone(b.Levels)
	for p := range b.Levels {
		b.Levels[p] = b.Levels[p] || p != v
	}
	lines, err := score.NewMixed(&b)
	if err != nil {
		return 0, 1
	}
	df = 1
	if b.Levels[v] {
		df = float64(max(1, b.Start[v+1]-b.Start[v]))
	}
	eval := lines.Evaluator()
	return eval.Score(v, fewer) - eval.Score(v, parents) + lines.PairPrice(c, v), df
}
