package effect

import (
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
)

// additive is a DAG over numbers and levels with a mechanism for each column, refitted to the rows: a number is a function of
// its parents and noise, a column of levels has probabilities that depend on its parents. It is evaluated row by row (g-computation,
// Robins 1986): columns that do not descend from what is set are those of the row, and a number that does keeps the noise of
// its row. So the values are what would have been, and over all rows a sample of the distribution under do. A
// column of levels has no noise that could be told from its value; it is drawn anew, by a uniform number of its row. Several goroutines
// may ask it.
type additive struct {
	g     *graph.Graph
	order []int
	data  *mechanism.Rows
	rows  []int                                // that the distribution is over
	fits  []func() (mechanism.Function, error) // by column, made when they are first asked for
	left  []func() []float64                   // noise of the rows, by column, of columns that have a fit
	seed  uint64
}

func newAdditive(g *graph.Graph, d *mechanism.Rows, fit func(v int) (mechanism.Function, error), seed uint64) (*additive, error) {
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	m := &additive{g: g, order: order, data: d, rows: d.Untouched(), fits: make([]func() (mechanism.Function, error), g.N()), left: make([]func() []float64, g.N()), seed: seed}
	for v := range m.fits {
		m.fits[v] = sync.OnceValues(func() (mechanism.Function, error) { return fit(v) })
		m.left[v] = sync.OnceValue(func() []float64 { return m.residuals(v) })
	}
	return m, nil
}

// mechanism returns that of a column, for whoever asks it to have alone.
func (m *additive) mechanism(v int) (mechanism.Function, error) {
	f, err := m.fits[v]()
	if err != nil {
		return nil, err
	}
	return f.Clone(), nil
}

// A setting is a world in which some columns have values of their own, one a row.
type setting map[int][]float64

// values returns a column in a world: what was set, what was observed where it does not descend from that, and what its mechanism
// makes of its parents elsewhere. after are the descendants of what is set.
func (m *additive) values(w setting, after []bool, v int) ([]float64, error) {
	if x, ok := w[v]; ok {
		return x, nil
	}
	if !after[v] {
		x := make([]float64, len(m.rows))
		for k, i := range m.rows {
			x[k] = m.data.Columns[v][i]
		}
		w[v] = x
		return x, nil
	}
	inputs, err := m.inputs(w, after, v)
	if err != nil {
		return nil, err
	}
	x, err := m.respond(v, inputs)
	if err == nil {
		w[v] = x
	}
	return x, err
}

// inputs returns the parents of v in a world, one slice a parent.
func (m *additive) inputs(w setting, after []bool, v int) ([][]float64, error) {
	var out [][]float64
	for _, p := range m.g.Parents(v) {
		x, err := m.values(w, after, p)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// respond returns column v where its parents have these values, row by row, with the noise of each row or, for levels, a draw.
func (m *additive) respond(v int, inputs [][]float64) ([]float64, error) {
	f, err := m.mechanism(v)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(m.rows))
	parents := make([]float64, len(inputs))
	levels := m.data.Levels[v]
	var rng *rand.Rand
	if levels != nil {
		rng = rand.New(rand.NewPCG(m.seed, uint64(v)+1))
	}
	noise := m.left[v]()
	for k := range out {
		for j := range inputs {
			parents[j] = inputs[j][k]
		}
		e := f.At(parents)
		if levels != nil {
			out[k] = levels[mechanism.Pick(e, rng.Float64())]
			continue
		}
		out[k] = e[0] + noise[k]
	}
	return out, nil
}

// residuals are what the mechanism of v leaves of it in each row, nil for levels and where there is no mechanism.
func (m *additive) residuals(v int) []float64 {
	f, err := m.mechanism(v)
	if err != nil || m.data.Levels[v] != nil {
		return nil
	}
	out := make([]float64, len(m.rows))
	parents := make([]float64, len(m.g.Parents(v)))
	for k, i := range m.rows {
		for j, p := range m.g.Parents(v) {
			parents[j] = m.data.Columns[p][i]
		}
		out[k] = m.data.Columns[v][i] - f.At(parents)[0]
	}
	return out
}

// figures are the mean of v where its parents have these values or, for levels, the probabilities, averaged over the rows: nothing is
// drawn for the last column.
func (m *additive) figures(v int, inputs [][]float64) ([]float64, error) {
	f, err := m.mechanism(v)
	if err != nil {
		return nil, err
	}
	out := make([]float64, max(1, len(m.data.Levels[v])))
	parents := make([]float64, len(inputs))
	noise := m.left[v]()
	for k := range m.rows {
		for j := range inputs {
			parents[j] = inputs[j][k]
		}
		for c, x := range f.At(parents) {
			out[c] += x
		}
		if noise != nil {
			out[0] += noise[k]
		}
	}
	for c := range out {
		out[c] /= float64(len(m.rows))
	}
	return out, nil
}

// world is the setting of a to x, with what descends from it.
func (m *additive) world(a int, x float64) (setting, []bool) {
	after := m.g.Descendants([]int{a})
	after[a] = true
	return setting{a: slices.Repeat([]float64{x}, len(m.rows))}, after
}

func (m *additive) do(a, b int, x float64) ([]float64, error) {
	w, after := m.world(a, x)
	return m.outcome(w, after, b)
}

// outcome returns the figures of b in a world.
func (m *additive) outcome(w setting, after []bool, b int) ([]float64, error) {
	if !after[b] {
		return m.observed(b), nil
	}
	in, err := m.inputs(w, after, b)
	if err != nil {
		return nil, err
	}
	return m.figures(b, in)
}

// observed returns the figures of a column as it is.
func (m *additive) observed(b int) []float64 {
	levels := m.data.Levels[b]
	out := make([]float64, max(1, len(levels)))
	for _, i := range m.rows {
		if x := m.data.Columns[b][i]; levels != nil {
			out[m.data.Code(b, x)] += 1 / float64(len(m.rows))
		} else {
			out[0] += x / float64(len(m.rows))
		}
	}
	return out
}

func (m *additive) direct(a, b int, x0, x1 float64) ([]float64, error) {
	w, after := m.world(a, x0)
	return m.along(w, after, a, b, x1)
}

// along returns the figures of b in a world where a is set, but for the edge from a, which carries x.
func (m *additive) along(w setting, after []bool, a, b int, x float64) ([]float64, error) {
	if !m.g.HasEdge(a, b) {
		return m.outcome(w, after, b)
	}
	in, err := m.inputs(w, after, b)
	if err != nil {
		return nil, err
	}
	in[slices.Index(m.g.Parents(b), a)] = slices.Repeat([]float64{x}, len(m.rows))
	return m.figures(b, in)
}

func (m *additive) through(a, b, by int, x0, x1 float64) ([]float64, error) {
	end, after := m.world(a, x1)
	mediator, err := m.values(end, after, by)
	if err != nil {
		return nil, err
	}
	start, _ := m.world(a, x0)
	start[by] = mediator
	return m.outcome(start, after, b)
}

func (m *additive) distribution(a, b int, x float64) (*dist, error) {
	w, after := m.world(a, x)
	return m.spread(w, after, b)
}

// spread is the distribution of b in a world.
func (m *additive) spread(w setting, after []bool, b int) (*dist, error) {
	if m.data.Levels[b] != nil {
		p, err := m.outcome(w, after, b)
		return &dist{levels: p, by: byRows}, err
	}
	y, err := m.values(w, after, b)
	if err != nil {
		return nil, err
	}
	return empirical(slices.Clone(y)), nil
}
