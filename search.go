package polydag

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dag"
	"github.com/polydag/polydag/diagnose"
	"github.com/polydag/polydag/order"
	"github.com/polydag/polydag/solve"
)

func defaultSearch() SearchConfig {
	s := order.DefaultSettings()
	return SearchConfig{Variance: VarianceAuto, Factor: s.Factor, Gamma: s.Gamma, Adapt: s.Adapt, Restarts: s.Restarts}
}

func (l *learner) searchSettings() order.Settings {
	s := order.DefaultSettings()
	c := l.cfg.Search
	s.Factor, s.Gamma, s.Adapt, s.Restarts = c.Factor, c.Gamma, c.Adapt, c.Restarts
	if l.price > 0 {
		s.Factor, s.Gamma, s.Adapt = l.price/math.Log(float64(l.data.N)), 0, false
	}
	s.Seed, s.Threads = l.cfg.Seed, l.cfg.Threads
	s.CacheBytes = cacheBytes(len(l.data.Names))
	return s
}

func (l *learner) searchProblem() order.Problem {
	p := order.Problem{R: l.correlation(), N: l.data.N, Scale: l.data.Std(), Names: l.data.Names}
	if l.cfg.Standardize {
		for i := range p.Scale {
			p.Scale[i] = 1
		}
	}
	if !l.cfg.Knowledge.Empty() {
		p.Knowledge.Forbidden = l.known.Forbidden
		for _, e := range l.known.Required() {
			p.Knowledge.Required = append(p.Knowledge.Required, [2]int{e.From, e.To})
		}
	}
	return p
}

// learnSearch is --method order, and what --method auto stands for: the DAG with the best BIC, under unequal variances,
// equal ones, or whichever of the two the data speak for; then least squares on the chosen parents.
func (l *learner) learnSearch() (*Result, error) {
	res := &Result{Status: solve.Converged, Variance: &Variance{Requested: l.cfg.Search.Variance}}
	p, s := l.searchProblem(), l.searchSettings()
	var best *order.Result
	var bic [2]*float64 // by order.Variance
	keep := func(v order.Variance, found *order.Result, score float64) {
		bic[v] = &score
		if best == nil || score < res.Score {
			best, res.Score, res.Variance.Chosen = found, score, v.String()
		}
	}
	if l.cfg.Search.Variance != VarianceEqual {
		found, err := l.search(res, p, s, order.Unequal)
		if err != nil {
			return nil, err
		}
		keep(order.Unequal, found, found.Scores.Unequal)
		s = l.searchSettings() // at the same price
	}
	switch {
	case l.cfg.Search.Variance == VarianceUnequal:
	case l.cfg.Search.Variance == VarianceAuto && sameUnits(p.Scale):
		res.Stages = append(res.Stages, Stage{Name: "order-equal", Skipped: "all columns have the same standard deviation: equal noise variances would be a claim about units that they no longer have"})
	default:
		found, err := l.searchEqual(res, p, s, bic[order.Unequal])
		if err != nil {
			return nil, err
		}
		if found == nil {
			break
		}
		if against := unequalResiduals(p, found); against != "" && best != nil {
			bic[order.Equal] = &found.Scores.Equal
			if found.Scores.Equal < res.Score {
				res.Stages[len(res.Stages)-1].Skipped = against
			}
			break
		}
		keep(order.Equal, found, found.Scores.Equal)
	}
	res.Variance.BICUnequal, res.Variance.BICEqual = bic[order.Unequal], bic[order.Equal]
	if bic[0] != nil && bic[1] != nil {
		margin := *bic[order.Equal] - *bic[order.Unequal]
		if res.Variance.Chosen == VarianceEqual {
			margin = -margin
		}
		res.Variance.Margin = &margin
	}
	res.Optimal = best.Status == order.Optimal
	res.Warnings = append(res.Warnings, best.Warnings...)
	res.Graph = dag.FromParents(best.Parents)
	res.Certificate = diagnose.Certify(res.Graph, l.data.Names)
	zero := 0.0 // Theorem 1: h of a W whose support has a topological order
	res.Certificate.HThreshold = &zero
	return res, l.weighResult(res)
}

// searchEqual searches under equal variances. The top-down order comes first, and against a score to beat it decides
// whether the search is worth its time: a model that holds is ahead by about (d-1) ln n, and where the top-down graph is
// behind by more than d ln n, no search makes up for it. Rounds pay only where a few rows leave the order
// in doubt, and cost much more than under unequal variances: beyond equalRounds columns there are none.
func (l *learner) searchEqual(res *Result, p order.Problem, s order.Settings, beat *float64) (*order.Result, error) {
	const equalRounds = 30
	d := len(l.data.Names)
	if low, high := slices.Min(p.Scale), slices.Max(p.Scale); high/low > 1e50 {
		if beat == nil {
			return nil, fmt.Errorf("polydag: standard deviations from %.3g to %.3g: equal noise variances are out of the question; use --variance unequal", low, high)
		}
		res.Warnings = append(res.Warnings, "the units of the columns differ so much that equal noise variances were not considered")
		return nil, nil
	}
	if beat != nil {
		first, err := once(l, "order-equal/top-down", func(c carry) (*order.Result, bool, error) {
			s := s
			s.Pause, s.Resume = c.pause, c.resume
			first, err := order.TopDown(l.ctx, p, s)
			return first, err == nil && first.Status != order.Stopped, err
		})
		if err != nil {
			return nil, err
		}
		if first.Status == order.Stopped {
			res.Status, res.Cause = solve.Canceled, why(first.Cause)
		}
		if first.Scores.Equal > *beat+float64(d)*math.Log(float64(l.data.N)) {
			res.Stages = append(res.Stages, l.stage("order-equal", dag.FromParents(first.Parents), nil))
			return first, nil
		}
	}
	switch {
	case d > equalRounds:
		s.Restarts = 0
	case s.Restarts == order.Auto:
		s.Restarts = 10
	}
	return l.search(res, p, s, order.Equal)
}

// search runs one order search and puts it on record.
func (l *learner) search(res *Result, p order.Problem, s order.Settings, v order.Variance) (*order.Result, error) {
	name := "order"
	if v == order.Equal {
		name = "order-equal"
	}
	s.Variance = v
	found, err := once(l, name, func(c carry) (*order.Result, bool, error) {
		s.Pause, s.Resume = c.pause, c.resume
		found, err := order.Search(l.ctx, p, s, func(pr order.Progress) {
			if pr.Stage >= order.Descent { // before it the penalty is another
				l.trace.add(name, true, tracePoint{Step: pr.Round, Score: pr.Score, Edges: pr.Edges})
			}
			l.tell(Progress{Stage: name + ": " + pr.Stage.String(), Step: pr.Round, Steps: s.Restarts, Score: pr.Score, Edges: pr.Edges})
		})
		return found, err == nil && found.Status != order.Stopped, err
	})
	if err != nil {
		return nil, err
	}
	if found.Status == order.Stopped {
		res.Status, res.Cause = solve.Canceled, why(found.Cause)
	}
	l.price = found.Penalty
	res.Stages = append(res.Stages, l.stage(name, dag.FromParents(found.Parents), nil))
	return found, nil
}

// stage records a stage's graph and its BIC under unequal variances, which is absent where the graph has
// collinear parents.
func (l *learner) stage(name string, g *dag.Graph, h *float64) Stage {
	st := Stage{Name: name, Graph: links(g, l.data.Names), H: h}
	if bic, err := l.bic(g); err == nil {
		st.Score = &bic
	}
	return st
}

func (l *learner) bic(g *dag.Graph) (float64, error) {
	p := l.searchProblem()
	p.Knowledge = order.Knowledge{}
	scores, _, err := order.Evaluate(p, l.searchSettings(), parentsOf(g))
	return scores.Unequal, err
}
