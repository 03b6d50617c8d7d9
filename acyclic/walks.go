package acyclic

// walks are weights by which h = Σ_{k=1..K} t_k, t_k = tr(Aᵏ), is read off Horner's rule over blocks of s coefficients, without a product of
// its own. The rule leaves the powers B … B^{s-1} and
//
//	R_b = Σ_j (sb+j+1) B^j,   j = 0 … K-1-sb,   R_0 = P.
//
// The trace of BⁱR_b has t_m with weight K for its last term, m = K-1-sb+i, and with one less for each term before it. So the traces of P and BP, and those with
// b ≥ 1 and i < s, have each of their last terms at another m, down from K, and one can be solved for after the other. With q = 1 + 1/K the
// solution is a geometric sequence,
//
//	h = tr(BP)/K + tr(P - I)/K² + 1/K² Σ_{b≥1} Σ_{i<s} q^{sb-i} tr(BⁱR_b)' + Σ_{m<s} ρ_m t_m,
//
// where ' leaves the identity out if i = 0, and ρ_m ≥ 0 is what is missing of the shortest walks. The double sum is the trace of one product of two matrices,
// (Σ_i q^{-i}Bⁱ)(Σ_b q^{sb}R_b), which takes O(d²). No weight is negative: nothing cancels, and h is as exact as the entries of the powers are.
type walks struct {
	k, s  int
	along float64   // 1/K, of tr(BP)
	rest  float64   // 1/K², of the traces of the R_b and of the one product
	rung  []float64 // q^{sb}, of R_b, b = 0 …
	power []float64 // q^{-i}, of Bⁱ, i = 0 … s-1
	short []float64 // ρ_m, of t_m, m = 0 … s-1; that of t_0 is zero
}

func newWalks(k, s int) walks {
	q := 1 + 1/float64(k)
	x := walks{k: k, s: s, along: 1 / float64(k), rest: 1 / float64(k*k)}
	step := 1.0
	for range s {
		x.power = append(x.power, 1/step)
		step *= q
	}
	rung := 1.0
	for b := 0; b*s < k; b++ {
		x.rung = append(x.rung, rung)
		rung *= step
	}
	x.short = make([]float64, s)
	for m := 1; m < s; m++ {
		x.short[m] = max(0, 1-x.seen(m)) // rounding can make -1e-16 of a zero
	}
	return x
}

// seen returns the weight of t_m in the traces that are not of a power alone: 1 for m ≥ s.
func (x *walks) seen(m int) float64 {
	sum := x.along * float64(m)
	for b, rung := range x.rung {
		for i, power := range x.power {
			if last := x.k - 1 - x.s*b + i; i <= m && m <= last && (b > 0 || i == 0) {
				sum += x.rest * rung * power * float64(x.k-last+m)
			}
		}
	}
	return sum
}

// sum returns h, given tr(BP), the sum over b of q^{sb} tr(R_b) without the identities, the trace of the one product without the term i = 0, and t_1 … t_{s-1}.
func (x *walks) sum(along, rungs, product float64, short []float64) float64 {
	h := x.along*along + x.rest*(rungs+product)
	for m, t := range short {
		h += x.short[m+1] * t
	}
	return h
}
