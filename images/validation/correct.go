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

// Correct returns the moments of the true values. Columns without human labels stay as they are.
//
// There are two estimates of a covariance: one from sensitivity and specificity, which needs errors that depend on nothing but
// the true value of their own column, and one without that assumption and with more variance (combine). The result lies
// between them: the weight of the second is the share of its differences from the first that chance does not explain.
//
// The number of rows is smaller, because errors cost information: it is that of a table without errors whose covariances would be
// as uncertain, as the geometric mean over the pairs of columns.
func (e *Errors) Correct(m *dataset.Moments) (*dataset.Moments, error) {
	if m.N < 2 {
		return nil, fmt.Errorf("%d rows", m.N)
	}
	d, place := m.Dim(), names.Index(m.Names)
	cov := m.Covariance()
	at, youden, mean := make([]int, d), make([]float64, d), slices.Clone(m.Mean)
	for v := range d {
		at[v], youden[v] = -1, 1
	}
	for k, c := range e.Columns {
		v, ok := place[c.Column]
		if !ok {
			continue
		}
		p := m.Mean[v]
		if m.Min[v] != 0 || m.Max[v] != 1 || math.Abs(cov.At(v, v)-p*(1-p)) > 1e-6 {
			return nil, fmt.Errorf("column %s is not 0 and 1; validation needs decisions", c.Column)
		}
		at[v], youden[v] = k, c.j()
		mean[v] = min(max((p-(1-c.Specificity))/c.j(), leastShare), 1-leastShare)
	}
	sd := make([]float64, d)
	for v := range d {
		if sd[v] = math.Sqrt(cov.At(v, v)); at[v] >= 0 {
			sd[v] = math.Sqrt(mean[v] * (1 - mean[v]))
		}
	}
	var pairs []pair
	for a := range d {
		for b := range a {
			p := pair{a: a, b: b, simple: cov.At(a, b) / (youden[a] * youden[b] * sd[a] * sd[b])}
			p.kept = min(1, math.Pow(youden[a]*youden[b]*sd[a]*sd[b], 2)/(cov.At(a, a)*cov.At(b, b)))
			if at[a] >= 0 && at[b] >= 0 {
				l, t := e.products(at[a], at[b], m.Mean[a], m.Mean[b])
				got := combine(l, t, cov.At(a, b), m.N)
				p.free = (got.value - (mean[a]-m.Mean[a])*(mean[b]-m.Mean[b])) / (sd[a] * sd[b])
				p.noise, p.share, p.both = got.noise/math.Pow(sd[a]*sd[b], 2), got.share, true
			}
			pairs = append(pairs, p)
		}
	}
	w, logs := weight(pairs), 0.0
	corr := matrix.New[float64](d, d)
	for v := range d {
		corr.Set(v, v, 1)
	}
	for _, p := range pairs {
		r := p.simple
		if p.both {
			r += w * (p.free - p.simple)
			logs += w * math.Log(p.share/p.kept)
		}
		logs += math.Log(p.kept)
		r = min(max(r, -0.999), 0.999)
		corr.Set(p.a, p.b, r)
		corr.Set(p.b, p.a, r)
	}
	if err := definite(corr); err != nil {
		return nil, err
	}
	n := max(2, int(math.Round(float64(m.N)*math.Exp(logs/float64(max(1, len(pairs)))))))
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

// pair has the estimates of the correlation of two columns.
type pair struct {
	a, b         int
	simple, free float64 // with and without the assumption about errors
	noise        float64 // variance of free
	kept, share  float64 // shares of the rows that the two count as
	both         bool    // whether there is free
}

// weight returns the weight of the estimates without the assumption, 0–1.
func weight(pairs []pair) float64 {
	square, noise := 0.0, 0.0
	for _, p := range pairs {
		if p.both {
			square, noise = square+(p.free-p.simple)*(p.free-p.simple), noise+p.noise
		}
	}
	if square <= noise {
		return 0
	}
	return 1 - noise/square
}

// products returns the products of two columns in the validated rows, of the labels and of the truth, as deviations from the
// means of the labels.
func (e *Errors) products(a, b int, meanA, meanB float64) (labels, truth []float64) {
	for i := range e.labels[a] {
		l, t := (e.labels[a][i]-meanA)*(e.labels[b][i]-meanB), (e.human[a][i]-meanA)*(e.human[b][i]-meanB)
		if s := l + t; s == s {
			labels, truth = append(labels, l), append(truth, t)
		}
	}
	return labels, truth
}

// estimate is a mean of true values. noise is the part of its variance from the validated rows. share is the variance of the mean
// of as many true values as there are labels, divided by the variance of the estimate.
type estimate struct{ value, noise, share float64 }

// combine estimates a mean of true values from its mean over n labels and from validated rows:
//
//	mean(truth) + λ·(all - mean(labels)),
//
// with the λ of the smallest variance. It has no bias, whatever the errors depend on, if the validated rows are a random
// part of the table. Reference: Angelopoulos, Duchi and Zrnic, "PPI++: efficient prediction-powered inference", 2023.
func combine(labels, truth []float64, all float64, n int) estimate {
	rows, v := float64(n), float64(len(labels))
	var ml, mt, sll, stt, slt float64
	for i, l := range labels {
		ml, mt = ml+l/v, mt+truth[i]/v
	}
	for i, l := range labels {
		l, t := l-ml, truth[i]-mt
		sll, stt, slt = sll+l*l/v, stt+t*t/v, slt+l*t/v
	}
	if sll == 0 || stt == 0 {
		return estimate{mt, 0, min(1, v/rows)}
	}
	lambda := min(max(slt/(sll*(1+v/rows)), 0), 1)
	noise := (stt - 2*lambda*slt + lambda*lambda*sll) / v
	return estimate{mt + lambda*(all-ml), noise, min(1, stt/rows/(lambda*lambda*sll/rows+noise))}
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
	cov := labels.Covariance().At(x, y)
	return math.Abs(cov) <= math.Abs(e.joint[i][j].cov)+1.96*e.joint[i][j].se
}
