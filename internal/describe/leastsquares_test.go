package describe

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// TestRegressOnAPart checks that a regression on the part of the correlation matrix that it reads is the one on the whole, to the bit, and names the same
// columns where it has no answer.
func TestRegressOnAPart(t *testing.T) {
	const d, n = 9, 60
	rng := rand.New(rand.NewPCG(3, 4))
	x := matrix.New[float64](n, d)
	for i := range n {
		row := x.Row(i)
		for j := range row {
			row[j] = rng.NormFloat64() + 0.5*row[max(j-1, 0)]
		}
		row[8] = row[2] - row[5] // determined
	}
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	data, err := dataset.FromRows(names, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(&method.Answer{Graph: graph.NewMixed(graph.KindDAG, d)}, Data{Moments: data})
	if err != nil {
		t.Fatal(err)
	}
	whole := data.Correlation()
	failed := 0
	for range 200 {
		perm := rng.Perm(d)
		v, parents := perm[0], perm[1:1+rng.IntN(d-1)]
		want, wantErr := score.Regress(whole, v, parents)
		got, gotErr := a.regress(v, parents)
		var c, e *score.CollinearError
		if errors.As(wantErr, &c) != errors.As(gotErr, &e) || c != nil && *c != *e {
			t.Fatalf("%d on %v: %v, want %v", v, parents, gotErr, wantErr)
		}
		if c != nil {
			failed++
			continue
		}
		for k := range parents {
			if math.Float64bits(got.Beta[k]) != math.Float64bits(want.Beta[k]) || got.Drop[k] != want.Drop[k] || got.Residual != want.Residual {
				t.Fatalf("%d on %v: %+v, want %+v", v, parents, got, want)
			}
		}
	}
	if failed == 0 || failed == 200 {
		t.Errorf("%d of 200 regressions have no answer", failed)
	}
}
