package ptx

// units writes the kernel of networks with one hidden layer of sigmoids, one per column, between the products
// of their first layer:
//
//	f_j = shift_j + Σ_k out_jk s_jk,   s_jk = σ(η_jk),   each block writes the sum of r_j² = (x_j - f_j)²,
//
// with g_j = -2 r_j. The predictors are replaced by the slopes g_j out_jk s_jk (1 - s_jk). The matrix beside
// has g_j s_jk and then g_j, whose sums over rows are the gradients in out and shift.
//
//	parameters: X, its leading dimension, predictors, theirs, beside, its, out and shift, rows, columns, units of a column, sums
func units(p precision) string {
	k := newKernel(p, "units", "u64", "u32", "u64", "u32", "u64", "u32", "u64", "u32", "u32", "u32", "u64")
	x, strideX, eta, stride, beside, strideBeside := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4), k.param(5)
	tail, rows, columns, hidden, sums := k.param(6), k.param(7), k.param(8), k.param(9), k.param(10)
	count, all := k.mul(rows, columns), k.mul(columns, hidden)
	sum := k.zero()
	k.items(count, columns, func(row, j string) {
		first, atShift := k.mul(j, hidden), k.plus(all, j)
		from, to, out := k.element(eta, k.mad(row, stride, first)), k.element(beside, k.mad(row, strideBeside, first)), k.element(tail, first)
		f := k.zero()
		k.repeat(hidden, func(i string) {
			s, _ := k.sigmoid(k.get(k.element(from, i)))
			k.put(k.element(to, i), s)
			k.op("fma.rn.f64 %s, %s, %s, %s", f, s, k.get(k.element(out, i)), f)
		})
		k.op("add.rn.f64 %s, %s, %s", f, f, k.get(k.element(tail, atShift)))
		r := k.calc("sub.rn", k.get(k.element(x, k.mad(row, strideX, j))), f)
		k.op("fma.rn.f64 %s, %s, %s, %s", sum, r, r, sum)
		g := k.calc("mul.rn", r, real(-2))
		k.put(k.element(beside, k.mad(row, strideBeside, atShift)), g)
		k.repeat(hidden, func(i string) {
			at, next := k.element(from, i), k.element(to, i)
			s := k.get(next)
			steep := k.calc("mul.rn", s, k.calc("sub.rn", real(1), s))
			k.put(at, k.calc("mul.rn", k.calc("mul.rn", g, k.get(k.element(out, i))), steep))
			k.put(next, k.calc("mul.rn", g, s))
		})
	})
	k.leave(sums, sum)
	return k.String()
}
