package ptx

import (
	"fmt"
	"math"
)

// frame reads addresses of a record, moved to the problem that ctaid.z names.
func (k *kernel) frame(record, stride string) func(offset int) string {
	z := k.special("ctaid.z")
	problem, shift := k.reg(address), k.reg(address)
	k.op("cvt.u64.u32 %s, %s", problem, z)
	k.op("mul.lo.u64 %s, %s, %s", shift, problem, stride)
	return func(offset int) string {
		r := k.reg(address)
		k.op("ld.global.u64 %s, [%s+%d]", r, record, offset)
		k.op("add.u64 %s, %s, %s", r, r, shift)
		return r
	}
}

// when runs what body writes only where one of the bits is set.
func (k *kernel) when(flags string, bits int, body func()) { k.branch(flags, bits, "eq", body) }

// unless runs what body writes only where none of the bits is set.
func (k *kernel) unless(flags string, bits int, body func()) { k.branch(flags, bits, "ne", body) }

func (k *kernel) branch(flags string, bits int, skipIf string, body func()) {
	masked, p := k.reg(word), k.reg(truth)
	over := k.label("over")
	k.op("and.b32 %s, %s, %d", masked, flags, bits)
	k.op("setp.%s.u32 %s, %s, 0", skipIf, p, masked)
	k.op("@%s bra %s", p, over)
	body()
	k.at(over)
}

// reduce writes the kernel that turns the matrices of a step into its values, and those into the weight of h:
//
//	parameters: frame, stride, d, leading, flags
//
// Each block sums over some tiles of 32 × 32 in double, then over its threads as a tree. The block that is done last sums the blocks, again
// as a tree: the order is the same in every launch. It then writes the step's record and its weights.
func reduce(p precision) string {
	k := newKernel(p, "reduce", "u64", "u64", "u32", "u32", "u32")
	record, stride, d, leading, flags := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4)
	at := k.frame(record, stride)
	control, partial := at(FrameControl), at(FramePartial)
	w, q, powers, sw, s := at(FrameW), at(FrameQ), at(FrameSum), at(FrameSW), at(FrameS)
	top, residual, guard, r := at(FrameTop), at(FrameResidual), at(FrameGuard), at(FrameR)
	y, before, halfY, halfQ := at(FrameY), at(FrameOld), at(FrameHalfY), at(FrameHalfQ)
	tid, block := k.special("tid.x"), k.special("ctaid.x")
	lambda, width := k.loadWide(control, ControlLambda), k.loadWide(control, ControlWidth)
	guardWeight := k.loadWide(control, ControlGuard)

	total := k.regs(wide, sums)
	for _, t := range total {
		k.op("mov.f64 %s, 0d0000000000000000", t)
	}
	tx, ty, across, tiles, tile := k.reg(word), k.reg(word), k.reg(word), k.reg(word), k.reg(word)
	k.op("and.b32 %s, %s, 31", tx, tid)
	k.op("shr.u32 %s, %s, 5", ty, tid)
	k.op("add.u32 %s, %s, 31", across, d)
	k.op("shr.u32 %s, %s, 5", across, across)
	k.op("mul.lo.u32 %s, %s, %s", tiles, across, across)
	k.op("mov.u32 %s, %s", tile, block)
	loop, done := k.label("loop"), k.label("done")
	out := k.reg(truth)
	k.at(loop)
	k.op("setp.ge.u32 %s, %s, %s", out, tile, tiles)
	k.op("@%s bra %s", out, done)
	tr, tc := k.reg(word), k.reg(word)
	k.op("div.u32 %s, %s, %s", tr, tile, across)
	k.op("rem.u32 %s, %s, %s", tc, tile, across)
	col := k.mad(tc, "32", tx)
	for part := range 4 {
		row := k.mad(tr, "32", ty)
		k.op("add.u32 %s, %s, %d", row, row, 8*part)
		index := k.mad(row, leading, col)
		value := k.load(k.element(w, index), 0)
		weight := k.widen(value)
		onDiagonal := k.reg(truth)
		k.op("setp.eq.u32 %s, %s, %s", onDiagonal, row, col)
		k.unless(flags, Likelihood, func() {
			k.note("least squares: w(sw - s) - (sw - s) on the diagonal")
			g := k.widen(k.arith("sub.rn", k.load(k.element(sw, index), 0), k.load(k.element(s, index), 0)))
			k.op("fma.rn.f64 %s, %s, %s, %s", total[0], weight, g, total[0])
			k.op("@%s sub.rn.f64 %s, %s, %s", onDiagonal, total[0], total[0], g)
		})
		k.when(flags, Likelihood, func() {
			k.note("likelihood: the variances stand in R; the first row of tiles takes them")
			skip, not := k.label("row"), k.reg(truth)
			k.op("setp.ne.u32 %s, %s, 0", not, row)
			k.op("@%s bra %s", not, skip)
			beyond := k.reg(truth)
			k.op("setp.ge.u32 %s, %s, %s", beyond, col, d)
			k.op("@%s bra %s", beyond, skip)
			addr := k.reg(address)
			k.op("mad.wide.u32 %s, %s, 8, %s", addr, col, r)
			v := k.loadWide(addr, 0)
			k.when(flags, Equal, func() { k.op("add.rn.f64 %s, %s, %s", total[0], total[0], v) })
			k.unless(flags, Equal, func() {
				l := k.log(v)
				k.op("fma.rn.f64 %s, %s, 0d3FE0000000000000, %s", total[0], l, total[0])
			})
			k.at(skip)
		})
		k.when(flags, PenaltyL1|PenaltyMCP, func() {
			abs := k.reg(wide)
			k.op("abs.f64 %s, %s", abs, weight)
			k.unless(flags, PenaltyMCP, func() { k.op("add.rn.f64 %s, %s, %s", total[1], total[1], abs) })
			k.when(flags, PenaltyMCP, func() {
				k.note("|c| - c c / (2 width) with c = min(|w|, width)")
				c, sq, two := k.reg(wide), k.reg(wide), k.reg(wide)
				k.op("min.f64 %s, %s, %s", c, abs, width)
				k.op("mul.rn.f64 %s, %s, %s", sq, c, c)
				k.op("add.rn.f64 %s, %s, %s", two, width, width)
				k.op("div.rn.f64 %s, %s, %s", sq, sq, two)
				k.op("sub.rn.f64 %s, %s, %s", c, c, sq)
				k.op("add.rn.f64 %s, %s, %s", total[1], total[1], c)
			})
		})
		k.when(flags, Constrained, func() {
			square := k.reg(wide)
			k.op("mul.rn.f64 %s, %s, %s", square, weight, weight)
			k.op("fma.rn.f64 %s, %s, %s, %s", total[2], square, k.widen(k.load(k.element(powers, index), 0)), total[2])
			k.op("@%s add.rn.f64 %s, %s, %s", onDiagonal, total[3], total[3], k.widen(k.load(k.element(q, index), 0)))
		})
		k.when(flags, TopTrace, func() {
			x := k.widen(k.load(k.element(top, index), 0))
			y := k.widen(k.load(k.element(top, k.mad(col, leading, row)), 0))
			k.op("fma.rn.f64 %s, %s, %s, %s", total[4], x, y, total[4])
		})
		k.when(flags, Likelihood, func() {
			x := k.widen(k.load(k.element(residual, index), 0))
			k.op("fma.rn.f64 %s, %s, %s, %s", total[5], x, x, total[5])
		})
		k.when(flags, Guarded, func() {
			x, scaled := k.widen(k.load(k.element(guard, index), 0)), k.reg(wide)
			k.op("mul.rn.f64 %s, %s, %s", scaled, x, guardWeight)
			k.op("fma.rn.f64 %s, %s, %s, %s", total[5], scaled, x, total[5])
		})
		k.when(flags, Likelihood|LogDet, func() {
			old := k.widen(k.load(k.element(before, index), 0))
			half, both := k.reg(wide), k.reg(wide)
			k.op("sub.rn.f64 %s, %s, %s", half, weight, old)
			k.op("mul.rn.f64 %s, %s, 0d3FE0000000000000", half, half)
			k.when(flags, Likelihood, func() {
				k.op("add.rn.f64 %s, %s, %s", total[6], total[6], k.widen(k.load(k.element(halfY, index), 0)))
				k.op("fma.rn.f64 %s, %s, %s, %s", total[6], half, k.widen(k.load(k.element(y, index), 0)), total[6])
			})
			k.when(flags, LogDet, func() {
				k.op("add.rn.f64 %s, %s, %s", both, weight, old)
				k.op("mul.rn.f64 %s, %s, %s", both, both, half)
				k.op("add.rn.f64 %s, %s, %s", total[7], total[7], k.widen(k.load(k.element(halfQ, index), 0)))
				k.op("fma.rn.f64 %s, %s, %s, %s", total[7], both, k.widen(k.load(k.element(q, index), 0)), total[7])
			})
		})
	}
	blocks := k.special("nctaid.x")
	k.op("add.u32 %s, %s, %s", tile, tile, blocks)
	k.op("bra %s", loop)
	k.at(done)

	base := k.sharedBase(sums*Threads*8 + 16)
	k.tree(base, tid, total)
	first := k.reg(truth)
	k.op("setp.eq.u32 %s, %s, 0", first, tid)
	notFirst := k.label("rest")
	k.op("@!%s bra %s", first, notFirst)
	addr := k.reg(address)
	k.op("mad.wide.u32 %s, %s, %d, %s", addr, block, sums*8, partial)
	for i, t := range total {
		k.op("st.global.f64 [%s+%d], %s", addr, 8*i, t)
	}
	k.op("membar.gl")
	ticket, limit := k.reg(word), k.reg(word)
	k.op("sub.u32 %s, %s, 1", limit, blocks)
	k.op("atom.global.inc.u32 %s, [%s+%d], %s", ticket, control, ControlTicket, limit)
	k.op("st.shared.u32 [%s+%d], %s", base, sums*Threads*8, ticket)
	k.at(notFirst)
	k.op("bar.sync 0")
	seen, early := k.reg(word), k.reg(truth)
	end := k.label("end")
	k.op("ld.shared.u32 %s, [%s+%d]", seen, base, sums*Threads*8)
	k.op("sub.u32 %s, %s, 1", limit, blocks)
	k.op("setp.ne.u32 %s, %s, %s", early, seen, limit)
	k.op("@%s bra %s", early, end)

	k.note("the last block: the sums of all, in the order of the blocks")
	k.op("membar.gl")
	for _, t := range total {
		k.op("mov.f64 %s, 0d0000000000000000", t)
	}
	beyond, none := k.reg(truth), k.label("none")
	k.op("setp.ge.u32 %s, %s, %s", beyond, tid, blocks)
	k.op("@%s bra %s", beyond, none)
	k.op("mad.wide.u32 %s, %s, %d, %s", addr, tid, sums*8, partial)
	for i, t := range total {
		k.op("ld.volatile.global.f64 %s, [%s+%d]", t, addr, 8*i)
	}
	k.at(none)
	k.op("bar.sync 0")
	k.tree(base, tid, total)
	k.op("@!%s bra %s", first, end)

	k.note("values, record and weights")
	value, penalty, h := k.reg(wide), k.reg(wide), k.reg(wide)
	k.op("mov.f64 %s, %s", value, total[0])
	k.unless(flags, Likelihood, func() { k.op("mul.rn.f64 %s, %s, 0d3FE0000000000000", value, value) })
	k.when(flags, Equal, func() {
		size, mean, share := k.reg(wide), k.reg(wide), k.reg(wide)
		k.op("cvt.rn.f64.u32 %s, %s", size, d)
		k.op("div.rn.f64 %s, %s, %s", share, size, value)
		k.op("st.global.f64 [%s+%d], %s", control, ControlEqual, share)
		k.op("div.rn.f64 %s, %s, %s", mean, value, size)
		l := k.log(mean)
		k.op("mul.rn.f64 %s, %s, %s", value, l, size)
		k.op("mul.rn.f64 %s, %s, 0d3FE0000000000000", value, value)
	})
	k.op("mul.rn.f64 %s, %s, %s", penalty, lambda, total[1])
	k.op("mul.rn.f64 %s, %s, %s", h, k.loadWide(control, ControlTrace), total[3])
	k.op("fma.rn.f64 %s, %s, %s, %s", h, k.loadWide(control, ControlChain), total[2], h)
	k.op("fma.rn.f64 %s, %s, %s, %s", h, k.loadWide(control, ControlTop), total[4], h)
	gather := func(value string, offset int, change string) {
		k.op("add.rn.f64 %s, %s, %s", value, change, k.loadWide(control, offset))
		k.op("st.global.f64 [%s+%d], %s", control, offset, value)
	}
	k.when(flags, LogDet, func() { gather(h, ControlH, total[7]) })
	k.when(flags, Likelihood, func() {
		moved := k.reg(wide)
		gather(moved, ControlMoved, total[6])
		k.op("add.rn.f64 %s, %s, %s", value, value, moved)
	})
	next := k.reg(word)
	k.op("ld.global.u32 %s, [%s+%d]", next, control, ControlNext)
	k.op("mad.wide.u32 %s, %s, %d, %s", addr, next, RecordSize, at(FrameHistory))
	for i, v := range []string{value, penalty, h, total[5]} {
		k.op("st.global.f64 [%s+%d], %s", addr, 8*i, v)
	}
	nowScore, nowH := k.loadWide(control, ControlRest), k.reg(wide)
	k.op("fma.rn.f64 %s, %s, %s, %s", nowH, k.loadWide(control, ControlRest+16), h, k.loadWide(control, ControlRest+8))
	k.op("st.global.f64 [%s+%d], %s", control, ControlNow, nowScore)
	k.op("st.global.f64 [%s+%d], %s", control, ControlNow+8, nowH)

	k.note("a value that is not finite, or an inverse that is none, stops the descent here")
	sum, abs, bad, worse := k.reg(wide), k.reg(wide), k.reg(truth), k.reg(truth)
	k.op("add.rn.f64 %s, %s, %s", sum, value, penalty)
	k.op("add.rn.f64 %s, %s, %s", sum, sum, h)
	k.op("abs.f64 %s, %s", abs, sum)
	k.op("setp.leu.f64 %s, %s, 0d%016X", bad, abs, math.Float64bits(math.MaxFloat64))
	k.op("setp.nan.f64 %s, %s, %s", worse, abs, abs)
	k.op("not.pred %s, %s", bad, bad)
	k.op("or.pred %s, %s, %s", bad, bad, worse)
	k.op("setp.gtu.f64 %s, %s, %s", worse, total[5], k.loadWide(control, ControlLimit))
	k.op("or.pred %s, %s, %s", bad, bad, worse)
	k.op("add.u32 %s, %s, 1", next, next)
	k.op("st.global.u32 [%s+%d], %s", control, ControlNext, next)
	flag, set := k.reg(word), k.reg(truth)
	k.op("ld.global.u32 %s, [%s+%d]", flag, control, ControlFlag)
	k.op("setp.eq.and.u32 %s, %s, 0, %s", set, flag, bad)
	k.op("@%s st.global.u32 [%s+%d], %s", set, control, ControlFlag, next)
	k.at(end)
	return k.String()
}

// tree sums each value over the threads of a block and leaves the sums with thread 0.
func (k *kernel) tree(base, tid string, values []string) {
	own := k.mad(tid, "8", base)
	for i, v := range values {
		k.op("st.shared.f64 [%s+%d], %s", own, i*Threads*8, v)
	}
	for half := Threads / 2; half > 0; half /= 2 {
		k.op("bar.sync 0")
		out, skip := k.reg(truth), k.label("tree")
		k.op("setp.ge.u32 %s, %s, %d", out, tid, half)
		k.op("@%s bra %s", out, skip)
		for i, v := range values {
			other := k.reg(wide)
			k.op("ld.shared.f64 %s, [%s+%d]", other, own, (i*Threads+half)*8)
			k.op("add.rn.f64 %s, %s, %s", v, v, other)
			k.op("st.shared.f64 [%s+%d], %s", own, i*Threads*8, v)
		}
		k.at(skip)
	}
	k.op("bar.sync 0")
}

// log returns the natural logarithm of a positive double to a few units in its last place. With x = 2ᵉm, √½ ≤ m < √2 and
// t = (m-1)/(m+1) it is e ln 2 + 2(t + t³/3 + t⁵/5 + …); |t| < 0.172, and twelve terms leave less than 1e-18.
func (k *kernel) log(x string) string {
	low, high, exponent, mantissa := k.reg(word), k.reg(word), k.reg(word), k.reg(word)
	k.op("mov.b64 {%s, %s}, %s", low, high, x)
	k.op("add.u32 %s, %s, %d", high, high, 0x3ff00000-0x3fe6a09e)
	k.op("shr.u32 %s, %s, 20", exponent, high)
	k.op("sub.u32 %s, %s, 1023", exponent, exponent)
	k.op("and.b32 %s, %s, %d", mantissa, high, 0x000fffff)
	k.op("add.u32 %s, %s, %d", mantissa, mantissa, 0x3fe6a09e)
	m, e := k.reg(wide), k.reg(wide)
	k.op("mov.b64 %s, {%s, %s}", m, low, mantissa)
	k.op("cvt.rn.f64.s32 %s, %s", e, exponent)
	above, below, t, u, sum := k.reg(wide), k.reg(wide), k.reg(wide), k.reg(wide), k.reg(wide)
	one := fmt.Sprintf("0d%016X", math.Float64bits(1))
	k.op("sub.rn.f64 %s, %s, %s", above, m, one)
	k.op("add.rn.f64 %s, %s, %s", below, m, one)
	k.op("div.rn.f64 %s, %s, %s", t, above, below)
	k.op("mul.rn.f64 %s, %s, %s", u, t, t)
	k.op("mov.f64 %s, 0d%016X", sum, math.Float64bits(2.0/23))
	for n := 21; n >= 1; n -= 2 {
		k.op("fma.rn.f64 %s, %s, %s, 0d%016X", sum, sum, u, math.Float64bits(2/float64(n)))
	}
	k.op("mul.rn.f64 %s, %s, %s", sum, sum, t)
	k.op("fma.rn.f64 %s, %s, 0d%016X, %s", sum, e, math.Float64bits(math.Ln2), sum)
	return sum
}
