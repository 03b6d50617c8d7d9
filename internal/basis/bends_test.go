package basis_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// chain draws columns, each an effect of the previous one.
func chain(rng *rand.Rand, n, d int, effect func(float64) float64) *matrix.Dense[float64] {
	x := matrix.New[float64](n, d)
	for i := range n {
		row := x.Row(i)
		for j := range row {
			row[j] = rng.NormFloat64()
			if j > 0 {
				row[j] += effect(row[j-1])
			}
		}
	}
	return x
}

func line(x float64) float64 { return 0.8 * x }
func wave(x float64) float64 { return 1.2 * math.Cos(1.5*x) }

func pairs(t testing.TB, x *matrix.Dense[float64], threads int) *basis.Bends {
	t.Helper()
	return must.Get(basis.Pairs(context.Background(), x, threads))
}

// TestPairsTwin compares the shares with a Cholesky factorization of the functions of one column, pair by pair.
func TestPairsTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	x := chain(rng, 300, 70, wave)
	for i := range x.Rows {
		row := x.Row(i)
		row[3] = math.Round(row[3])           // ties
		row[4] = math.Exp(3 * row[4])         // a heavy tail
		row[5] = 1e140 * (row[5] + 1e6)       // units
		row[6] = math.Copysign(1e-3, row[6])  // two values: no curve
		row[7] = -2                           // a constant
		row[8] = 1e8 + 1e-3*math.Cos(row[20]) // almost one
	}
	got := pairs(t, x, 1)
	names := make([]string, x.Cols)
	b := must.Get(basis.OfRows(names, nil, x, basis.Settings{Curves: 4, Bounded: true, MaxLevels: 2}, 1))
	for i := range x.Cols {
		for j := range x.Cols {
			if i == j {
				continue
			}
			line, curve := shares(b, i, j)
			if a, b := got.Line.At(i, j), got.Curve.At(i, j); !(math.Abs(a-line) <= 1e-6) || !(math.Abs(b-curve) <= 1e-6) {
				t.Errorf("columns %d, %d: line %v, curve %v, want %v, %v", i, j, a, b, line, curve)
			}
		}
	}
	for threads := 2; threads < 5; threads++ {
		if other := pairs(t, x, threads); !slices.Equal(other.Curve.Data, got.Curve.Data) || !slices.Equal(other.Line.Data, got.Line.Data) {
			t.Errorf("%d threads give other bytes", threads)
		}
	}
}

// shares regresses column j on the functions of column i.
func shares(b *score.Blocks, i, j int) (line, curve float64) {
	y, at := b.Start[j], b.Start[i]
	if b.Gram.At(y, y) == 0 {
		return 0, 0
	}
	var l [5][5]float64
	var z [5]float64
	for k := range 5 {
		f := at + k
		for h := range k {
			l[k][h] = b.Gram.At(f, at+h)
			for g := range h {
				l[k][h] -= l[k][g] * l[h][g]
			}
			if l[h][h] > 0 {
				l[k][h] /= l[h][h]
			} else {
				l[k][h] = 0
			}
		}
		pivot, t := b.Gram.At(f, f), b.Gram.At(f, y)
		for h := range k {
			pivot -= l[k][h] * l[k][h]
			t -= l[k][h] * z[h]
		}
		if pivot <= 1e-6*b.Gram.At(f, f) {
			continue
		}
		l[k][k] = math.Sqrt(pivot)
		z[k] = t / l[k][k]
		if share := z[k] * z[k] / b.Gram.At(y, y); k == 0 {
			line = share
		} else {
			curve += share
		}
	}
	return line, curve
}

// TestChance checks that without curves the smallest probability of d(d-1) pairs, times their number, is below
// c in a share of c of the tables, or less.
func TestChance(t *testing.T) {
	const tables = 400
	below := map[float64]int{}
	for seed := range uint64(tables) {
		rng := rand.New(rand.NewPCG(seed, 10))
		c := pairs(t, chain(rng, 20+int(seed%3)*40, 6, line), 1).Chance()
		for _, limit := range []float64{0.5, 0.1, 0.02} {
			if c < limit {
				below[limit]++
			}
		}
	}
	for limit, count := range below {
		want := limit * tables
		if float64(count) > want+3*math.Sqrt(want) || limit < 0.5 && float64(count) < want/3 {
			t.Errorf("%d of %d tables below %v", count, tables, limit)
		}
	}
	if len(below) != 3 {
		t.Errorf("tables below %v", below)
	}
	rng := rand.New(rand.NewPCG(1, 11))
	if x := chain(rng, 200, 6, wave); !pairs(t, x, 1).Suspected() {
		t.Error("waves are not seen")
	}
	if x := chain(rng, 6, 3, wave); pairs(t, x, 1).Suspected() {
		t.Error("six rows tell of curves")
	}
	// A copy leaves no residual and thus no curve.
	x := chain(rng, 200, 3, line)
	for i := range x.Rows {
		x.Set(i, 2, 3*x.At(i, 0)-1)
	}
	if c := pairs(t, x, 1).Chance(); !(c > 0.01) {
		t.Errorf("a copy: %v", c)
	}
}

// TestCompare checks that with few columns the comparison is score.Curvature, and with many it has the same
// outcome.
func TestCompare(t *testing.T) {
	for seed := range uint64(3) {
		for _, effect := range []func(float64) float64{line, wave} {
			for _, d := range []int{11, 30} {
				x := chain(rand.New(rand.NewPCG(seed, 12)), 200, d, effect)
				s := basis.Settings{Curves: 7, Bounded: true, MaxLevels: 2}
				got := must.Get(pairs(t, x, 1).Compare(context.Background(), x, s, 1, 1))
				blocks := must.Get(basis.OfRows(make([]string, d), nil, x, s, 1))
				want := must.Get(score.Curvature(context.Background(), blocks))
				if got.Curved() != want.Curved() || d == 11 && math.Abs(got.Smooth-want.Smooth)+math.Abs(got.Linear-want.Linear) > 1e-6 {
					t.Errorf("d = %d: %+v, want %+v", d, got, want)
				}
				if two, _ := pairs(t, x, 2).Compare(context.Background(), x, s, 1, 2); two != got {
					t.Errorf("two threads: %+v, want %+v", two, got)
				}
			}
		}
	}
}

// TestPairsRefuse checks that rows that are not numbers, no rows and a context that has ended are errors.
func TestPairsRefuse(t *testing.T) {
	x := chain(rand.New(rand.NewPCG(1, 13)), 20, 3, line)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := basis.Pairs(ctx, x, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	if _, err := pairs(t, x, 1).Compare(ctx, x, basis.DefaultSettings(), 1, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	if _, err := basis.Pairs(context.Background(), matrix.New[float64](0, 3), 1); !errors.Is(err, dataset.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
	x.Set(3, 1, math.NaN())
	if _, err := basis.Pairs(context.Background(), x, 1); !errors.Is(err, dataset.ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
}

// TestCompareOfSpreadRows checks that a comparison of many rows uses rows of the whole table: only the second half has a curve.
func TestCompareOfSpreadRows(t *testing.T) {
	const n = 4096
	x := chain(rand.New(rand.NewPCG(1, 12)), n, 3, line)
	bent := chain(rand.New(rand.NewPCG(2, 12)), n, 3, wave)
	copy(x.Data[n/2*3:], bent.Data[n/2*3:])
	got, err := pairs(t, x, 1).Compare(context.Background(), x, basis.Settings{Curves: 7, MaxLevels: 2}, 1, 1)
	if err != nil || !got.Curved() {
		t.Errorf("%+v, %v: no curve", got, err)
	}
}

// BenchmarkPairs measures Pairs on 1000 rows. polydag bench --search shows it next to the search.
func BenchmarkPairs(b *testing.B) {
	for _, d := range []int{50, 100, 200, 500, 1000} {
		x := chain(rand.New(rand.NewPCG(1, 14)), 1000, d, line)
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			for b.Loop() {
				must.Get(basis.Pairs(context.Background(), x, 1))
			}
		})
	}
}
