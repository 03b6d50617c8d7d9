package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
	"github.com/polydag/polydag/trust"
)

// learnScored searches with the local score of a model that needs more than moments. If auto chose smooth, it
// also returns what contradicts Gaussian noise of constant variance. It looks for that after one descent, on a sample of
// rows first, which takes a fraction of the whole search.
func (l *searcher) learnScored(ctx context.Context, model Model) (a *method.Answer, against string, err error) {
	stageName, rounds := name+"-"+string(model), l.rounds()
	l.in = l.in.Whole()
	curved := model == Smooth && l.Model == AutoModel
	bent := model == Smooth || model == Flexible
	if bent && l.Restarts.Word != "" {
		rounds = smoothRounds(l.in.RowCount(), len(l.in.Names()))
		if l.instead {
			rounds = min(rounds, insteadRounds)
		}
	}
	if bent {
		l.run.Tell(stage.Progress{Stage: stageName + ": curves of the columns", Untraced: true})
	}
	var first *graph.Graph
	if curved && l.in.Environments == nil {
		at, err := scores.Sampled(ctx, l.in)
		if err != nil {
			a, err = l.unread(ctx, err)
			return a, "", err
		}
		if a, against, err = l.tried(ctx, at, 0, stageName+"/sample"); err != nil || against != "" || a.Status == method.Canceled {
			return a, against, err
		}
		first, l.answer.Stages = a.Graph.Directed(), nil
	}
	if err := l.refuse(l.in); err != nil {
		return nil, "", err
	}
	at, err := l.Of(ctx, l.in, model)
	if err != nil {
		a, err = l.unread(ctx, err)
		return a, "", err
	}
	l.table = at
	if first != nil && uneven(at, first) { // perhaps only because effects are missing
		if a, against, err = l.tried(ctx, at, 0, stageName+"/descent"); err != nil || against != "" || a.Status == method.Canceled {
			return a, against, err
		}
		l.answer.Stages = nil
	}
	if curved {
		return l.tried(ctx, at, rounds, stageName)
	}
	a, err = l.searchScored(ctx, at, rounds, stageName)
	return a, "", err
}

// tried is searchScored, and says what contradicts Gaussian noise of constant variance under the graph of a smooth model.
func (l *searcher) tried(ctx context.Context, at *scores.ScoredTable, rounds int, stageName string) (a *method.Answer, against string, err error) {
	a, err = l.searchScored(ctx, at, rounds, stageName)
	if err != nil || a.Status == method.Canceled {
		return a, "", err
	}
	g := a.Graph.Directed()
	switch {
	case l.notGaussian(g):
		against = "the noise is not Gaussian on the scales of the columns"
	case uneven(at, g):
		against = "the variance of the noise depends on the causes"
	}
	return a, against, nil
}

// uneven reports whether the variance of the noise depends on the causes in many columns with curved effects. In few columns it is as likely
// a joint effect of several causes.
func uneven(at *scores.ScoredTable, g *graph.Graph) bool {
	return at.In.Environments == nil && len(at.Uneven(gaussian.Parents(g))) == g.N()
}

// jointRowsPerColumn is the smallest number of rows per column with which joint effects of several parents are looked for.
const jointRowsPerColumn = 20

// smoothRounds returns the number of rounds for smooth effects. The fourth round lowers the penalty per edge,
// which finds joint effects of several parents and costs more than everything else. On Gaussian-process tables
// with 10 columns and 40 edges, five rounds reduced the SHD from 10.0 to 8.5; with 20 and 80, from 38 to 31.
// Twenty rounds gave 8.5 and 28. With 100 columns and 200 edges, the first three rounds take a fifth of the
// time of the descent; the fourth did not finish in a hundred times as long. Nor does it help with few rows per column, where chance
// makes the graphs at a lower penalty dense: 300 rows of 30 independent columns took 33 s, and 0.1 s without it.
func smoothRounds(rows, columns int) int {
	if columns > basis.DefaultSettings().CrossedColumns || rows < jointRowsPerColumn*columns {
		return 3
	}
	return 5
}

// insteadRounds is the largest number of rounds of searcher.complete. The fourth round took half of the time of tables with extreme rows,
// 24 s of 20 columns × 1000 rows, and found no better graph.
const insteadRounds = 3

// searchScored is one search with a local score.
func (l *searcher) searchScored(ctx context.Context, at *scores.ScoredTable, rounds int, stageName string) (*method.Answer, error) {
	model, p := at.Model, search.Problem{Score: at.Score, Knowledge: at.Knowledge()}
	names := slices.Clone(l.in.Names())
	for _, k := range at.Contexts {
		names = append(names, "environment "+l.in.Environments.Names[k])
	}
	for _, v := range at.Order {
		p.Names = append(p.Names, names[v])
	}
	gaps, plain := l.gaps(at), p.Knowledge
	p.Knowledge.Prior = plus(plain.Prior, gaps)
	s := search.DefaultSettings()
	s.Restarts, s.Seed, s.Threads, s.CacheBytes = rounds, l.in.Seed, l.in.Threads, scoredCache
	s.Exact = exactColumns(model)
	if l.Coarse && !at.Sample {
		s.ExactMargin = coarseMargin * at.Score.Price()
		if err := l.coarse(ctx, p, &s); err != nil {
			return nil, err
		}
	}
	own := s // of a search on all rows
	found, err := l.fromPart(ctx, at, p, &own, stageName)
	if err == nil && found == nil {
		found, err = l.searchTable(ctx, at, &p, own, stageName)
	}
	if err != nil {
		return nil, err
	}
	l.note(found)
	a := &l.answer
	var whole [][]int // the graph without a budget
	if l.limited() && !at.Sample {
		full := found
		whole = full.Parents
		b := localBudget(at.Score.Evaluator())
		best, err := l.within(ctx, p, own, full, b, stageName)
		if err != nil {
			return nil, err
		}
		found = &search.Result{Parents: best.parents, Score: best.value, Prior: b.prior(best.parents), Warnings: full.Warnings}
		if best.edges == full.Edges {
			found.Status = full.Status
		}
		s.Charge = best.charge
		a.Budget = l.account(float64(l.in.Moments.N), b.value(make([][]int, len(best.parents))), full.Score-full.Prior, found.Score-found.Prior, full.Edges)
	}
	if !at.Sample && at.Contexts == nil {
		var dropped int
		found, dropped = l.selected(ctx, at, plain, gaps, found)
		l.record(a, dropped)
		if found, err = l.jointly(ctx, at, plain.Required, found, stageName); err != nil {
			return nil, err
		}
	}
	g := graph.FromParents(found.Parents)
	a.Graph, a.Score, a.Optimal, a.Warnings = g.Mixed(), found.Score-found.Prior, found.Status == search.Optimal, found.Warnings
	at.Warn(a)
	earlier := a.Stages // of another model, in the order of the input and without contexts
	a.Stages = []method.Stage{{Name: stageName, Graph: g}}
	defer func() { a.Stages = slices.Concat(earlier, a.Stages) }()
	a.Effects = score.Effects(model)
	if model == Discrete && l.AdaptsEss(l.in) {
		a.Choices = append(a.Choices, method.Choice{Setting: "ess", Requested: "auto", Chosen: fmt.Sprint(score.TargetsEss), Reason: "some columns were intervened on"})
	}
	if model == Flexible {
		a.Choices = append(a.Choices, method.Choice{Setting: "terms", Requested: "auto", Chosen: at.Terms(found.Parents)})
	}
	a.Edges, a.Nodes = nil, nil
	if at.Sample && a.Status != method.Canceled { // only the graph is used
		a.Relabel(at.Order)
		return a, nil
	}
	at.AddFacts(a, g)
	at.AddDirections(ctx, a, g)
	if !at.Sample {
		l.markUnseen(ctx, at, plain.Required, g)
	}
	if !at.Sample && at.Contexts == nil && !l.in.GraphOnly {
		reversed, err := l.reversedInPart(ctx, p, s, g, whole, stageName)
		if err != nil {
			return nil, err
		}
		for i := range a.Edges {
			a.Edges[i].Turned = reversed[a.Edges[i].Edge]
		}
	}
	at.AddForms(a, g)
	a.Relabel(at.Order)
	a.Categories, a.Scales, a.Straight = at.Categories, at.Scales, at.Straight
	at.TakeContexts(a, found.Parents)
	return a, nil
}

// gaps returns the additional penalty of an edge between columns that are observed together in a share s of the rows. It makes the
// penalty 1/s times as large: values of drawn cells add up s times as many rows as there are, and so do differences by chance. It is nil
// if no values are missing.
func (l *searcher) gaps(at *scores.ScoredTable) func(x, v int) float64 {
	s, ok := at.Score.(interface{ PairPrice(x, v int) float64 })
	if l.in.PairShare == nil || at.Sample || !ok {
		return nil
	}
	least := 1 / float64(l.in.Moments.N)
	return func(x, v int) float64 {
		return s.PairPrice(x, v) * (1/max(least, l.in.ShareOf(at.Order[x], at.Order[v])) - 1)
	}
}

// plus returns the sum of two costs of an edge; nil stands for none.
func plus(a, b func(x, v int) float64) func(x, v int) float64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(x, v int) float64 { return a(x, v) + b(x, v) }
}

// unread returns the empty answer of a run that was stopped before the rows were read, or err if the run was not stopped.
func (l *searcher) unread(ctx context.Context, err error) (*method.Answer, error) {
	if ctx.Err() == nil {
		return nil, err
	}
	a := &l.answer
	a.Graph = graph.New(len(l.in.Names())).Mixed()
	a.Cancel(ctx)
	return a, nil
}

// scoredCache limits the cache of evaluated parent sets, which are expensive under these scores.
const scoredCache = 256 << 20

// exactColumns is the largest number of columns for an exhaustive search. A parent set costs much more under
// smooth effects.
func exactColumns(model Model) int {
	if model == Smooth || model == Flexible {
		return 8
	}
	return 12
}

// notGaussian reports whether the noise is not Gaussian under the graph of a smooth model.
func (l *searcher) notGaussian(g *graph.Graph) bool {
	for _, as := range trust.CheckAssumptions(trust.Evidence{Moments: l.in.Moments, Sample: l.in.Sample, RowWeight: l.in.SampleWeight(), Environments: l.in.Environments}, trust.Model{Graph: g, Inputs: l.in.Inputs(), Effects: score.SmoothEffects}) {
		if as.Name == trust.GaussianNoise && as.Outcome == trust.Failed {
			return true
		}
	}
	return false
}
