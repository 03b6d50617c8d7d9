package losses

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/matrix"
)

// ByLosses is the mean loss of a table with one loss per column, for mixtures of numeric, count, binary and categorical columns.
// Column v has the functions z_v of its value, as many as the width of its loss, and the linear predictor
//
//	η_v = b_v + Σ_{u≠v} z_u Θ_uv,   F(θ) = 1/n Σ_rows Σ_v loss_v(η_v, z_v).
//
// θ has one row for the intercepts b and one for each function, and one column for each function: with P functions it is (P+1)×P.
// The weight of an edge is the length of its block, W_uv = ‖Θ_uv‖, so that W∘W is smooth in θ: ByLosses has the methods of
// solve.Parameters, and Zero marks the entries that must stay zero. If every width is 1, Θ is W.
//
// Rows are stored as P values of T each and processed in blocks, so other memory does not grow with n. Cost: two products of n×P by
// P×P, and n·P evaluations of a loss, an exponential for most. Domain: every θ for which no loss overflows.
type ByLosses[T matrix.Float] struct {
	losses  []Loss
	start   []int // column v has the functions start[v] … start[v+1]-1
	z       *matrix.Dense[T]
	threads int

	eta, part *matrix.Dense[T] // predictors of a block of rows, replaced by slopes, and its share of the gradient
	grad      *matrix.Dense[T] // used if the caller does not want a gradient
	row       [3][]float64     // one column's slopes, predictors and functions
	sums      []float64        // gradients of the intercepts
}

// lossRows is the number of rows per block, chosen so that their predictors and functions stay in the second-level cache.
const lossRows = 256

// ErrLoss is matched if a value does not suit the loss of its column.
var ErrLoss = errors.New("the value does not suit the loss of its column")

// NewByLosses copies the rows of x. A category is its code, from 0.
func NewByLosses[T matrix.Float](x *matrix.Dense[float64], losses []Loss, threads int) (*ByLosses[T], error) {
	if len(losses) != x.Cols || x.Rows < 1 {
		return nil, fmt.Errorf("%d losses for a table of %d rows and %d columns, want one for each column and at least one row: %w", len(losses), x.Rows, x.Cols, ErrLoss)
	}
	s := &ByLosses[T]{losses: losses, start: []int{0}, threads: threads}
	widest := 0
	for v, l := range losses {
		if l.Width() < 1 {
			return nil, fmt.Errorf("column %d has a loss of width %d, want at least 1: %w", v+1, l.Width(), ErrLoss)
		}
		s.start = append(s.start, s.start[v]+l.Width())
		widest = max(widest, l.Width())
	}
	p := s.start[len(losses)]
	s.z = matrix.New[T](x.Rows, p)
	for i := range s.row {
		s.row[i] = make([]float64, widest)
	}
	for i := range x.Rows {
		for v, l := range losses {
			functions := s.row[0][:l.Width()]
			if err := l.Expand(functions, x.At(i, v)); err != nil {
				return nil, fmt.Errorf("row %d, column %d: %w: %w", i+1, v+1, err, ErrLoss)
			}
			for k, f := range functions {
				s.z.Set(i, s.start[v]+k, T(f))
			}
		}
	}
	n := min(x.Rows, lossRows)
	s.eta, s.part, s.grad, s.sums = matrix.New[T](n, p), matrix.New[T](p, p), matrix.New[T](p+1, p), make([]float64, p)
	return s, nil
}

// Eval returns F(theta); if grad is not nil it is overwritten with the gradient. It neither changes nor keeps theta.
func (s *ByLosses[T]) Eval(grad, theta *matrix.Dense[T]) (float64, error) {
	if grad == nil {
		grad = s.grad
	}
	p := s.z.Cols
	grad.Zero()
	clear(s.sums)
	weights, slopes := below(theta), below(grad)
	sum, n := 0.0, s.z.Rows
	for first := 0; first < n; first += lossRows {
		last := min(first+lossRows, n)
		z := &matrix.Dense[T]{Rows: last - first, Cols: p, Stride: p, Data: s.z.Data[first*p : last*p]}
		eta := &matrix.Dense[T]{Rows: last - first, Cols: p, Stride: p, Data: s.eta.Data[:(last-first)*p]}
		matrix.Mul(eta, z, weights, s.threads)
		sum += s.explain(eta, z, theta.Row(0))
		matrix.MulTA(s.part, z, eta, s.threads)
		for i := range p {
			to := slopes.Row(i)
			for j, v := range s.part.Row(i) {
				to[j] += v
			}
		}
	}
	for j, v := range s.sums {
		grad.Set(0, j, T(v))
	}
	return s.Mean(grad, sum)
}

// Mean returns the mean loss for the sum of all losses, and scales the gradient of the sum accordingly.
func (s *ByLosses[T]) Mean(grad *matrix.Dense[T], sum float64) (float64, error) {
	n := s.z.Rows
	for i := range grad.Rows {
		row := grad.Row(i)
		for j := range row {
			row[j] /= T(n)
		}
	}
	f := sum / float64(n)
	if f-f != 0 || !grad.Finite() {
		return math.Inf(1), fmt.Errorf("the loss of the rows overflows; scale the data (standardize) or lower the learning rate")
	}
	return f, nil
}

// Rows returns the functions of every row and the losses of the columns, without copying.
func (s *ByLosses[T]) Rows() (*matrix.Dense[T], []Loss) { return s.z, s.losses }

// explain returns the loss of a block of rows, replaces its predictors by slopes and adds them to sums.
func (s *ByLosses[T]) explain(eta, z *matrix.Dense[T], intercepts []T) float64 {
	sum := 0.0
	for i := range eta.Rows {
		e, y := eta.Row(i), z.Row(i)
		for v, l := range s.losses {
			first, width := s.start[v], s.start[v+1]-s.start[v]
			slope, at, own := s.row[0][:width], s.row[1][:width], s.row[2][:width]
			for k := range width {
				at[k], own[k] = float64(e[first+k])+float64(intercepts[first+k]), float64(y[first+k])
			}
			sum += l.At(slope, at, own)
			for k, g := range slope {
				e[first+k] = T(g)
				s.sums[first+k] += g
			}
		}
	}
	return sum
}

// below returns a matrix without its first row; it shares memory with m.
func below[T matrix.Float](m *matrix.Dense[T]) *matrix.Dense[T] {
	return &matrix.Dense[T]{Rows: m.Rows - 1, Cols: m.Cols, Stride: m.Stride, Data: m.Data[m.Stride:]}
}

// Shape returns the shape of θ.
func (s *ByLosses[T]) Shape() (rows, columns int) { return s.z.Cols + 1, s.z.Cols }

// Zero marks the entries of θ, row after row, that must stay zero: the diagonal blocks and the blocks of forbidden edges, entry (u,
// v) of d×d; nil forbids none.
func (s *ByLosses[T]) Zero(forbidden []bool) []bool {
	p, d := s.z.Cols, len(s.losses)
	zero := make([]bool, (p+1)*p)
	for u := range d {
		for v := range d {
			if u != v && (forbidden == nil || !forbidden[u*d+v]) {
				continue
			}
			for i := s.start[u]; i < s.start[u+1]; i++ {
				for j := s.start[v]; j < s.start[v+1]; j++ {
					zero[(i+1)*p+j] = true
				}
			}
		}
	}
	return zero
}

// Adjacency overwrites w with the norms of the blocks of theta.
func (s *ByLosses[T]) Adjacency(w, theta *matrix.Dense[T]) {
	s.blocks(theta, func(u, v int, norm float64, _ [][]T) { w.Set(u, v, T(norm)) })
}

// Pull overwrites grad with the gradient in θ of a function with gradient gradW in W: ∂W_uv/∂Θ_uv = Θ_uv/W_uv, and 0 if W_uv is 0.
// The intercepts have gradient 0.
func (s *ByLosses[T]) Pull(grad, gradW, theta *matrix.Dense[T]) {
	grad.Zero()
	s.blocks(theta, func(u, v int, norm float64, rows [][]T) {
		if norm == 0 {
			return
		}
		f := T(float64(gradW.At(u, v)) / norm)
		for i, row := range rows {
			to := grad.Row(1 + s.start[u] + i)[s.start[v]:s.start[v+1]]
			for j, t := range row {
				to[j] = f * t
			}
		}
	})
}

// blocks calls f with each pair of columns, the norm of its block and the rows of it.
func (s *ByLosses[T]) blocks(theta *matrix.Dense[T], f func(u, v int, norm float64, rows [][]T)) {
	var rows [][]T
	for u := range s.losses {
		for v := range s.losses {
			rows = rows[:0]
			sum := 0.0
			for i := s.start[u]; i < s.start[u+1]; i++ {
				row := theta.Row(i + 1)[s.start[v]:s.start[v+1]]
				for _, t := range row {
					sum += float64(t) * float64(t)
				}
				rows = append(rows, row)
			}
			f(u, v, math.Sqrt(sum), rows)
		}
	}
}
