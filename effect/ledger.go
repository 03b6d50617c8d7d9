package effect

import (
	"context"
	"slices"
	"sync"

	"github.com/polydag/polydag/internal/eliminate"
	"github.com/polydag/polydag/score"
)

// What work other than multiplying and adding cells of tables costs, in such cells: to plan an elimination, for each pair of its nodes; to draw
// one value of a row from a network; to evaluate one mechanism in one row; to count one value of a resampled table; and to draw one and fit a
// mechanism to it. They are measured, and round.
const (
	planWork     = 20
	sampleWork   = 15
	evaluateWork = 120
	countWork    = 3
	fitWork      = 450
)

// ledger is what a survey costs, and how much of it is done.
type ledger struct {
	spent float64 // of the bound, by what is settled so far
	mu    sync.Mutex
	done  float64 // for who watches
	plan  float64
}

// price is what the figures of a group cost.
type price struct {
	work    float64 // of one table
	planned bool    // whether one pass does was looked at
	passed  bool    // and it does
}

// tell says that so much work is done.
func (v *surveyor) tell(work float64) {
	if v.Observe == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.done = min(v.done+work, v.plan)
	v.Observe(v.done, v.plan)
}

// afford leaves the questions out that are beyond half of the work, the nearest being the first to be paid for.
func (v *surveyor) afford(ctx context.Context) error {
	if len(v.asks) == 0 {
		return nil
	}
	v.source.passes, v.source.follows, v.source.whole = passes{}, map[int]*follow{}, true
	at := map[int]*group{}
	for _, g := range v.groups {
		at[g.a] = g
	}
	left := v.MostWork / 2
	beyond := map[*asked]bool{}
	for _, k := range v.asks {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		g := at[k.study.a]
		work, planning := v.cost(g, k, left)
		left -= planning
		whole := work
		if !g.passed {
			whole += work // distributions are found by themselves
		}
		if beyond[k] = whole > left; !beyond[k] {
			k.work = work
			g.work += work
			left -= whole
		}
	}
	v.spent = v.MostWork/2 - left
	v.without(beyond, nil)
	one := v.refit()
	for _, g := range v.groups {
		one += g.work
	}
	v.plan = min(v.MostWork, v.spent+float64(v.Replicates)*one)
	return nil
}

// cost is what question k of a group costs beside those that were taken before it, and what planning it did.
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

// evaluations is what one figure costs where it is an average over rows: the mechanisms of all columns between, in each row.
func (v *surveyor) evaluations(k *asked) float64 {
	return float64(evaluateWork * v.source.data.N * (1 + len(k.between())))
}

func planned(n *eliminate.Network) float64 { return float64(planWork * len(n.Nodes) * len(n.Nodes)) }

// pass plans passes for all questions of a group under all graphs of its class, and says what they cost at so many values. They are kept if that
// is no more than what is left.
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

// follow has all questions of a group found together, where that costs no more than what is left, and says what it costs at so many values: two
// evaluations of each column that is looked at or lies before one, and one of each along the edge.
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

// refit is what one resampled table costs before anything is asked of it.
func (v *surveyor) refit() float64 {
	if v.source.model == score.TableEffects {
		return countWork * float64(v.source.data.N*len(v.source.data.Columns))
	}
	return fitWork * float64(v.source.data.N*len(v.source.data.Columns))
}

// least is what is left for intervals before parts of effects are found: what leastReplicates cost, and at most half of what is not spent.
func (v *surveyor) least() float64 {
	one := v.refit()
	for _, g := range v.groups {
		one += g.work
	}
	return min(leastReplicates*one, (v.MostWork-v.spent)/2)
}

// settle settles how many replicates there are and which questions have intervals, the nearest first.
func (v *surveyor) settle() {
	one := v.refit()
	at := map[int]*group{}
	for _, g := range v.groups {
		one += g.work
		at[g.a] = g
	}
	all := v.MostWork - v.spent
	v.Replicates = min(v.Replicates, max(leastReplicates, int(all/max(one, 1))))
	left := all/float64(max(v.Replicates, 1)) - v.refit()
	paid := map[*group]bool{}
	used := 0.0
	for _, k := range v.asks {
		g := at[k.study.a]
		work := k.work
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
