package scores

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// A wide table is examined in 500 of its rows, and a small one in all: the effects of the ordered column are not linear in the last rows. Only
// ordered columns count.
func TestRowsOfOrderedColumns(t *testing.T) {
	for _, c := range []struct {
		columns int
		kind    kind.Kind
		want    bool
	}{{1100, kind.Ordinal, true}, {2, kind.Ordinal, false}, {2, kind.Binary, false}} {
		const rows = 640
		x := matrix.New[float64](rows, c.columns)
		for i := range rows {
			level := float64(i % 4)
			x.Set(i, 0, level)
			x.Set(i, 1, level+0.3*float64(i%7))
			if i >= 500 {
				x.Set(i, 1, 20*float64(i%4%2))
			}
		}
		in := unread(rows, c.columns, kind.Column{Kind: kind.Binary, Levels: 2})
		in.Kinds[0] = kind.Column{Kind: c.kind, Levels: 4}
		in.Sample = table(t, matrix.Of(rows, 1, x.Data[:rows]), []kind.Kind{kind.Continuous}, nil).Sample
		in.Sample.Columns, in.Sample.Values = c.columns, x.Data
		if got := inOrder(in); got != c.want {
			t.Errorf("%d columns of kind %v: in order %v, want %v", c.columns, c.kind, got, c.want)
		}
	}
	// Three to ten levels are compared, if the other column is not constant. A share of 1e-10 is left of a column that the levels determine.
	for _, levels := range []int{2, 3, 10, 11} {
		var values []float64
		for i := range 3 * levels {
			values = append(values, float64(i%levels), float64(i%5), float64(2*(i%levels)), 0.1)
		}
		calls := 0
		byLevel(values, 3*levels, 4, 0, func(_ int, line, means float64) {
			if calls++; calls == 2 {
				near(t, "gain of a line", line, -3*float64(levels)*math.Log(1e-10), 1e-6)
				near(t, "gain of means", means, -3*float64(levels)*math.Log(1e-10), 1e-6)
			}
		})
		if want := map[int]int{3: 2, 10: 2}[levels]; calls != want {
			t.Errorf("%d levels: %d comparisons, want %d", levels, calls, want)
		}
	}
}

// The effect of a parent with products is the mean prediction over all rows with the parent set to a value, for both parents of a product.
func TestCurvesOfProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	const n = 500
	x := matrix.New[float64](n, 3)
	for i := range n {
		a, b := min(0.4, rng.NormFloat64()), max(0.3, rng.NormFloat64()) // the functions of columns with ties have means
		for j, v := range []float64{a, b, a*b*b + math.Sin(2*a) + 0.2*rng.NormFloat64()} {
			x.Set(i, j, v)
		}
	}
	kinds := []kind.Kind{kind.Continuous, kind.Continuous, kind.Continuous}
	s := Default()
	tab := must.Get(s.Of(t.Context(), table(t, x, kinds, nil), Smooth))
	b := tab.Blocks[0]
	wide := make([]float64, tab.Functions.Size())
	weights := tab.Score.(interface {
		Weights(*score.Blocks, int, []int) []score.Weight
	}).Weights(b, 2, []int{0, 1})
	products := 0
	for _, w := range weights {
		if w.Function >= b.Start[3] {
			products++
		}
	}
	if products == 0 {
		t.Fatal("the effect has no products")
	}
	for p, e := range tab.curves(2, []int{0, 1}) {
		below, above := 0, 0
		for i := range n {
			below, above = below+int(boolean(x.At(i, p) < *e.Low)), above+int(boolean(x.At(i, p) > *e.High))
		}
		if want := [][2]int{{n / 20, 0}, {0, n/20 - 1}}[p]; below != want[0] || above != want[1] {
			t.Errorf("parent %d: %d rows below and %d above the central range, want %v", p, below, above, want)
		}
		for k, at := range e.X {
			if k%5 > 0 {
				continue
			}
			want := b.Mean[b.Start[2]]
			for _, w := range weights {
				want -= w.W * b.Mean[w.Function]
			}
			for i := range n {
				row := []float64{x.At(i, 0), x.At(i, 1), x.At(i, 2)}
				row[p] = at
				must.Succeed(t, tab.Functions.Expand(wide, row))
				for _, w := range weights {
					want += w.W * wide[w.Function] / n
				}
			}
			near(t, "effect", e.Y[k], want, 1e-4*(1+math.Abs(want)))
		}
	}
}

// Blocks of a table without environments have its number of rows, which may be weighted. With environments they have those of their rows, and at
// least three. A discrete column has at most 64 levels.
func TestRowsOfBlocks(t *testing.T) {
	x := matrix.New[float64](66, 2)
	for i := range x.Rows {
		x.Set(i, 0, float64(i*i%13))
		x.Set(i, 1, float64(i%65))
	}
	kinds := []kind.Kind{kind.Continuous, kind.Continuous}
	blocks := func(in *method.Input) []*score.Blocks {
		reader, err := NewReader(t.Context(), in)
		must.Succeed(t, err)
		groups, _ := Groups(in)
		out := must.Get(reader.Blocks(t.Context(), nil, basis.DefaultSettings(), groups))
		return out.Blocks
	}
	in := table(t, x, kinds, nil)
	if in.Moments.N, in.RowWeight = 33, 0.5; blocks(in)[0].N != 33 {
		t.Errorf("%d rows of half the weight, want 33", blocks(in)[0].N)
	}
	for rows, enough := range map[int]bool{2: false, 3: true} {
		of := make([]int, x.Rows)
		for i := range of {
			if i >= rows {
				of[i] = 1
			}
		}
		in := table(t, x, kinds, of)
		in.Environments.Unknown, in.Environments.Targets = false, [][]int{nil, {0}}
		in.Moments.N = 50
		_, group := Groups(in)
		found := blocks(in)
		if own := found[group[0]]; (own != nil) != enough || own != nil && own.N != rows || found[group[1]].N != x.Rows {
			t.Errorf("%d rows without an intervention: blocks %v, want some: %v", rows, own, enough)
		}
	}
	for rows, valid := range map[int]bool{64: true, 65: false} {
		in := table(t, matrix.Of(rows, 2, x.Data[:2*rows]), kinds, nil)
		reader := must.Get(NewReader(t.Context(), in))
		if _, _, _, err := reader.Codes(t.Context(), 1); (err == nil) != valid || err != nil && !errors.Is(err, ErrLevels) {
			t.Errorf("%d levels: %v, want valid: %v", rows, err, valid)
		}
	}
}
