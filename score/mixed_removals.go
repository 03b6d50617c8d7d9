package score

import (
	"math"

	"github.com/polydag/polydag/internal/vec"
)

// Removals writes the score of v without parents[j] to dst[j] for each of the parents, from one factor of them all. With S the
// covariance matrix of the functions of the parents, T that of these and the block of v, and jj the diagonal block of
// parent j,
//
//	log det S_vv·P\j = log det S_vv·P + log det (T⁻¹)_jj - log det (S⁻¹)_jj.
//
// T⁻¹ is S⁻¹ + C'C on the parents, with C = Λ⁻¹·S_vP·S⁻¹ and Λ the Cholesky factor of S_vv·P. That costs K³/3 + K²·b
// multiplications for K functions of the parents and b of v, where a call of Score for each parent costs K³/6. Where
// functions determine one another it asks Score.
func (f *mixedFit) Removals(dst []float64, v int, parents []int) {
	size, priced := f.functions(parents)
	own := f.blocks[v]
	if float64(size+own.size) >= f.n || !f.removals(dst, v, parents, size, priced) {
		less := make([]int, 0, len(parents))
		for j := range parents {
			less = append(append(less[:0], parents[:j]...), parents[j+1:]...)
			dst[j] = f.Score(v, less)
		}
	}
}

// removals returns false where a function is determined by others.
func (f *mixedFit) removals(dst []float64, v int, parents []int, size, priced int) bool {
	own := f.blocks[v]
	f.factor(parents)
	k, m := len(f.columns), own.size
	if k < size {
		return false
	}
	f.w = grown(f.w, k*m)
	f.sweep(f.w, own.start, m)
	f.left(own)
	left := logDet(f.a, m, m)
	for i := range m {
		if !(f.a[i*m+i] > 0) {
			return false
		}
	}
	f.invert(k)
	// Row i of slopes is row i of S⁻¹·S_Pv = L⁻ᵀ·w, times Λ⁻ᵀ: column i of C.
	f.slopes = grown(f.slopes, k*m)
	clear(f.slopes)
	for h := range k {
		for i, x := range f.inverse[h*k : h*k+h+1] {
			vec.Axpy(f.slopes[i*m:(i+1)*m], x, f.w[h*m:(h+1)*m])
		}
	}
	for i := range k {
		row := f.slopes[i*m : (i+1)*m]
		for a := range row {
			row[a] = (row[a] - vec.Dot(row[:a], f.a[a*m:a*m+a])) / f.a[a*m+a]
		}
	}
	at := 0
	for j, p := range parents {
		b := f.blocks[p].size
		gain, ok := f.gain(at, b, k, m)
		if !ok {
			return false
		}
		at += b
		dst[j] = f.n*(left+gain-f.alone[v]) + f.price(m, priced-max(1, b))
	}
	return true
}

// invert writes L⁻¹, k×k row-major, lower triangle.
func (f *mixedFit) invert(k int) {
	f.inverse = grown(f.inverse, k*k)
	for i := range k {
		row := f.inverse[i*k : i*k+i+1]
		clear(row)
		for h, x := range f.l[i*k : i*k+i] {
			vec.Axpy(row[:h+1], -x, f.inverse[h*k:h*k+h+1])
		}
		row[i] = 1
		vec.Scale(row, 1/f.l[i*k+i], row)
	}
}

// gain returns log det (T⁻¹)_jj - log det (S⁻¹)_jj for the block of b functions from place at on. S⁻¹ is L⁻ᵀ·L⁻¹.
func (f *mixedFit) gain(at, b, k, m int) (gain float64, ok bool) {
	f.part = grown(f.part, 2*b*b)
	alone, joint := f.part[:b*b], f.part[b*b:]
	clear(alone)
	for h := at; h < k; h++ {
		row := f.inverse[h*k+at : h*k+min(at+b, h+1)]
		for i, x := range row {
			vec.Axpy(alone[i*b:i*b+i+1], x, row[:i+1])
		}
	}
	for i := range b {
		for j := range i + 1 {
			joint[i*b+j] = alone[i*b+j] + vec.Dot(f.slopes[(at+i)*m:(at+i+1)*m], f.slopes[(at+j)*m:(at+j+1)*m])
		}
	}
	over, ok := logPivots(joint, b)
	under, ok2 := logPivots(alone, b)
	return over - under, ok && ok2
}

// logPivots is the logarithm of the determinant of a symmetric matrix of which it overwrites the lower triangle; ok is false
// where that is not positive.
func logPivots(a []float64, m int) (sum float64, ok bool) {
	for i := range m {
		out := a[i*m : i*m+i]
		for j := range i {
			out[j] = (out[j] - vec.Dot(out[:j], a[j*m:j*m+j])) / a[j*m+j]
		}
		pivot := a[i*m+i] - vec.Dot(out, out)
		if !(pivot > 0) {
			return 0, false
		}
		a[i*m+i] = math.Sqrt(pivot)
		sum += math.Log(pivot)
	}
	return sum, true
}
