//go:build !amd64 || noasm

package vec

// An isa selects the version of the kernels; here there is only one.
type isa struct{}

var best isa

func (isa) String() string { return "go" }

// available lists the versions that this machine supports, for tests.
func available() []isa { return []isa{best} }

func partial(_ isa, mask []uint32, c, q []float64, t float64, y []float64, rows []*float64, a, b, scratch []float64) {
	partialGo(mask, c, q, t, y, rows, a, b, scratch)
}

func coarse(_ isa, mask []uint64, t, near, most float32, y []int16, rows []*int16, a, b, scratch []float32) {
	coarseGo(mask, t, near, most, y, rows, a, b, scratch)
}

func centre(_ isa, dst, x, ref, sum, lo, hi []float64) { centreGo(dst, x, ref, sum, lo, hi) }

func countBits(_ isa, planes, table []uint64, width int, rows []uint32) {
	countBitsGo(planes, table, width, rows)
}

func spreadBits(_ isa, dst []uint8, planes []uint64, width, depth int) {
	spreadBitsGo(dst, planes, width, depth)
}
