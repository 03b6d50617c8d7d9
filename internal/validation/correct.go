package validation

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/matrix"
)

const (
	leastShare = 0.005 // least share of either value in a corrected column
	leastEigen = 1e-3  // least eigenvalue of the corrected correlations
)

// Correct returns the moments of the true values. Columns without human labels stay as they are. The number of rows is
// smaller, because errors cost information: a correlation that is r·k for the labels, k < 1, has the standard error of
// one from k² times as many rows. The mean over the pairs of columns counts, on the scale of logarithms.
func (e *Errors) Correct(m *dataset.Moments) (*dataset.Moments, error) {
	if m.N < 2 {
		return nil, fmt.Errorf("%d rows", m.N)
	}
	d, place := m.Dim(), names.Index(m.Names)
	j, mean, sd := make([]float64, d), slices.Clone(m.Mean), make([]float64, d)
	cov := m.Stored().Covariance()
	loss := 0.0 // sum of log k
	for v := range d {
		j[v], sd[v] = 1, math.Sqrt(cov.At(v, v))
	}
	for _, c := range e.Columns {
		v, ok := place[c.Column]
		if !ok {
			continue
		}
		p := m.Mean[v]
		if m.Min[v] != 0 || m.Max[v] != 1 || math.Abs(cov.At(v, v)-p*(1-p)) > 1e-6 {
			return nil, fmt.Errorf("column %s is not 0 and 1; validation needs decisions", c.Column)
		}
		j[v] = c.j()
		mean[v] = min(max((p-(1-c.Specificity))/j[v], leastShare), 1-leastShare)
		observed := sd[v]
		sd[v] = math.Sqrt(mean[v] * (1 - mean[v]))
		loss += math.Log(min(1, j[v]*sd[v]/observed))
	}
	corr := matrix.New[float64](d, d)
	for a := range d {
		for b := range d {
			if r := cov.At(a, b) / (j[a] * j[b] * sd[a] * sd[b]); a == b {
				corr.Set(a, b, 1)
			} else {
				corr.Set(a, b, min(max(r, -0.999), 0.999))
			}
		}
	}
	if err := definite(corr); err != nil {
		return nil, err
	}
	n := max(2, int(math.Round(float64(m.N)*math.Exp(4*loss/float64(d)))))
	out := dataset.NewMoments(m.Names)
	out.N, out.Mean = n, mean
	copy(out.Min, m.Min)
	copy(out.Max, m.Max)
	for a := range d {
		for b := range d {
			out.Scatter[a*d+b] = corr.At(a, b) * sd[a] * sd[b] * float64(n)
		}
	}
	return out, nil
}

// definite raises small eigenvalues of a matrix of correlations and scales its diagonal back to 1.
func definite(corr *matrix.Dense[float64]) error {
	values, vectors, err := matrix.EigenSym(corr, true)
	if err != nil {
		return err
	}
	if slices.Min(values) >= leastEigen {
		return nil
	}
	d := corr.Rows
	for a := range d {
		for b := range d {
			s := 0.0
			for k, l := range values {
				s += max(l, leastEigen) * vectors.At(a, k) * vectors.At(b, k)
			}
			corr.Set(a, b, s)
		}
	}
	diagonal := make([]float64, d)
	for a := range d {
		diagonal[a] = math.Sqrt(corr.At(a, a))
	}
	for a := range d {
		for b := range d {
			corr.Set(a, b, corr.At(a, b)/(diagonal[a]*diagonal[b]))
		}
	}
	return nil
}

// Explains reports whether errors that occur together could explain the covariance of two columns of labels: whether the
// covariance of their errors may be as large, with a probability above 2.5 %.
func (e *Errors) Explains(labels *dataset.Moments, a, b string) bool {
	i := slices.IndexFunc(e.Columns, func(c Confusion) bool { return c.Column == a })
	j := slices.IndexFunc(e.Columns, func(c Confusion) bool { return c.Column == b })
	place := names.Index(labels.Names)
	x, okX := place[a]
	y, okY := place[b]
	if i < 0 || j < 0 || !okX || !okY {
		return false
	}
	cov := labels.Stored().Covariance().At(x, y)
	return math.Abs(cov) <= math.Abs(e.joint[i][j].cov)+1.96*e.joint[i][j].se
}
