package mechanism

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

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
	rows, codes, weight := l.cells(d, v, x)
	now, gradient, hessian := l.slopes(rows, codes, weight, l.beta)
	for range 50 {
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
			var then float64
			if then, gradient, hessian = l.slopes(rows, codes, weight, next); then < now {
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

// FitZeros fits the probability that column v of g, a number, is 0: a Function whose second value it is.
func FitZeros(g *graph.Graph, d *Rows, v int) (Function, error) {
	own := *d
	own.Columns, own.Levels, own.held = slices.Clone(d.Columns), slices.Clone(d.Levels), newHeld()
	own.Columns[v], own.Levels[v] = make([]float64, d.N), []float64{0, 1}
	for i, x := range d.Columns[v] {
		if x == 0 {
			own.Columns[v][i] = 1
		}
	}
	return fitLogit(g, &own, v)
}

// cells returns the terms and the code of each distinct row of a column and its parents, in the order of their first rows, and how often it
// occurs.
func (l *logit) cells(d *Rows, v int, x *matrix.Dense[float64]) (rows *matrix.Dense[float64], codes []int, weight []float64) {
	place, key := map[string]int{}, make([]byte, 0, 8*x.Cols)
	for i := range x.Rows {
		key = key[:0]
		for _, u := range x.Row(i) {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(u))
		}
		k, ok := place[string(key)]
		if !ok {
			k = len(codes)
			place[string(key)] = k
			codes, weight = append(codes, d.Code(v, x.At(i, 0))), append(weight, 0)
			copy(x.Row(k), x.Row(i))
		}
		weight[k]++
	}
	rows = matrix.New[float64](len(codes), l.count)
	for k := range codes {
		l.fill(rows.Row(k), x.Row(k)[1:])
	}
	return rows, codes, weight
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

// slopes returns the loss at beta, its gradient and its Hessian.
func (l *logit) slopes(rows *matrix.Dense[float64], codes []int, weight, beta []float64) (sum float64, gradient, hessian *matrix.Dense[float64]) {
	size := len(beta)
	gradient, hessian = matrix.New[float64](size, 1), matrix.New[float64](size, size)
	p := make([]float64, l.levels)
	for i, code := range codes {
		row := rows.Row(i)
		l.shares(p, row, beta)
		sum -= weight[i] * math.Log(max(p[code], math.SmallestNonzeroFloat64))
		for c := 1; c < l.levels; c++ {
			miss := p[c]
			if c == code {
				miss--
			}
			for j, x := range row {
				at := (c-1)*l.count + j
				gradient.Set(at, 0, gradient.At(at, 0)+weight[i]*miss*x)
				if x == 0 {
					continue
				}
				x *= weight[i]
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
	for j, b := range beta {
		sum += logitPrior * b * b / 2
		gradient.Set(j, 0, gradient.At(j, 0)+logitPrior*b)
		hessian.Set(j, j, hessian.At(j, j)+logitPrior)
	}
	return sum, gradient, hessian
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
