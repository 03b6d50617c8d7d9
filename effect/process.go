package effect

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
)

// process has the edges of a time series with their lags. Under linear effects it is a model: the weights are in the units of the
// columns.
type process struct {
	order []int // the columns in topological order of the edges without a lag
	into  [][]laggedWeight
}

type laggedWeight struct {
	from, lag int
	weight    float64
}

// processOf returns the process of a result with lags.
func processOf(res *polydag.Result) (*process, error) {
	if res.Graph == nil || res.Kind != graph.KindDAG {
		return nil, fault.New(ErrQuestion, fmt.Sprintf("impulse responses need a DAG; the graph is a %s", res.Kind), "learn with %s", fault.Set("method", res.Methods.All()[0].Info().Name))
	}
	order, err := res.Graph.Order()
	if err != nil {
		return nil, err
	}
	at := names.Index(res.Names)
	p := &process{order: order, into: make([][]laggedWeight, len(res.Names))}
	for _, e := range res.AllEdges() {
		p.into[at[e.To]] = append(p.into[at[e.To]], laggedWeight{at[e.From], e.Lag, e.Weight})
	}
	return p, nil
}

// impulses returns the changes of all columns by step after a change of column a by 1 at step 0.
func (p *process) impulses(a, horizon int) trajectory {
	x := make(trajectory, horizon+1)
	for t := range x {
		x[t] = make([]float64, len(p.order))
		for _, v := range p.order {
			if t == 0 && v == a {
				x[t][v] = 1
				continue
			}
			for _, e := range p.into[v] {
				if e.lag <= t {
					x[t][v] += e.weight * x[t-e.lag][e.from]
				}
			}
		}
	}
	return x
}

// respond implements dynamics. The responses do not depend on the position of the two values.
func (p *process) respond(_ context.Context, a int, by shock, horizon int) (trajectory, error) {
	out := p.impulses(a, horizon)
	for _, x := range out {
		for v := range x {
			x[v] *= by.x[1] - by.x[0]
		}
	}
	return out, nil
}

// never is the arrival at a column that no path leads to.
const never = math.MaxInt

// arrivals returns the first step at which a change of column a can reach each column.
func (p *process) arrivals(a int) []int {
	first := slices.Repeat([]int{never}, len(p.order))
	first[a] = 0
	for changed := true; changed; {
		changed = false
		for v, into := range p.into {
			for _, e := range into {
				if first[e.from] != never && first[e.from]+e.lag < first[v] {
					first[v], changed = first[e.from]+e.lag, true
				}
			}
		}
	}
	return first
}

// arrival returns the first step at which a change of column a can reach column b, and for a = b the first later step.
func (p *process) arrival(a, b int) int {
	first := p.arrivals(a)
	if a != b {
		return first[b]
	}
	step := never
	for _, e := range p.into[a] {
		if e.lag > 0 && first[e.from] != never {
			step = min(step, first[e.from]+e.lag)
		}
	}
	return step
}

// unrolled returns the graph over the columns and their lagged values.
func (p *process) unrolled(lags int) (*graph.Graph, error) {
	d := len(p.order)
	g := graph.New(d * (lags + 1))
	for v, into := range p.into {
		for _, e := range into {
			if e.lag > lags {
				return nil, fault.New(ErrOtherTable, fmt.Sprintf("the table has %d lags, and the result has an edge with lag %d", lags, e.lag), "give the table with the settings that the result was learned with")
			}
			g.AddEdge(e.lag*d+e.from, v)
		}
	}
	return g, nil
}

// refitted returns the process with weights fitted to the moments of an unrolled table.
func (p *process) refitted(m *dataset.Moments) (*process, error) {
	d := len(p.order)
	g, err := p.unrolled(m.Dim()/d - 1)
	if err != nil {
		return nil, err
	}
	pool, err := dataset.NewPool(m, nil)
	if err != nil {
		return nil, err
	}
	l, err := fitLinear(g, m, pool)
	if err != nil {
		return nil, err
	}
	out := &process{order: p.order, into: make([][]laggedWeight, d)}
	for v, into := range p.into {
		for _, e := range into {
			e.weight = l.weight[graph.Edge{From: e.lag*d + e.from, To: v}]
			out.into[v] = append(out.into[v], e)
		}
	}
	return out, nil
}

// relearned returns the process of a graph that was learned from an unrolled table of d columns and their lags.
func relearned(res *polydag.Result, d int) (*process, error) {
	order, err := res.Graph.Order()
	if err != nil {
		return nil, err
	}
	p := &process{order: slices.DeleteFunc(order, func(v int) bool { return v >= d }), into: make([][]laggedWeight, d)}
	for k, e := range res.Marked.Edges() {
		p.into[e.To] = append(p.into[e.To], laggedWeight{e.From % d, e.From / d, res.Edges[k].Weight})
	}
	return p, nil
}
