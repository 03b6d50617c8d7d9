package polydag

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/missing"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// A regression on the part of the correlation matrix that it reads is the one on the whole, to the bit, and names the same
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
	l, whole := &learner{data: data, pool: &dataset.Pool{Group: make([]int, d), By: []*dataset.Moments{data}}}, data.Correlation()
	failed := 0
	for range 200 {
		perm := rng.Perm(d)
		v, parents := perm[0], perm[1:1+rng.IntN(d-1)]
		want, wantErr := score.Regress(whole, v, parents)
		got, gotErr := l.regress(v, parents)
		var a, b *score.CollinearError
		if errors.As(wantErr, &a) != errors.As(gotErr, &b) || a != nil && *a != *b {
			t.Fatalf("%d on %v: %v, want %v", v, parents, gotErr, wantErr)
		}
		if a != nil {
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

// Ten rows with as much information as six complete ones count 0.6 each, whatever the number of copies.
func TestEvidenceOfIncompleteRows(t *testing.T) {
	m := dataset.NewMoments([]string{"a", "b"})
	m.N = 50
	table := &Table{Moments: m, gaps: &gaps{Rows: missing.Rows{N: 10, Copies: 5}, information: 6}}
	if got, weight := table.evidenceMoments(); got.N != 10 || weight != 0.6 {
		t.Errorf("%d rows of weight %v, want 10 of weight 0.6", got.N, weight)
	}
}
