package mechanism

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// logit is a multinomial logit on the terms of a mixed model,
//
//	P(level c) = exp(β_c·x) / Σ_k exp(β_k·x),   β_0 = 0.
type logit struct {
	*terms
	beta   []float64 // weights of levels 1, 2, …, one after the other
	levels int
	room   []float64
}

// logitPrior is the precision of a normal prior on each weight, including the constant. It keeps the weights
// finite if a level never or always occurs, and otherwise counts as at most a tenth of a row.
const logitPrior = 0.1

// fitLogit maximizes the penalized likelihood by Newton's method with step halving. A step costs n·(K·L)²
// multiplications with K terms and L levels.
func fitLogit(g *graph.Graph, d *Rows, v int) (Function, error) {
	x := d.Family(g, v)
	l := &logit{terms: newTerms(g, d, v, x), levels: len(d.Levels[v])}
	l.room = make([]float64, l.count)
	size := l.count * (l.levels - 1)
	if size > 2000 {
		return nil, fmt.Errorf("%w: a column of %d levels has causes with %d terms; group rare levels and learn again", ErrTooWide, l.levels, l.count)
	}
	l.beta = make([]float64, size)
	rows := matrix.New[float64](x.Rows, l.count)
	codes := make([]int, x.Rows)
	for i := range x.Rows {
		l.fill(rows.Row(i), x.Row(i)[1:])
		codes[i] = d.Code(v, x.At(i, 0))
	}
	now := l.loss(rows, codes, l.beta)
	for range 50 {
		gradient, hessian := l.slopes(rows, codes)
		var lu matrix.LU[float64]
		if err := lu.Factor(hessian); err != nil {
			return nil, err
		}
		step := matrix.New[float64](size, 1)
		lu.Solve(step, gradient)
		length, next, better := 1.0, make([]float64, size), false
		for range 30 {
			for j := range next {
				next[j] = l.beta[j] - length*step.At(j, 0)
			}
			if then := l.loss(rows, codes, next); then < now {
				better = now-then > 1e-9*(1+math.Abs(now))
				now = then
				copy(l.beta, next)
				break
			}
			length /= 2
		}
		if !better {
			break
		}
	}
	return l, nil
}

// shares computes the probabilities of all levels.
func (l *logit) shares(dst, row, beta []float64) {
	dst[0] = 0
	most := 0.0
	for c := 1; c < l.levels; c++ {
		dst[c] = 0
		for j, x := range row {
			dst[c] += beta[(c-1)*l.count+j] * x
		}
		most = max(most, dst[c])
	}
	total := 0.0
	for c := range dst {
		dst[c] = math.Exp(dst[c] - most)
		total += dst[c]
	}
	for c := range dst {
		dst[c] /= total
	}
}

func (l *logit) loss(rows *matrix.Dense[float64], codes []int, beta []float64) (sum float64) {
	p := make([]float64, l.levels)
	for i, c := range codes {
		l.shares(p, rows.Row(i), beta)
		sum -= math.Log(max(p[c], math.SmallestNonzeroFloat64))
	}
	for _, b := range beta {
		sum += logitPrior * b * b / 2
	}
	return sum
}

// slopes returns the gradient and the Hessian of the loss.
func (l *logit) slopes(rows *matrix.Dense[float64], codes []int) (gradient, hessian *matrix.Dense[float64]) {
	size := len(l.beta)
	gradient, hessian = matrix.New[float64](size, 1), matrix.New[float64](size, size)
	p := make([]float64, l.levels)
	for i, code := range codes {
		row := rows.Row(i)
		l.shares(p, row, l.beta)
		for c := 1; c < l.levels; c++ {
			miss := p[c]
			if c == code {
				miss--
			}
			for j, x := range row {
				at := (c-1)*l.count + j
				gradient.Set(at, 0, gradient.At(at, 0)+miss*x)
				if x == 0 {
					continue
				}
				h := hessian.Row(at)
				for e := 1; e < l.levels; e++ {
					w := -p[c] * p[e] * x
					if e == c {
						w += p[c] * x
					}
					for k, y := range row {
						h[(e-1)*l.count+k] += w * y
					}
				}
			}
		}
	}
	for j, b := range l.beta {
		gradient.Set(j, 0, gradient.At(j, 0)+logitPrior*b)
		hessian.Set(j, j, hessian.At(j, j)+logitPrior)
	}
	return gradient, hessian
}

func (l *logit) Clone() Function {
	return &logit{l.terms, l.beta, l.levels, make([]float64, len(l.room))}
}

func (l *logit) At(parents []float64) []float64 {
	l.fill(l.room, parents)
	p := make([]float64, l.levels)
	l.shares(p, l.room, l.beta)
	return p
}
