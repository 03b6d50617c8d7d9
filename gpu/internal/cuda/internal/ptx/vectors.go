package ptx

// strides runs body for the numbers below n that belong to this thread: a grid-stride loop.
func (k *kernel) strides(n string, body func(index string)) {
	threads, stride := k.special("ntid.x"), k.reg(word)
	index := k.mad(k.special("ctaid.x"), threads, k.special("tid.x"))
	k.op("mul.lo.u32 %s, %s, %s", stride, k.special("nctaid.x"), threads)
	k.loop(k.reg(truth), "loop", "done", index, n, stride, func() { body(index) })
}

func (k *kernel) zero() string {
	r := k.reg(wide)
	k.op("mov.f64 %s, 0d0000000000000000", r)
	return r
}

// leave sums values over a block and writes them as those of block ctaid.x of row ctaid.y.
func (k *kernel) leave(to string, values ...string) {
	tid, row, others := k.special("tid.x"), k.special("ctaid.y"), k.reg(truth)
	k.tree(k.sharedBase(8*Threads/32*len(values)), tid, values)
	end, at := k.label("end"), k.reg(address)
	k.op("setp.ne.u32 %s, %s, 0", others, tid)
	k.op("@%s bra %s", others, end)
	k.op("mad.wide.u32 %s, %s, %d, %s", at, k.mad(row, k.special("nctaid.x"), k.special("ctaid.x")), 8*len(values), to)
	for i, v := range values {
		k.op("st.global.f64 [%s+%d], %s", at, 8*i, v)
	}
	k.at(end)
}

// dots writes the kernel of the products of many vectors with two:
//
//	parameters: list of vector addresses, a, b, address of the sums of each block, n
//
// Row y of the grid has vector y of the list, and its block x writes its part of v·a and v·b. Products and sums
// are in double and in a fixed order.
func dots(p precision) string {
	k := newKernel(p, "dots", "u64", "u64", "u64", "u64", "u32")
	list, a, b, to, n := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4)
	entry, v := k.reg(address), k.reg(address)
	k.op("mad.wide.u32 %s, %s, 8, %s", entry, k.special("ctaid.y"), list)
	k.op("ld.global.u64 %s, [%s+0]", v, entry)
	first, second := k.zero(), k.zero()
	k.strides(n, func(index string) {
		x := k.get(k.element(v, index))
		k.op("fma.rn.f64 %s, %s, %s, %s", first, x, k.get(k.element(a, index)), first)
		k.op("fma.rn.f64 %s, %s, %s, %s", second, x, k.get(k.element(b, index)), second)
	})
	k.leave(to, first, second)
	return k.String()
}

// direct writes the kernel of a direction of OWL-QN:
//
//	parameters: list of addresses, list of doubles, their number, pseudo-gradient, address of the direction, kink, n
//
// The direction is the weighted sum of the vectors in double. With a kink, entries that do not oppose the
// pseudo-gradient are zero.
func direct(p precision) string {
	k := newKernel(p, "direct", "u64", "u64", "u32", "u64", "u64", "f64", "u32")
	list, factors, count, pseudo, to, kink, n := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4), k.param(5), k.param(6)
	kinked := k.reg(truth)
	k.op("setp.gt.f64 %s, %s, 0d0000000000000000", kinked, kink)
	k.strides(n, func(index string) {
		sum, i, atVector, atFactor, v := k.zero(), k.reg(word), k.reg(address), k.reg(address), k.reg(address)
		k.op("mov.u32 %s, 0", i)
		k.loop(k.reg(truth), "vector", "sum", i, count, "1", func() {
			k.op("mad.wide.u32 %s, %s, 8, %s", atVector, i, list)
			k.op("mad.wide.u32 %s, %s, 8, %s", atFactor, i, factors)
			k.op("ld.global.u64 %s, [%s+0]", v, atVector)
			k.op("fma.rn.f64 %s, %s, %s, %s", sum, k.loadWide(atFactor, 0), k.get(k.element(v, index)), sum)
		})
		value := k.narrow(sum)
		against := k.arith("mul.rn", value, k.load(k.element(pseudo, index), 0))
		with := k.reg(truth)
		k.op("setp.ge.and.%s %s, %s, %s, %s", p.name, with, against, k.imm(0), kinked)
		k.op("@%s mov.%s %s, %s", with, p.name, value, k.imm(0))
		k.op("st.global.%s [%s], %s", p.name, k.element(to, index), value)
	})
	return k.String()
}

// try writes the kernel of one attempt of a line search:
//
//	parameters: X, direction, pseudo-gradient, address of the point, address of the sums of each block, length, kink, n
//
// The point is X moved by the length along the direction. With a kink, an entry is zero if its sign would
// differ from that of X, or, if X is zero, from that of the negative pseudo-gradient. The sum is the change
// that the pseudo-gradient predicts.
func try(p precision) string {
	k := newKernel(p, "try", "u64", "u64", "u64", "u64", "u64", "f64", "f64", "u32")
	here, direction, pseudo, to, sums, length, kink, n := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4), k.narrow(k.param(5)), k.param(6), k.param(7)
	smooth, promised := k.reg(truth), k.zero()
	k.op("setp.leu.f64 %s, %s, 0d0000000000000000", smooth, kink)
	k.strides(n, func(index string) {
		x, g := k.load(k.element(here, index), 0), k.load(k.element(pseudo, index), 0)
		moved := k.arith("add.rn", x, k.arith("mul.rn", length, k.load(k.element(direction, index), 0)))
		side, nowhere, positive, negative, value := k.reg(number), k.reg(truth), k.reg(truth), k.reg(truth), k.reg(number)
		k.op("mov.%s %s, %s", p.name, side, x)
		k.op("setp.eq.%s %s, %s, %s", p.name, nowhere, x, k.imm(0))
		k.op("@%s neg.%s %s, %s", nowhere, p.name, side, g)
		k.op("setp.gt.%s %s, %s, %s", p.name, positive, side, k.imm(0))
		k.op("setp.lt.%s %s, %s, %s", p.name, negative, side, k.imm(0))
		k.op("setp.gt.and.%s %s, %s, %s, %s", p.name, positive, moved, k.imm(0), positive)
		k.op("setp.lt.and.%s %s, %s, %s, %s", p.name, negative, moved, k.imm(0), negative)
		k.op("mov.%s %s, %s", p.name, value, k.imm(0))
		for _, keep := range []string{smooth, positive, negative} {
			k.op("@%s mov.%s %s, %s", keep, p.name, value, moved)
		}
		k.op("st.global.%s [%s], %s", p.name, k.element(to, index), value)
		k.op("fma.rn.f64 %s, %s, %s, %s", promised, k.widen(g), k.widen(k.arith("sub.rn", value, x)), promised)
	})
	k.leave(sums, promised)
	return k.String()
}
