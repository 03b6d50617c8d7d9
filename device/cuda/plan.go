package cuda

import (
	"fmt"

	"github.com/polydag/polydag/device"
	"github.com/polydag/polydag/device/cuda/internal/ptx"
)

// A job is one product of a launch, by the names of its matrices: C = α AB + β E + δ I, or a ladder.
type job struct {
	a, b, c, e         int
	alpha, beta, delta float64
	ladder             bool // e is B, second is B², and the four matrices from rungs on are written
	second, rungs      int
	factors            [16]float64
}

// A plan is everything about a problem that is known before a card is: matrices, launches, memory.
type plan struct {
	device.Problem
	tile    ptx.Tile
	leading int // of every matrix, which are square
	depth   int // the inner dimension of products
	flags   int

	launches  [][]job     // products; those of one launch do not depend on each other
	matrices  int         // of a problem
	at        map[int]int // frame offset → matrix
	kept      []int       // matrices that a snapshot has: W and both moments, and an inverse
	constants [3]float64  // of tr Q, Σ w²q and tr B¹⁶ in h
}

// iterations for an inverse in each step, and the largest ‖I - NY‖² before the last of them, which squares the residual: what is left is then at
// most about the rounding. With three in single precision about 50 of 12,000 steps of the unit-free path at d = 200 have to be taken on the
// CPU, with two 240.
func (p *plan) iterations() (n int, limit float64) {
	if p.Bits == 64 {
		return 4, 1e-14
	}
	return 3, 1e-6
}

// newPlan lays out a problem. The products of h_geo with K = 16 are those of acyclic.Geometric: B², B³, B⁴, three steps of
// Horner's rule in B⁴, and B⁸ for the trace of B¹⁶; five launches, because some do not depend on each other. The score's product S·W and, for a
// likelihood, some iterations for the inverse of N = (I - W)ᵀ run beside them:
//
//	R = I - NY,   Y ← Y + YR,
//
// Newton's, which square the residual. They start from the inverse of the step before; W moves little in a step. The residual is checked.
func newPlan(p device.Problem) (*plan, error) {
	if p.Bits != 32 && p.Bits != 64 || p.D < 1 || p.Batch < 1 {
		return nil, fmt.Errorf("a problem of %d columns, %d bits, %d at once", p.D, p.Bits, p.Batch)
	}
	pl := &plan{Problem: p, at: map[int]int{}}
	pl.tile = chooseTile(p)
	pl.leading = (p.D + pl.tile.Rows - 1) / pl.tile.Rows * pl.tile.Rows
	pl.depth = (p.D + pl.tile.Depth - 1) / pl.tile.Depth * pl.tile.Depth
	named := func(frame int) int { pl.at[frame] = pl.matrices; pl.matrices++; return pl.at[frame] }
	scratch := func() int { pl.matrices++; return pl.matrices - 1 }

	w, s, sw := named(ptx.FrameW), named(ptx.FrameS), named(ptx.FrameSW)
	m, v := named(ptx.FrameM), named(ptx.FrameV)
	b := named(ptx.FrameB)
	pl.kept = []int{w, m, v}
	pl.launches = make([][]job, 8)
	add := func(launch int, j job) { pl.launches[launch] = append(pl.launches[launch], j) }
	add(0, job{a: s, b: w, c: sw, alpha: 1})

	switch p.Penalty {
	case device.L1:
		pl.flags |= ptx.PenaltyL1
	case device.MCP:
		pl.flags |= ptx.PenaltyMCP
	}
	if p.Masked {
		pl.flags |= ptx.Masked
		named(ptx.FrameMask)
	}
	if p.Constraint == device.Geometric {
		pl.flags |= ptx.Constrained | ptx.TopTrace
		pl.constants = [3]float64{1, -1, 17}
		b2, b3, b4 := scratch(), scratch(), scratch()
		b8 := named(ptx.FrameTop)
		rungs := named(ptx.FrameQ)
		pl.matrices += 3
		var factors [16]float64
		for i := range 4 {
			for k := range 4 {
				factors[4*i+k] = float64(4*i + k + 1)
			}
		}
		factors[0] = 0 // the identity is left out of Q
		add(0, job{a: b, b: b, c: b2, alpha: 1})
		add(1, job{a: b, b: b2, c: b3, e: b, second: b2, rungs: rungs, ladder: true, factors: factors})
		add(1, job{a: b2, b: b2, c: b4, alpha: 1})
		for i := 3; i >= 1; i-- {
			add(5-i, job{a: b4, b: rungs + i, c: rungs + i - 1, e: rungs + i - 1, alpha: 1, beta: 1})
		}
		add(2, job{a: b4, b: b4, c: b8, alpha: 1})
	}
	if p.Score != device.LeastSquares {
		pl.flags |= ptx.Likelihood | ptx.Inverse
		if p.Score == device.GaussianEqual {
			pl.flags |= ptx.Equal
		}
		n, y := named(ptx.FrameN), named(ptx.FrameY)
		last := named(ptx.FrameResidual)
		pl.kept = append(pl.kept, y)
		from := y
		iterations, _ := pl.iterations()
		for i := range iterations {
			to := y
			if i < iterations-1 {
				to = scratch()
			}
			add(2*i, job{a: n, b: from, c: last, alpha: -1, delta: 1})
			add(2*i+1, job{a: from, b: last, c: to, e: from, alpha: 1, beta: 1})
			from = to
		}
	}
	for len(pl.launches[len(pl.launches)-1]) == 0 {
		pl.launches = pl.launches[:len(pl.launches)-1]
	}
	return pl, nil
}

// chooseTile takes small tiles where matrices are small, so that there are blocks for all processors of a card, and large
// ones where there are enough. The bounds were measured on an H200.
func chooseTile(p device.Problem) ptx.Tile {
	tiles := ptx.Tiles(p.Bits)
	work := p.D
	if p.Batch >= 16 {
		work *= 4
	}
	switch {
	case work <= 256:
		return tiles[0]
	case work <= 640 || p.D <= 128:
		return tiles[1]
	case work <= 1400 || p.Bits == 64:
		return tiles[2]
	}
	return tiles[len(tiles)-1]
}

// matrix is the bytes of one matrix, slab those of one problem, and bytes those of all with what they share.
func (p *plan) matrix() int { return p.leading * p.leading * p.Bits / 8 }

const historySteps = 4096 // of one command, at most

func (p *plan) variances() int { return (p.matrices + len(p.kept)) * p.matrix() }
func (p *plan) control() int   { return p.variances() + 8*p.leading }
func (p *plan) partial() int   { return p.control() + ptx.ControlSize }
func (p *plan) history() int   { return p.partial() + ptx.Blocks*64 }
func (p *plan) rates() int     { return p.history() + (historySteps+1)*ptx.RecordSize }
func (p *plan) slab() int      { return (p.rates() + (historySteps+1)*16 + 255) / 256 * 256 }

// records come after the slabs: the frame, then the jobs, then their coefficients.
func (p *plan) records() int { return p.Batch * p.slab() }
func (p *plan) jobs() int    { return p.records() + ptx.FrameSize }
func (p *plan) factors() int { return p.jobs() + p.count()*ptx.JobSize }
func (p *plan) bytes() int   { return p.factors() + p.count()*128 }

// count is the number of products of a step.
func (p *plan) count() int {
	n := 0
	for _, l := range p.launches {
		n += len(l)
	}
	return n
}
