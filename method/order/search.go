package order

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/internal/chance"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// searcher is the state of one call of Learn.
type searcher struct {
	*Method
	in     *method.Input
	run    *stage.Run
	answer method.Answer
	p      search.Problem
	price  float64      // penalty per edge of the search so far; 0 before it
	chance *chance.Test // test of edges; nil before the first
	// instead reports that the flexible model is tried because another one missed dependences.
	instead bool
	// table is the latest table that all rows were read for; nil before.
	table *scores.ScoredTable
	// dropped is the number of edges dropped by these tests, as recorded.
	dropped int
}

func (l *searcher) learn(ctx context.Context) (*method.Answer, error) {
	if err := l.affordable(l.in); err != nil {
		return nil, err
	}
	l.answer.Status = method.Converged
	chosen, err := l.Choose(ctx, l.in)
	if err != nil {
		return nil, err
	}
	l.answer.Choices = []method.Choice{chosen}
	a, err := l.learnChosen(ctx, chosen)
	if err != nil {
		return nil, err
	}
	return l.complete(ctx, chosen, a)
}

// learnChosen learns under the chosen model, or under another one if the chosen one turns out not to fit.
func (l *searcher) learnChosen(ctx context.Context, chosen method.Choice) (*method.Answer, error) {
	model := Model(chosen.Chosen)
	if model == Linear {
		return l.learnLines(ctx)
	}
	if model == Smooth && l.Model == AutoModel && l.Noise != GaussianNoise && l.in.Environments == nil {
		if lines, done, err := l.tryLines(ctx, chosen); done || err != nil {
			return lines, err
		}
	}
	a, against, err := l.learnScored(ctx, model)
	if err != nil {
		return nil, err
	}
	if against == "" {
		if l.Noise == FreeNoise {
			a.Choices = append(a.Choices, method.Choice{Setting: "noise", Requested: string(l.Noise), Chosen: string(GaussianNoise), Reason: fmt.Sprintf("model %s has no other noise; model linear has", model)})
		}
		return a, nil
	}
	chosen.Chosen, chosen.Margin = string(Flexible), nil
	chosen.Reason = "nonlinear effects fit better than linear ones, and " + against
	l.answer = method.Answer{Status: method.Converged, Choices: []method.Choice{chosen}, Stages: l.answer.Stages}
	a, _, err = l.learnScored(ctx, Flexible)
	return a, err
}

// learnLines learns under the linear model, from the correlations of all rows or of each column's own rows.
func (l *searcher) learnLines(ctx context.Context) (*method.Answer, error) {
	if l.in.Environments == nil {
		return l.learnLinear(ctx)
	}
	l.answer.Choices = append(l.answer.Choices, method.Choice{Setting: "variance", Requested: string(l.Variance), Chosen: string(Unequal)})
	a, _, err := l.learnScored(ctx, Linear)
	return a, err
}

// tryLines tries a linear model when nonlinear effects fit better and the causal order is unknown. Skewed noise
// makes a linear effect look nonlinear in the wrong direction. If a linear model with free noise then shows no
// nonlinearity, the answer is done.
func (l *searcher) tryLines(ctx context.Context, chosen method.Choice) (a *method.Answer, done bool, err error) {
	if err := l.learnGaussian(ctx); err != nil {
		return nil, false, err
	}
	stages := l.answer.Stages
	if err := l.byNoise(ctx); err != nil {
		return nil, false, err
	}
	chosen.Chosen, chosen.Margin = string(Linear), nil
	if l.answer.Status == method.Canceled {
		chosen.Reason = "the run was stopped before nonlinear effects were tried"
		l.answer.Choices[0] = chosen
		return &l.answer, true, nil
	}
	if l.answer.FreeNoise {
		straight, err := scores.Straight(ctx, l.in, l.answer.Graph.Directed())
		if err != nil {
			return nil, false, err
		}
		if straight {
			chosen.Reason = "under this graph linear effects fit better than nonlinear ones; non-Gaussian noise made them look nonlinear in reverse"
			l.answer.Choices[0] = chosen
			return &l.answer, true, nil
		}
	}
	// Directions from the noise of a linear model are invalid if the effects are nonlinear.
	l.answer = method.Answer{Status: method.Converged, Choices: l.answer.Choices[:1:1], Stages: stages}
	return nil, false, nil
}

// learnLinear searches under Gaussian noise, which needs only moments, and continues with the noise
// distribution if there are rows.
func (l *searcher) learnLinear(ctx context.Context) (*method.Answer, error) {
	if err := l.learnGaussian(ctx); err != nil {
		return nil, err
	}
	if err := l.byNoise(ctx); err != nil {
		return nil, err
	}
	return &l.answer, nil
}

// learnGaussian searches under Gaussian noise. It needs only moments.
func (l *searcher) learnGaussian(ctx context.Context) error {
	l.p = l.problem()
	p := l.p
	var best *search.Result
	var dropped [2]int // dropped edges, by model of the variances
	variance := method.Choice{Setting: "variance", Requested: string(l.Variance), Scores: map[string]float64{}}
	keep := func(v search.Variance, found *search.Result, score float64) {
		variance.Scores[v.String()] = score
		if best == nil || score < l.answer.Score {
			best, l.answer.Score, variance.Chosen = found, score, v.String()
		}
	}
	if l.Variance != Equal {
		found, err := l.search(ctx, p, l.settings(), search.Unequal)
		if err != nil {
			return err
		}
		if found, err = l.significant(ctx, found, search.Unequal, &dropped); err != nil {
			return err
		}
		keep(search.Unequal, found, found.Scores.Unequal)
	}
	switch {
	case l.Variance == Unequal:
	case l.Variance == Auto && l.in.Inputs() != nil:
		variance.Reason = "the model does not describe the variance of the inputs"
	case l.Variance == Auto && p.N < len(l.in.Names()):
		variance.Reason = "fewer rows than columns"
	case l.Variance == Auto && best.Edges == 0 && !l.Coarse:
		variance.Reason = "no edge has a direction that equal variances would identify"
	case l.Variance == Auto && gaussian.SameUnits(p.Scale, l.in.StdError()):
		variance.Reason = "the columns are standardized, so equal noise variances are not meaningful"
	default:
		found, err := l.searchEqual(ctx, p, l.settings(), best) // with the same penalty
		if err != nil {
			return err
		}
		if found == nil {
			break
		}
		if found, err = l.significant(ctx, found, search.Equal, &dropped); err != nil {
			return err
		}
		if against := gaussian.UnequalResiduals(p, found.Residual, found.Parents); against != "" && best != nil {
			variance.Scores[search.Equal.String()] = found.Scores.Equal
			if found.Scores.Equal < l.answer.Score {
				variance.Reason = "although the model of equal ones has the better BIC: " + against
			}
			break
		}
		keep(search.Equal, found, found.Scores.Equal)
	}
	if equal, both := variance.Scores["equal"]; both && len(variance.Scores) == 2 {
		margin := equal - variance.Scores["unequal"]
		if variance.Chosen == string(Equal) {
			margin = -margin
		}
		if margin >= 0 {
			variance.Margin = &margin
		}
	}
	l.answer.Choices = append(l.answer.Choices, variance)
	l.answer.Price = l.price
	if l.limited() {
		s := l.settings()
		if variance.Chosen == string(Equal) {
			s.Variance, s.Restarts = search.Equal, equalRestarts(len(l.in.Names()), s.Restarts)
		}
		var err error
		if best, err = l.linearWithin(ctx, p, s, best); err != nil {
			return err
		}
		if best, err = l.significant(ctx, best, s.Variance, &dropped); err != nil {
			return err
		}
		l.answer.Score = of(best.Scores, s.Variance)
	}
	if l.Price.Adapt {
		l.answer.Choices = append(l.answer.Choices, method.Choice{Setting: "penalty", Requested: "adaptive", Chosen: fmt.Sprintf("%.6g", l.price)})
	}
	chosen := search.Unequal
	if variance.Chosen == string(Equal) {
		chosen = search.Equal
	}
	l.record(&l.answer, dropped[chosen])
	l.answer.Optimal = best.Status == search.Optimal
	l.answer.Identified = variance.Chosen == string(Equal)
	l.answer.Warnings = append(l.answer.Warnings, best.Warnings...)
	g := graph.FromParents(best.Parents)
	l.answer.Graph = g.Mixed()
	if !l.in.GraphOnly && !l.answer.Identified {
		l.addReversals(g)
	}
	return nil
}

// addReversals adds to each edge of g, the graph of the answer, the loss of the Gaussian score if it is reversed. The score is not
// defined for columns with an exact relation.
func (l *searcher) addReversals(g *graph.Graph) {
	s, err := score.GaussianLocalOf(l.p, l.price)
	if err != nil {
		return
	}
	if l.answer.Edges == nil {
		l.answer.Edges = method.EdgeRecords(g)
	}
	losses := method.Reversals(context.Background(), g, s.Evaluator(), true, l.p.Knowledge, l.in.Inputs())
	for i, e := range l.answer.Edges {
		if loss, ok := losses[e.Edge]; ok {
			l.answer.Edges[i].Reversal = &loss
		}
	}
}

// settings returns the settings of the next search. All searches of a run use the penalty of the first.
func (l *searcher) settings() search.Settings {
	s := l.Price.Apply(search.DefaultSettings())
	s.Restarts, s.Seed, s.Threads = l.rounds(), l.in.Seed, l.in.Threads
	s.CacheBytes = scores.CacheBytes(len(l.in.Names()))
	if l.price > 0 {
		s.Factor, s.Gamma, s.Adapt = l.price/math.Log(float64(l.in.Moments.N)), 0, false
	}
	return s
}

func (l *searcher) problem() search.Problem {
	p := gaussian.OnDemand(l.in.Moments)
	if k := l.in.Knowledge; k != nil {
		p.Knowledge.Forbidden, p.Knowledge.Prior = k.Forbidden, k.Cost()
		for _, e := range k.Required() {
			p.Knowledge.Required = append(p.Knowledge.Required, [2]int{e.From, e.To})
		}
	}
	return p
}

// ErrScales is returned if the scales of the columns differ too much for equal variances.
var ErrScales = fault.Kind("scales", "the scales of the columns differ too much for equal noise variances; use unequal variances")

// searchEqual searches under equal variances. It first computes the top-down order, which decides whether a
// search can beat the other score. A correct model leads by about (d-1) ln n, and a top-down graph that is
// behind by more than d ln n cannot catch up. Rounds help only if few rows leave the order uncertain, and cost
// much more than under unequal variances. So there are none beyond equalRounds columns.
func (l *searcher) searchEqual(ctx context.Context, p search.Problem, s search.Settings, other *search.Result) (*search.Result, error) {
	d := len(l.in.Names())
	if low, high := slices.Min(p.Scale), slices.Max(p.Scale); high/low > 1e50 {
		if other == nil {
			return nil, fault.New(ErrScales, fmt.Sprintf("the standard deviations range from %.3g to %.3g, too much for equal noise variances", low, high), "use %s", fault.Set("variance", "unequal"))
		}
		l.answer.Warnings = append(l.answer.Warnings, "equal noise variances were not considered: the units of the columns differ too much")
		return nil, nil
	}
	if other != nil {
		first, err := stage.Do(ctx, l.run, "order-equal/top-down", func(at stage.Point) (*search.Result, bool, error) {
			s := s
			s.Pause, s.Resume = at.Pause, at.Resume
			first, err := search.TopDown(ctx, p, s)
			return first, err == nil && first.Status != search.Stopped, err
		})
		if err != nil {
			return nil, err
		}
		l.note(first)
		if first.Scores.Equal > other.Scores.Unequal+float64(d)*math.Log(float64(p.N)) {
			l.stage("order-equal", first)
			return first, nil
		}
	}
	s.Restarts = equalRestarts(d, s.Restarts)
	return l.search(ctx, p, s, search.Equal)
}

// equalRestarts returns the number of rounds under equal variances, given the requested number.
func equalRestarts(columns, asked int) int {
	const equalRounds = 30
	switch {
	case columns > equalRounds:
		return 0
	case asked == search.Auto:
		return 10
	}
	return asked
}

// search runs one order search and records it.
func (l *searcher) search(ctx context.Context, p search.Problem, s search.Settings, v search.Variance) (*search.Result, error) {
	stageName := stageOf(v)
	s.Variance = v
	found, err := scores.Search(ctx, l.run, stageName, p, s, scores.Tell(l.run, stageName, s.Restarts))
	if err != nil {
		return nil, err
	}
	l.note(found)
	l.price = found.Penalty
	l.stage(stageName, found)
	return found, nil
}

// note records that a search was stopped early.
func (l *searcher) note(found *search.Result) {
	if found.Status == search.Stopped {
		l.answer.Status, l.answer.Cause = method.Canceled, method.Why(found.Cause)
	}
}

// stage records the graph of a search with its BIC under unequal variances. The BIC is absent for collinear
// parents.
func (l *searcher) stage(stageName string, found *search.Result) {
	st := method.Stage{Name: stageName, Graph: graph.FromParents(found.Parents)}
	if bic, err := gaussian.BIC(l.p, l.settings(), st.Graph); err == nil {
		st.Score = &bic
	}
	l.answer.Stages = append(l.answer.Stages, st)
}
