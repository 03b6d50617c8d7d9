package chol

// A Regression is the factor of the regressors P of a response v, from covariances S:
//
//	L·Lᵀ = S_PP + Ridge·I,   Z = L⁻¹·S_Pv,   Left = S_vv + Ridge - |Z|².
type Regression struct {
	Factor
	Z     []float64
	Left  float64
	Ridge float64 // added to every variance; if positive, no pivot is smaller and no column is determined

	scratch []float64
}

// Regress sets g to the regression of column v on the columns in set. Entry (i, j) of the covariances is s[i·stride + j].
// It costs k³/6 multiplications for k columns.
func Regress[I Index](g *Regression, s []float64, stride int, v I, set []I) {
	g.Reset(len(set))
	g.Z = Grown(g.Z, len(set))
	for i, p := range set {
		row := g.Next()
		Gather(row, s[int(p)*stride:], set[:i+1])
		if g.Ridge > 0 {
			row[i] += g.Ridge
			g.Append(max(g.Reduce(), g.Ridge))
		} else {
			g.Add(row[i])
		}
	}
	row := s[int(v)*stride:]
	Gather(g.Z, row, set)
	g.Left = g.Forward(g.Z, row[v]+g.Ridge)
}

// Candidate returns the pivot of x, a column outside the set of Regress, as one more regressor of v, and by how much it
// lowers Left. Both are 0 for a determined column. It costs k²/2 multiplications.
func Candidate[I Index](g *Regression, s []float64, stride int, v, x I, set []I) (pivot, takes float64) {
	g.scratch = Grown(g.scratch, len(set))
	w, row := g.scratch, s[int(x)*stride:]
	Gather(w, row, set)
	pivot = g.Forward(w, row[x]+g.Ridge)
	if g.Ridge > 0 {
		pivot = max(pivot, g.Ridge)
	} else if !(pivot > Determined*row[x]) {
		return 0, 0
	}
	with := row[v]
	for i, a := range w {
		with -= a * g.Z[i]
	}
	return pivot, with * with / pivot
}

// Coefficients returns the regression coefficients, 0 for determined columns. The slice is valid until the next call of any
// method.
func (g *Regression) Coefficients() []float64 {
	g.scratch = Grown(g.scratch, len(g.Z))
	copy(g.scratch, g.Z)
	g.Back(g.scratch)
	return g.scratch
}
