package acyclic

import (
	"math"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// sixteen is Geometric for the paper's K = 16, Paterson and Stockmeyer's scheme with s = 4, arranged by rows.
// Powers of B commute, so every product can have B or B⁴ as its right factor,
//
//	B² = B·B, B³ = B²·B, B⁴ = B³·B,   R₃ = C₃, R_b = R_{b+1}·B⁴ + C_b, P = R₀,
//
// A strip of rows of the result needs the same strip of the left factor and all of B or B⁴, which are packed
// once. A thread computes one strip of three products, and then one strip of the other three and the chain
// rule, without waiting for others. There are four phases for six products, and the left factor stays in the L1
// cache. walks gives the weights of the value.
type sixteen[T matrix.Float] struct {
	d, height int                // nodes, and rows of a strip
	one, four gemm.Packed[T]     // B and B⁴
	rungs     [][]T              // by worker: R₀ … R₃ of one strip
	diagonal  []float64          // weighted diagonal sums of the R_b without identities
	sums      []float64          // by tile of rows, or by strip of columns
	w, grad   matrix.Dense[T]    // during a call; grad has no data if no gradient is wanted
	pow       []*matrix.Dense[T] // B, B², B³, and their sum with the weights of walks
	sum       []T                // the sum of R₁ … R₃, in the memory of the packed B, which is no longer read
	lengths   *walks
}

// phase is a part of the evaluation that depends only on earlier phases.
type phase int

const (
	squares phase = iota // B, packed
	raise                // B², B³ and B⁴, packed
	climb                // P, the gradient and the sum of the R_b
	trace                // the trace of the product of both sums
)

// columnStrip is the largest number of columns transposed at a time. Strips have equal sizes of at least one
// block of 16 columns if there are enough columns.
const columnStrip = 32

// eval is horner with K = 16. w and grad, which may be nil, are contiguous; bufs has four matrices.
func (x *sixteen[T]) eval(grad, w *matrix.Dense[T], bufs []*matrix.Dense[T], lengths *walks, threads int) (float64, error) {
	switch x := any(x).(type) {
	case *sixteen[float32]:
		return sixteen32(x, any(grad).(*matrix.Dense[float32]), any(w).(*matrix.Dense[float32]), any(bufs).([]*matrix.Dense[float32]), lengths, threads)
	case *sixteen[float64]:
		return sixteen64(x, any(grad).(*matrix.Dense[float64]), any(w).(*matrix.Dense[float64]), any(bufs).([]*matrix.Dense[float64]), lengths, threads)
	}
	return math.NaN(), nil
}

// Variables, for the reason of sparse32.
var sixteen32, sixteen64 = evalSixteen[float32], evalSixteen[float64]

func evalSixteen[T matrix.Float](x *sixteen[T], grad, w *matrix.Dense[T], bufs []*matrix.Dense[T], lengths *walks, threads int) (float64, error) {
	resizeSixteen(x, w.Rows, threads)
	x.w, x.pow, x.sum, x.lengths = *w, bufs, x.one.Memory(w.Rows*w.Cols), lengths
	if grad != nil {
		x.grad = *grad
	}
	runPhase(x, squares, threads)
	runPhase(x, raise, threads)
	runPhase(x, climb, threads)
	along := total(x.sums[:(x.d+gemm.StripTile-1)/gemm.StripTile])
	if grad != nil {
		chainDiagonal(grad, w, 1)
	}
	runPhase(x, trace, threads)
	product := total(x.sums[:stripsOf(x, trace)])
	short := [3]float64{bufs[0].Trace(), bufs[1].Trace(), bufs[2].Trace()}
	h := lengths.sum(short[0]+along, total(x.diagonal), product, short[:])
	x.w, x.grad, x.pow, x.sum, x.lengths = matrix.Dense[T]{}, matrix.Dense[T]{}, nil, nil, nil
	return finish("h_geo", h)
}

func runPhase[T matrix.Float](x *sixteen[T], p phase, threads int) {
	strips := stripsOf(x, p)
	if threads = threadsOf(x, p, threads); threads > 1 {
		runShared(x, p, strips, threads)
	} else {
		for i := range strips {
			runStrip(x, p, 0, i)
		}
	}
}

func runShared[T matrix.Float](x *sixteen[T], p phase, strips, threads int) {
	gemm.ShareBy(threads, strips, func(worker, i int) { runStrip(x, p, worker, i) })
}

// threadsOf returns how many of the given threads to use for a phase.
func threadsOf[T matrix.Float](x *sixteen[T], p phase, threads int) int {
	switch {
	case p == raise || p == climb:
		return gemm.Threads(threads, 3*float64(x.d)*float64(x.d)*float64(x.d))
	case gemm.Shared(threads, x.d*x.d):
		return threads
	}
	return 1
}

func stripsOf[T matrix.Float](x *sixteen[T], p phase) int {
	if p == raise || p == climb {
		return (x.d + x.height - 1) / x.height
	}
	return (x.d + columnStrip - 1) / columnStrip
}

// runStrip computes strip i of a phase with the memory of a worker.
func runStrip[T matrix.Float](x *sixteen[T], p phase, worker, i int) {
	d := x.d
	if n := stripsOf(x, p); p == squares || p == trace {
		lo, hi := i*d/n, (i+1)*d/n
		if p == squares {
			squareRows(x, lo, hi)
			return
		}
		turned := x.rungs[worker][:(hi-lo)*d]
		gemm.Transpose(d, hi-lo, turned, d, x.pow[3].Data[lo:], d)
		x.sums[i] = vec.Dot(turned, x.sum[lo*d:hi*d])
		return
	}
	lo, hi := i*x.height, min((i+1)*x.height, d)
	b, b2, b3 := rowsOf(x, 0, lo, hi), rowsOf(x, 1, lo, hi), rowsOf(x, 2, lo, hi)
	if p == raise {
		x.one.Mul(hi-lo, b, d, 0, b2, d)
		x.one.Mul(hi-lo, b2, d, 0, b3, d)
		b4 := x.rungs[worker][:(hi-lo)*d]
		x.one.Mul(hi-lo, b3, d, 0, b4, d)
		x.four.Pack(lo, hi, b4, d)
		of := x.lengths.power
		vec.Lin3(rowsOf(x, 3, lo, hi), T(of[1]), b, T(of[2]), b2, T(of[3]), b3)
		return
	}
	r := ladderOf(x, worker, lo, hi, b, b2, b3)
	out := r[1]
	if x.grad.Data != nil {
		out = x.grad.Data[lo*d : hi*d]
	}
	for at := lo; at < hi; at += gemm.StripTile {
		first, end := (at-lo)*d, (min(at+gemm.StripTile, hi)-lo)*d
		x.sums[at/gemm.StripTile] = vec.ChainRule(out[first:end], x.w.Data[lo*d:][first:end], r[0][first:end])
	}
}

// rowsOf returns rows lo … hi-1 of pow[i].
func rowsOf[T matrix.Float](x *sixteen[T], i, lo, hi int) []T { return x.pow[i].Data[lo*x.d : hi*x.d] }

// squareRows computes rows lo … hi-1 of B = (W∘W)ᵀ and packs them.
func squareRows[T matrix.Float](x *sixteen[T], lo, hi int) {
	rows := rowsOf(x, 0, lo, hi)
	gemm.Transpose(x.d, hi-lo, rows, x.d, x.w.Data[lo:], x.d)
	vec.Square(rows, rows)
	x.one.Pack(lo, hi, rows, x.d)
}

// ladderOf computes rows lo … hi-1 of R₀ … R₃, and thus of P(B) - I, from the rows of B, B² and B³. It also
// accumulates the sums for walks. C₀ … C₃ differ by multiples of B + B² + B³, so one pass computes all of them
// without the identities.
func ladderOf[T matrix.Float](x *sixteen[T], worker, lo, hi int, b, b2, b3 []T) [4][]T {
	d, mem := x.d, x.rungs[worker]
	var r [4][]T
	for i := range r {
		r[i] = mem[i*len(mem)/4:][:(hi-lo)*d]
	}
	vec.Ladder(r, 2, b, 3, b2, 4, b3, 4)
	clear(x.diagonal[lo:hi])
	of := x.lengths.rung
	for i := 3; i >= 1; i-- {
		for k := range hi - lo {
			v := &r[i][k*d+lo+k]
			x.diagonal[lo+k] += of[i] * float64(*v)
			*v += T(4*i + 1)
		}
		x.four.Mul(hi-lo, r[i], d, 1, r[i-1], d)
	}
	for k := range hi - lo {
		x.diagonal[lo+k] += float64(r[0][k*d+lo+k])
	}
	vec.Lin3(x.sum[lo*d:hi*d], T(of[1]), r[1], T(of[2]), r[2], T(of[3]), r[3])
	return r
}

func resizeSixteen[T matrix.Float](x *sixteen[T], d, threads int) {
	x.one.Resize(d, d)
	x.four.Resize(d, d)
	if height := gemm.Strip[T](d, d, d, threads); x.d != d || x.height != height {
		x.d, x.height = d, height
		x.diagonal, x.sums, x.rungs = make([]float64, d), make([]float64, d), nil
	}
	for len(x.rungs) < max(threads, 1) {
		x.rungs = append(x.rungs, make([]T, max(4*x.height, columnStrip)*d))
	}
}

func total(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}
