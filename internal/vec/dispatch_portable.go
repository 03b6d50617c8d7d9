//go:build !amd64 || noasm

package vec

// An isa chooses the version of the kernels; here there is one.
type isa struct{}

var best isa

func (isa) String() string { return "go" }

// available lists the versions that this machine can run, for tests.
func available() []isa { return []isa{best} }

func axpy[T Float](_ isa, y []T, a T, x []T)    { axpyGo(y, a, x) }
func scale[T Float](_ isa, dst []T, a T, x []T) { scaleGo(dst, a, x) }
func ladder[T Float](_ isa, d0, d1, d2, d3 []T, a T, x []T, b T, y []T, c T, z []T, step T) {
	ladderGo(d0, d1, d2, d3, a, x, b, y, c, z, step)
}
func square[T Float](_ isa, dst, x []T) { squareGo(dst, x) }
func lin3[T Float](_ isa, dst []T, a T, x []T, b T, y []T, c T, z []T) {
	lin3Go(dst, a, x, b, y, c, z)
}
func dot[T Float](_ isa, x, y []T) float64                 { return dotGo(x, y) }
func chainRule[T Float](_ isa, dst, w, p []T) float64      { return chainRuleGo(dst, w, p) }
func addL1[T Float](_ isa, g []T, lambda T, w []T) float64 { return addL1Go(g, lambda, w) }
func adam[T Float](_ isa, w []T, a T, x []T, b T, y, m, v []T, p adamStep[T]) {
	adamGo(w, a, x, b, y, m, v, p)
}

func partial(_ isa, mask []uint32, c, q []float64, t float64, y []float64, rows []*float64, a, b, scratch []float64) {
	partialGo(mask, c, q, t, y, rows, a, b, scratch)
}

func centre(_ isa, dst, x, ref, sum, lo, hi []float64) { centreGo(dst, x, ref, sum, lo, hi) }

func sweep[T Float](_ isa, y, taken []T, s T) int { return sweepGo(y, taken, s) }
