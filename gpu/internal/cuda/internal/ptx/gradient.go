package ptx

// terms are the inputs of the gradient of an entry: addresses of S·W, S, (I - W)⁻ᵀ and ∂h/∂A, and scalars.
type terms struct {
	sw, s, y, q   string
	share         string // for a likelihood: one over the residual variance of the column
	lambda, width string
	slope         string // lambda over width
	weight, twice string // weights of score and penalty, and twice the weight of h
}

// gradients returns the gradient of weight·(score + penalty) + (weight of h)·h at the entries of a thread. With
// g the gradient of the score (S·W - S, or its share and (I - W)⁻ᵀ for a likelihood), and the penalty λ|w| of
// L1, minus λ/(2γ) clamp(w)² for MCP, it is
//
//	weight·(g + λ sign(w) - (λ/γ) clamp(w)) + 2·(weight of h)·w q.
//
// It stores y and q of the entries in gradY and gradQ if the flags request them.
func (k *kernel) gradients(flags string, t terms, entries []entry, gradY, gradQ [4]string) (g [4]string) {
	name := k.precision.name
	for i, e := range entries {
		g[i] = k.arith("sub.rn", k.load(k.element(t.sw, e.index), 0), k.load(k.element(t.s, e.index), 0))
	}
	k.when(flags, Likelihood, func() {
		for i, e := range entries {
			k.op("ld.global.%s %s, [%s]", name, gradY[i], k.element(t.y, e.index))
		}
		for i := range entries {
			k.op("fma.rn.%s %s, %s, %s, %s", name, g[i], t.share, g[i], gradY[i])
		}
	})
	k.when(flags, PenaltyL1|PenaltyMCP, func() {
		for i, e := range entries {
			k.addSign(g[i], "add", e.value, t.lambda)
		}
	})
	k.when(flags, PenaltyMCP, func() {
		low, minus := k.reg(number), k.reg(number)
		k.op("neg.%s %s, %s", name, low, t.width)
		k.op("neg.%s %s, %s", name, minus, t.slope)
		for i, e := range entries {
			c := k.arith("max", k.arith("min", e.value, t.width), low)
			k.op("fma.rn.%s %s, %s, %s, %s", name, g[i], minus, c, g[i])
		}
	})
	for i := range entries {
		k.op("mul.rn.%s %s, %s, %s", name, g[i], g[i], t.weight)
	}
	k.when(flags, Constrained, func() {
		for i, e := range entries {
			k.op("ld.global.%s %s, [%s]", name, gradQ[i], k.element(t.q, e.index))
		}
		for i, e := range entries {
			chained := k.arith("mul.rn", k.arith("mul.rn", t.twice, e.value), gradQ[i])
			k.op("add.rn.%s %s, %s, %s", name, g[i], g[i], chained)
		}
	})
	return g
}

// addSign adds size·sign(x) to g or subtracts it; sign(0) is 0.
func (k *kernel) addSign(g, op, x, size string) {
	other := map[string]string{"add": "sub", "sub": "add"}[op]
	positive, negative := k.reg(truth), k.reg(truth)
	k.op("setp.gt.%s %s, %s, %s", k.precision.name, positive, x, k.imm(0))
	k.op("setp.lt.%s %s, %s, %s", k.precision.name, negative, x, k.imm(0))
	k.op("@%s %s.rn.%s %s, %s, %s", positive, op, k.precision.name, g, g, size)
	k.op("@%s %s.rn.%s %s, %s, %s", negative, other, k.precision.name, g, g, size)
}
