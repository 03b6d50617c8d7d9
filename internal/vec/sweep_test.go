package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestSweep(t *testing.T) {
	t.Run("float32", testSweep[float32])
	t.Run("float64", testSweep[float64])
}

// testSweep compares every version with elimination in float64 of sI - Y next to the identity. Surrounding
// memory must not change, and the assembly versions must agree bit for bit.
func testSweep[T Float](t *testing.T) {
	const width = SweepWidth
	for n := range width + 1 {
		for _, s := range []T{1, 0.6, 1.7} {
			rng := rand.New(rand.NewPCG(uint64(n), 3))
			y := make([]T, n*width)
			for i := range n {
				for j := range n {
					if rng.IntN(3) > 0 {
						y[i*width+j] = s * T(rng.Float64()) / T(n) // the spectral radius is below s
					}
				}
			}
			inverse, pivots := slowSweep(y, n, float64(s))
			var first []T
			for at, version := range available() {
				got, whole := guarded[T](rng, n*width, 0)
				copy(got, y)
				taken, wholeTaken := guarded[T](rng, n, 1)
				if n > 0 {
					if done := sweep(version, got, taken, s); done != n {
						t.Fatalf("%v, %d rows: %d positive pivots", version, n, done)
					}
				}
				for i := range n {
					for j := range width {
						want := 0.0
						if j < n {
							want = inverse[i][j]
						}
						name := fmt.Sprintf("%v, %d rows, s = %v: [%d, %d]", version, n, s, i, j)
						checkNear(t, name, float64(got[i*width+j]), want, 20*float64(n)*unit[T]()*math.Abs(want))
					}
					checkNear(t, fmt.Sprintf("%v, %d rows: pivot %d", version, n, i), float64(s-taken[i]), pivots[i], 20*float64(n)*unit[T]())
				}
				checkCanaries(t, whole, n*width, 0)
				checkCanaries(t, wholeTaken, n, 1)
				if at == 1 {
					first = append(append(first, got...), taken...)
				}
				for i, v := range append(append([]T(nil), got...), taken...) {
					if first != nil && v != first[i] {
						t.Fatalf("%v, %d rows: [%d] is %v, in another instruction set %v", version, n, i, v, first[i])
					}
				}
			}
		}
	}
	if Sweep[T](nil, nil, 1) != 0 {
		t.Error("a matrix without rows has a pivot")
	}
}

// slowSweep returns the inverse of sI - Y and its pivots, in float64.
func slowSweep[T Float](y []T, n int, s float64) (inverse [][]float64, pivots []float64) {
	m := make([][]float64, n) // sI - Y, then the identity
	for i := range m {
		m[i] = make([]float64, 2*n)
		for j := range n {
			m[i][j] = -float64(y[i*SweepWidth+j])
		}
		m[i][i] += s
		m[i][n+i] = 1
	}
	for k := range m {
		pivots = append(pivots, m[k][k])
		for j, p := 0, m[k][k]; j < 2*n; j++ {
			m[k][j] /= p
		}
		for i := range m {
			if f := m[i][k]; i != k {
				for j := range m[i] {
					m[i][j] -= f * m[k][j]
				}
			}
		}
	}
	for i := range m {
		inverse = append(inverse, m[i][n:])
	}
	return inverse, pivots
}

// TestSweepStops checks that Sweep stops at the first pivot that is not positive, including NaN.
func TestSweepStops(t *testing.T) {
	for _, version := range available() {
		for k := range SweepWidth {
			for _, bad := range []float64{1, 2, math.NaN(), math.Inf(1)} {
				y, taken := make([]float64, SweepWidth*SweepWidth), make([]float64, SweepWidth)
				y[k*SweepWidth+k] = bad
				if done := sweep(version, y, taken, 1); done != k {
					t.Errorf("%v: stopped at pivot %d, want %d, whose diagonal is %v", version, done, k, bad)
				}
			}
		}
	}
}

// TestSweepKeepsZeros checks that for a triangular Y, as for a DAG, nothing is subtracted from any pivot, and
// zeros stay exact.
func TestSweepKeepsZeros(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n = SweepWidth
	order := rng.Perm(n)
	for _, version := range available() {
		y, taken := make([]float32, n*n), make([]float32, n)
		for i := range n {
			for j := range i {
				y[order[i]*n+order[j]] = rng.Float32()
			}
		}
		if sweep(version, y, taken, 0.9) != n {
			t.Fatalf("%v: a triangular matrix has a pivot that is not positive", version)
		}
		for i := range n {
			if taken[i] != 0 {
				t.Errorf("%v: %v was taken from pivot %d", version, taken[i], i)
			}
			for j := i + 1; j < n; j++ {
				if v := y[order[i]*n+order[j]]; v != 0 {
					t.Errorf("%v: a zero became %v", version, v)
				}
			}
		}
	}
}

func TestSweepRefuses(t *testing.T) {
	for _, c := range []struct{ y, taken int }{{31, 1}, {33, 1}, {33 * 32, 33}, {32, 0}} {
		panics(t, fmt.Sprint(c), "vec: Sweep", func() { Sweep(make([]float64, c.y), make([]float64, c.taken), 1) })
	}
}
