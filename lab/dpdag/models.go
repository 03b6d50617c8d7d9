package dpdag

import (
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// A model is a normal distribution of each column given its parents.
type model interface {
	// start returns initial parameters.
	start(seed uint64) []float64
	// log returns the log density of the rows for the graph with the given entries 0 or 1. It may estimate it from some rows; the step
	// decides which. It adds to the gradient by the parameters and sets that by the entries. With step -1 it uses all rows, and both
	// gradients are nil.
	log(grad []float64, byGraph *matrix.Dense[float64], theta []float64, g *matrix.Dense[float64], step int) (float64, error)
}

// linear has the weights W, then the log noise scales. With B = G∘W, the log density is
//
//	-n Σ_j (s_j + ((I - B)ᵀ S (I - B))_jj / (2 exp 2s_j)).
type linear struct {
	d           int
	n           float64
	moments     *matrix.Dense[float64]
	b, residual *matrix.Dense[float64]
}

func newLinear(in *method.Input) *linear {
	d := len(in.Names())
	return &linear{d: d, n: float64(in.Moments.N), moments: in.Moments.Correlation(), b: matrix.New[float64](d, d), residual: matrix.New[float64](d, d)}
}

func (m *linear) start(uint64) []float64 { return make([]float64, m.d*m.d+m.d) }

func (m *linear) log(grad []float64, byGraph *matrix.Dense[float64], theta []float64, g *matrix.Dense[float64], _ int) (sum float64, _ error) {
	d := m.d
	w, scales := theta[:d*d], theta[d*d:]
	for i, v := range g.Data {
		m.b.Data[i] = -v * w[i]
	}
	for j := range d {
		m.b.Data[j*d+j] = 1
	}
	matrix.Mul(m.residual, m.moments, m.b, 1)
	for j, s := range scales {
		squares, precision := 0.0, math.Exp(-2*s)
		for i := range d {
			e := i*d + j
			squares += m.b.Data[e] * m.residual.Data[e]
			slope := m.n * precision * m.residual.Data[e]
			if grad != nil {
				grad[e] += slope * g.Data[e]
			}
			if byGraph != nil {
				byGraph.Data[e] = slope * w[e]
			}
		}
		sum -= m.n * (s + squares*precision/2)
		if grad != nil {
			grad[d*d+j] += m.n * (squares*precision - 1)
		}
	}
	return sum, nil
}

// networks has a perceptron and the log variances of the columns. The entries of the graph multiply the first layer.
type networks struct {
	perceptron   network.Perceptron
	x            *matrix.Dense[float64]
	n            float64 // rows that the density stands for
	batch        int
	seed         uint64
	graph        *network.Graph
	rows         *matrix.Dense[float64]
	masked, pull []float64
}

func newNetworks(x *matrix.Dense[float64], hidden, batch int, in *method.Input) *networks {
	p := network.Perceptron{Columns: x.Cols, Hidden: hidden}
	m := &networks{perceptron: p, x: x, n: float64(in.Moments.N), batch: min(batch, x.Rows), seed: in.Seed}
	m.graph = p.Density(m.batch, 1)
	m.rows = matrix.New[float64](m.batch, x.Cols)
	m.masked, m.pull = make([]float64, m.graph.Parameters()), make([]float64, m.graph.Parameters())
	return m
}

func (m *networks) start(seed uint64) []float64 {
	return append(m.perceptron.Start(seed, false), make([]float64, m.x.Cols)...)
}

func (m *networks) log(grad []float64, byGraph *matrix.Dense[float64], theta []float64, g *matrix.Dense[float64], step int) (float64, error) {
	h := m.perceptron.Hidden
	copy(m.masked, theta)
	for e, v := range g.Data {
		for k := e * h; k < (e+1)*h; k++ {
			m.masked[k] *= v
		}
	}
	m.graph.Load(m.masked)
	if step < 0 {
		return m.whole()
	}
	rng := rand.New(rand.NewPCG(m.seed, 0x6470<<32+uint64(step)))
	for i := range m.batch {
		copy(m.rows.Row(i), m.x.Row(rng.IntN(m.x.Rows)))
	}
	weight := m.n / float64(m.batch)
	clear(m.pull)
	v, err := m.graph.Run(m.rows, m.pull, weight)
	if err != nil {
		return 0, err
	}
	for e, in := range g.Data {
		sum := 0.0
		for k := e * h; k < (e+1)*h; k++ {
			sum += m.pull[k] * theta[k]
			m.pull[k] *= in
		}
		byGraph.Data[e] = sum
	}
	for k, v := range m.pull {
		grad[k] += v
	}
	return v * weight, nil
}

// whole returns the log density of all rows but those after the last whole batch.
func (m *networks) whole() (sum float64, _ error) {
	used := 0
	for ; used+m.batch <= m.x.Rows; used += m.batch {
		v, err := m.graph.Run(matrix.Of(m.batch, m.x.Cols, m.x.Data[used*m.x.Cols:(used+m.batch)*m.x.Cols]), nil, 0)
		if err != nil {
			return 0, err
		}
		sum += v
	}
	return sum * m.n / float64(used), nil
}
