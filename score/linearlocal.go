package score

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/vec"
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
func (g *LinearLocal) Evaluator() search.Evaluator { return &linearFit{LinearLocal: g} }

type linearFit struct {
	*LinearLocal
	l     []float64 // Cholesky factor of the parents' correlations, K×K row-major, lower triangle
	z, w  []float64 // L⁻¹ × correlations with the response, and with a candidate
	taken []bool
}

// Score returns how badly the parents, ascending, explain v.
func (f *linearFit) Score(v int, parents []int) float64 {
	if float64(len(parents)) > (f.n-2)/2 {
		if len(parents) > 0 {
			return math.Inf(1)
		}
		return f.value(1, 0)
	}
	return f.value(f.factor(v, parents), len(parents))
}

func (f *linearFit) value(s float64, parents int) float64 {
	return f.n*(1+math.Log(2*math.Pi)) + f.n*math.Log(max(s, leastResidual)) + f.price*float64(parents)
}

// factor leaves L and z, and returns the residual variance of v. A parent that those before it determine has a pivot of 0 and
// adds nothing.
func (f *linearFit) factor(v int, parents []int) float64 {
	k := len(parents)
	f.l, f.z = grown(f.l, k*k), grown(f.z, k)
	s := 1.0
	for i, p := range parents {
		row := f.l[i*k : i*k+i+1]
		left := f.solve(row[:i], f.r.Row(p), parents[:i], k, 1)
		if row[i] = 0; left >= leastPartial {
			row[i] = math.Sqrt(left)
		}
		f.z[i] = 0
		if row[i] > 0 {
			f.z[i] = (f.r.At(v, p) - vec.Dot(row[:i], f.z[:i])) / row[i]
		}
		s -= f.z[i] * f.z[i]
	}
	return s
}

// solve writes L⁻¹ × the parents' correlations with a column to out, and returns what is left of a variance of 1.
func (f *linearFit) solve(out, with []float64, parents []int, k int, left float64) float64 {
	for j, q := range parents {
		row := f.l[j*k : j*k+j+1]
		out[j] = 0
		if row[j] > 0 {
			out[j] = (with[q] - vec.Dot(out[:j], row[:j])) / row[j]
		}
		left -= out[j] * out[j]
	}
	return left
}

// Additions writes the score of v with its parents and x to dst[x] for every x that is neither v nor a parent.
func (f *linearFit) Additions(dst []float64, v int, parents []int) {
	d, k := f.r.Rows, len(parents)
	f.taken = grown(f.taken, d)
	clear(f.taken)
	f.taken[v] = true
	for _, p := range parents {
		f.taken[p] = true
	}
	supported := float64(k+1) <= (f.n-2)/2
	s := 1.0
	if supported {
		s = f.factor(v, parents)
	}
	f.w = grown(f.w, k)
	for x, taken := range f.taken {
		switch {
		case taken:
		case !supported:
			dst[x] = math.Inf(1)
		default:
			left, t := f.solve(f.w, f.r.Row(x), parents, k, 1), 0.0
			if left >= leastPartial {
				t = (f.r.At(v, x) - vec.Dot(f.w, f.z)) / math.Sqrt(left)
			}
			dst[x] = f.value(s-t*t, k+1)
		}
	}
}
