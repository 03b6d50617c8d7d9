package lingam

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/internal/lingam"
)

// chain draws a → b → c → d with uniform noise, as rows of mean 0 and variance 1.
func chain(rng *rand.Rand, d, n int) *matrix.Dense[float64] {
	z := matrix.New[float64](d, n)
	for i := range n {
		for v := range d {
			x := rng.Float64() - 0.5
			if v > 0 {
				x += 1.2 * z.At(v-1, i)
			}
			z.Set(v, i, x)
		}
	}
	for v := range d {
		row, mean := z.Row(v), 0.0
		for _, x := range row {
			mean += x / float64(n)
		}
		for i := range row {
			row[i] -= mean
		}
		lingam.Unit(row)
	}
	return z
}

func anything(int, []int) bool { return true }

// TestOrders finds the order of a chain by both variants, on any number of threads.
func TestOrders(t *testing.T) {
	want := []int{0, 1, 2, 3, 4}
	for seed := range uint64(5) {
		z := chain(rand.New(rand.NewPCG(seed, 2)), 5, 1500)
		for _, threads := range []int{1, 3} {
			if got := lingam.Direct(context.Background(), z.Clone(), threads, anything); !slices.Equal(got, want) {
				t.Errorf("seed %d, %d threads: direct finds %v", seed, threads, got)
			}
			got, settled, err := ica(context.Background(), z, 1, threads)
			if err != nil || !settled || !slices.Equal(got, want) {
				t.Errorf("seed %d, %d threads: ica finds %v, %v, %v", seed, threads, got, settled, err)
			}
		}
	}
}

// TestDeterminedColumns has a duplicate column: direct puts it last, and ICA returns an error.
func TestDeterminedColumns(t *testing.T) {
	z := chain(rand.New(rand.NewPCG(3, 3)), 4, 800)
	copy(z.Row(3), z.Row(1))
	got := lingam.Direct(context.Background(), z.Clone(), 1, anything)
	all := slices.Sorted(slices.Values(got))
	if !slices.Equal(all, []int{0, 1, 2, 3}) {
		t.Errorf("the order %v is none of four columns", got)
	}
	if _, _, err := ica(context.Background(), z, 1, 1); !errors.Is(err, errRank) {
		t.Errorf("components of a column that is there twice: %v", err)
	}
	if _, _, err := ica(context.Background(), chain(rand.New(rand.NewPCG(4, 4)), 8, 6), 1, 1); !errors.Is(err, errRank) {
		t.Errorf("components of more columns than rows: %v", err)
	}
}

// TestTriangular orders the effects of a known graph: row v has the effects of the other columns on v.
func TestTriangular(t *testing.T) {
	effects := matrix.New[float64](4, 4)
	for _, e := range []struct {
		from, to int
		size     float64
	}{{2, 0, 0.8}, {0, 3, -0.9}, {2, 3, 0.5}, {3, 1, 0.7}, {1, 2, 0.1}} { // 2, 0, 3, 1 with a small effect backwards
		effects.Set(e.to, e.from, e.size)
	}
	if got, want := triangular(effects), []int{2, 0, 3, 1}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}
