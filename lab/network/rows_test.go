package network

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// table draws a chain of curves, with units that differ.
func table(rows, columns int, seed uint64) (*method.Input, *matrix.Dense[float64]) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := matrix.New[float64](rows, columns)
	names := make([]string, columns)
	for i := range rows {
		for j := range columns {
			v := rng.NormFloat64()
			if j > 0 {
				v = 0.4*v + math.Tanh(2*(x.At(i, j-1)-10)/float64(j)) // columns have units of 1, 2, … and a mean of 10
			}
			x.Set(i, j, float64(j+1)*v+10)
		}
	}
	for j := range names {
		names[j] = fmt.Sprint("x", j)
	}
	m, err := dataset.MomentsOf(names, x, 1)
	if err != nil {
		panic(err)
	}
	in := &method.Input{Moments: m, Seed: 1, Threads: 1}
	in.Rows = func(ctx context.Context, each func(dataset.RowBatch) error) error {
		for at := 0; at < len(x.Data); at += 7 * columns {
			if err := each(dataset.RowBatch{Values: x.Data[at:min(at+7*columns, len(x.Data))]}); err != nil {
				return err
			}
		}
		return nil
	}
	return in, x
}

// gathered collects the batches of a function and their sizes.
func gathered(t *testing.T, hand func(use func(*matrix.Dense[float64]) error) error) (values []float64, sizes []int) {
	t.Helper()
	must.Succeed(t, hand(func(b *matrix.Dense[float64]) error {
		values, sizes = append(values, b.Data[:b.Rows*b.Cols]...), append(sizes, b.Rows)
		return nil
	}))
	return values, sizes
}

// TestRows checks that kept rows and those that are read again are the same, and of mean 0 and variance 1.
func TestRows(t *testing.T) {
	ctx := context.Background()
	in, x := table(50, 3, 1)
	kept, err := NewRows(ctx, in, Unit)
	must.Succeed(t, err)
	read := must.Get(newRows(ctx, in, Unit, 30))
	if kept.kept == nil || read.kept != nil {
		t.Fatal("the tables are kept the wrong way round")
	}
	a, sizes := gathered(t, func(use func(*matrix.Dense[float64]) error) error { return kept.Each(ctx, 16, use) })
	b, other := gathered(t, func(use func(*matrix.Dense[float64]) error) error { return read.Each(ctx, 16, use) })
	if !slices.Equal(a, b) || !slices.Equal(sizes, []int{16, 16, 16, 2}) || !slices.Equal(other, sizes) {
		t.Errorf("batches of %v and %v", sizes, other)
	}
	for j := range 3 {
		sum, squares := 0.0, 0.0
		for i := j; i < len(a); i += 3 {
			sum, squares = sum+a[i], squares+a[i]*a[i]
		}
		if !(math.Abs(sum) <= 1e-9) || !(math.Abs(squares-50) <= 1e-9) {
			t.Errorf("column %d: sum %v, squares %v", j, sum, squares)
		}
	}
	raw := must.Get(NewRows(ctx, in, Raw))
	for i := range 50 {
		for j := range 3 {
			if got, want := raw.kept[i*3+j], x.At(i, j)-in.Moments.Mean[j]; !(math.Abs(got-want) <= 1e-9) {
				t.Fatalf("raw entry %d, %d is %v, want %v", i, j, got, want)
			}
		}
	}
}

// TestShuffled checks that a pass of shuffled batches has every row at most once and leaves out fewer than a
// batch; the next pass has another order, and the same pass the same.
func TestShuffled(t *testing.T) {
	ctx := context.Background()
	in, _ := table(50, 3, 2)
	for _, most := range []int{keptValues, 60} {
		r := must.Get(newRows(ctx, in, Unit, most))
		pass := func(k int) []float64 {
			v, sizes := gathered(t, func(use func(*matrix.Dense[float64]) error) error { return r.Shuffled(ctx, 5, k, 8, use) })
			if len(v) != 48*3 || slices.ContainsFunc(sizes, func(n int) bool { return n != 8 }) {
				t.Fatalf("%d values in batches of %v", len(v), sizes)
			}
			return v
		}
		all, _ := gathered(t, func(use func(*matrix.Dense[float64]) error) error { return r.Each(ctx, 50, use) })
		first := pass(0)
		seen := map[[3]float64]bool{}
		for i := 0; i < len(first); i += 3 {
			row := [3]float64(first[i : i+3])
			at := -1
			for k := 0; k < len(all); k += 3 {
				if [3]float64(all[k:k+3]) == row {
					at = k
				}
			}
			if at < 0 || seen[row] {
				t.Fatalf("row %v is none of the table, or comes twice", row)
			}
			seen[row] = true
		}
		if !slices.Equal(first, pass(0)) || slices.Equal(first, pass(1)) {
			t.Error("the order is not that of seed and pass")
		}
	}
}

// TestPart checks that parts partition the rows.
func TestPart(t *testing.T) {
	ctx := context.Background()
	in, _ := table(50, 3, 3)
	for _, most := range []int{keptValues, 60} {
		r := must.Get(newRows(ctx, in, Unit, most))
		odd, even := r.Part(func(i int) bool { return i%2 == 1 }), r.Part(func(i int) bool { return i%2 == 0 })
		a, _ := gathered(t, func(use func(*matrix.Dense[float64]) error) error { return odd.Each(ctx, 4, use) })
		b, _ := gathered(t, func(use func(*matrix.Dense[float64]) error) error { return even.Each(ctx, 4, use) })
		all, _ := gathered(t, func(use func(*matrix.Dense[float64]) error) error { return r.Each(ctx, 50, use) })
		if odd.N != 25 || !slices.Equal(a[:3], all[3:6]) || !slices.Equal(b[3:6], all[6:9]) || len(a)+len(b) != len(all) {
			t.Errorf("%d odd rows, %d and %d of %d values", odd.N, len(a), len(b), len(all))
		}
	}
}

// TestRowsRefuse checks that a context that has ended ends a pass, and a column that does not vary is named.
func TestRowsRefuse(t *testing.T) {
	in, x := table(50, 3, 4)
	r := must.Get(NewRows(context.Background(), in, Unit))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	use := func(*matrix.Dense[float64]) error { t.Error("a batch after the end"); return nil }
	if err := r.Each(ctx, 8, use); !errors.Is(err, context.Canceled) {
		t.Errorf("Each: %v", err)
	}
	if err := r.Shuffled(ctx, 1, 0, 8, use); !errors.Is(err, context.Canceled) {
		t.Errorf("Shuffled: %v", err)
	}
	for i := range 50 {
		x.Set(i, 1, 3)
	}
	if _, err := NewRows(context.Background(), in, Unit); err == nil {
		t.Error("a constant column is no error")
	}
	if _, err := NewRows(context.Background(), &method.Input{Moments: in.Moments}, Unit); !errors.Is(err, method.ErrNoRows) {
		t.Errorf("without rows: %v", err)
	}
}
