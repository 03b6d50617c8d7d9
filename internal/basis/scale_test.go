package basis

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
)

// Columns on the scale on which they are linear in each other, beside a count, a column of two values, and a Gaussian column that is not Gaussian only
// because of its cause.
func TestForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 8))
	const n = 1500
	x := matrix.New[float64](n, 7)
	for i := range n {
		r := x.Row(i)
		z := rng.NormFloat64()
		r[0] = z
		r[1] = math.Exp(z + rng.NormFloat64())
		r[2] = 1 / (1 + math.Exp(-2*(math.Log(r[1])+rng.NormFloat64())))
		r[3] = math.Floor(2 * rng.ExpFloat64())
		r[4] = math.Copysign(1, rng.NormFloat64())
		r[5] = 3*r[4] + rng.NormFloat64()
		r[6] = math.Sin(2*z) + 0.5*rng.NormFloat64()
	}
	forms, err := Forms(context.Background(), x, nil, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []Form{{}, {Scale: dataset.LogScale}, {Scale: dataset.ScoreScale}, {Scale: dataset.ScoreScale, Straight: true}, {Straight: true}, {}, {}}
	for j, f := range forms {
		if f != want[j] {
			t.Errorf("column %d: %+v, want %+v", j, f, want[j])
		}
	}
}

// The estimate of the entropy against closed forms.
func TestEntropy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := map[string]struct {
		next func() float64
		want float64
	}{
		"gaussian":    {func() float64 { return 3 * rng.NormFloat64() }, gaussianEntropy + math.Log(3)},
		"uniform":     {rng.Float64, 0},
		"exponential": {rng.ExpFloat64, 1},
	}
	for name, d := range draw {
		x := make([]float64, 4000)
		for i := range x {
			x[i] = d.next()
		}
		if got := entropy(x, 1); math.Abs(got-d.want) > 0.05 {
			t.Errorf("%s: %v, want %v", name, got, d.want)
		}
		if one, four := entropy(x, 1), entropy(slices.Concat(x, x, x, x), 0.25); math.Abs(one-four) > 0.002 {
			t.Errorf("%s: %v, and %v with four copies of each row", name, one, four)
		}
	}
}

func TestScaleRoundTrip(t *testing.T) {
	fit := NewFit([]string{"raw", "log", "scores"}, nil)
	for i := range 100 {
		v := float64(1 + i*i)
		if err := fit.Add([]float64{v, v, v}); err != nil {
			t.Fatal(err)
		}
	}
	s := DefaultSettings()
	s.Scales = []dataset.Scale{dataset.RawScale, dataset.LogScale, dataset.ScoreScale}
	f, err := fit.Functions(s)
	if err != nil {
		t.Fatal(err)
	}
	at := make([]float64, 8)
	for i := range 100 {
		v := float64(1 + i*i)
		for j := range 3 {
			y := f.Scaled(j, v)
			if f.At(at, j, v); at[0] != y {
				t.Errorf("the first function of column %d at %v is %v, want %v", j, v, at[0], y)
			}
			if back := f.Back(j, y); math.Abs(back-v) > 1e-9*v {
				t.Errorf("column %d: %v is %v on its scale, which is %v", j, v, y, back)
			}
		}
		if got, want := f.Scaled(2, v), math.Sqrt2*math.Erfinv(2*(float64(i)+0.5)/100-1); math.Abs(got-want) > 1e-12 {
			t.Errorf("normal score of %v: %v, want %v", v, got, want)
		}
	}
}
