package effect

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/score"
)

// simulated is a model of a time series whose columns follow their mechanisms. Its responses are averages over paths: each starts at
// a row of the table, with the lagged values of that row, and continues twice, once for each value of the column that is set. Both
// copies have the same noise, so that noise cancels in their difference (paired draws).
type simulated struct {
	net   *mechanism.Network // over the columns and their lagged values
	rows  *mechanism.Rows    // rows of the unrolled table
	first []int              // the first figure of each column; see course
	order []int              // the columns in topological order of the edges without a lag
	links *process           // the edges; the weights have no meaning
	lags  int
	paths int
	seed  uint64
	// threads is the number of goroutines; it never changes the responses.
	threads int
}

// newSimulated fits the mechanisms of a process to rows of an unrolled table.
func newSimulated(model score.Effects, p *process, rows *mechanism.Rows, first []int) (*simulated, error) {
	d := len(p.order)
	lags := len(rows.Columns)/d - 1
	g, err := p.unrolled(lags)
	if err != nil {
		return nil, err
	}
	present := intset.Range(0, d)
	net, err := mechanism.FitNetwork(model, g, rows, present)
	if err != nil {
		return nil, err
	}
	return &simulated{net: net, rows: rows, first: first, order: p.order, links: p, lags: lags}, nil
}

// chunks is the number of parts that paths are divided into. It is fixed, so that sums do not depend on the number of threads.
const chunks = 16

// respond implements dynamics.
func (m *simulated) respond(ctx context.Context, a int, by shock, horizon int) (trajectory, error) {
	parts := make([]trajectory, chunks)
	parallel.Each(ctx, chunks, max(1, m.threads), func(int) func(int) {
		walk := m.walk(a, by)
		return func(c int) {
			out := make(trajectory, horizon+1)
			for t := range out {
				out[t] = make([]float64, m.first[len(m.order)])
			}
			for i := c * m.paths / chunks; i < (c+1)*m.paths/chunks && ctx.Err() == nil; i++ {
				walk.path(i, out)
			}
			parts[c] = out
		}
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	out := parts[0]
	for t := range out {
		for k := range out[t] {
			for _, part := range parts[1:] {
				out[t][k] += part[t][k]
			}
			out[t][k] /= float64(m.paths)
		}
	}
	return out, nil
}

// A walk follows paths of a time series with two values of one column. It belongs to one goroutine.
type walk struct {
	*simulated
	f       []mechanism.Function // by column
	parents [][]int              // by column: places in the unrolled table
	a       int
	by      shock
	at0     []int          // columns that a change of a reaches at once, in topological order
	after   []bool         // columns that a change of a reaches
	needed  []bool         // columns that matter to those
	past    [2][][]float64 // values by copy, lag and column
	in      [2][]float64   // room for the values of parents, by copy
	u       []float64      // a uniform number for each column
}

func (m *simulated) walk(a int, by shock) *walk {
	d := len(m.order)
	w := &walk{simulated: m, a: a, by: by, after: make([]bool, d), u: make([]float64, d)}
	g := graph.New(d)
	for v, into := range m.links.into {
		for _, e := range into {
			if e.from != v {
				g.AddEdge(e.from, v)
			}
		}
		w.f, w.parents = append(w.f, m.net.F[v].Clone()), append(w.parents, m.net.Graph.Parents(v))
	}
	reached := []int{a}
	first := m.links.arrivals(a)
	for v, step := range first {
		if w.after[v] = step != never; w.after[v] && v != a {
			reached = append(reached, v)
		}
	}
	for _, v := range m.order {
		if v != a && first[v] == 0 {
			w.at0 = append(w.at0, v)
		}
	}
	w.needed = g.Ancestors(reached)
	for _, v := range reached {
		w.needed[v] = true
	}
	for k := range w.past {
		w.past[k] = make([][]float64, m.lags+1)
		for lag := range w.past[k] {
			w.past[k][lag] = make([]float64, d)
		}
	}
	return w
}

// path adds the differences of one path to the sums by step and figure.
func (w *walk) path(i int, sums trajectory) {
	d := len(w.order)
	start := i * w.rows.N / w.paths
	if w.paths > w.rows.N {
		start = i % w.rows.N
	}
	for k := range w.past {
		for lag, values := range w.past[k] {
			for v := range values {
				values[v] = w.rows.Columns[lag*d+v][start]
			}
		}
	}
	rng := rand.New(rand.NewPCG(w.seed, uint64(i)))
	for t, sum := range sums {
		for v := range w.u {
			w.u[v] = rng.Float64()
		}
		if t == 0 {
			w.change(sum)
			continue
		}
		for _, past := range w.past {
			last := past[w.lags]
			copy(past[1:], past[:w.lags])
			past[0] = last
		}
		for _, v := range w.order {
			if w.needed[v] {
				w.step(v, sum, nil)
			}
		}
	}
}

// change sets column a at step 0. Numbers that follow from it at the same time keep the noise of their row; categories are drawn.
func (w *walk) change(sum []float64) {
	noise := make([]float64, len(w.at0))
	for i, v := range w.at0 {
		if w.net.Levels[v] == nil {
			noise[i] = w.past[0][0][v] - w.f[v].At(w.inputs(0, v))[0]
		}
	}
	for k, x := range w.by.x {
		if w.by.changes {
			x += w.past[k][0][w.a]
		}
		w.past[k][0][w.a] = x
		sign := float64(2*k - 1)
		if levels := w.net.Levels[w.a]; levels == nil {
			sum[w.first[w.a]] += sign * x
		} else {
			sum[w.first[w.a]+slices.Index(levels, x)] += sign
		}
	}
	for i, v := range w.at0 {
		w.step(v, sum, &noise[i])
	}
}

// inputs returns the values of the parents of column v in one copy.
func (w *walk) inputs(k, v int) []float64 {
	d := len(w.order)
	w.in[k] = w.in[k][:0]
	for _, p := range w.parents[v] {
		w.in[k] = append(w.in[k], w.past[k][p/d][p%d])
	}
	return w.in[k]
}

// step computes the present value of column v in both copies and adds their difference. The noise of a number is drawn if it is nil.
func (w *walk) step(v int, sum []float64, noise *float64) {
	value := func(y []float64) float64 {
		if noise != nil && w.net.Levels[v] == nil {
			return y[0] + *noise
		}
		return w.net.Value(v, y, w.u[v])
	}
	y0 := w.f[v].At(w.inputs(0, v))
	x := value(y0)
	w.past[0][0][v], w.past[1][0][v] = x, x
	if !w.after[v] || slices.Equal(w.in[0], w.inputs(1, v)) {
		return
	}
	y1 := w.f[v].At(w.in[1])
	w.past[1][0][v] = value(y1)
	for c := range y1 {
		sum[w.first[v]+c] += y1[c] - y0[c]
	}
}
