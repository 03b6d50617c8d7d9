package mechanism

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/score"
)

// Network has the mechanisms of the columns of a DAG, to draw rows from.
type Network struct {
	Graph  *graph.Graph
	Levels [][]float64 // by column; nil for a number
	F      []Function  // by column; nil for a column that was not fitted
	// Noise has the residuals of a number, ascending. Without them the noise is normal with variance Variance and mean 0.
	Noise    [][]float64
	Variance []float64
	Mean     []float64 // the mean of the noise
}

// FitNetwork fits the mechanisms of some columns; nil fits all.
func FitNetwork(model score.Effects, g *graph.Graph, rows *Rows, columns []int) (*Network, error) {
	out := newNetwork(g, rows.Levels)
	if columns == nil {
		columns = intset.Range(0, g.N())
	}
	for _, v := range columns {
		f, err := Fit(model, g, rows, v)
		if err != nil {
			return nil, err
		}
		out.fitNoise(rows, v, f)
	}
	return out, nil
}

// fitNoise sets the mechanism of column v and takes its noise from the rows.
func (n *Network) fitNoise(rows *Rows, v int, f Function) {
	n.F[v], n.Noise[v], n.Variance[v], n.Mean[v] = f, nil, 0, 0
	if rows.Levels[v] != nil {
		return
	}
	x := rows.Family(n.Graph, v)
	count := float64(x.Rows)
	for i := range x.Rows {
		e := x.At(i, 0) - f.At(x.Row(i)[1:])[0]
		n.Noise[v] = append(n.Noise[v], e)
		n.Mean[v] += e / count
	}
	for _, e := range n.Noise[v] {
		n.Variance[v] += (e - n.Mean[v]) * (e - n.Mean[v]) / count
	}
	slices.Sort(n.Noise[v])
}

// Borrow replaces the effects of constant parents, which rows cannot determine, by those of another network: a column with a parent
// that is constant in these rows, and not in those of the other network, gets the other mechanism with its own noise.
func (n *Network) Borrow(from *Network, rows, others *Rows, columns []int) {
	for _, v := range columns {
		if rows.constantParent(n.Graph, v) && !others.constantParent(n.Graph, v) {
			n.fitNoise(rows, v, from.F[v])
		}
	}
}

// constantParent reports whether a numeric parent of column v has one value only.
func (d *Rows) constantParent(g *graph.Graph, v int) bool {
	x := d.Family(g, v)
	for k, p := range g.Parents(v) {
		constant := d.Levels[p] == nil
		for i := 1; i < x.Rows && constant; i++ {
			constant = x.At(i, k+1) == x.At(0, k+1)
		}
		if constant {
			return true
		}
	}
	return false
}

func newNetwork(g *graph.Graph, levels [][]float64) *Network {
	n := g.N()
	return &Network{Graph: g, Levels: levels, F: make([]Function, n), Noise: make([][]float64, n), Variance: make([]float64, n), Mean: make([]float64, n)}
}

// LinearNetwork returns the network of a linear Gaussian model: column v is intercept[v] + Σ weight(p, v)·p plus normal noise.
func LinearNetwork(g *graph.Graph, intercept, variance []float64, weight func(p, v int) float64) *Network {
	out := newNetwork(g, make([][]float64, g.N()))
	out.Variance = variance
	for v := range g.N() {
		f := &line{intercept: intercept[v]}
		for _, p := range g.Parents(v) {
			f.weights = append(f.weights, weight(p, v))
		}
		out.F[v] = f
	}
	return out
}

// line is a linear function of the parents.
type line struct {
	intercept float64
	weights   []float64
}

func (l *line) Clone() Function { return l }

func (l *line) At(parents []float64) []float64 {
	y := l.intercept
	for j, x := range parents {
		y += l.weights[j] * x
	}
	return []float64{y}
}

// Quantile returns the noise of a number for u, uniform on [0, 1).
func (n *Network) Quantile(v int, u float64) float64 {
	if e := n.Noise[v]; e != nil {
		return e[int(u*float64(len(e)))]
	}
	return math.Sqrt(2*n.Variance[v]) * math.Erfinv(2*max(u, 1e-16)-1)
}

// Draw returns a value of column v for these values of its parents and u, uniform on [0, 1). A network belongs to one goroutine while it draws.
func (n *Network) Draw(v int, parents []float64, u float64) float64 {
	return n.Value(v, n.F[v].At(parents), u)
}

// Value returns a value of column v for the result of its mechanism, a mean or the probabilities of all levels, and u, uniform on [0, 1).
func (n *Network) Value(v int, y []float64, u float64) float64 {
	if n.Levels[v] != nil {
		return n.Levels[v][Pick(y, u)]
	}
	return y[0] + n.Quantile(v, u)
}

// Sample draws rows from a seed. Columns in set have that value; the others keep their noise, whatever is set. The rows share one slice
// and end early if ctx does.
func (n *Network) Sample(ctx context.Context, seed uint64, count int, set map[int]float64) (iter.Seq[[]float64], error) {
	order, err := n.Graph.Order()
	if err != nil {
		return nil, err
	}
	return func(yield func([]float64) bool) {
		rng := rand.New(rand.NewPCG(seed, 0x73696d))
		row := make([]float64, n.Graph.N())
		var parents []float64
		for range count {
			for _, v := range order {
				u := rng.Float64()
				if x, ok := set[v]; ok {
					row[v] = x
					continue
				}
				parents = parents[:0]
				for _, p := range n.Graph.Parents(v) {
					parents = append(parents, row[p])
				}
				row[v] = n.Draw(v, parents, u)
			}
			if ctx.Err() != nil || !yield(row) {
				return
			}
		}
	}, nil
}
