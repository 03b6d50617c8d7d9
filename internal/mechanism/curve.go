package mechanism

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/score"
)

// curve is a smooth function of the parents, as score.Smooth fits it: the mean of the column, plus the weighted
// centred functions of each parent and products of two.
type curve struct {
	functions *basis.Functions
	start     []int // start of the functions of each column, the child first
	constant  float64
	weights   []float64 // weights of all functions and products, most of them 0
	curved    []bool    // columns whose curved functions have a weight
	pairs     []pair
	crossed   int
	at0       []float64 // functions at the values in last, by column; an intervened column is constant
	last      []float64
}

func (c *curve) Clone() Function {
	own := *c
	own.at0, own.last = slices.Clone(c.at0), slices.Clone(c.last)
	return &own
}

// pair is the start of the products of two columns.
type pair struct{ p, q, first int }

// fitCurve fits column v of g to the rows without an intervention on it, with the priors and weights of the
// search score.
func fitCurve(g *graph.Graph, d *Rows, v int) (Function, error) {
	x := d.Family(g, v)
	names := make([]string, x.Cols)
	for j := range names {
		names[j] = fmt.Sprint(j)
	}
	levels := make([]bool, x.Cols)
	for j, p := range g.Parents(v) {
		levels[j+1] = d.Levels != nil && d.Levels[p] != nil && d.categorical[p]
	}
	fit := basis.NewFit(names, levels)
	if err := fit.Add(x.Data); err != nil {
		return nil, err
	}
	set := basis.DefaultSettings()
	set.Straight = make([]bool, x.Cols)
	set.Straight[0] = true // curves of the column itself are not needed
	if d.Uncrossed {
		set.Crossed = 0
	}
	functions, err := fit.Functions(set)
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
	smooth := score.DefaultSmoothSettings()
	smooth.Categories = true
	s, err := score.NewSmooth(blocks, smooth)
	if err != nil {
		return nil, err
	}
	c := &curve{functions: functions, start: blocks.Start, constant: blocks.Mean[0], weights: make([]float64, len(blocks.Mean)), curved: make([]bool, x.Cols), at0: make([]float64, len(blocks.Mean)), last: slices.Repeat([]float64{math.NaN()}, x.Cols)}
	parents := intset.Range(1, x.Cols)
	for _, w := range s.Weights(blocks, 0, parents) {
		c.weights[w.Function] = w.W
		c.constant -= w.W * blocks.Mean[w.Function]
	}
	for _, p := range parents {
		c.curved[p] = blocks.Levels[p] || slices.ContainsFunc(c.weights[blocks.Start[p]+1:blocks.Start[p+1]], nonzero)
	}
	for _, q := range parents {
		for p := 1; p < q; p++ {
			if !blocks.Curved(p) || !blocks.Curved(q) {
				continue
			}
			first := s.Pair(p, q)
			if slices.ContainsFunc(c.weights[first:first+blocks.Crossed*blocks.Crossed], nonzero) {
				c.pairs = append(c.pairs, pair{p, q, first})
				c.curved[p], c.curved[q] = true, true
			}
		}
	}
	c.crossed = blocks.Crossed
	return c, nil
}

func nonzero(weight float64) bool { return weight != 0 }

func (c *curve) At(parents []float64) []float64 {
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
