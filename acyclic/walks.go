package acyclic

// walks holds the weights that compute h = Σ_{k=1..K} t_k, t_k = tr(Aᵏ), from the intermediate results of
// Horner's rule over blocks of s coefficients, without another product. The rule provides the powers B …
// B^{s-1} and
//
//	R_b = Σ_j (sb+j+1) B^j,   j = 0 … K-1-sb,   R_0 = P.
//
// The trace of BⁱR_b contains t_m with weight K for its last term, m = K-1-sb+i, and one less for each earlier
// term. The traces of P and BP, and those with b ≥ 1 and i < s, have different last terms, from m = K down. So
// the weights follow one after the other. With q = 1 + 1/K the solution is a geometric sequence,
//
//	h = tr(BP)/K + tr(P - I)/K² + 1/K² Σ_{b≥1} Σ_{i<s} q^{sb-i} tr(BⁱR_b)' + Σ_{m<s} ρ_m t_m,
//
// where ' omits the identity if i = 0, and ρ_m ≥ 0 is the missing weight of the shortest walks. The double sum
// is the trace of one product of two matrices, (Σ_i q^{-i}Bⁱ)(Σ_b q^{sb}R_b), which costs O(d²). No weight is
// negative, so nothing cancels.
type walks struct {
	k, s  int
	along float64   // 1/K, the weight of tr(BP)
	rest  float64   // 1/K², the weight of the traces of the R_b and of the product
	rung  []float64 // q^{sb}, the weight of R_b, b = 0 …
	power []float64 // q^{-i}, the weight of Bⁱ, i = 0 … s-1
	short []float64 // ρ_m, the weight of t_m, m = 0 … s-1; ρ_0 is zero
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
		x.short[m] = max(0, 1-x.seen(m)) // rounding can turn a zero into -1e-16
	}
	return x
}

// seen returns the weight of t_m in all traces except those of single powers. It is 1 for m ≥ s.
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

// sum returns h. Its arguments are tr(BP), the sum over b of q^{sb} tr(R_b) without the identities, the trace
// of the product without the term i = 0, and t_1 … t_{s-1}.
func (x *walks) sum(along, rungs, product float64, short []float64) float64 {
	h := x.along*along + x.rest*(rungs+product)
	for m, t := range short {
		h += x.short[m+1] * t
	}
	return h
}
