package ptx

// update writes the kernel of one step of Adam, and of what the next evaluation starts from:
//
//	parameters: frame, stride, d, leading, flags, move
//
// It follows reduce, whose weights it takes. Where the weight of h does not depend on h, the kernel "step" does what both do and saves a
// launch; a value that is not usable is then noticed only after the step.
//
// With g the gradient of score and penalty, it follows weight·g + 2·(weight of h)·w q. A block has a tile of 32 × 32; the new W passes through
// shared memory, so that its transposed functions B, N and L are written along rows, too. With move = 0 it only writes those. Where a
// value of this command was not usable, it does nothing: the state stays that of the step that failed.
//
// A determinant is not computed, but its change in a step: -log|det(I - W)| has the gradient Y, and h of log-det the gradient Q in w².
// By the trapezoid rule it changes by ½ Σ (y + y')Δw and by ½ Σ (q + q')Δ(w²), which is exact for what is bilinear and off by a term of third
// order. The halves of the step's beginning are left here, and reduce adds those of its end.
func update(p precision, name string) string {
	k := newKernel(p, name, "u64", "u64", "u32", "u32", "u32", "u32")
	record, stride, d, leading, flags, move := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4), k.param(5)
	at := k.frame(record, stride)
	var t *tally
	weights, behind, room := ControlNow, 1, 32*33*p.bytes // where the weights stand, and what was counted since the step began
	shared := room
	if name == "step" {
		t, weights, behind = newTally(k, at, flags, d, leading), ControlRest, 0
		shared += tallyShared
	}
	control := at(FrameControl)
	w, q, sw, s, y, r := at(FrameW), at(FrameQ), at(FrameSW), at(FrameS), at(FrameY), at(FrameR)
	first, second, mask := at(FrameM), at(FrameV), at(FrameMask)
	before, halfY, halfQ := at(FrameOld), at(FrameHalfY), at(FrameHalfQ)
	end := k.label("end")
	flag, failed := k.reg(word), k.reg(truth)
	k.op("ld.global.u32 %s, [%s+%d]", flag, control, ControlFlag)
	k.op("setp.ne.u32 %s, %s, 0", failed, flag)
	k.op("@%s bra %s", failed, end)

	tid, bx, by := k.special("tid.x"), k.special("ctaid.x"), k.special("ctaid.y")
	tx, ty := k.reg(word), k.reg(word)
	k.op("and.b32 %s, %s, 31", tx, tid)
	k.op("shr.u32 %s, %s, 5", ty, tid)
	scalar := func(offset int) string { return k.narrow(k.loadWide(control, offset)) }
	weight, weightH := scalar(weights), scalar(weights+8)
	lambda, width := scalar(ControlLambda), scalar(ControlWidth)
	beta1, beta2, eps := k.loadWide(control, ControlBeta1), k.loadWide(control, ControlBeta2), scalar(ControlEps)
	complement := func(beta string) string {
		c := k.reg(wide)
		k.op("sub.rn.f64 %s, 0d3FF0000000000000, %s", c, beta)
		return k.narrow(c)
	}
	comp1, comp2 := complement(beta1), complement(beta2)
	decay1, decay2 := k.narrow(beta1), k.narrow(beta2)
	next := k.reg(word)
	k.op("ld.global.u32 %s, [%s+%d]", next, control, ControlNext)
	rates, moving := k.reg(address), k.reg(truth)
	k.op("setp.ne.u32 %s, %s, 0", moving, move)
	k.op("@%s sub.u32 %s, %s, %d", moving, next, next, behind)
	k.op("mad.wide.u32 %s, %s, 16, %s", rates, next, at(FrameRates))
	step, root := k.narrow(k.loadWide(rates, 0)), k.narrow(k.loadWide(rates, 8))
	twice := k.arith("add.rn", weightH, weightH)
	slope := k.reg(number)
	k.op("div.rn.%s %s, %s, %s", p.name, slope, lambda, width)

	base := k.sharedBase(shared)
	col := k.mad(bx, "32", tx)
	share := k.reg(number)
	k.op("mov.%s %s, %s", p.name, share, k.imm(0))
	k.when(flags, Likelihood, func() {
		wideShare := k.reg(wide)
		k.when(flags, Equal, func() { k.op("ld.global.f64 %s, [%s+%d]", wideShare, control, ControlEqual) })
		k.unless(flags, Equal, func() {
			addr := k.reg(address)
			k.op("mad.wide.u32 %s, %s, 8, %s", addr, col, r)
			k.op("rcp.rn.f64 %s, %s", wideShare, k.loadWide(addr, 0))
		})
		narrowed := k.narrow(wideShare)
		k.op("mov.%s %s, %s", p.name, share, narrowed)
	})
	for part := range 4 {
		row := k.mad(by, "32", ty)
		k.op("add.u32 %s, %s, %d", row, row, 8*part)
		index := k.mad(row, leading, col)
		value := k.load(k.element(w, index), 0)
		if t != nil {
			t.add(value, row, col, index)
		}
		old, gradY, gradQ := k.reg(number), k.reg(number), k.reg(number)
		k.op("mov.%s %s, %s", p.name, old, value)
		for _, r := range []string{gradY, gradQ} {
			k.op("mov.%s %s, %s", p.name, r, k.imm(0))
		}
		still := k.label("still")
		k.op("@!%s bra %s", moving, still)
		g := k.arith("sub.rn", k.load(k.element(sw, index), 0), k.load(k.element(s, index), 0))
		k.when(flags, Likelihood, func() {
			k.op("ld.global.%s %s, [%s]", p.name, gradY, k.element(y, index))
			k.op("fma.rn.%s %s, %s, %s, %s", p.name, g, share, g, gradY)
		})
		positive, negative := k.reg(truth), k.reg(truth)
		k.when(flags, PenaltyL1|PenaltyMCP, func() {
			k.op("setp.gt.%s %s, %s, %s", p.name, positive, value, k.imm(0))
			k.op("setp.lt.%s %s, %s, %s", p.name, negative, value, k.imm(0))
			k.op("@%s add.rn.%s %s, %s, %s", positive, p.name, g, g, lambda)
			k.op("@%s sub.rn.%s %s, %s, %s", negative, p.name, g, g, lambda)
		})
		k.when(flags, PenaltyMCP, func() {
			low := k.reg(number)
			k.op("neg.%s %s, %s", p.name, low, width)
			c := k.arith("max", k.arith("min", value, width), low)
			minus := k.reg(number)
			k.op("neg.%s %s, %s", p.name, minus, slope)
			k.op("fma.rn.%s %s, %s, %s, %s", p.name, g, minus, c, g)
		})
		k.op("mul.rn.%s %s, %s, %s", p.name, g, g, weight)
		k.when(flags, Constrained, func() {
			k.op("ld.global.%s %s, [%s]", p.name, gradQ, k.element(q, index))
			chained := k.arith("mul.rn", k.arith("mul.rn", twice, value), gradQ)
			k.op("add.rn.%s %s, %s, %s", p.name, g, g, chained)
		})
		atFirst, atSecond := k.element(first, index), k.element(second, index)
		m := k.fma(decay1, k.load(atFirst, 0), k.arith("mul.rn", comp1, g))
		v := k.fma(decay2, k.load(atSecond, 0), k.arith("mul.rn", comp2, k.arith("mul.rn", g, g)))
		k.op("st.global.%s [%s], %s", p.name, atFirst, m)
		k.op("st.global.%s [%s], %s", p.name, atSecond, v)
		below := k.reg(number)
		k.op("sqrt.rn.%s %s, %s", p.name, below, v)
		k.op("fma.rn.%s %s, %s, %s, %s", p.name, below, below, root, eps)
		move := k.arith("mul.rn", step, m)
		k.op("div.rn.%s %s, %s, %s", p.name, move, move, below)
		k.op("sub.rn.%s %s, %s, %s", p.name, value, value, move)
		onDiagonal := k.reg(truth)
		k.op("setp.eq.u32 %s, %s, %s", onDiagonal, row, col)
		k.op("@%s mov.%s %s, %s", onDiagonal, p.name, value, k.imm(0))
		k.when(flags, Masked, func() {
			k.op("mul.rn.%s %s, %s, %s", p.name, value, value, k.load(k.element(mask, index), 0))
		})
		k.op("st.global.%s [%s], %s", p.name, k.element(w, index), value)
		k.at(still)
		k.when(flags, Likelihood|LogDet, func() {
			k.op("st.global.%s [%s], %s", p.name, k.element(before, index), old)
			half := k.arith("mul.rn", k.imm(0.5), k.arith("sub.rn", value, old))
			k.when(flags, Likelihood, func() {
				k.op("st.global.%s [%s], %s", p.name, k.element(halfY, index), k.arith("mul.rn", gradY, half))
			})
			k.when(flags, LogDet, func() {
				both := k.arith("add.rn", value, old)
				k.op("st.global.%s [%s], %s", p.name, k.element(halfQ, index), k.arith("mul.rn", gradQ, k.arith("mul.rn", half, both)))
			})
		})
		place := k.mad(ty, "33", tx)
		k.op("add.u32 %s, %s, %d", place, place, 8*part*33)
		k.op("st.shared.%s [%s], %s", p.name, k.mad(place, sizeOf(p), base), value)
	}
	k.op("bar.sync 0")
	b, n, l := at(FrameB), at(FrameN), at(FrameL)
	scale, shift := scalar(ControlScale), scalar(ControlShift)
	for part := range 4 {
		row, col := k.mad(bx, "32", ty), k.mad(by, "32", tx)
		k.op("add.u32 %s, %s, %d", row, row, 8*part)
		place := k.mad(tx, "33", ty)
		k.op("add.u32 %s, %s, %d", place, place, 8*part)
		value := k.reg(number)
		k.op("ld.shared.%s %s, [%s]", p.name, value, k.mad(place, sizeOf(p), base))
		index := k.mad(row, leading, col)
		inside, on := k.reg(truth), k.reg(truth)
		k.op("setp.lt.u32 %s, %s, %s", inside, row, d)
		k.op("setp.eq.and.u32 %s, %s, %s, %s", on, row, col, inside)
		square := k.arith("mul.rn", value, value)
		k.op("mul.rn.%s %s, %s, %s", p.name, square, square, scale)
		k.op("st.global.%s [%s], %s", p.name, k.element(b, index), square)
		k.when(flags, Likelihood, func() {
			m := k.reg(number)
			k.op("neg.%s %s, %s", p.name, m, value)
			k.op("@%s add.rn.%s %s, %s, %s", on, p.name, m, m, k.imm(1))
			k.op("st.global.%s [%s], %s", p.name, k.element(n, index), m)
		})
		k.when(flags, LogDet, func() {
			m := k.reg(number)
			k.op("neg.%s %s, %s", p.name, m, square)
			k.op("@%s add.rn.%s %s, %s, %s", on, p.name, m, m, shift)
			k.op("st.global.%s [%s], %s", p.name, k.element(l, index), m)
		})
	}
	if t != nil {
		own, block, blocks, across := k.reg(word), k.reg(word), k.reg(word), k.special("nctaid.x")
		k.op("add.u32 %s, %s, %d", own, base, room)
		k.op("mad.lo.u32 %s, %s, %s, %s", block, by, across, bx)
		k.op("mul.lo.u32 %s, %s, %s", blocks, across, k.special("nctaid.y"))
		t.finish(own, tid, block, blocks)
	}
	k.at(end)
	return k.String()
}

func sizeOf(p precision) string {
	if p.bytes == 4 {
		return "4"
	}
	return "8"
}
