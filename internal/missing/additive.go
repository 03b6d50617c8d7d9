package missing

import (
	"math"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/gemm"
)

// An additive model is a regression of a column on functions of other columns. A discrete response has an output per level, its
// probability; a numeric one has a mean and a standard deviation.
type additive struct {
	on      []int // predictors
	start   []int // first feature of each predictor; feature 0 is the intercept
	size    int
	outputs int
	beta    []float64 // size×outputs
	sigma   float64
}

// shrink is the weight of a coefficient of 0 in rows, against chance in rare categories.
const shrink = 0.5

// fitAdditive fits column v to the columns on by least squares on the rows that have all of them. Rows are coded, with d columns.
func fitAdditive(rows []float64, d, v int, on []int, columns []netColumn) *additive {
	a := &additive{on: on, size: 1, outputs: max(1, len(columns[v].levels))}
	for _, p := range on {
		a.start = append(a.start, a.size)
		a.size += columns[p].features()
	}
	width := a.size + a.outputs
	const step = 256
	block, gram := make([]float64, step*width), make([]float64, width*width)
	n, used := 0, 0
	flush := func() {
		gemm.Gemm(true, false, width, width, n, 1, block, width, block, width, 1, gram, width, 1)
		used += n
		n = 0
	}
	for at := 0; at < len(rows); at += d {
		row := rows[at : at+d]
		if !hasAll(row, v, on) {
			continue
		}
		x := block[n*width : (n+1)*width]
		x[0] = 1
		for k, p := range on {
			columns[p].expand(x[a.start[k]:a.start[k]+columns[p].features()], row[p])
		}
		y := x[a.size:]
		if columns[v].levels == nil {
			y[0] = row[v]
		} else {
			clear(y)
			y[int(row[v])] = 1
		}
		if n++; n == step {
			flush()
		}
	}
	flush()
	a.solve(gram, width, used)
	return a
}

// hasAll reports whether a row has column v and the columns on.
func hasAll(row []float64, v int, on []int) bool {
	if row[v] != row[v] {
		return false
	}
	for _, p := range on {
		if row[p] != row[p] {
			return false
		}
	}
	return true
}

// solve computes the coefficients from the sums of products of used rows.
func (a *additive) solve(gram []float64, width, used int) {
	var f chol.Factor
	f.Reset(a.size)
	for i := range a.size {
		row := f.Next()
		copy(row, gram[i*width:i*width+i+1])
		if i > 0 {
			row[i] += shrink
		} else {
			row[i] += 1e-9
		}
		f.Add(row[i])
	}
	a.beta = make([]float64, a.size*a.outputs)
	x := make([]float64, a.size)
	for o := range a.outputs {
		for i := range x {
			x[i] = gram[i*width+a.size+o]
		}
		f.Forward(x, 0)
		f.Back(x)
		left := gram[(a.size+o)*width+a.size+o]
		for i, b := range x {
			a.beta[i*a.outputs+o] = b
			left -= b * gram[i*width+a.size+o]
		}
		if a.outputs == 1 {
			a.sigma = math.Sqrt(max(1e-4, left/float64(max(1, used-a.size))))
		}
	}
}

// intercept starts the sum of a prediction.
func (a *additive) intercept(out []float64) { copy(out[:a.outputs], a.beta) }

// add adds the part of predictor k with the given code.
func (a *additive) add(out []float64, k int, code float64, c *netColumn) {
	at := a.start[k]
	if c.levels != nil {
		if code > 0 {
			row := a.beta[(at+int(code)-1)*a.outputs:]
			for o := range a.outputs {
				out[o] += row[o]
			}
		}
		return
	}
	for o := range a.outputs {
		sum := code * a.beta[at*a.outputs+o]
		for i, knot := range c.knots {
			if code > knot {
				sum += (code - knot) * a.beta[(at+1+i)*a.outputs+o]
			}
		}
		out[o] += sum
	}
}

// predict writes the prediction for a row, without predictor skip (-1 for none).
func (a *additive) predict(out, row []float64, columns []netColumn, skip int) {
	a.intercept(out)
	for k, p := range a.on {
		if p != skip {
			a.add(out, k, row[p], &columns[p])
		}
	}
}

// leastShare is the smallest probability of a level before the probabilities are scaled to a sum of 1.
const leastShare = 0.005

// share turns predictions of levels into probabilities.
func share(p []float64) {
	sum := 0.0
	for k := range p {
		p[k] = max(p[k], leastShare)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
}

// logKernel returns the logarithm of a normal density, up to a constant that depends on sigma.
func logKernel(x, mean, sigma float64) float64 {
	z := (x - mean) / sigma
	return -0.5 * z * z
}
