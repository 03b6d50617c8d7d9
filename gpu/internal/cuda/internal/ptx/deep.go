package ptx

import "math"

// deep writes the kernel of networks with two hidden layers of leaky rectifiers, one per column, between the
// products of their first layer:
//
//	a = λ(η),   b = λ(secondᵀa + bias),   μ = mean·b + m,   s = deviation·b + l,   and each block writes the sum of ½(x - μ)²e^{-2s} + s + ½ln 2π.
//
// The predictors η are replaced by a. With ∂μ = -(x - μ)e^{-2s} and ∂s = 1 - (x - μ)²e^{-2s}, ∂b = (∂μ·mean +
// ∂s·deviation)λ'(b) and ∂a = (second·∂b)λ'(a), which goes to slopes. The matrix beside has, one after the
// other, the terms whose sums over rows are the gradients in bias, mean, m, l and deviation: ∂b, ∂μ·b, ∂μ, ∂s
// and ∂s·b; the last only with a deviation. The sign of a rectifier's output is that of its input.
//
//	parameters: X, its leading dimension, predictors and slopes, theirs, beside, its, second with all behind it, rows, columns, units of a layer, whether there is a deviation,
//	the slope below zero as the bits of a double, sums
func deep(p precision) string {
	k := newKernel(p, "deep", "u64", "u32", "u64", "u64", "u32", "u64", "u32", "u64", "u32", "u32", "u32", "u32", "u64", "u64")
	x, strideX, eta, down, stride, beside, strideBeside := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4), k.param(5), k.param(6)
	second, rows, columns, hidden, deviates, leakBits, sums := k.param(7), k.param(8), k.param(9), k.param(10), k.param(11), k.param(12), k.param(13)
	leak := k.reg(wide)
	k.op("mov.b64 %s, %s", leak, leakBits)
	times := func(a, b string) string { return k.mad(a, b, "0") }
	count, units := times(rows, columns), times(columns, hidden)
	twice := k.plus(units, units)
	bias := k.element(second, times(units, hidden))
	mean := k.element(bias, units)
	shift := k.element(mean, units)
	logs := k.element(shift, columns)
	deviation := k.element(logs, columns)
	slope := func(of string) string { // λ' from the value of λ
		r, below := k.reg(wide), k.reg(truth)
		k.op("setp.le.f64 %s, %s, %s", below, of, real(0))
		k.op("selp.f64 %s, %s, %s, %s", r, leak, real(1), below)
		return r
	}
	deviating := k.reg(truth)
	k.op("setp.ne.u32 %s, %s, 0", deviating, deviates)
	weight := func(i string) string { // weight of a unit in s
		r := k.zero()
		k.op("@%s ld.global.f64 %s, [%s]", deviating, r, k.element(deviation, i))
		return r
	}
	sum := k.zero()
	k.items(count, columns, func(row, j string) {
		first := times(j, hidden)
		from, to := k.element(eta, k.mad(row, stride, first)), k.element(down, k.mad(row, stride, first))
		line := k.mad(row, strideBeside, "0")
		place := func(entry string) string { return k.element(beside, k.plus(line, entry)) }
		k.repeat(hidden, func(i string) {
			at := k.element(from, i)
			value := k.get(at)
			k.put(at, k.calc("mul.rn", value, slope(value)))
		})
		mu, s := k.zero(), k.zero()
		k.move(mu, k.get(k.element(shift, j)))
		k.move(s, k.get(k.element(logs, j)))
		k.repeat(hidden, func(u string) { // the second layer is stored where its slopes will be
			own := k.plus(first, u)
			value := k.zero()
			k.move(value, k.get(k.element(bias, own)))
			k.repeat(hidden, func(i string) {
				joined := k.get(k.element(second, k.mad(k.plus(first, i), hidden, u)))
				k.op("fma.rn.f64 %s, %s, %s, %s", value, k.get(k.element(from, i)), joined, value)
			})
			b := k.calc("mul.rn", value, slope(value))
			k.put(place(own), b)
			k.op("fma.rn.f64 %s, %s, %s, %s", mu, b, k.get(k.element(mean, own)), mu)
			k.op("fma.rn.f64 %s, %s, %s, %s", s, b, weight(own), s)
		})
		off := k.calc("sub.rn", k.get(k.element(x, k.mad(row, strideX, j))), mu)
		precise := k.calc("mul.rn", off, k.exp(k.calc("mul.rn", s, real(-2))))
		square := k.calc("mul.rn", off, precise)
		k.op("add.rn.f64 %s, %s, %s", sum, sum, k.calc("add.rn", k.calc("fma.rn", square, real(0.5), s), real(math.Log(2*math.Pi)/2)))
		gradMu, gradS := k.calc("neg", precise), k.calc("sub.rn", real(1), square)
		k.put(place(k.plus(twice, j)), gradMu)
		k.put(place(k.plus(k.plus(twice, columns), j)), gradS)
		last := k.plus(k.plus(twice, columns), columns)
		k.repeat(hidden, func(u string) {
			own := k.plus(first, u)
			at := place(own)
			b := k.get(at)
			k.put(place(k.plus(units, own)), k.calc("mul.rn", gradMu, b))
			product := k.narrow(k.calc("mul.rn", gradS, b))
			k.op("@%s st.global.%s [%s], %s", deviating, p.name, place(k.plus(last, own)), product)
			sent := k.calc("fma.rn", gradS, weight(own), k.calc("mul.rn", gradMu, k.get(k.element(mean, own))))
			k.put(at, k.calc("mul.rn", sent, slope(b)))
		})
		k.repeat(hidden, func(i string) {
			value, joined := k.zero(), times(k.plus(first, i), hidden)
			k.repeat(hidden, func(u string) {
				k.op("fma.rn.f64 %s, %s, %s, %s", value, k.get(k.element(second, k.plus(joined, u))), k.get(place(k.plus(first, u))), value)
			})
			k.put(k.element(to, i), k.calc("mul.rn", value, slope(k.get(k.element(from, i)))))
		})
	})
	k.leave(sums, sum)
	return k.String()
}

// joints writes the kernel of the gradient in the weights between two layers: entry (jh + i, u) is the sum over
// rows of a_{jh+i} ∂b_{jh+u}, with h units per layer.
//
//	parameters: a, its leading dimension, ∂b, its, the gradient, entries, units of a layer, rows
func joints(p precision) string {
	k := newKernel(p, "joints", "u64", "u32", "u64", "u32", "u64", "u32", "u32", "u32")
	a, strideA, b, strideB, to, count, hidden, rows := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4), k.param(5), k.param(6), k.param(7)
	k.items(count, hidden, func(unit, u string) {
		network, sum := k.reg(word), k.zero()
		k.op("div.u32 %s, %s, %s", network, unit, hidden)
		other := k.mad(network, hidden, u)
		k.repeat(rows, func(row string) {
			k.op("fma.rn.f64 %s, %s, %s, %s", sum, k.get(k.element(a, k.mad(row, strideA, unit))), k.get(k.element(b, k.mad(row, strideB, other))), sum)
		})
		k.put(k.element(to, k.mad(unit, hidden, u)), sum)
	})
	return k.String()
}
