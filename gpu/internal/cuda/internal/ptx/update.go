package ptx

import "fmt"

// update writes the kernel of one step of Adam, which also prepares the next evaluation:
//
//	parameters: frame, stride, d, leading, flags, move
//
// It follows reduce and uses its weights. If the weight of h does not depend on h, and variances are unequal,
// the kernel "step" does both and saves a launch; an unusable value is then detected only after the step.
//
// With g the gradient of score and penalty, it follows weight·g + 2·(weight of h)·w q. A block has a tile of 32
// × 32. The new W passes through shared memory, so that its transposed functions B, N and L are also written
// along rows. With move = 0 it only writes those. After an unusable value in this command it does nothing, so
// the state is that of the failed step.
//
// Only the change of a determinant in a step is computed: -log|det(I - W)| has the gradient Y, and h of log-det
// the gradient Q in w². By the trapezoid rule it changes by ½ Σ (y + y')Δw and by ½ Σ (q + q')Δ(w²), which is
// exact for bilinear functions, with an error of third order otherwise. This kernel stores the terms of the
// start of the step, and reduce adds those of its end.
func update(p precision, name string) string {
	k := newKernel(p, name, "u64", "u64", "u32", "u32", "u32", "u32")
	record, stride, d, leading, flags, move := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4), k.param(5)
	at := k.frame(record, stride)
	var t *tally
	weights, behind, room := ControlNow, 1, 32*33*p.bytes // position of the weights, and steps since the start
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
	tx, ty := k.square(tid)
	scalar := func(offset int) string { return k.narrow(k.loadWide(control, offset)) }
	weight, weightH := scalar(weights), scalar(weights+8)
	lambda, width := scalar(ControlLambda), scalar(ControlWidth)
	beta1, beta2, eps := k.loadWide(control, ControlBeta1), k.loadWide(control, ControlBeta2), scalar(ControlEps)
	comp1, comp2 := k.narrow(k.calc("sub.rn", real(1), beta1)), k.narrow(k.calc("sub.rn", real(1), beta2))
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
	entries := k.entries(w, k.mad(by, "32", ty), col, leading)
	if t != nil {
		t.add(entries)
	}
	each := func(visit func(i int, e entry)) {
		for i, e := range entries {
			visit(i, e)
		}
	}
	var old, gradY, gradQ, m, v, atFirst, atSecond [4]string
	each(func(i int, e entry) {
		old[i], gradY[i], gradQ[i] = k.reg(number), k.reg(number), k.reg(number)
		k.op("mov.%s %s, %s", p.name, old[i], e.value)
		k.op("mov.%s %s, %s", p.name, gradY[i], k.imm(0))
		k.op("mov.%s %s, %s", p.name, gradQ[i], k.imm(0))
	})
	still := k.label("still")
	k.op("@!%s bra %s", moving, still)
	each(func(i int, e entry) {
		atFirst[i], atSecond[i] = k.element(first, e.index), k.element(second, e.index)
		m[i], v[i] = k.load(atFirst[i], 0), k.load(atSecond[i], 0)
	})
	g := k.gradients(flags, terms{sw: sw, s: s, y: y, q: q, share: share, lambda: lambda, width: width, slope: slope, weight: weight, twice: twice}, entries, gradY, gradQ)
	each(func(i int, e entry) {
		m[i] = k.fma(decay1, m[i], k.arith("mul.rn", comp1, g[i]))
		v[i] = k.fma(decay2, v[i], k.arith("mul.rn", comp2, k.arith("mul.rn", g[i], g[i])))
		below := k.reg(number)
		k.op("sqrt.rn.%s %s, %s", p.name, below, v[i])
		k.op("fma.rn.%s %s, %s, %s, %s", p.name, below, below, root, eps)
		by := k.arith("mul.rn", step, m[i])
		k.op("div.rn.%s %s, %s, %s", p.name, by, by, below)
		k.op("sub.rn.%s %s, %s, %s", p.name, e.value, e.value, by)
		onDiagonal := k.reg(truth)
		k.op("setp.eq.u32 %s, %s, %s", onDiagonal, e.row, e.col)
		k.op("@%s mov.%s %s, %s", onDiagonal, p.name, e.value, k.imm(0))
	})
	k.when(flags, Masked, func() {
		each(func(i int, e entry) {
			k.op("mul.rn.%s %s, %s, %s", p.name, e.value, e.value, k.load(k.element(mask, e.index), 0))
		})
	})
	each(func(i int, e entry) {
		k.op("st.global.%s [%s], %s", p.name, atFirst[i], m[i])
		k.op("st.global.%s [%s], %s", p.name, atSecond[i], v[i])
		k.op("st.global.%s [%s], %s", p.name, k.element(w, e.index), e.value)
	})
	k.at(still)
	k.when(flags, Likelihood|LogDet, func() {
		var half [4]string
		each(func(i int, e entry) {
			k.op("st.global.%s [%s], %s", p.name, k.element(before, e.index), old[i])
			half[i] = k.arith("mul.rn", k.imm(0.5), k.arith("sub.rn", e.value, old[i]))
		})
		k.when(flags, Likelihood, func() {
			each(func(i int, e entry) {
				k.op("st.global.%s [%s], %s", p.name, k.element(halfY, e.index), k.arith("mul.rn", gradY[i], half[i]))
			})
		})
		k.when(flags, LogDet, func() {
			each(func(i int, e entry) {
				both := k.arith("add.rn", e.value, old[i])
				k.op("st.global.%s [%s], %s", p.name, k.element(halfQ, e.index), k.arith("mul.rn", gradQ[i], k.arith("mul.rn", half[i], both)))
			})
		})
	})
	each(func(i int, e entry) {
		place := k.mad(ty, "33", tx)
		k.op("add.u32 %s, %s, %d", place, place, 8*i*33)
		k.op("st.shared.%s [%s], %s", p.name, k.mad(place, fmt.Sprint(p.bytes), base), e.value)
	})
	k.op("bar.sync 0")
	b, n, l := at(FrameB), at(FrameN), at(FrameL)
	scale, shift := scalar(ControlScale), scalar(ControlShift)
	for part := range 4 {
		row, col := k.mad(bx, "32", ty), k.mad(by, "32", tx)
		k.op("add.u32 %s, %s, %d", row, row, 8*part)
		place := k.mad(tx, "33", ty)
		k.op("add.u32 %s, %s, %d", place, place, 8*part)
		value := k.reg(number)
		k.op("ld.shared.%s %s, [%s]", p.name, value, k.mad(place, fmt.Sprint(p.bytes), base))
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
