package effect

import (
	"context"
	"slices"
	"sync"

	"github.com/polydag/polydag/effect/internal/eliminate"
	"github.com/polydag/polydag/score"
)

// Measured and rounded costs of work, in units of one multiply-add on a table cell: planning an elimination per pair of nodes,
// drawing one value from a network, evaluating one mechanism in one row, counting one value of a bootstrap sample, and drawing one
// and fitting a mechanism to it.
const (
	planWork     = 20
	sampleWork   = 15
	evaluateWork = 120
	countWork    = 3
	fitWork      = 450
)

// ledger tracks the planned and the finished work of a survey.
type ledger struct {
	spent float64 // work planned so far
	mu    sync.Mutex
	done  float64 // work finished, for progress
	plan  float64
}

// price is the cost of a group of questions.
type price struct {
	work    float64 // work per table
	planned bool    // a single pass was considered
	passed  bool    // a single pass is used
}

// tell reports finished work.
func (v *surveyor) tell(work float64) {
	if v.Observe == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.done = min(v.done+work, v.plan)
	v.Observe(v.done, v.plan)
}

// afford drops the questions that exceed half of the work limit, starting with the most distant pairs.
func (v *surveyor) afford(ctx context.Context) error {
	if len(v.asks) == 0 {
		return nil
	}
	v.source.passes, v.source.follows, v.source.whole = passes{}, map[int]*follow{}, true
	left := v.MostWork / 2
	for _, k := range v.asks {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		g := k.group
		work, planning := v.cost(g, k, left)
		left -= planning
		whole := work
		if !g.passed {
			whole += work // distributions are computed separately
		}
		if whole > left {
			k.failed = ErrTooWide
			continue
		}
		k.work = work
		g.work += work
		left -= whole
	}
	v.spent = v.MostWork/2 - left
	_ = v.drop() // a survey without questions has no answers
	v.plan = min(v.MostWork, v.spent+float64(v.Replicates)*v.sample())
	return nil
}

// cost returns the additional cost of question k of a group, and the cost of planning it.
func (v *surveyor) cost(g *group, k *asked, left float64) (work, planning float64) {
	values := len(k.study.do)
	for _, x := range []float64{k.study.x0, k.study.x1} {
		if !slices.Contains(k.study.do, x) {
			values++
		}
	}
	if !g.planned {
		g.planned = true
		if v.source.model == score.TableEffects {
			work, planning = v.pass(g, values, left)
		} else {
			work = v.follow(g, values, left)
		}
		if g.passed = work+planning <= left; g.passed {
			return work, planning
		}
	}
	if g.passed {
		return 0, planning
	}
	if v.source.model != score.TableEffects {
		return float64(len(k.class)*(values+1)) * v.evaluations(k), 0
	}
	n, target := eliminate.NewModel(v.res.Graph, v.source.data, 0).Given(g.a, k.study.b, 0, nil)
	one := float64(sampleWork * eliminate.Draws * len(n.Nodes))
	if p := eliminate.NewPlan(n, target); p != nil {
		one = p.Up
	}
	return float64(len(k.class)*(values+1)) * (one + planned(n)), planning + planned(n)
}

// evaluations returns the cost of one figure that is an average over rows: the mechanisms of all columns between, in each row.
func (v *surveyor) evaluations(k *asked) float64 {
	return float64(evaluateWork * v.source.data.N * (1 + len(k.between())))
}

func planned(n *eliminate.Network) float64 { return float64(planWork * len(n.Nodes) * len(n.Nodes)) }

// pass plans passes for all questions of a group under all graphs of its class, and returns their cost for this number of values.
// It keeps them if they cost at most left.
func (v *surveyor) pass(g *group, values int, left float64) (work, planning float64) {
	var targets []int
	for _, k := range g.asks {
		targets = append(targets, k.study.b)
	}
	var list []*eliminate.Pass
	class := g.asks[0].class
	for _, m := range class {
		p, n := eliminate.NewModel(m.dag, v.source.data, 0).NewPass(g.a, targets)
		planning += planned(n)
		if p == nil {
			return left + 1, planning
		}
		if work += float64(values) * p.Cost; work+planning > left {
			return work, planning
		}
		list = append(list, p)
	}
	for i, m := range class {
		if v.source.passes[m.dag] == nil {
			v.source.passes[m.dag] = map[int]*eliminate.Pass{}
		}
		v.source.passes[m.dag][g.a] = list[i]
	}
	return work, planning
}

// follow evaluates all questions of a group together if that costs at most left, and returns the cost for this number of values:
// two evaluations of each outcome column and its ancestors, and one along each edge.
func (v *surveyor) follow(g *group, values int, left float64) (work float64) {
	f := &follow{x0: g.asks[0].study.x0, x1: g.asks[0].study.x1}
	columns, edges := map[int]bool{}, 0
	for _, k := range g.asks {
		f.targets = append(f.targets, k.study.b)
		columns[k.study.b] = true
		for _, c := range k.between() {
			columns[c] = true
		}
		if v.res.Graph.HasEdge(g.a, k.study.b) {
			edges++
		}
	}
	work = float64(evaluateWork*v.source.data.N) * float64(len(g.asks[0].class)*(2*values*len(columns)+edges))
	if work <= left {
		v.source.follows[g.a] = f
	}
	return work
}

// refit returns the fixed cost of one bootstrap sample.
func (v *surveyor) refit() float64 {
	if v.source.model == score.TableEffects {
		return countWork * float64(v.source.data.N*len(v.source.data.Columns))
	}
	return fitWork * float64(v.source.data.N*len(v.source.data.Columns))
}

// sample returns the cost of one bootstrap sample with all questions.
func (v *surveyor) sample() float64 {
	one := v.refit()
	for _, g := range v.groups {
		one += g.work
	}
	return one
}

// least returns the work reserved for intervals: the cost of leastReplicates, at most half of the remaining work.
func (v *surveyor) least() float64 {
	return min(leastReplicates*v.sample(), (v.MostWork-v.spent)/2)
}

// settle chooses the number of replicates and the questions with intervals, nearest pairs first.
func (v *surveyor) settle() {
	all := v.MostWork - v.spent
	v.Replicates = min(v.Replicates, max(leastReplicates, int(all/max(v.sample(), 1))))
	left := all/float64(max(v.Replicates, 1)) - v.refit()
	paid := map[*group]bool{}
	used := 0.0
	for _, k := range v.asks {
		g, work := k.group, k.work
		if g.passed {
			work = 0
			if !paid[g] {
				work = g.work
			}
		}
		if k.sure = work <= left && v.Replicates >= leastReplicates; k.sure {
			left -= work
			used += work
			paid[g] = true
		}
	}
	v.mu.Lock()
	v.plan = v.done + float64(v.Replicates)*used
	v.mu.Unlock()
}
