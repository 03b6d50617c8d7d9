package effect

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// curve is a smooth function of the parents, as score.Smooth fits it: the mean of the column, and for each function of a parent and each
// product of two its weight times what it is above its mean.
type curve struct {
	functions *basis.Functions
	start     []int // of the functions of each column, the child first
	constant  float64
	weights   []float64 // of all functions and products, most of them 0
	curved    []bool    // columns whose curved functions have a weight
	pairs     []pair
	crossed   int
	at0       []float64 // the functions at the values in last, by column: a column that is set has one value in all rows
	last      []float64
}

func (c *curve) apart() mechanism {
	own := *c
	own.at0, own.last = slices.Clone(c.at0), slices.Clone(c.last)
	return &own
}

// pair is where the products of two columns begin.
type pair struct{ p, q, first int }

// fitCurve fits column v of g to the rows in which it was not set, with the priors and the weights that the score of the search has.
func fitCurve(g *graph.Graph, d *data, v int) (mechanism, error) {
	x := d.family(g, v)
	names := make([]string, x.Cols)
	for j := range names {
		names[j] = fmt.Sprint(j)
	}
	fit := basis.NewFit(names, nil)
	if err := fit.Add(x.Data); err != nil {
		return nil, err
	}
	functions, err := fit.Functions(basis.DefaultSettings())
	if err != nil {
		return nil, err
	}
	gram := functions.NewGram(1)
	if err := gram.Add(x.Data); err != nil {
		return nil, err
	}
	blocks, err := gram.Blocks()
	if err != nil {
		return nil, err
	}
	s, err := score.NewSmooth(blocks, score.DefaultSmoothSettings())
	if err != nil {
		return nil, err
	}
	c := &curve{functions: functions, start: blocks.Start, constant: blocks.Mean[0], weights: make([]float64, len(blocks.Mean)), curved: make([]bool, x.Cols), at0: make([]float64, len(blocks.Mean)), last: slices.Repeat([]float64{math.NaN()}, x.Cols)}
	parents := make([]int, x.Cols-1)
	for j := range parents {
		parents[j] = j + 1
	}
	for _, w := range s.Weights(blocks, 0, parents) {
		c.weights[w.Function] = w.W
		c.constant -= w.W * blocks.Mean[w.Function]
	}
	for _, p := range parents {
		for f := blocks.Start[p] + 1; f < blocks.Start[p+1]; f++ {
			c.curved[p] = c.curved[p] || c.weights[f] != 0
		}
	}
	for _, q := range parents {
		for p := 1; p < q && blocks.Crossed > 0; p++ {
			first := s.Pair(p, q)
			used := false
			for f := first; f < first+blocks.Crossed*blocks.Crossed; f++ {
				used = used || c.weights[f] != 0
			}
			if used {
				c.pairs = append(c.pairs, pair{p, q, first})
				c.curved[p], c.curved[q] = true, true
			}
		}
	}
	c.crossed = blocks.Crossed
	return c, nil
}

func (c *curve) at(parents []float64) []float64 {
	y := c.constant
	for j, x := range parents {
		p := j + 1
		if !c.curved[p] {
			y += c.weights[c.start[p]] * x
			continue
		}
		at := c.at0[c.start[p]:c.start[p+1]]
		if x != c.last[p] {
			c.functions.At(at, p, x)
			c.last[p] = x
		}
		for k, value := range at {
			y += c.weights[c.start[p]+k] * value
		}
	}
	for _, r := range c.pairs {
		for k := range c.crossed {
			for l := range c.crossed {
				y += c.weights[r.first+k*c.crossed+l] * c.at0[c.start[r.p]+1+k] * c.at0[c.start[r.q]+1+l]
			}
		}
	}
	return []float64{y}
}

// family returns the rows in which v was not set: v itself and its parents.
func (d *data) family(g *graph.Graph, v int) *matrix.Dense[float64] {
	parents := g.Parents(v)
	var rows []int
	for i := range d.n {
		if d.tells(v, i) {
			rows = append(rows, i)
		}
	}
	x := matrix.New[float64](len(rows), 1+len(parents))
	for k, i := range rows {
		x.Set(k, 0, d.columns[v][i])
		for j, p := range parents {
			x.Set(k, j+1, d.columns[p][i])
		}
	}
	return x
}

// terms are the functions of the parents under a mixed model: a constant, a number itself, and the indicators of all levels of a
// category but the first.
type terms struct {
	levels [][]float64 // of each parent, nil for a number
	mean   []float64   // of each parent that is a number, and its standard deviation
	std    []float64
	count  int
}

func newTerms(g *graph.Graph, d *data, categorical []bool, v int, x *matrix.Dense[float64]) *terms {
	t := &terms{count: 1}
	for j, p := range g.Parents(v) {
		var levels []float64
		mean, std := 0.0, 0.0
		if categorical[p] {
			levels = d.levels[p]
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

// fill writes the terms where the parents have these values.
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

// ridge is added to the diagonal of normal equations, as a share of the rows, so that levels that do not occur get the weight 0.
const ridge = 1e-8

func fitPlane(g *graph.Graph, d *data, categorical []bool, v int) (mechanism, error) {
	x := d.family(g, v)
	p := &plane{terms: newTerms(g, d, categorical, v, x)}
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

func (p *plane) apart() mechanism { return &plane{p.terms, p.beta, make([]float64, len(p.room))} }

func (p *plane) at(parents []float64) []float64 {
	p.fill(p.room, parents)
	y := 0.0
	for j, x := range p.room {
		y += p.beta[j] * x
	}
	return []float64{y}
}
