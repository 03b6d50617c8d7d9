package mechanism

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// terms are the functions of the parents under a mixed model: a constant, numeric parents, and indicators of
// all categories except the first.
type terms struct {
	levels [][]float64 // by parent; nil if numeric
	mean   []float64   // mean and standard deviation of each numeric parent
	std    []float64
	count  int
}

func newTerms(g *graph.Graph, d *Rows, v int, x *matrix.Dense[float64]) *terms {
	t := &terms{count: 1}
	for j, p := range g.Parents(v) {
		var levels []float64
		mean, std := 0.0, 0.0
		if d.categorical[p] {
			levels = d.Levels[p]
			t.count += len(levels) - 1
		} else {
			for i := range x.Rows {
				mean += x.At(i, j+1) / float64(x.Rows)
			}
			for i := range x.Rows {
				std += (x.At(i, j+1) - mean) * (x.At(i, j+1) - mean) / float64(x.Rows)
			}
			if std = math.Sqrt(std); std == 0 {
				std = 1
			}
			t.count++
		}
		t.levels, t.mean, t.std = append(t.levels, levels), append(t.mean, mean), append(t.std, std)
	}
	return t
}

// fill writes the terms for these values of the parents.
func (t *terms) fill(dst, parents []float64) {
	dst[0] = 1
	k := 1
	for j, x := range parents {
		if t.levels[j] == nil {
			dst[k] = (x - t.mean[j]) / t.std[j]
			k++
			continue
		}
		for _, level := range t.levels[j][1:] {
			dst[k] = 0
			if x == level {
				dst[k] = 1
			}
			k++
		}
	}
}

// plane is least squares on the terms of a mixed model.
type plane struct {
	*terms
	beta, room []float64
}

// ridge is added to the diagonal of normal equations, as a share of the rows, so that unused categories get the
// weight 0.
const ridge = 1e-8

// fitPlane fits column v of g by least squares to the rows without an intervention on it.
func fitPlane(g *graph.Graph, d *Rows, v int) (Function, error) {
	x := d.Family(g, v)
	p := &plane{terms: newTerms(g, d, v, x)}
	p.room = make([]float64, p.count)
	a, b := matrix.New[float64](p.count, p.count), matrix.New[float64](p.count, 1)
	for i := range x.Rows {
		row := x.Row(i)
		p.fill(p.room, row[1:])
		for j, u := range p.room {
			for k, w := range p.room {
				a.Set(j, k, a.At(j, k)+u*w)
			}
			b.Set(j, 0, b.At(j, 0)+u*row[0])
		}
	}
	for j := range p.count {
		a.Set(j, j, a.At(j, j)+ridge*float64(x.Rows)+math.SmallestNonzeroFloat64)
	}
	var lu matrix.LU[float64]
	if err := lu.Factor(a); err != nil {
		return nil, fmt.Errorf("the causes of a column determine each other: %w; drop one of them and learn again", err)
	}
	beta := matrix.New[float64](p.count, 1)
	lu.Solve(beta, b)
	for j := range p.count {
		p.beta = append(p.beta, beta.At(j, 0))
	}
	return p, nil
}

func (p *plane) Clone() Function { return &plane{p.terms, p.beta, make([]float64, len(p.room))} }

func (p *plane) At(parents []float64) []float64 {
	p.fill(p.room, parents)
	y := 0.0
	for j, x := range p.room {
		y += p.beta[j] * x
	}
	return []float64{y}
}
