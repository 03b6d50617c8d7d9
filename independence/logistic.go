package independence

import (
	"math"

	"github.com/polydag/polydag/internal/chol"
)

// logistic has the buffers for multinomial logistic regressions on numeric and categorical columns.
type logistic struct {
	n, classes, others int // rows, and categories of the response and of the other column that occur
	width              int // functions: an intercept, the standardized numbers, and indicators of the other column's categories except the first
	response           []int
	x                  []float64 // n×width
	theta, step        []float64
	gradient           []float64
	hessian            chol.Factor // factor of the negative Hessian
	p                  []float64
}

// gather numbers the categories that occur and writes the functions of each row.
func (l *logistic) gather(columns []Column, numbers []int, response, other int, rows []uint32) {
	number := func(c *Column) ([]int, int) {
		at, seen := make([]int, c.Levels), 0
		for k := range at {
			at[k] = -1
		}
		for _, i := range rows {
			at[c.Codes[i]] = 0
		}
		for k := range at {
			if at[k] == 0 {
				at[k] = seen
				seen++
			}
		}
		return at, seen
	}
	classes, count := number(&columns[response])
	others, rest := number(&columns[other])
	l.n, l.classes, l.others = len(rows), count, rest
	l.width = 1 + len(numbers) + max(0, rest-1)
	l.response, l.x = chol.Grown(l.response, l.n), chol.Grown(l.x, l.n*l.width)
	clear(l.x)
	for k, i := range rows {
		l.response[k] = classes[columns[response].Codes[i]]
		row := l.x[k*l.width : (k+1)*l.width]
		row[0] = 1
		if o := others[columns[other].Codes[i]]; o > 0 {
			row[len(numbers)+o] = 1
		}
	}
	for j, v := range numbers {
		l.standardize(1+j, columns[v].Values, rows)
	}
}

// standardize writes the standardized values of some rows as function number at, and leaves the zeros of a constant.
func (l *logistic) standardize(at int, values []float64, rows []uint32) {
	mean, spread := 0.0, 0.0
	for _, i := range rows {
		mean += values[i]
	}
	mean /= float64(l.n)
	for _, i := range rows {
		spread += (values[i] - mean) * (values[i] - mean)
	}
	if !(spread > 0) {
		return
	}
	scale := math.Sqrt(float64(l.n) / spread)
	for k, i := range rows {
		l.x[k*l.width+at] = (values[i] - mean) * scale
	}
}

// ridge keeps the fit finite if categories are separable or functions collinear; it changes the likelihood by less than 1e-4 if
// coefficients are below 10.
const ridge = 1e-6

// fit returns the maximum log-likelihood with the first functions, by Newton's method with step halving.
func (l *logistic) fit(functions int) float64 {
	free := l.classes - 1
	size := free * functions
	l.theta, l.step = chol.Grown(l.theta, size), chol.Grown(l.step, size)
	l.gradient = chol.Grown(l.gradient, size)
	l.p = chol.Grown(l.p, l.classes)
	clear(l.theta)
	at := l.likelihood(functions, true)
	for range 50 {
		for range size {
			l.hessian.Append(max(l.hessian.Reduce(), ridge))
		}
		copy(l.step, l.gradient)
		l.hessian.Forward(l.step, 0)
		l.hessian.Back(l.step)
		gain := 0.0
		for k, s := range l.step {
			gain += s * l.gradient[k]
			l.theta[k] += s
		}
		if gain < 1e-9*float64(l.n) && gain < 1e-6 {
			return l.likelihood(functions, false)
		}
		next := l.likelihood(functions, true)
		for half := 0; !(next > at) && half < 20; half++ {
			for k := range l.step {
				l.step[k] /= 2
				l.theta[k] -= l.step[k]
			}
			next = l.likelihood(functions, true)
		}
		at = next
	}
	return at
}

// likelihood returns the penalized log-likelihood at theta, and its gradient and negative Hessian if requested.
func (l *logistic) likelihood(functions int, derivatives bool) float64 {
	free, size := l.classes-1, (l.classes-1)*functions
	if derivatives {
		clear(l.gradient)
		l.hessian.Reset(size)
		clear(l.hessian.Matrix())
	}
	hessian := l.hessian.Matrix()
	sum := 0.0
	for _, a := range l.theta {
		sum -= ridge / 2 * a * a
	}
	for i := range l.n {
		row := l.x[i*l.width : i*l.width+functions]
		most, y := 0.0, l.response[i]
		l.p[free] = 0
		for c := range free {
			dot := 0.0
			for k, a := range l.theta[c*functions : (c+1)*functions] {
				dot += a * row[k]
			}
			l.p[c] = dot
			most = max(most, dot)
		}
		own, norm := l.p[y], 0.0
		for c, dot := range l.p {
			l.p[c] = math.Exp(dot - most)
			norm += l.p[c]
		}
		sum += own - most - math.Log(norm)
		if !derivatives {
			continue
		}
		for c := range free {
			pc := l.p[c] / norm
			left := -pc
			if c == y {
				left++
			}
			for k, a := range row {
				l.gradient[c*functions+k] += left * a
			}
			for b := range c + 1 {
				weight := -pc * l.p[b] / norm
				if b == c {
					weight += pc
				}
				for k, a := range row {
					out := hessian[(c*functions+k)*size+b*functions:]
					for j, e := range row {
						out[j] += weight * a * e
					}
				}
			}
		}
	}
	if derivatives {
		for k, a := range l.theta {
			l.gradient[k] -= ridge * a
			hessian[k*size+k] += ridge
		}
	}
	return sum
}
