package effect

import (
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/splitmix"
)

// additive is a DAG over numeric and categorical columns with a mechanism for each column, fitted to the rows: a number is a
// function of its parents plus noise, a category has probabilities that depend on its parents. It is evaluated row by row
// (g-computation, Robins 1986): columns that do not descend from the intervention keep their value, and numeric descendants keep
// the noise of their row. Over all rows the values are a sample of the distribution under do. The noise of a categorical column is
// not identified, so its value is drawn again with a uniform number per row. Several goroutines may use it.
type additive struct {
	g     *graph.Graph
	order []int
	data  *mechanism.Rows
	rows  []int                                      // rows that the distribution is over
	fits  []func() (mechanism.Function, error)       // mechanisms by column, fitted on first use
	left  []func() []float64                         // residuals by column, for columns with a mechanism
	zeros map[int]func() (mechanism.Function, error) // whether a value is 0, for numeric columns whose share of zeros is a figure
	seed  uint64
}

func newAdditive(g *graph.Graph, d *mechanism.Rows, fit func(v int) (mechanism.Function, error), seed uint64, most int) (*additive, error) {
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	m := &additive{g: g, order: order, data: d, rows: someOf(d.Untouched(), most, seed), fits: make([]func() (mechanism.Function, error), g.N()), left: make([]func() []float64, g.N()), seed: seed}
	for v := range m.fits {
		m.fits[v] = sync.OnceValues(func() (mechanism.Function, error) { return fit(v) })
		m.left[v] = sync.OnceValue(func() []float64 { return m.residuals(v) })
	}
	return m, nil
}

// someOf returns at most the given number of rows, one at random from each of as many equal parts; 0 means all.
func someOf(rows []int, most int, seed uint64) []int {
	if most == 0 || len(rows) <= most {
		return rows
	}
	out, rng := make([]int, most), splitmix.Stream(seed, 7)
	for k := range out {
		first, end := k*len(rows)/most, (k+1)*len(rows)/most
		out[k] = rows[first+rng.IntN(end-first)]
	}
	return out
}

// mechanism returns a copy of a column's mechanism for exclusive use.
func (m *additive) mechanism(v int) (mechanism.Function, error) {
	f, err := m.fits[v]()
	if err != nil {
		return nil, err
	}
	return f.Clone(), nil
}

// A setting is a set of interventions: values per row for some columns.
type setting map[int][]float64

// values returns a column under a setting: the value set, the observed value if the column does not descend from the intervention,
// and otherwise the response of its mechanism. after marks the descendants of the intervention.
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

// inputs returns the parents of v under a setting, one slice per parent.
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

// respond returns column v for these parent values, row by row, with the noise of each row or, for a category, a draw.
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

// residuals returns the residuals of v in each row, nil for categories and for columns without a mechanism.
func (m *additive) residuals(v int) []float64 {
	f, err := m.mechanism(v)
	if err != nil || m.data.Levels[v] != nil {
		return nil
	}
	out := make([]float64, len(m.rows))
	parents := make([]float64, len(m.g.Parents(v)))
	for k, i := range m.rows {
		out[k] = m.data.Columns[v][i] - f.At(m.data.Parents(m.g, v, i, parents))[0]
	}
	return out
}

// figures returns the mean of v for these parent values, and its share of zeros if that is a figure, or the probabilities of a category,
// averaged over the rows.
func (m *additive) figures(v int, inputs [][]float64) ([]float64, error) {
	f, err := m.mechanism(v)
	if err != nil {
		return nil, err
	}
	zero, err := m.zero(v)
	if err != nil {
		return nil, err
	}
	out := make([]float64, max(1, len(m.data.Levels[v])))
	if zero != nil {
		out = append(out, 0)
	}
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
		if zero != nil {
			out[1] += zero.At(parents)[1]
		}
	}
	for c := range out {
		out[c] /= float64(len(m.rows))
	}
	return out, nil
}

// zero returns a copy of the mechanism of a zero in column v for exclusive use, nil if their share is no figure.
func (m *additive) zero(v int) (mechanism.Function, error) {
	if m.zeros[v] == nil {
		return nil, nil
	}
	f, err := m.zeros[v]()
	if err != nil {
		return nil, err
	}
	return f.Clone(), nil
}

// world returns the setting of a to x and its descendants.
func (m *additive) world(a int, x float64) (setting, []bool) {
	after := m.g.Descendants([]int{a})
	after[a] = true
	return setting{a: slices.Repeat([]float64{x}, len(m.rows))}, after
}

func (m *additive) do(a, b int, x float64) ([]float64, error) {
	w, after := m.world(a, x)
	return m.outcome(w, after, b)
}

// outcome returns the figures of b under a setting.
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

// observed returns the figures of an observed column.
func (m *additive) observed(b int) []float64 {
	levels := m.data.Levels[b]
	out := make([]float64, max(1, len(levels)))
	zeros := 0.0
	for _, i := range m.rows {
		if x := m.data.Columns[b][i]; levels != nil {
			out[m.data.Code(b, x)] += 1 / float64(len(m.rows))
		} else {
			out[0] += x / float64(len(m.rows))
			if x == 0 {
				zeros += 1 / float64(len(m.rows))
			}
		}
	}
	if m.zeros[b] != nil {
		out = append(out, zeros)
	}
	return out
}

func (m *additive) direct(a, b int, x0, x1 float64) ([]float64, error) {
	w, after := m.world(a, x0)
	return m.along(w, after, a, b, x1)
}

// along returns the figures of b under a setting of a, where only the edge from a to b carries x.
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

// spread is the distribution of b under a setting.
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
