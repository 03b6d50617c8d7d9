package score

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/search"
)

// LinearLocal is GaussianLocal with the sets that have one parent more evaluated together: with k parents Score costs k³/6
// multiplications and Additions k²/2 for each column more. It is for scores that differ between columns, which search cannot
// take from one correlation matrix; a table of one regime is learned faster from search.Problem.R. Fewer than three rows support
// no parents.
type LinearLocal struct {
	r        *matrix.Dense[float64]
	n, price float64
}

var _ search.Score = (*LinearLocal)(nil)

// NewLinearLocal returns the score of a d×d correlation matrix of n rows, which it keeps, at a price for each edge; ln n is
// BIC. The row of a constant column is 0 off the diagonal.
func NewLinearLocal(r *matrix.Dense[float64], n int, price float64) (*LinearLocal, error) {
	if n >= 3 {
		if err := (search.Problem{R: r, N: n}).Validate(); err != nil {
			return nil, err
		}
	}
	if !(price > 0) || math.IsInf(price, 0) {
		return nil, fmt.Errorf("an edge at %v, want a finite price > 0", price)
	}
	return &LinearLocal{r, float64(n), price}, nil
}

// Variables returns d.
func (g *LinearLocal) Variables() int { return g.r.Rows }

// Price returns the price of an edge.
func (g *LinearLocal) Price() float64 { return g.price }

// Equivalent returns true.
func (g *LinearLocal) Equivalent() bool { return true }

// Evaluator returns an evaluator for one goroutine.
func (g *LinearLocal) Evaluator() search.Evaluator {
	return &linearFit{LinearLocal: g, triangle: triangle{r: g.r, least: leastPartial}}
}

type linearFit struct {
	*LinearLocal
	triangle triangle
}

// Score returns how badly the parents, ascending, explain v.
func (f *linearFit) Score(v int, parents []int) float64 {
	switch {
	case f.supports(len(parents)):
		return f.value(f.triangle.factor(v, parents), len(parents))
	case len(parents) > 0:
		return math.Inf(1)
	}
	return f.value(1, 0)
}

// supports reports whether there are rows enough for so many parents.
func (f *linearFit) supports(parents int) bool { return float64(parents) <= (f.n-2)/2 }

func (f *linearFit) value(s float64, parents int) float64 {
	return f.n*(1+math.Log(2*math.Pi)) + f.n*math.Log(max(s, leastResidual)) + f.price*float64(parents)
}

// Additions writes the score of v with its parents and x to dst[x] for every x that is neither v nor a parent.
func (f *linearFit) Additions(dst []float64, v int, parents []int) {
	k := len(parents)
	supported := f.supports(k + 1)
	s := 1.0
	if supported {
		s = f.triangle.factor(v, parents)
	}
	for x, taken := range f.triangle.others(v, parents) {
		switch {
		case taken:
		case !supported:
			dst[x] = math.Inf(1)
		default:
			_, takes := f.triangle.candidate(x, v, parents)
			dst[x] = f.value(s-takes, k+1)
		}
	}
}
