package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/solve"
)

// A searchPlan is the memory of a line search on the GPU besides an evaluation: the current X, its gradient and
// pseudo-gradient, the direction, one more pair of vectors than it keeps, and the inputs and outputs of its
// kernels.
type searchPlan struct {
	here, slope, pseudo, direction int
	pairs                          int // first matrix of the pairs
	vectors                        int // vectors of all pairs
}

func (pl *plan) planSearch() error {
	if pl.Pairs < 1 || pl.Pairs > 1000 {
		return fmt.Errorf("a search with %d pairs", pl.Pairs)
	}
	n := 2 * (pl.Pairs + 1)
	m := pl.matrices
	pl.search = searchPlan{here: m, slope: m + 1, pseudo: m + 2, direction: m + 3, pairs: m + 4, vectors: n}
	pl.matrices += 4 + n
	return nil
}

// foundSums is the offset of the sums of each block, two per vector, after the largest entry of the
// pseudo-gradient. The lists of addresses and factors follow.
const foundSums = 16

func (p searchPlan) sums() int { return (p.vectors + 1) * ptx.Blocks * 16 }
func (p searchPlan) bytes() int {
	if p.vectors == 0 {
		return 0
	}
	return foundSums + p.sums() + (p.vectors+1)*16
}

// A searcher takes steps of optimize.OWLQN on a GPU. The GPU has the vectors; the CPU makes the decisions with
// functions of package solve. A step needs one evaluation per trial point, five launches, and four reads of
// some kilobytes.
type searcher struct {
	*session
	pairs []int       // first matrix of each pair, oldest first
	spare []int       // free pairs
	dots  [][]float64 // products of all vectors, lower triangle
	at    solve.Point // the current point
	fresh bool        // S·W and Q on the GPU belong to W = X
	found []byte      // the last result
	told  []byte      // lists of addresses and factors being sent
}

func newSearcher(s *session) *searcher {
	q := &searcher{session: s, told: make([]byte, 16*(s.plan.search.vectors+1))}
	q.forget()
	return q
}

func (q *searcher) forget() {
	q.pairs, q.spare, q.dots = nil, nil, nil
	for i := range q.Pairs + 1 {
		q.spare = append(q.spare, q.plan.search.pairs+2*i)
	}
}

// vectors returns the vectors of the pairs in the order of dots.
func (q *searcher) vectors() (out []int) {
	for _, p := range q.pairs {
		out = append(out, p, p+1)
	}
	return out
}

// load sets X and the pairs.
func (q *searcher) load(matrices [][]byte) error {
	if n := len(matrices); n%2 != 1 || n > 2*q.Pairs+1 {
		return fmt.Errorf("a search with %d pairs at most wants a matrix and two for each, got %d", q.Pairs, n)
	}
	q.forget()
	q.fresh = false
	if err := q.put(0, q.plan.search.here, matrices[0]); err != nil {
		return err
	}
	for i := 1; i < len(matrices); i += 2 {
		p := q.spare[0]
		for j := range 2 {
			if err := q.put(0, p+j, matrices[i+j]); err != nil {
				return err
			}
		}
		if err := q.addPair(); err != nil {
			return err
		}
	}
	return nil
}

// addPair adds the pair in the first spare position, with its products, if it has enough curvature.
func (q *searcher) addPair() error {
	p := q.spare[0]
	n := len(q.dots)
	products, err := q.multiply(append(q.vectors(), p, p+1), p, p+1)
	if err != nil || !optimize.Curved(products[n][1], products[n+1][1]) {
		return err
	}
	for i := range 2 {
		row := make([]float64, n+1+i)
		for j := range row {
			row[j] = products[j][i]
		}
		q.dots = append(q.dots, row)
	}
	q.pairs, q.spare = append(q.pairs, p), q.spare[1:]
	if len(q.pairs) > q.Pairs {
		q.spare = append(q.spare, q.pairs[0])
		q.pairs = slices.Delete(q.pairs, 0, 1)
		q.dots = q.dots[2:]
		for i := range q.dots {
			q.dots[i] = q.dots[i][2:]
		}
	}
	return nil
}

func (q *searcher) point() (bad bool, err error) {
	if q.fresh {
		return false, nil
	}
	if err := q.card.copy(q.address(0, q.tried()), q.address(0, q.plan.search.here), q.matrix()); err != nil {
		return false, err
	}
	pt, bad, err := q.evaluateHere()
	if err != nil || bad {
		return bad, err
	}
	q.at, q.fresh = pt, true
	return false, nil
}

// tried returns the index of W, where evaluations are made.
func (q *searcher) tried() int { return q.plan.at[ptx.FrameW] }

// evaluateHere evaluates at W.
func (q *searcher) evaluateHere() (pt solve.Point, bad bool, err error) {
	q.fresh = false
	points, stuck, err := q.evaluateAll()
	if err != nil || stuck[0] {
		return pt, true, err
	}
	return points[0][0], false, nil
}

// An aim is the objective of a step: the weights of score and penalty and of h, and the increase of the latter
// with h.
type aim struct{ score, h, bend float64 }

// value returns the objective at a point of a step that started at start.
func (a aim) value(pt, start solve.Point) float64 {
	up := pt.H - start.H
	return a.score*(pt.Score+pt.Penalty) + a.h*up + a.bend/2*up*up
}

// step takes one step of OWLQN.
func (q *searcher) step(a aim) (still, bad bool, err error) {
	if bad, err := q.point(); bad || err != nil {
		return false, bad, err
	}
	kink := 0.0
	if q.flags&(ptx.PenaltyL1|ptx.PenaltyMCP) != 0 {
		kink = a.score * q.Lambda
	}
	sp := &q.plan.search
	if err := q.card.clear(q.foundAt(0), 8); err != nil {
		return false, false, err
	}
	if err := q.launchGradient("slope", a.score, a.h, kink, q.where(sp.slope), q.where(sp.pseudo), uint64(q.foundAt(0)), 0); err != nil {
		return false, false, err
	}
	products, err := q.multiply(append(q.vectors(), sp.pseudo), sp.pseudo, sp.pseudo)
	if err != nil {
		return false, false, err
	}
	if largest := math.Float64frombits(binary.LittleEndian.Uint64(q.found)); !(largest > q.Tol) {
		return true, false, nil
	}
	last := make([]float64, len(products))
	for i, v := range products {
		last[i] = v[0]
	}
	moved, bad, err := q.line(a, kink, last)
	if err == nil && !bad && !moved && len(q.pairs) > 0 {
		pairs, spare, dots := q.pairs, q.spare, q.dots
		q.forget() // H may come from another objective; the negative gradient is always a descent direction
		if moved, bad, err = q.line(a, kink, last[len(last)-1:]); bad {
			q.pairs, q.spare, q.dots = pairs, spare, dots
		}
	}
	return !moved, bad, err
}

// line searches along the quasi-Newton direction. products are those of the pseudo-gradient with all vectors
// and itself.
func (q *searcher) line(a aim, kink float64, products []float64) (moved, bad bool, err error) {
	sp := &q.plan.search
	parts := optimize.TwoLoops(append(slices.Clone(q.dots), products))
	list, err := q.tell(append(q.vectors(), sp.pseudo), parts)
	if err != nil {
		return false, false, err
	}
	real := math.Float64bits
	n := uint64(q.leading * q.leading)
	if err := q.card.launch(q.kernels["direct"], (q.leading*q.leading+ptx.Threads-1)/ptx.Threads, 1, 1, ptx.Threads, list, list+8*uint64(len(parts)), uint64(len(parts)),
		q.where(sp.pseudo), q.where(sp.direction), real(kink), n); err != nil {
		return false, false, err
	}
	length := 1.0
	if len(parts) == 1 {
		length = 1 / math.Sqrt(products[0])
	}
	start := q.at
	value := a.value(start, start)
	for range optimize.Halvings {
		if err := q.card.launch(q.kernels["try"], q.blocks(), 1, 1, ptx.Threads, q.where(sp.here), q.where(sp.direction), q.where(sp.pseudo),
			q.where(q.tried()), uint64(q.foundAt(foundSums)), real(length), real(kink), n); err != nil {
			return false, false, err
		}
		pt, bad, err := q.evaluateHere()
		if err != nil || bad {
			return false, bad, err
		}
		promised, err := q.sums(1, 1)
		if err != nil {
			return false, false, err
		}
		if optimize.Lower(a.value(pt, start), value, promised[0]) {
			p := q.spare[0]
			if err := q.launchGradient("pair", a.score, a.h+a.bend*(pt.H-start.H), kink, q.where(sp.here), q.where(sp.slope), q.where(p), q.where(p+1)); err != nil {
				return false, false, err
			}
			q.at, q.fresh = pt, true
			return true, false, q.addPair()
		}
		length /= 2
	}
	return false, false, nil
}

func (q *searcher) launchGradient(kernel string, weight, weightH, kink float64, to ...uint64) error {
	real := math.Float64bits
	width := q.Width
	if width == 0 {
		width = 1
	}
	return q.card.launch(q.kernels[kernel], q.squares(), q.squares(), 1, ptx.Threads, append([]uint64{q.frame(), uint64(q.leading), uint64(q.flags),
		real(weight), real(weightH), real(q.Lambda), real(width), real(kink)}, to...)...)
}

// blocks returns the number of blocks of a kernel that sums over all entries of a matrix.
func (q *searcher) blocks() int {
	return min((q.leading*q.leading+ptx.Threads-1)/ptx.Threads, ptx.Blocks)
}

// foundAt returns the device address of the result at an offset.
func (q *searcher) foundAt(offset int) uintptr { return q.base + uintptr(q.plan.found()+offset) }

// tell writes the addresses of vectors and their optional factors to the GPU and returns their address.
func (q *searcher) tell(vectors []int, factors []float64) (uint64, error) {
	text := q.told[:0]
	for _, v := range vectors {
		text = binary.LittleEndian.AppendUint64(text, q.where(v))
	}
	for _, f := range factors {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(f))
	}
	to := q.foundAt(foundSums + q.plan.search.sums())
	return uint64(to), q.card.upLater(text, to)
}

// multiply returns the products of vectors with a and b.
func (q *searcher) multiply(vectors []int, a, b int) ([][2]float64, error) {
	list, err := q.tell(vectors, nil)
	if err != nil {
		return nil, err
	}
	if err := q.card.launch(q.kernels["dots"], q.blocks(), len(vectors), 1, ptx.Threads, list, q.where(a), q.where(b),
		uint64(q.foundAt(foundSums)), uint64(q.leading*q.leading)); err != nil {
		return nil, err
	}
	sums, err := q.sums(len(vectors), 2)
	if err != nil {
		return nil, err
	}
	out := make([][2]float64, len(vectors))
	for i := range out {
		out[i] = [2]float64{sums[2*i], sums[2*i+1]}
	}
	return out, nil
}

// sums reads the result and adds the sums of each row in the order of the blocks.
func (q *searcher) sums(rows, each int) ([]float64, error) {
	blocks := q.blocks()
	q.found = slices.Grow(q.found[:0], foundSums+8*rows*blocks*each)[:foundSums+8*rows*blocks*each]
	if err := q.card.down(q.found, q.foundAt(0)); err != nil {
		return nil, err
	}
	out := make([]float64, rows*each)
	for i := range rows * blocks * each {
		out[i/(blocks*each)*each+i%each] += math.Float64frombits(binary.LittleEndian.Uint64(q.found[foundSums+8*i:]))
	}
	return out, nil
}

// answer handles requests about steps.
func (q *searcher) answer(r *device.Request) (*device.Reply, error) {
	var still, bad bool
	var err error
	switch r.Op {
	case device.OpLoad:
		return &device.Reply{}, q.load(r.Blobs)
	case device.OpFetch:
		wanted := []int{q.plan.search.here}
		if !r.Only {
			wanted = append(wanted, q.vectors()...)
		}
		reply := &device.Reply{}
		for _, m := range wanted {
			b, err := q.get(0, m)
			if err != nil {
				return nil, err
			}
			reply.Blobs = append(reply.Blobs, b)
		}
		return reply, nil
	case device.OpPoint:
		bad, err = q.point()
	case device.OpSearch:
		if len(r.Now) != 1 {
			return nil, fmt.Errorf("a search wants the weights of one problem, got %d", len(r.Now))
		}
		still, bad, err = q.step(aim{score: r.Now[0][0], h: r.Now[0][1], bend: r.Bend})
	default:
		return nil, fmt.Errorf("%q is no request for a search", r.Op)
	}
	reply, err := outcome([][]solve.Point{{q.at}}, []bool{bad}, err)
	if err == nil {
		reply.Still = still
	}
	return reply, err
}
