package confidence_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// TestSameTableInAnotherOrder checks that a table is recognized with its rows in another order, whose sums
// differ in the last digits. It is not recognized with one changed value, or with one column permuted.
func TestSameTableInAnotherOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	rows := make([][]float64, 500)
	for i := range rows {
		x := 40 + rng.NormFloat64()
		y := 0.7*x + rng.NormFloat64()
		rows[i] = []float64{x, y, x - y + rng.NormFloat64()}
	}
	table := func() *polydag.Table {
		m := must.Get(dataset.MomentsOf([]string{"x", "y", "z"}, &matrix.Dense[float64]{Rows: len(rows), Cols: 3, Stride: 3, Data: slices.Concat(rows...)}, 1))
		return polydag.FromMoments(m)
	}
	first := table()
	res, err := first.Learn(t.Context(), polydag.DefaultConfig(), polydag.Run{})
	if err != nil || len(res.Edges) < 2 {
		t.Fatal(res, err)
	}
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	other := table()
	if other.Fingerprint() == first.Fingerprint() {
		t.Fatal("the order of the rows makes no difference, so nothing is tested")
	}
	if err := confidence.SameTable(res, other); err != nil {
		t.Error(err)
	}
	refused := func(res *polydag.Result, own *polydag.Table, want string) {
		t.Helper()
		if err := confidence.SameTable(res, own); !errors.Is(err, confidence.ErrOtherTable) || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
	class, levels := *res, *res
	class.Kind = graph.KindCPDAG
	levels.Nodes = slices.Clone(res.Nodes)
	levels.Nodes[1].Kind = kind.Categorical
	refused(&class, other, "its counts")
	refused(&levels, other, "its counts")
	fit := *res
	fit.Nodes = slices.Clone(res.Nodes)
	for v := range fit.Nodes {
		fit.Nodes[v].R2 -= 1e-6 // another table may have the same means and deviations
	}
	refused(&fit, other, "the values of the table differ from those")
	// A mean or a deviation differs by more than rounding: a billionth of the deviation, or the last digits of a large mean.
	for _, c := range []struct {
		mean, std float64 // changes in deviations
		far       float64 // the mean
		same      bool
	}{{5e-10, 0, 0, true}, {2e-9, 0, 0, false}, {0, 5e-10, 0, true}, {0, 2e-9, 0, false}, {2e-9, 0, 1e9, true}, {2e-5, 0, 1e9, false}} {
		moved := *res
		moved.Nodes = slices.Clone(res.Nodes)
		now := table()
		now.Moments.Mean[0] += c.far
		moved.Nodes[0].Mean = now.Moments.Mean[0] + c.mean*now.Moments.Std()[0]
		moved.Nodes[0].Std = now.Moments.Std()[0] * (1 + c.std)
		if err := confidence.SameTable(&moved, now); (err == nil) != c.same {
			t.Errorf("%+v: %v", c, err)
		}
	}
	rows[7][1] += 1e-4
	refused(res, table(), "the values of the table differ from those")
	rows[7][1] -= 1e-4
	for i := range 250 {
		rows[i][1], rows[499-i][1] = rows[499-i][1], rows[i][1]
	}
	refused(res, table(), "the values of the table differ from those")
}
