package missing

import (
	"math"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
)

// blockRows is the number of rows that are multiplied at once.
const blockRows = 512

// An expectation computes EM steps for sorted rows. Blocks of rows go to a fixed number of lanes, which are summed in order, so that
// the result does not depend on the number of threads.
type expectation struct {
	rows    *sortedRows
	threads int
	lanes   []*lane
	// first and second are the sums of the complete rows, which no iteration changes.
	first, second []float64
	start         int // first incomplete row
	firstPattern  int
}

// A lane holds the sums of some blocks and its buffers.
type lane struct {
	first, second, spread []float64 // Σx̂, Σx̂x̂ᵀ and Σ Cov(x_M | x_O)
	filled                []float64
	conditional           conditional
}

func newExpectation(rows *sortedRows, threads int) *expectation {
	d := rows.d
	e := &expectation{rows: rows, threads: max(1, threads), first: make([]float64, d), second: make([]float64, d*d)}
	if p := rows.patterns; len(p) > 0 && len(p[0].lacks) == 0 {
		e.start, e.firstPattern = p[0].rows, 1
	}
	for at := 0; at < e.start; at += blockRows {
		addRows(e.first, e.second, rows.values[at*d:min(at+blockRows, e.start)*d], d)
	}
	blocks := (rows.rows() - e.start + blockRows - 1) / blockRows
	e.lanes = make([]*lane, max(1, min(16, blocks, (4<<20)/(d*d))))
	for k := range e.lanes {
		e.lanes[k] = &lane{first: make([]float64, d), second: make([]float64, d*d), spread: make([]float64, d*d), filled: make([]float64, blockRows*d)}
	}
	return e
}

// addRows adds rows to Σx and Σxxᵀ.
func addRows(first, second, rows []float64, d int) {
	for at := 0; at < len(rows); at += d {
		vec.Axpy(first, 1, rows[at:at+d])
	}
	gemm.Gemm(true, false, d, d, len(rows)/d, 1, rows, d, rows, d, 1, second, d, 1)
}

// step replaces mean and covariance by their next values and returns the largest change of an entry.
func (e *expectation) step(mu, s, inverse []float64) float64 {
	d, n := e.rows.d, float64(e.rows.rows())
	gemm.ShareBy(e.threads, len(e.lanes), func(_, k int) { e.lanes[k].run(e, k, mu, inverse) })
	first, second := make([]float64, d), make([]float64, d*d)
	copy(first, e.first)
	copy(second, e.second)
	for _, l := range e.lanes {
		vec.Axpy(first, 1, l.first)
		vec.Axpy(second, 1, l.second)
		vec.Axpy(second, 1, l.spread)
	}
	change := 0.0
	for i := range d {
		m := first[i] / n
		change, mu[i] = max(change, math.Abs(m-mu[i])), m
	}
	for i := range d {
		for j := range i + 1 {
			v := (second[i*d+j]+second[j*d+i])/(2*n) - mu[i]*mu[j]
			change = max(change, math.Abs(v-s[i*d+j]))
			s[i*d+j], s[j*d+i] = v, v
		}
	}
	return change
}

// run computes the sums of lane k.
func (l *lane) run(e *expectation, k int, mu, inverse []float64) {
	clear(l.first)
	clear(l.second)
	clear(l.spread)
	d, n := e.rows.d, e.rows.rows()
	p := e.firstPattern
	for at := e.start + k*blockRows; at < n; at += len(e.lanes) * blockRows {
		end := min(at+blockRows, n)
		filled := l.filled[:(end-at)*d]
		copy(filled, e.rows.values[at*d:end*d])
		for i := at; i < end; {
			for e.rows.patterns[p].first+e.rows.patterns[p].rows <= i {
				p++
			}
			own := &e.rows.patterns[p]
			l.conditional.set(own.lacks, inverse, d)
			stop := min(end, own.first+own.rows)
			l.conditional.addSpread(l.spread, d, float64(stop-i))
			for ; i < stop; i++ {
				l.conditional.fill(filled[(i-at)*d:(i-at+1)*d], mu, inverse, nil)
			}
		}
		addRows(l.first, l.second, filled, d)
	}
}

// A conditional is the normal distribution of some columns given the others.
type conditional struct {
	lacks    []int32
	factor   chol.Factor // the factor of Ω_MM
	inverter inverter
	spread   []float64 // Ω_MM⁻¹
	x        []float64
	centred  []float64
}

// set chooses the missing columns.
func (c *conditional) set(lacks []int32, inverse []float64, d int) {
	c.lacks = lacks
	m := len(lacks)
	c.factor.Reset(m)
	for i, v := range lacks {
		row := c.factor.Next()
		chol.Gather(row, inverse[int(v)*d:], lacks[:i+1])
		whole := row[i]
		c.factor.Append(max(c.factor.Reduce(), ridge*whole))
	}
}

// addSpread adds the covariance of the missing columns times the number of rows.
func (c *conditional) addSpread(to []float64, d int, rows float64) {
	m := len(c.lacks)
	c.spread = grown(c.spread, m*m)
	c.inverter.invert(c.spread, &c.factor)
	for i, a := range c.lacks {
		for j, b := range c.lacks {
			to[int(a)*d+int(b)] += rows * c.spread[i*m+j]
		}
	}
}

// fill replaces the missing values of a row in standard units, which must be 0, by their expectations, or by a draw if there are
// standard normal numbers, one per missing value.
func (c *conditional) fill(row, mu, inverse, normal []float64) {
	d, m := len(row), len(c.lacks)
	c.x, c.centred = grown(c.x, m), grown(c.centred, d)
	for j, v := range row {
		c.centred[j] = v - mu[j]
	}
	for _, v := range c.lacks {
		c.centred[v] = 0
	}
	for i, v := range c.lacks {
		c.x[i] = -vec.Dot(inverse[int(v)*d:int(v)*d+d], c.centred)
	}
	c.factor.Forward(c.x, 0)
	for i, z := range normal {
		c.x[i] += z
	}
	c.factor.Back(c.x)
	for i, v := range c.lacks {
		row[v] = mu[v] + c.x[i]
	}
}

// An inverter computes inverses of factored matrices. It keeps its buffer.
type inverter struct{ w []float64 }

// invert writes the inverse of L·Lᵀ to dst, n×n. With W = L⁻¹ it is WᵀW.
func (v *inverter) invert(dst []float64, f *chol.Factor) {
	n := f.Len()
	v.w = grown(v.w, n*n)
	for i := range n {
		row, l := v.w[i*n:i*n+i+1], f.Row(i)
		clear(row)
		row[i] = 1
		for j := range i {
			vec.Axpy(row[:j+1], -l[j], v.w[j*n:j*n+j+1])
		}
		vec.Scale(row, 1/l[i], row)
	}
	clear(dst[:n*n])
	for i := range n {
		row := v.w[i*n : i*n+i+1]
		for a, x := range row {
			vec.Axpy(dst[a*n:a*n+i+1], x, row)
		}
	}
}

// grown returns a slice of n values, s itself if it is large enough. The content is undefined.
func grown(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n, n+n/2)
	}
	return s[:n]
}
