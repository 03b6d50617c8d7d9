package chance

import (
	"slices"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/vec"
)

// conditions has the regressions on functions of columns under one model. The tests of all edges into one column share the inner
// products of these functions: n rows and F functions cost n·F² once, and then n·F for each edge.
type conditions struct {
	e         Functions
	s         *sheet
	functions map[int][][]float64 // centred functions by column
	products  map[int]*products   // by the column at the end of the edges
}

func newConditions(e Functions, s *sheet) *conditions {
	return &conditions{e: e, s: s, functions: map[int][][]float64{}, products: map[int]*products{}}
}

// products are the inner products of the functions of some columns.
type products struct {
	start map[int]int // place of the first function of each column
	all   [][]float64 // lower triangle by place
}

// keptFunctions limits the values of functions in memory, at 8 bytes each: 64 MB. The functions of one condition may exceed it.
const keptFunctions = 1 << 23

// of returns the centred functions of a column.
func (c *conditions) of(j int) [][]float64 {
	out, ok := c.functions[j]
	if !ok {
		for _, f := range c.e.given(c.s, j) {
			f = slices.Clone(f)
			centre(f)
			out = append(out, f)
		}
		c.functions[j] = out
	}
	return out
}

// trim forgets the functions of other columns if there are too many.
func (c *conditions) trim(columns []int) {
	count := 0
	for _, f := range c.functions {
		count += len(f)
	}
	if count*c.s.n <= keptFunctions {
		return
	}
	for j := range c.functions {
		if !slices.Contains(columns, j) {
			delete(c.functions, j)
		}
	}
}

// add adds the functions of a column.
func (p *products) add(c *conditions, j int) {
	if _, ok := p.start[j]; ok {
		return
	}
	first := len(p.all)
	own := c.of(j)
	for range own {
		p.all = append(p.all, make([]float64, len(p.all)+1))
	}
	p.start[j] = first
	for z, at := range p.start {
		for k, g := range c.of(z) {
			for i, f := range own {
				if row := p.all[first+i]; at+k < len(row) {
					row[at+k] = vec.Dot(f, g)
				}
			}
		}
	}
}

// at returns the inner product of the functions at two places.
func (p *products) at(i, j int) float64 { return p.all[max(i, j)][min(i, j)] }

// A condition is a regression on functions of which none is a linear combination of the others.
type condition struct {
	functions [][]float64
	factor    chol.Factor
}

// on returns the regression on the functions of some columns, for tests of edges into v.
func (c *conditions) on(v int, columns []int) *condition {
	c.trim(columns)
	p := c.products[v]
	if p == nil {
		p = &products{start: map[int]int{}}
		c.products[v] = p
	}
	count := 0
	for _, z := range columns {
		p.add(c, z)
		count += len(c.of(z))
	}
	out := &condition{}
	out.factor.Reset(count)
	places := make([]int, 0, count)
	for _, z := range columns {
		for k, f := range c.of(z) {
			place := p.start[z] + k
			row := out.factor.Next()
			for i, at := range places {
				row[i] = p.at(place, at)
			}
			size := p.at(place, place)
			row[len(places)] = size
			if left := out.factor.Reduce(); size > 0 && left > leastLeft*size {
				out.factor.Append(left)
				places, out.functions = append(places, place), append(out.functions, f)
			}
		}
	}
	return out
}

// leastLeft is the share of the sum of squares of a function that the functions before it must leave.
const leastLeft = 1e-9

// rest returns the centred residuals of x. If little remains, it repeats the regression to reduce rounding errors.
func (c *condition) rest(x []float64) []float64 {
	x = slices.Clone(x)
	size := centre(x)
	along := make([]float64, len(c.functions))
	for range 2 {
		if len(along) == 0 || size == 0 {
			break
		}
		for k, f := range c.functions {
			along[k] = vec.Dot(f, x)
		}
		c.factor.Forward(along, 0)
		c.factor.Back(along)
		for k, f := range c.functions {
			vec.Axpy(x, -along[k], f)
		}
		if dot(x, x) > 0.01*size {
			break
		}
	}
	return x
}
