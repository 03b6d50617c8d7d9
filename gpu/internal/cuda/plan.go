package cuda

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
)

// A plan has everything about a problem that does not depend on the GPU: matrices, launches, memory.
type plan struct {
	device.Problem
	tile    ptx.Tile
	leading int // leading dimension of every matrix, all square
	depth   int // the inner dimension of products
	flags   int

	launches [][]job     // launches of an evaluation
	stages   []stage     // parts of the launches, if their number depends on W
	careful  [][]job     // launches for larger steps or matrices, for an inverse or an exponential
	matrices int         // matrices per problem
	at       map[int]int // frame offset → matrix
	kept     []int       // matrices in a snapshot: W, both moments, and inverses; only W if Adam takes no steps
	search   searchPlan

	constants [3]float64 // weights of tr Q, Σ w²·sum and tr B¹⁶ in h
	scale     float64    // scale of B
	finer     float64    // scale in a careful evaluation
	limit     float64    // limit of residual and guard in the kernels
	guard     float64    // weight of the guard
}

// doublings returns the number of doublings for an inverse, which starts from that of the previous step, since
// W changes little. Three doublings, or four in double, leave R⁸ and R¹⁶. If that is not enough, the careful
// launches have seven. The limit is for ‖·‖² of the last but one power: its square is then about the rounding
// error.
func doublings(bits int) (few int, limit float64) {
	if bits == 64 {
		return 4, 1e-14
	}
	return 3, 1e-6
}

// most is the number of doublings of a careful evaluation. launchBound is the largest d at which launches
// dominate the time of a step.
const (
	most        = 7
	launchBound = 500
)

// squarings returns the squarings of the exponential, for X = B/2ˢ: a few, and enough for a spectral radius of
// B of about 81, or 683 in double (exp(B) overflows at 88 and 709). limit is the largest ‖X⁴‖ for its Taylor
// polynomial of degree 15. The first omitted term is then at most ‖X⁴‖^(15/4)/16! of the first one, about the
// rounding error.
func squarings(bits int) (few, all int, limit float64) {
	if bits == 64 {
		return 5, 10, 0.198
	}
	return 3, 5, 42
}

// mostColumns is the limit of 32-bit indices into a matrix.
const mostColumns = 1 << 15

func newPlan(p device.Problem) (*plan, error) { return planOn(chooseTile(p), p) }

// planOn plans a problem whose products use tiles of one shape.
func planOn(tile ptx.Tile, p device.Problem) (*plan, error) {
	if p.Bits != 32 && p.Bits != 64 || p.D < 1 || p.D > mostColumns || p.Batch < 1 || p.Batch > device.MaxBatch {
		return nil, fmt.Errorf("a problem of %d columns, %d bits, %d at once", p.D, p.Bits, p.Batch)
	}
	if !slices.Contains([]device.Score{device.LeastSquares, device.Gaussian, device.GaussianEqual}, p.Score) || !slices.Contains([]device.Penalty{device.NoPenalty, device.L1, device.MCP}, p.Penalty) {
		return nil, fmt.Errorf("the score %q or the penalty %q is not known here", p.Score, p.Penalty)
	}
	if p.Search && (p.Batch != 1 || p.Score != device.LeastSquares || p.Constraint == device.LogDeterminant) {
		return nil, fmt.Errorf("a search of %d problems with the score %q, the penalty %q and the constraint %q", p.Batch, p.Score, p.Penalty, p.Constraint)
	}
	pl := &plan{Problem: p, tile: tile, at: map[int]int{}, scale: 1, finer: 1, guard: 1}
	pl.depth = filled(p.D, tile.Depth)
	pl.leading = max(filled(p.D, tile.Rows), pl.depth)
	pl.kept = []int{pl.name(ptx.FrameW)}
	if p.Search {
		if err := pl.planSearch(); err != nil {
			return nil, err
		}
	} else {
		pl.kept = append(pl.kept, pl.name(ptx.FrameM), pl.name(ptx.FrameV))
	}
	for _, frame := range []int{ptx.FrameS, ptx.FrameSW, ptx.FrameB} {
		pl.name(frame)
	}
	pl.flags |= map[device.Penalty]int{device.L1: ptx.PenaltyL1, device.MCP: ptx.PenaltyMCP}[p.Penalty]
	if p.Masked {
		pl.flags |= ptx.Masked
		pl.name(ptx.FrameMask)
	}
	if p.Score != device.LeastSquares {
		pl.flags |= ptx.Likelihood
		if p.Score == device.GaussianEqual {
			pl.flags |= ptx.Equal
		}
		pl.name(ptx.FrameN)
		pl.name(ptx.FrameHalfY)
		pl.kept = append(pl.kept, pl.name(ptx.FrameY))
	}
	if p.Constraint == device.LogDeterminant {
		if !(p.S > 0) {
			return nil, fmt.Errorf("s of log-det is %v", p.S)
		}
		pl.flags |= ptx.LogDet
		pl.name(ptx.FrameL)
		pl.name(ptx.FrameHalfQ)
		pl.kept = append(pl.kept, pl.name(ptx.FrameQ))
	}
	if pl.flags&(ptx.Likelihood|ptx.LogDet) != 0 {
		pl.name(ptx.FrameOld)
	}
	if p.Constraint == device.Truncated {
		pl.name(ptx.FrameQ) // the result of the last stage is copied there
		pl.name(ptx.FrameSum)
	}
	few, limit := doublings(p.Bits)
	pl.limit = limit
	named := pl.matrices
	var err error
	if pl.launches, err = pl.layOut(named, few, false); err == nil && (pl.flags&(ptx.Likelihood|ptx.LogDet) != 0 || p.Constraint == device.Exponential) {
		pl.careful, err = pl.layOut(named, most, true)
	}
	return pl, err
}

// name allocates a matrix at a fixed offset in the frame.
func (pl *plan) name(frame int) int {
	pl.at[frame] = pl.matrices
	pl.matrices++
	return pl.at[frame]
}

// layOut computes the launches of an evaluation, with scratch matrices after the named ones: S·W and the
// variances of a likelihood, Q of the constraint with the inputs of its value, and the inverses. The inputs of
// the kernels have the same positions in both evaluations.
func (pl *plan) layOut(named, doublings int, careful bool) ([][]job, error) {
	c := newCourse(named)
	w, s, sw, b := pl.at[ptx.FrameW], pl.at[ptx.FrameS], pl.at[ptx.FrameSW], pl.at[ptx.FrameB]
	c.add(job{a: s, b: w, c: sw, alpha: 1})
	switch pl.Constraint {
	case device.Unconstrained:
	case device.Geometric:
		switch {
		case pl.Order < 1:
			return nil, fmt.Errorf("h_geo of order %d", pl.Order)
		case pl.Order == 16:
			pl.flags |= ptx.Constrained | ptx.TopTrace
			var coefficients [16]float64 // coefficients of ∂h/∂A without the identity
			for k := 1; k < 16; k++ {
				coefficients[k] = float64(k + 1)
			}
			sum, _, b8 := c.sixteen(b, coefficients)
			pl.at[ptx.FrameQ], pl.at[ptx.FrameSum], pl.at[ptx.FrameTop] = sum, sum, b8
			pl.constants = [3]float64{1, -1, 17}
		case pl.Order > 1: // h of order 1 is the trace of W∘W, which is zero
			pl.flags |= ptx.Constrained
			pl.at[ptx.FrameSum], pl.at[ptx.FrameQ] = c.doubling(b, pl.Order)
			pl.constants = [3]float64{0, 1, 0}
		}
	case device.Exponential:
		pl.flags |= ptx.Constrained | ptx.Guarded
		var coefficients [16]float64 // coefficients of exp(X) - I
		for k, term := 1, 1.0; k < 16; k++ {
			term /= float64(k)
			coefficients[k] = term
		}
		e, x4, _ := c.sixteen(b, coefficients)
		times, all, norm := squarings(pl.Bits)
		pl.scale, pl.finer, pl.guard = math.Ldexp(1, -times), math.Ldexp(1, -all), pl.limit/(norm*norm)
		if careful {
			times = all
		}
		squares := c.scratch(2)
		for i := range times { // E ← E² + 2E, the last one always at the same position
			next := squares + (times-1-i)%2
			c.add(job{a: e, b: e, c: next, e: e, alpha: 1, beta: 2})
			e = next
		}
		pl.at[ptx.FrameQ], pl.at[ptx.FrameSum], pl.at[ptx.FrameGuard] = e, e, x4
		pl.constants = [3]float64{1, 0, 0}
	case device.Binomial:
		if pl.D > 1 { // one column has no cycle
			pl.flags |= ptx.Constrained
			e := c.power(b, pl.D-1)
			pl.at[ptx.FrameQ], pl.at[ptx.FrameSum] = e, e
			pl.constants = [3]float64{1, 1 / float64(pl.D), 0}
			pl.scale, pl.finer = 1/float64(pl.D), 1/float64(pl.D)
		}
	case device.Truncated:
		if !pl.Search || !(pl.Least > 0) {
			return nil, fmt.Errorf("a truncated sum of powers above %v is for searches alone", pl.Least)
		}
		pl.flags |= ptx.Constrained
		pl.constants = [3]float64{0, 1, 0}
		pl.stages = c.stages(b, pl.D)
	case device.LogDeterminant:
		pl.flags |= ptx.Constrained | ptx.Guarded
		pl.at[ptx.FrameSum] = pl.at[ptx.FrameQ]
		pl.at[ptx.FrameGuard] = c.inverse(pl.at[ptx.FrameL], pl.at[ptx.FrameQ], doublings)
	default:
		return nil, fmt.Errorf("the constraint %q is not known here", pl.Constraint)
	}
	if pl.flags&ptx.Likelihood != 0 {
		c.add(job{kind: ptx.KindColumns, a: w, b: s, e: sw})
		if pl.D <= launchBound { // the launches of the constraint leave time for more doublings
			doublings = min(max(doublings, len(c.launches)-1), most)
		}
		pl.at[ptx.FrameResidual] = c.inverse(pl.at[ptx.FrameN], pl.at[ptx.FrameY], doublings)
	}
	pl.matrices = max(pl.matrices, c.matrices)
	return c.launches, nil
}

// chooseTile selects small tiles for small matrices, so that there are blocks for all multiprocessors, and
// large ones otherwise. The limits were measured on an H200.
func chooseTile(p device.Problem) ptx.Tile {
	tiles := ptx.Tiles(p.Bits)
	work := p.D
	if p.Batch >= 16 {
		work *= 4
	}
	switch {
	case work > 128 && work <= 256 && p.Bits == 32: // some launches have more blocks than a GPU has multiprocessors
		return ptx.Tall
	case work <= 256:
		return tiles[0]
	case work <= 640 || p.D <= 128:
		return tiles[1]
	case work <= 1400 || p.Bits == 64:
		return tiles[2]
	}
	return tiles[3]
}

// matrix returns the bytes of one matrix, slab those of one problem, and bytes those of all with their shared
// data.
func (p *plan) matrix() int { return p.leading * p.leading * p.Bits / 8 }

// squares returns the number of 32 × 32 squares across a matrix; a block of Adam has one.
func (p *plan) squares() int { return (p.D + 31) / 32 }

const historySteps = 4096 // most steps of one command

func (p *plan) variances() int { return (p.matrices + len(p.kept)) * p.matrix() }
func (p *plan) control() int   { return p.variances() + 8*p.leading }
func (p *plan) partial() int   { return p.control() + ptx.ControlSize }
func (p *plan) history() int {
	return p.partial() + max(ptx.Blocks, p.squares()*p.squares())*ptx.PartialSize
}
func (p *plan) rates() int { return p.history() + (historySteps+1)*ptx.RecordSize }
func (p *plan) found() int { return p.rates() + (historySteps+1)*16 }
func (p *plan) slab() int  { return filled(p.found()+p.search.bytes(), 256) }

// records returns the offset after the slabs: the frame, then the jobs, then their coefficients.
func (p *plan) records() int { return p.Batch * p.slab() }
func (p *plan) jobs() int    { return p.records() + ptx.FrameSize }
func (p *plan) factors() int { return p.jobs() + p.count()*ptx.JobSize }
func (p *plan) bytes() int   { return p.factors() + p.count()*128 }

// count returns the number of jobs of both kinds of evaluation.
func (p *plan) count() int {
	n := 0
	for _, l := range p.all() {
		n += len(l)
	}
	return n
}

// all returns the launches of both, in the order of their records.
func (p *plan) all() [][]job { return slices.Concat(p.launches, p.careful) }
