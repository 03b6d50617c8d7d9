package ptx

import (
	"fmt"
	"math"
)

// A tally is the part of a kernel that computes the values of a step from its matrices. Each thread sums its
// entries in double, then the block sums as a tree. The last finished block sums over the blocks in order and
// writes the step's record and the next weights. So every launch gives the same bytes.
type tally struct {
	*kernel
	flags, d, leading string
	at                func(offset int) string // addresses of the frame
	control, partial  string

	w, q, powers, sw, s, y, r string // matrices
	top, residual, guard      string
	before, halfY, halfQ      string
	lambda, width             string // parameters of the penalty
	halfOverWidth             string
	guardWeight               string
	total                     []string
}

func newTally(k *kernel, at func(offset int) string, flags, d, leading string) *tally {
	t := &tally{
		kernel: k, flags: flags, d: d, leading: leading, at: at, control: at(FrameControl), partial: at(FramePartial),
		w: at(FrameW), q: at(FrameQ), powers: at(FrameSum), sw: at(FrameSW), s: at(FrameS), y: at(FrameY), r: at(FrameR),
		top: at(FrameTop), residual: at(FrameResidual), guard: at(FrameGuard),
		before: at(FrameOld), halfY: at(FrameHalfY), halfQ: at(FrameHalfQ), total: k.regs(wide, sums),
	}
	t.lambda, t.width, t.guardWeight = k.loadWide(t.control, ControlLambda), k.loadWide(t.control, ControlWidth), k.loadWide(t.control, ControlGuard)
	t.halfOverWidth = k.reg(wide)
	k.op("div.rn.f64 %s, 0d3FE0000000000000, %s", t.halfOverWidth, t.width)
	for _, r := range t.total {
		k.op("mov.f64 %s, 0d0000000000000000", r)
	}
	return t
}

// An entry is an entry of W in a thread, with its position.
type entry struct{ value, row, col, index string }

// add adds entries. In each part all entries are loaded before they are used, because memory latency dominates.
func (t *tally) add(entries []entry) {
	k, flags, total := t.kernel, t.flags, t.total
	weight, onDiagonal := make([]string, len(entries)), make([]string, len(entries))
	for i, e := range entries {
		weight[i], onDiagonal[i] = k.widen(e.value), k.reg(truth)
		k.op("setp.eq.u32 %s, %s, %s", onDiagonal[i], e.row, e.col)
	}
	load := func(matrix string) []string {
		out := make([]string, len(entries))
		for i, e := range entries {
			out[i] = k.load(k.element(matrix, e.index), 0)
		}
		return out
	}
	k.unless(flags, Likelihood, func() {
		k.note("least squares: w(sw - s) - (sw - s) on the diagonal")
		sw, s := load(t.sw), load(t.s)
		for i := range entries {
			g := k.widen(k.arith("sub.rn", sw[i], s[i]))
			k.op("fma.rn.f64 %s, %s, %s, %s", total[0], weight[i], g, total[0])
			k.op("@%s sub.rn.f64 %s, %s, %s", onDiagonal[i], total[0], total[0], g)
		}
	})
	k.when(flags, Likelihood, func() {
		k.note("likelihood: the variances stand in R; the first row of tiles takes them")
		e := entries[0]
		skip, not := k.label("row"), k.reg(truth)
		k.op("setp.ne.u32 %s, %s, 0", not, e.row)
		k.op("@%s bra %s", not, skip)
		beyond := k.reg(truth)
		k.op("setp.ge.u32 %s, %s, %s", beyond, e.col, t.d)
		k.op("@%s bra %s", beyond, skip)
		addr := k.reg(address)
		k.op("mad.wide.u32 %s, %s, 8, %s", addr, e.col, t.r)
		v := k.loadWide(addr, 0)
		k.when(flags, Equal, func() { k.op("add.rn.f64 %s, %s, %s", total[0], total[0], v) })
		k.unless(flags, Equal, func() {
			l := k.log(v)
			k.op("fma.rn.f64 %s, %s, 0d3FE0000000000000, %s", total[0], l, total[0])
		})
		k.at(skip)
	})
	k.when(flags, PenaltyL1|PenaltyMCP, func() {
		for i := range entries {
			abs := k.reg(wide)
			k.op("abs.f64 %s, %s", abs, weight[i])
			k.unless(flags, PenaltyMCP, func() { k.op("add.rn.f64 %s, %s, %s", total[1], total[1], abs) })
			k.when(flags, PenaltyMCP, func() {
				k.note("|c| - c c / (2 width) with c = min(|w|, width)")
				c, sq := k.reg(wide), k.reg(wide)
				k.op("min.f64 %s, %s, %s", c, abs, t.width)
				k.op("mul.rn.f64 %s, %s, %s", sq, c, c)
				k.op("mul.rn.f64 %s, %s, %s", sq, sq, t.halfOverWidth)
				k.op("sub.rn.f64 %s, %s, %s", c, c, sq)
				k.op("add.rn.f64 %s, %s, %s", total[1], total[1], c)
			})
		}
	})
	k.when(flags, Constrained, func() {
		powers, q := load(t.powers), load(t.q)
		for i := range entries {
			square := k.reg(wide)
			k.op("mul.rn.f64 %s, %s, %s", square, weight[i], weight[i])
			k.op("fma.rn.f64 %s, %s, %s, %s", total[2], square, k.widen(powers[i]), total[2])
			k.op("@%s add.rn.f64 %s, %s, %s", onDiagonal[i], total[3], total[3], k.widen(q[i]))
		}
	})
	k.when(flags, TopTrace, func() {
		x, y := load(t.top), make([]string, len(entries))
		for i, e := range entries {
			y[i] = k.load(k.element(t.top, k.mad(e.col, t.leading, e.row)), 0)
		}
		for i := range entries {
			k.op("fma.rn.f64 %s, %s, %s, %s", total[4], k.widen(x[i]), k.widen(y[i]), total[4])
		}
	})
	k.when(flags, Likelihood, func() {
		for _, x := range load(t.residual) {
			x := k.widen(x)
			k.op("fma.rn.f64 %s, %s, %s, %s", total[5], x, x, total[5])
		}
	})
	k.when(flags, Guarded, func() {
		for _, x := range load(t.guard) {
			x, scaled := k.widen(x), k.reg(wide)
			k.op("mul.rn.f64 %s, %s, %s", scaled, x, t.guardWeight)
			k.op("fma.rn.f64 %s, %s, %s, %s", total[5], scaled, x, total[5])
		}
	})
	k.when(flags, Likelihood|LogDet, func() {
		k.note("the changes of determinants, see update")
		half, both := make([]string, len(entries)), make([]string, len(entries))
		for i, old := range load(t.before) {
			old := k.widen(old)
			half[i], both[i] = k.reg(wide), k.reg(wide)
			k.op("sub.rn.f64 %s, %s, %s", half[i], weight[i], old)
			k.op("mul.rn.f64 %s, %s, 0d3FE0000000000000", half[i], half[i])
			k.op("add.rn.f64 %s, %s, %s", both[i], weight[i], old)
			k.op("mul.rn.f64 %s, %s, %s", both[i], both[i], half[i])
		}
		for _, c := range []struct {
			flag           int
			begin, end, to string
			change         []string
		}{{Likelihood, t.halfY, t.y, total[6], half}, {LogDet, t.halfQ, t.q, total[7], both}} {
			k.when(flags, c.flag, func() {
				begin, end := load(c.begin), load(c.end)
				for i := range entries {
					k.op("add.rn.f64 %s, %s, %s", c.to, c.to, k.widen(begin[i]))
					k.op("fma.rn.f64 %s, %s, %s, %s", c.to, c.change[i], k.widen(end[i]), c.to)
				}
			})
		}
	})
}

// finish sums over the block with the given index, and over all blocks in the last one. It needs tallyShared
// bytes from base on.
func (t *tally) finish(base, tid, block, blocks string) {
	k, flags, total := t.kernel, t.flags, t.total
	k.tree(base, tid, total)
	first := k.reg(truth)
	k.op("setp.eq.u32 %s, %s, 0", first, tid)
	notFirst := k.label("rest")
	k.op("@!%s bra %s", first, notFirst)
	addr := k.reg(address)
	k.op("mad.wide.u32 %s, %s, %d, %s", addr, block, PartialSize, t.partial)
	for i, r := range total {
		k.op("st.global.f64 [%s+%d], %s", addr, 8*i, r)
	}
	k.op("membar.gl")
	ticket, limit := k.reg(word), k.reg(word)
	k.op("sub.u32 %s, %s, 1", limit, blocks)
	k.op("atom.global.inc.u32 %s, [%s+%d], %s", ticket, t.control, ControlTicket, limit)
	k.op("st.shared.u32 [%s+%d], %s", base, tallyShared-16, ticket)
	k.at(notFirst)
	k.op("bar.sync 0")
	seen, early := k.reg(word), k.reg(truth)
	end := k.label("end")
	k.op("ld.shared.u32 %s, [%s+%d]", seen, base, tallyShared-16)
	k.op("sub.u32 %s, %s, 1", limit, blocks)
	k.op("setp.ne.u32 %s, %s, %s", early, seen, limit)
	k.op("@%s bra %s", early, end)

	k.note("the last block: the sums of all, in the order of the blocks")
	k.op("membar.gl")
	for _, r := range total {
		k.op("mov.f64 %s, 0d0000000000000000", r)
	}
	from := k.reg(word)
	k.op("mov.u32 %s, %s", from, tid)
	k.loop(k.reg(truth), "more", "none", from, blocks, fmt.Sprint(Threads), func() {
		k.op("mad.wide.u32 %s, %s, %d, %s", addr, from, PartialSize, t.partial)
		for i, r := range total {
			other := k.reg(wide)
			k.op("ld.volatile.global.f64 %s, [%s+%d]", other, addr, 8*i)
			k.op("add.rn.f64 %s, %s, %s", r, r, other)
		}
	})
	k.op("bar.sync 0")
	k.tree(base, tid, total)
	k.op("@!%s bra %s", first, end)

	k.note("values, record and weights")
	value, penalty, h := k.reg(wide), k.reg(wide), k.reg(wide)
	k.op("mov.f64 %s, %s", value, total[0])
	k.unless(flags, Likelihood, func() { k.op("mul.rn.f64 %s, %s, 0d3FE0000000000000", value, value) })
	k.when(flags, Equal, func() {
		size, mean, share := k.reg(wide), k.reg(wide), k.reg(wide)
		k.op("cvt.rn.f64.u32 %s, %s", size, t.d)
		k.op("div.rn.f64 %s, %s, %s", share, size, value)
		k.op("st.global.f64 [%s+%d], %s", t.control, ControlEqual, share)
		k.op("div.rn.f64 %s, %s, %s", mean, value, size)
		l := k.log(mean)
		k.op("mul.rn.f64 %s, %s, %s", value, l, size)
		k.op("mul.rn.f64 %s, %s, 0d3FE0000000000000", value, value)
	})
	k.op("mul.rn.f64 %s, %s, %s", penalty, t.lambda, total[1])
	k.op("mul.rn.f64 %s, %s, %s", h, k.loadWide(t.control, ControlTrace), total[3])
	k.op("fma.rn.f64 %s, %s, %s, %s", h, k.loadWide(t.control, ControlChain), total[2], h)
	k.op("fma.rn.f64 %s, %s, %s, %s", h, k.loadWide(t.control, ControlTop), total[4], h)
	gather := func(value string, offset int, change string) {
		k.op("add.rn.f64 %s, %s, %s", value, change, k.loadWide(t.control, offset))
		k.op("st.global.f64 [%s+%d], %s", t.control, offset, value)
	}
	k.when(flags, LogDet, func() { gather(h, ControlH, total[7]) })
	k.when(flags, Likelihood, func() {
		moved := k.reg(wide)
		gather(moved, ControlMoved, total[6])
		k.op("add.rn.f64 %s, %s, %s", value, value, moved)
	})
	next := k.reg(word)
	k.op("ld.global.u32 %s, [%s+%d]", next, t.control, ControlNext)
	k.op("mad.wide.u32 %s, %s, %d, %s", addr, next, RecordSize, t.at(FrameHistory))
	for i, v := range []string{value, penalty, h, total[5]} {
		k.op("st.global.f64 [%s+%d], %s", addr, 8*i, v)
	}
	nowScore, nowH := k.loadWide(t.control, ControlRest), k.reg(wide)
	k.op("fma.rn.f64 %s, %s, %s, %s", nowH, k.loadWide(t.control, ControlRest+16), h, k.loadWide(t.control, ControlRest+8))
	k.op("st.global.f64 [%s+%d], %s", t.control, ControlNow, nowScore)
	k.op("st.global.f64 [%s+%d], %s", t.control, ControlNow+8, nowH)

	k.note("a value that is not finite, or an inverse that is none, stops the descent here")
	sum, abs, bad, worse := k.reg(wide), k.reg(wide), k.reg(truth), k.reg(truth)
	k.op("add.rn.f64 %s, %s, %s", sum, value, penalty)
	k.op("add.rn.f64 %s, %s, %s", sum, sum, h)
	k.op("abs.f64 %s, %s", abs, sum)
	k.op("setp.leu.f64 %s, %s, 0d%016X", bad, abs, math.Float64bits(math.MaxFloat64))
	k.op("setp.nan.f64 %s, %s, %s", worse, abs, abs)
	k.op("not.pred %s, %s", bad, bad)
	k.op("or.pred %s, %s, %s", bad, bad, worse)
	k.op("setp.gtu.f64 %s, %s, %s", worse, total[5], k.loadWide(t.control, ControlLimit))
	k.op("or.pred %s, %s, %s", bad, bad, worse)
	k.op("add.u32 %s, %s, 1", next, next)
	k.op("st.global.u32 [%s+%d], %s", t.control, ControlNext, next)
	flag, set := k.reg(word), k.reg(truth)
	k.op("ld.global.u32 %s, [%s+%d]", flag, t.control, ControlFlag)
	k.op("setp.eq.and.u32 %s, %s, 0, %s", set, flag, bad)
	k.op("@%s st.global.u32 [%s+%d], %s", set, t.control, ControlFlag, next)
	k.at(end)
}

// tallyShared is the number of bytes of shared memory of a tally.
const tallyShared = sums*Threads/32*8 + 16
