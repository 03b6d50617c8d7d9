package ptx

// slopeOrPair writes one of the two kernels of a line search that need the gradient. Both process tiles of 32 ×
// 32 with the values of an evaluation at W:
//
//	parameters: frame, leading, flags, weight of score and penalty, weight of h, λ, γ, kink, and four addresses
//
// The gradient is that of package solve's step, zero on the diagonal and at masked entries.
//
// slope writes the gradient to its first address and the pseudo-gradient of OWL-QN (see optimize.OWLQN) to the
// second. The largest entry of the latter goes to the third as a double.
//
// pair is for the point W after a step from X. Its addresses are X, the gradient there, s and y. It writes s =
// W - X and y, the change of the gradient without the kink, and replaces X by W.
func slopeOrPair(p precision, name string) string {
	k := newKernel(p, name, "u64", "u32", "u32", "f64", "f64", "f64", "f64", "f64", "u64", "u64", "u64", "u64")
	record, leading, flags := k.param(0), k.param(1), k.param(2)
	weight, weightH, lambda, width, kink := k.narrow(k.param(3)), k.narrow(k.param(4)), k.narrow(k.param(5)), k.narrow(k.param(6)), k.narrow(k.param(7))
	var to [4]string
	for i := range to {
		to[i] = k.param(8 + i)
	}
	at := func(offset int) string {
		r := k.reg(address)
		k.op("ld.global.u64 %s, [%s+%d]", r, record, offset)
		return r
	}
	t := terms{
		sw: at(FrameSW), s: at(FrameS), y: at(FrameY), q: at(FrameQ), share: k.imm(0), lambda: lambda, width: width,
		slope: k.reg(number), weight: weight, twice: k.arith("add.rn", weightH, weightH),
	}
	k.op("div.rn.%s %s, %s, %s", p.name, t.slope, lambda, width)
	mask := at(FrameMask)
	tid := k.special("tid.x")
	tx, ty := k.square(tid)
	entries := k.entries(at(FrameW), k.mad(k.special("ctaid.y"), "32", ty), k.mad(k.special("ctaid.x"), "32", tx), leading)
	var gradY, gradQ [4]string
	for i := range entries {
		gradY[i], gradQ[i] = k.reg(number), k.reg(number)
	}
	g := k.gradients(flags, t, entries, gradY, gradQ)
	for i, e := range entries {
		onDiagonal := k.reg(truth)
		k.op("setp.eq.u32 %s, %s, %s", onDiagonal, e.row, e.col)
		k.op("@%s mov.%s %s, %s", onDiagonal, p.name, g[i], k.imm(0))
	}
	k.when(flags, Masked, func() {
		for i, e := range entries {
			k.op("mul.rn.%s %s, %s, %s", p.name, g[i], g[i], k.load(k.element(mask, e.index), 0))
		}
	})
	store := func(i int, e entry, value string) {
		k.op("st.global.%s [%s], %s", p.name, k.element(to[i], e.index), value)
	}
	if name == "pair" {
		for i, e := range entries {
			x, old := k.load(k.element(to[0], e.index), 0), k.load(k.element(to[1], e.index), 0)
			k.addSign(g[i], "sub", e.value, kink)
			k.addSign(old, "sub", x, kink)
			store(2, e, k.arith("sub.rn", e.value, x))
			store(3, e, k.arith("sub.rn", g[i], old))
			store(0, e, e.value)
		}
		return k.String()
	}
	most := k.reg(address)
	k.op("mov.u64 %s, 0", most)
	for i, e := range entries {
		above, below, pseudo := k.arith("sub.rn", g[i], kink), k.arith("add.rn", g[i], kink), k.reg(number)
		yes := k.reg(truth)
		k.op("mov.%s %s, %s", p.name, pseudo, k.imm(0))
		k.op("setp.gt.%s %s, %s, %s", p.name, yes, above, k.imm(0))
		k.op("@%s mov.%s %s, %s", yes, p.name, pseudo, above)
		k.op("setp.lt.%s %s, %s, %s", p.name, yes, below, k.imm(0))
		k.op("@%s mov.%s %s, %s", yes, p.name, pseudo, below)
		k.op("setp.neu.%s %s, %s, %s", p.name, yes, e.value, k.imm(0))
		k.op("@%s mov.%s %s, %s", yes, p.name, pseudo, g[i])
		store(0, e, g[i])
		store(1, e, pseudo)
		size, bits := k.reg(wide), k.reg(address)
		k.op("abs.f64 %s, %s", size, k.widen(pseudo))
		k.op("mov.b64 %s, %s", bits, size)
		k.op("max.u64 %s, %s, %s", most, most, bits)
	}
	k.largestOfWarp(most)
	first, lane := k.reg(truth), k.reg(word)
	k.op("and.b32 %s, %s, 31", lane, tid)
	k.op("setp.eq.u32 %s, %s, 0", first, lane)
	k.op("@%s red.global.max.u64 [%s], %s", first, to[2], most)
	return k.String()
}

// largestOfWarp computes the largest 64-bit value of a warp in its first thread.
func (k *kernel) largestOfWarp(value string) {
	for lanes := 16; lanes > 0; lanes /= 2 {
		k.op("max.u64 %s, %s, %s", value, value, k.further(address, value, lanes))
	}
}
