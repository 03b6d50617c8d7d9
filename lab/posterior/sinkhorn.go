package posterior

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/matrix"
)

// Gumbel draws from the standard Gumbel distribution.
func Gumbel(rng *rand.Rand) float64 { return -math.Log(rng.ExpFloat64() + 1e-300) }

// Logistic draws from the standard logistic distribution, the difference of two Gumbel variables.
func Logistic(rng *rand.Rand) float64 {
	t := rng.Float64()
	return math.Log((t + 1e-300) / (1 - t))
}

// MostSpread is the largest difference between two entries of a matrix whose Sinkhorn scaling does not overflow.
const MostSpread = 300

// Sinkhorn scales the exponential of a square matrix to rows and columns with sum 1,
//
//	S = diag(u) exp(M) diag(v),
//
// by alternating divisions (Sinkhorn 1964). With Gumbel noise and a low temperature, S is a relaxed permutation matrix (Mena et al. 2018).
// It costs 2d² multiplications per iteration, and 4d² for the gradient.
type Sinkhorn struct {
	S *matrix.Dense[float64] // the result of Scale

	iterations int
	k          *matrix.Dense[float64] // exp(M), each row divided by its largest entry
	u, v       [][]float64            // factors after each iteration; v has those before the first one as well
	du, dv     []float64
}

// NewSinkhorn returns the scaling of d×d matrices with a fixed number of iterations.
func NewSinkhorn(d, iterations int) *Sinkhorn {
	s := &Sinkhorn{
		S: matrix.New[float64](d, d), iterations: iterations, k: matrix.New[float64](d, d),
		u: make([][]float64, iterations), v: make([][]float64, iterations+1), du: make([]float64, d), dv: make([]float64, d),
	}
	for t := range s.v {
		if s.v[t] = make([]float64, d); t < iterations {
			s.u[t] = make([]float64, d)
		}
	}
	for j := range d {
		s.v[0][j] = 1
	}
	return s
}

// Scale sets S for m. Entries further than MostSpread below the largest one of their row count as that far below.
func (s *Sinkhorn) Scale(m *matrix.Dense[float64]) {
	d := m.Rows
	for i := range d {
		most := math.Inf(-1)
		for _, v := range m.Row(i) {
			most = max(most, v)
		}
		row := s.k.Row(i)
		for j, v := range m.Row(i) {
			row[j] = math.Exp(max(v-most, -MostSpread))
		}
	}
	for t := range s.iterations {
		u, v, next := s.u[t], s.v[t], s.v[t+1]
		clear(next)
		for i := range d {
			sum := 0.0
			row := s.k.Row(i)
			for j, k := range row {
				sum += k * v[j]
			}
			u[i] = 1 / sum
			for j, k := range row {
				next[j] += k * u[i]
			}
		}
		for j, sum := range next {
			next[j] = 1 / sum
		}
	}
	u, v := s.u[s.iterations-1], s.v[s.iterations]
	for i := range d {
		row := s.S.Row(i)
		for j, k := range s.k.Row(i) {
			row[j] = k * u[i] * v[j]
		}
	}
}

// Pull turns g, a gradient by S, into the gradient by m of the last Scale.
func (s *Sinkhorn) Pull(g *matrix.Dense[float64]) {
	d := g.Rows
	clear(s.du)
	clear(s.dv)
	for i := range d {
		row := g.Row(i)
		for j, v := range s.S.Row(i) {
			row[j] *= v
			s.du[i] += row[j]
			s.dv[j] += row[j]
		}
	}
	for t := s.iterations - 1; t >= 0; t-- {
		u, before, after := s.u[t], s.v[t], s.v[t+1]
		for i := range d {
			row := g.Row(i)
			for j, k := range s.k.Row(i) { // ln v_j = -ln Σ_i k_ij u_i
				by := k * u[i] * after[j] * s.dv[j]
				row[j] -= by
				s.du[i] -= by
			}
		}
		clear(s.dv)
		for i := range d {
			row := g.Row(i)
			for j, k := range s.k.Row(i) { // ln u_i = -ln Σ_j k_ij v_j
				by := k * u[i] * before[j] * s.du[i]
				row[j] -= by
				s.dv[j] -= by
			}
		}
		clear(s.du)
	}
}

// betheRounds is the number of iterations of Bethe.
const betheRounds = 20

// Bethe overwrites gamma with the marginals of the distribution of permutations with density proportional to exp⟨P, X⟩, in the Bethe
// approximation of the permanent of exp(X) (Huang and Jebara 2009): γ(1-γ) is exp(X) scaled so that rows and columns of γ have sum 1.
// They are the gradient of the log permanent, which it returns. Every round scales the rows and columns of exp(X)/(1-γ), and takes the
// mean with γ.
func Bethe(gamma, x *matrix.Dense[float64]) (log float64) {
	d := x.Rows
	k, sums := matrix.New[float64](d, d), make([]float64, d)
	for i := range d {
		most := math.Inf(-1)
		for _, v := range x.Row(i) {
			most = max(most, v)
		}
		for j, v := range x.Row(i) {
			k.Set(i, j, math.Exp(max(v-most, -MostSpread)))
		}
	}
	v := slices.Repeat([]float64{1}, d)
	clear(gamma.Data)
	m := make([]float64, d*d)
	for range betheRounds {
		clear(sums)
		for i := range d {
			row, sum := m[i*d:(i+1)*d], 0.0
			g := gamma.Row(i)
			for j, w := range k.Row(i) {
				row[j] = w * v[j] / (1 - g[j] + 1e-12)
				sum += row[j]
			}
			for j := range row {
				row[j] /= sum
				sums[j] += row[j]
			}
		}
		for j, sum := range sums {
			v[j] /= sum
		}
		for i, w := range m {
			gamma.Data[i] = (gamma.Data[i] + min(1, w/sums[i%d])) / 2
		}
	}
	for i, g := range gamma.Data {
		log += g*(x.Data[i]-math.Log(g+1e-300)) + (1-g)*math.Log(1-g+1e-300)
	}
	return log
}
