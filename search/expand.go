package search

import (
	"math"
)

// expand computes the node of v given its parents P, k of them. With L·Lᵀ = R[P,P],
//
//	Z = L⁻¹·R[P,:]      partial variance of x given P    1 - Σ_i Z[i,x]²
//	l = L⁻¹·R[P,v]      partial covariance of v and x    R[v,x] - Σ_i l[i]·Z[i,x]
//
// and removing parent j raises the residual variance by b_j²/(R[P,P]⁻¹)_jj, b the coefficients.
// It costs k²/2 + 2k multiplications a column of R, all d of them: the search spends most of its time here. With a Score
// another one does all of this (ask.go).
func (w *worker) expand(v int32, hash uint64, parents []uint32) nodeID {
	e := w.e
	w.expansions++
	if w.eval != nil {
		return w.ask(v, hash, parents)
	}
	k := len(parents)
	s := w.factor(v, parents)
	loss := e.model.loss(v, s)

	w.hits = w.hits[:0]
	if k < e.limit && s > leastResidual {
		w.scanColumns(v, parents, e.model.screen(v, s, e.baseThreshold))
	}

	m := len(w.hits)
	id, nd := w.newNode(v, hash, parents, loss, m)
	for j := range parents {
		cost := float32(math.Inf(1))
		if !e.rules.isRequired(int32(parents[j]), v) {
			cost = float32(e.model.dropKey(v, w.rise[j], s))
		}
		nd[headerWords+k+j] = math.Float32bits(cost)
	}
	at := headerWords + 2*k
	for i, h := range w.hits {
		nd[at+i] = uint32(h.x)
		nd[at+m+i] = math.Float32bits(float32(e.model.key(v, h.q, s)))
	}
	return id
}

// newNode returns a node whose drop keys, candidates and keys are still to be written, m candidates.
func (w *worker) newNode(v int32, hash uint64, parents []uint32, loss float64, m int) (nodeID, node) {
	id, nd := w.arena.alloc(w.e.cache, nodeWords(len(parents), m))
	bits := math.Float64bits(loss)
	nd[0], nd[1] = uint32(bits), uint32(bits>>32)
	nd[2], nd[3] = uint32(hash), uint32(hash>>32)
	nd[4], nd[5], nd[6] = uint32(v), uint32(len(parents)), uint32(m)
	copy(nd[headerWords:], parents)
	return id, nd
}

// factor fills w.chol with L, row after row of length k, w.inv with the inverses of its
// diagonal, w.proj with l and w.rise with the rise of the residual variance on removal of each
// parent. It returns the residual variance of v. A parent that is a linear
// function of those before it gets a zero row in Z and can be removed for nothing.
func (w *worker) factor(v int32, parents []uint32) float64 {
	r := w.e.r
	k := len(parents)
	w.chol = grown(w.chol, k*k)
	w.inv = grown(w.inv, k)
	w.proj = grown(w.proj, k)
	w.rise = grown(w.rise, k)
	w.coef = grown(w.coef, k)
	rv := r.Row(int(v))
	s := 1.0
	for i, p := range parents {
		rp := r.Row(int(p))
		li := w.chol[i*k : i*k+i+1]
		diag := 1.0
		for j := range i {
			lj := w.chol[j*k : j*k+j]
			sum := rp[parents[j]]
			for t, y := range lj {
				sum -= li[t] * y
			}
			sum *= w.inv[j]
			li[j] = sum
			diag -= sum * sum
		}
		proj := rv[p]
		for j := range i {
			proj -= li[j] * w.proj[j]
		}
		if diag < leastPartial {
			li[i], w.inv[i], w.proj[i] = 0, 0, 0
			continue
		}
		li[i] = math.Sqrt(diag)
		w.inv[i] = 1 / li[i]
		w.proj[i] = proj * w.inv[i]
		s -= w.proj[i] * w.proj[i]
	}
	// Column j of L⁻¹ gives both (R[P,P]⁻¹)_jj, its squared length, and b_j, its product with l.
	for j := range k {
		x := w.coef[:k]
		x[j] = w.inv[j]
		b, q := x[j]*w.proj[j], x[j]*x[j]
		for i := j + 1; i < k; i++ {
			li := w.chol[i*k : i*k+i]
			sum := 0.0
			for t := j; t < i; t++ {
				sum -= li[t] * x[t]
			}
			x[i] = sum * w.inv[i]
			b += x[i] * w.proj[i]
			q += x[i] * x[i]
		}
		w.rise[j] = 0
		if q > 0 {
			w.rise[j] = b * b / q
		}
	}
	return s
}

// grown returns a slice of length n, s itself if it is long enough. The content is undefined.
func grown(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n, 2*n)
	}
	return s[:n]
}
