package score

import (
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/search"
)

// pairs has the correlations of a problem, stored or computed on demand.
type pairs struct {
	r *matrix.Dense[float64]
	g *matrix.Gram
	d int
}

func pairsOf(p search.Problem) pairs { return pairs{p.R, p.Gram, p.Len()} }

// excerpt is a buffer for the correlations of a few columns.
type excerpt struct {
	data []float64
	at   []int
}

// regress sets reg to the regression of v on its parents.
func (c pairs) regress(reg *chol.Regression, b *excerpt, v int, parents []int) {
	if c.r != nil {
		chol.Regress(reg, c.r.Data, c.r.Stride, v, parents)
		return
	}
	m := len(parents) + 1
	b.data, b.at = grown(b.data, m*m), b.at[:0]
	b.data[0] = 1
	for i, p := range parents {
		b.at = append(b.at, i+1)
		row := b.data[(i+1)*m:]
		b.data[i+1], row[i+1] = c.g.At(v, p), 1
		for j, q := range parents[:i] {
			row[j+1] = c.g.At(p, q)
		}
	}
	chol.Regress(reg, b.data, m, 0, b.at)
}
