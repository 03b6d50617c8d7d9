package ptx

import "fmt"

// An autoencoder applies networks of one input, with one hidden layer of rectifiers, to every entry of a
// matrix:
//
//	f(x) = bias + Σ_k out_k·max(0, in_k·x + b_k).
//
// In memory, such a network is in, b, out, each with one number per unit, and bias. A rectifier has slope 0 at
// 0. Sums over units are in order.

// rectifiers calls visit for every unit with its input, its weight, and whether it is above zero. Weights are
// read again each time, because they stay in the cache.
func (k *kernel) rectifiers(net, hidden, x string, visit func(in, out, active, above string)) {
	b, out := k.element(net, hidden), k.element(k.element(net, hidden), hidden)
	k.repeat(hidden, func(i string) {
		in := k.get(k.element(net, i))
		active, above := k.calc("fma.rn", in, x, k.get(k.element(b, i))), k.reg(truth)
		k.op("setp.gt.f64 %s, %s, %s", above, active, real(0))
		visit(in, k.get(k.element(out, i)), active, above)
	})
}

// through returns f(x).
func (k *kernel) through(net, hidden, x string) string {
	f := k.zero()
	k.rectifiers(net, hidden, x, func(_, out, active, above string) {
		k.op("@%s fma.rn.f64 %s, %s, %s, %s", above, f, out, active, f)
	})
	return k.calc("add.rn", f, k.get(k.element(net, k.mul(hidden, "3"))))
}

// encode writes the kernel of e = f(x) + c:
//
//	parameters: x, e, leading dimension of both, entries, columns, f, its units, c
func encode(p precision) string {
	k := newKernel(p, "encode", "u64", "u64", "u32", "u32", "u32", "u64", "u32", "u64")
	x, e, leading, count, columns, net, hidden, shift := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4), k.param(5), k.param(6), k.param(7)
	c := k.get(shift)
	k.items(count, columns, func(row, col string) {
		index := k.mad(row, leading, col)
		k.put(k.element(e, index), k.calc("add.rn", k.through(net, hidden, k.get(k.element(x, index))), c))
	})
	return k.String()
}

// between writes the kernel of z = e - m - c and u = z + noise + c:
//
//	parameters: e, m, noise, z, u, leading dimension of all, entries, columns, c
func between(p precision) string {
	k := newKernel(p, "between", "u64", "u64", "u64", "u64", "u64", "u32", "u32", "u32", "u64")
	e, m, noise, z, u := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4)
	leading, count, columns, shift := k.param(5), k.param(6), k.param(7), k.param(8)
	c := k.get(shift)
	k.items(count, columns, func(row, col string) {
		index := k.mad(row, leading, col)
		value := k.calc("sub.rn", k.calc("sub.rn", k.get(k.element(e, index)), k.get(k.element(m, index))), c)
		k.put(k.element(z, index), value)
		k.put(k.element(u, index), k.calc("add.rn", k.calc("add.rn", value, k.get(k.element(noise, index))), c))
	})
	return k.String()
}

// decode writes the kernel of y = v - c, which replaces v, r = f(y) - x, and r·f'(y). Each block writes its sum
// of ½r² + ½z²:
//
//	parameters: v, x, z, r, leading dimension of these, r·f'(y), its leading dimension, entries, columns, f, its units, c, sums
func decode(p precision) string {
	k := newKernel(p, "decode", "u64", "u64", "u64", "u64", "u32", "u64", "u32", "u32", "u32", "u64", "u32", "u64", "u64")
	v, x, z, r, leading, back, strideBack := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4), k.param(5), k.param(6)
	count, columns, net, hidden, shift, sums := k.param(7), k.param(8), k.param(9), k.param(10), k.param(11), k.param(12)
	c, sum := k.get(shift), k.zero()
	k.items(count, columns, func(row, col string) {
		index := k.mad(row, leading, col)
		at := k.element(v, index)
		y := k.calc("sub.rn", k.get(at), c)
		k.put(at, y)
		off := k.calc("sub.rn", k.through(net, hidden, y), k.get(k.element(x, index)))
		k.put(k.element(r, index), off)
		slope := k.zero()
		k.rectifiers(net, hidden, y, func(in, out, _, above string) {
			k.op("@%s fma.rn.f64 %s, %s, %s, %s", above, slope, in, out, slope)
		})
		k.put(k.element(back, k.mad(row, strideBack, col)), k.calc("mul.rn", off, slope))
		own := k.get(k.element(z, index))
		square := k.calc("fma.rn", own, own, k.calc("mul.rn", off, off))
		k.op("fma.rn.f64 %s, %s, %s, %s", sum, square, real(0.5), sum)
	})
	k.leave(sums, sum)
	return k.String()
}

// add writes the kernel of x + y, or of x - y under another name:
//
//	parameters: x, its leading dimension, y, its, the sum, its, entries, columns
func add(p precision, name, op string) string {
	k := newKernel(p, name, "u64", "u32", "u64", "u32", "u64", "u32", "u32", "u32")
	x, strideX, y, strideY, to, stride, count, columns := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4), k.param(5), k.param(6), k.param(7)
	k.items(count, columns, func(row, col string) {
		at := func(base, leading string) string { return k.element(base, k.mad(row, leading, col)) }
		k.put(at(to, stride), k.calc(op, k.get(at(x, strideX)), k.get(at(y, strideY))))
	})
	return k.String()
}

// slopes writes the kernel of the gradient of Σ g f(x) over all entries in the parameters of f, with the same
// layout:
//
//	parameters: x, g, leading dimension of both, entries, columns, f, its units, gradient
//
// Block k computes unit k, and the last block the bias: a unit with in = 0 and b = 1, whose weight has the
// slope Σ g.
func slopes(p precision) string {
	k := newKernel(p, "slopes", "u64", "u64", "u32", "u32", "u32", "u64", "u32", "u64")
	x, g, leading, count, columns, net, hidden, to := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4), k.param(5), k.param(6), k.param(7)
	unit, tid := k.special("ctaid.x"), k.special("tid.x")
	place := func(times int) string { return k.mad(hidden, fmt.Sprint(times), unit) }
	in, b, out, last := k.zero(), k.zero(), k.zero(), k.reg(truth)
	k.op("setp.eq.u32 %s, %s, %s", last, unit, hidden)
	k.move(b, real(1))
	for i, r := range []string{in, b, out} { // the last block reads nothing
		k.op("@!%s ld.global.f64 %s, [%s]", last, r, k.element(net, place(i)))
	}
	sumIn, sumB, sumOut := k.zero(), k.zero(), k.zero()
	item := k.reg(word)
	k.op("mov.u32 %s, %s", item, tid)
	over := k.reg(truth)
	k.loop(over, "loop", "done", item, count, fmt.Sprint(Threads), func() {
		row, col := k.divide(item, columns)
		index, above := k.mad(row, leading, col), k.reg(truth)
		value, weight := k.get(k.element(x, index)), k.get(k.element(g, index))
		active := k.calc("fma.rn", in, value, b)
		k.op("setp.gt.f64 %s, %s, %s", above, active, real(0))
		k.op("@%s fma.rn.f64 %s, %s, %s, %s", above, sumOut, weight, active, sumOut)
		k.op("@%s add.rn.f64 %s, %s, %s", above, sumB, sumB, weight)
		k.op("@%s fma.rn.f64 %s, %s, %s, %s", above, sumIn, weight, value, sumIn)
	})
	k.tree(k.sharedBase(3*8*Threads/32), tid, []string{sumIn, sumB, sumOut})
	end, biased := k.label("end"), k.label("bias")
	k.op("setp.ne.u32 %s, %s, 0", over, tid)
	k.op("@%s bra %s", over, end)
	k.op("@%s bra %s", last, biased)
	k.put(k.element(to, place(0)), k.calc("mul.rn", sumIn, out))
	k.put(k.element(to, place(1)), k.calc("mul.rn", sumB, out))
	k.put(k.element(to, place(2)), sumOut)
	k.op("bra %s", end)
	k.at(biased)
	k.put(k.element(to, place(2)), sumOut)
	k.at(end)
	return k.String()
}
