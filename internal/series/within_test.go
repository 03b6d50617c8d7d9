package series

import (
	"math"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// scatterOf returns moments of one column and its lags with these covariances at distances 0, 1, … and the bias subtracted.
func scatterOf(gamma []float64, lags int, bias []float64) *dataset.Moments {
	wide := lags + 1
	m := dataset.NewMoments(make([]string, wide))
	m.N = 1000
	for i := range wide {
		for j := range wide {
			m.Scatter[i*wide+j] = 1000 * (gamma[max(i-j, j-i)] - bias[i*wide+j])
		}
	}
	return m
}

// TestBiasOfKnownProcess checks that the bias is found again after it was subtracted from the covariances of an autoregression of order 2,
// in which both lags count.
func TestBiasOfKnownProcess(t *testing.T) {
	const lags, points = 2, 15
	gamma := make([][]float64, points)
	flat := make([]float64, points)
	for h := range gamma { // Γ(1) = 0.3·Γ(0) + 0.4·Γ(1)
		switch h {
		case 0:
			flat[h] = 1
		case 1:
			flat[h] = 0.5
		default:
			flat[h] = 0.3*flat[h-1] + 0.4*flat[h-2]
		}
		gamma[h] = []float64{flat[h]}
	}
	want := biasOf(gamma, 1, lags)
	got := MeanBias(scatterOf(flat, lags, want), lags, points)
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-3*want[i] {
			t.Errorf("entry %d: bias %v, want %v", i, got[i], want[i])
		}
	}
}

// TestBiasOfExplosiveSeries checks that no bias is added if the first estimate of its mean variance is 20 times the variance or more.
func TestBiasOfExplosiveSeries(t *testing.T) {
	const points = 30
	var below, above int
	for phi := 1.0; phi < 2; phi += 0.005 {
		m := dataset.NewMoments(make([]string, 2))
		m.N = 10
		copy(m.Scatter, []float64{30 * phi * phi, 10 * phi, 10 * phi, 10}) // covariances of x(t) and x(t-1)
		s := []float64{3 * phi * phi, phi, phi, 1}
		first := biasOf(covariances(s, []float64{phi}, 2, 1, 1, points), 1, 1)
		ratio := (first[0] + first[3]) / 2 / s[0]
		got := MeanBias(m, 1, points)
		none := got[0] == 0 && got[1] == 0 && got[2] == 0 && got[3] == 0
		if none != (ratio >= 20) {
			t.Errorf("coefficient %v: the bias is %.3g times the variance, and added: %v", phi, ratio, !none)
		}
		if ratio > 15 && ratio < 20 {
			below++
		}
		if ratio >= 20 && ratio < 25 {
			above++
		}
	}
	if min(below, above) < 2 {
		t.Errorf("%d series are below the limit and %d above: the test looks at too little", below, above)
	}
}

// TestBiasOfDependentColumns checks that no bias is added if a column is a function of another one.
func TestBiasOfDependentColumns(t *testing.T) {
	m := dataset.NewMoments(make([]string, 4))
	m.N = 10
	for i := range 4 {
		for j := range 4 {
			m.Scatter[i*4+j] = 5
			if i/2 == j/2 {
				m.Scatter[i*4+j] = 10
			}
		}
	}
	for i, b := range MeanBias(m, 1, 20) {
		if b != 0 {
			t.Errorf("entry %d: bias %v of two equal columns, want 0", i, b)
		}
	}
	one := dataset.NewMoments(make([]string, 2))
	one.N = 10
	copy(one.Scatter, []float64{10, 5, 5, 10})
	for b, want := range map[float64]bool{0: true, 0.25: true, 0.5: false, -1.4: true, -1.5: false} {
		if got := positive(one, []float64{0, b, b, 0}, 10); got != want {
			t.Errorf("covariances 0.5 + %v: positive definite is %v, want %v", b, got, want)
		}
	}
}
