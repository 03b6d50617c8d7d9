package ptx

// These are the losses of a linear predictor, encoded in a word: the number, and from bit 8 on the number of
// predictors of its column. Further predictors of a column are Inside.
const (
	LossSquared = iota
	LossLogistic
	LossPoisson
	LossSoftmax
	LossInside
)

// losses writes the kernel that replaces linear predictors by the slopes of their losses and sums the losses:
//
//	parameters: X, its leading dimension, predictors, their leading dimension, kinds, rows, predictors of a row, sums
//
// Predictor j of a row belongs to column j + 1 of X, whose first column has ones. A thread processes one column
// of a row at a time. It computes the losses of package score in double. Each block writes its sum.
func losses(p precision) string {
	k := newKernel(p, "losses", "u64", "u32", "u64", "u32", "u64", "u32", "u32", "u64")
	x, strideX, eta, stride, kinds, rows, width, sums := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4), k.param(5), k.param(6), k.param(7)
	count := k.mul(rows, width)
	sum := k.zero()
	add := func(v string) { k.op("add.rn.f64 %s, %s, %s", sum, sum, v) }
	k.items(count, width, func(row, j string) {
		at, own := k.element(eta, k.mad(row, stride, j)), k.element(x, k.mad(row, strideX, k.plus(j, "1")))
		kindAt, loss, kind := k.reg(address), k.reg(word), k.reg(word)
		k.op("mad.wide.u32 %s, %s, 4, %s", kindAt, j, kinds)
		k.op("ld.global.u32 %s, [%s]", loss, kindAt)
		k.op("and.b32 %s, %s, 255", kind, loss)
		next := k.label("next")
		is := func(which int, body func()) {
			no, over := k.reg(truth), k.label("other")
			k.op("setp.ne.u32 %s, %s, %d", no, kind, which)
			k.op("@%s bra %s", no, over)
			body()
			k.op("bra %s", next)
			k.at(over)
		}
		is(LossInside, func() {})
		is(LossSoftmax, func() { softmax(k, at, own, loss, add) })
		e, y := k.get(at), k.get(own)
		is(LossSquared, func() {
			r := k.calc("sub.rn", e, y)
			add(k.calc("mul.rn", k.calc("mul.rn", r, r), real(0.5)))
			k.put(at, r)
		})
		product := k.calc("mul.rn", y, e)
		is(LossLogistic, func() {
			probability, small := k.sigmoid(e)
			add(k.calc("sub.rn", k.calc("add.rn", k.calc("max", e, real(0)), k.log1p(small)), product))
			k.put(at, k.calc("sub.rn", probability, y))
		})
		mean := k.exp(e) // Poisson
		add(k.calc("sub.rn", mean, product))
		k.put(at, k.calc("sub.rn", mean, y))
		k.at(next)
	})
	k.leave(sums, sum)
	return k.String()
}

// softmax writes log(1 + Σ_l e^{η_l}) - Σ_l y_l η_l and its slopes, with the largest predictor factored out of
// the exponentials.
func softmax(k *kernel, eta, y, loss string, add func(string)) {
	width, most, product, sum := k.reg(word), k.zero(), k.zero(), k.reg(wide)
	k.op("shr.u32 %s, %s, 8", width, loss)
	k.repeat(width, func(i string) {
		e := k.get(k.element(eta, i))
		k.op("max.f64 %s, %s, %s", most, most, e)
		k.op("fma.rn.f64 %s, %s, %s, %s", product, k.get(k.element(y, i)), e, product)
	})
	first := k.exp(k.calc("neg", most)) // term of the level without a predictor
	k.move(sum, first)
	k.repeat(width, func(i string) {
		k.op("add.rn.f64 %s, %s, %s", sum, sum, k.exp(k.calc("sub.rn", k.get(k.element(eta, i)), most)))
	})
	add(k.calc("sub.rn", k.calc("add.rn", most, k.log(sum)), product))
	k.repeat(width, func(i string) {
		at := k.element(eta, i)
		share := k.calc("div.rn", k.exp(k.calc("sub.rn", k.get(at), most)), sum)
		k.put(at, k.calc("sub.rn", share, k.get(k.element(y, i))))
	})
}
