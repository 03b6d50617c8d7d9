package resample_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/resample"
)

// weights reads a whole stream of one stratum.
func weights(d resample.Draw, n int) []int {
	s := d.Start([]int{n})
	out := make([]int, n)
	for i := range out {
		out[i] = s.Next(0)
	}
	return out
}

// TestBootstrapIsMultinomial compares with a slow reference that draws row indices one by one. Over many
// replicates of four rows, both give each of the 35 count vectors with the multinomial frequency, by χ².
func TestBootstrapIsMultinomial(t *testing.T) {
	const n, replicates = 4, 40000
	explicit := rand.New(rand.NewPCG(3, 3))
	for name, draw := range map[string]func(b int) [n]int{
		"stream": func(b int) (w [n]int) {
			copy(w[:], weights(resample.Draw{Kind: resample.Bootstrap, Seed: 9, Replicate: b}, n))
			return w
		},
		"explicit": func(int) (w [n]int) {
			for range n {
				w[explicit.IntN(n)]++
			}
			return w
		},
	} {
		seen := map[[n]int]int{}
		for b := range replicates {
			seen[draw(b)]++
		}
		chi := 0.0
		factorial := []float64{1, 1, 2, 6, 24}
		cells := 0
		for a := range n + 1 {
			for b := range n + 1 - a {
				for c := range n + 1 - a - b {
					w := [n]int{a, b, c, n - a - b - c}
					p := factorial[n]
					for _, k := range w {
						p /= factorial[k]
					}
					want := replicates * p / math.Pow(n, n)
					diff := float64(seen[w]) - want
					chi += diff * diff / want
					cells++
				}
			}
		}
		// 34 degrees of freedom: 70 has probability 3e-4, and the seed is fixed.
		if cells != 35 || len(seen) != 35 || chi > 70 {
			t.Errorf("%s: %d of %d vectors seen, χ² = %.1f", name, len(seen), cells, chi)
		}
	}
}

// TestStrata checks that every replicate has as many draws as rows in each stratum, for any order of the
// strata, and that another replicate or seed gives another draw.
func TestStrata(t *testing.T) {
	sizes := []int{1, 700, 35}
	of := []int{}
	for k, n := range sizes {
		of = append(of, slices.Repeat([]int{k}, n)...)
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	seen := map[int]bool{}
	for b := range 50 {
		s := resample.Draw{Kind: resample.Bootstrap, Seed: 1, Replicate: b}.Start(sizes)
		sum, key := make([]int, len(sizes)), 0
		for i, k := range of {
			w := s.Next(k)
			sum[k] += w
			key = key*31 + w*(i+1)
		}
		if !slices.Equal(sum, sizes) {
			t.Fatalf("replicate %d has %v draws, want %v", b, sum, sizes)
		}
		if seen[key] {
			t.Errorf("replicate %d is one before", b)
		}
		seen[key] = true
	}
	a := weights(resample.Draw{Kind: resample.Bootstrap, Seed: 1, Replicate: 3}, 100)
	if b := weights(resample.Draw{Kind: resample.Bootstrap, Seed: 1, Replicate: 3}, 100); !slices.Equal(a, b) {
		t.Error("the same draw has other rows")
	}
	if b := weights(resample.Draw{Kind: resample.Bootstrap, Seed: 2, Replicate: 3}, 100); slices.Equal(a, b) {
		t.Error("another seed has the same rows")
	}
}

// TestHalvesArePairs checks that halves of a pair have no row in common, as many rows each, and of an odd
// number each row is left out as often as any other.
func TestHalvesArePairs(t *testing.T) {
	for _, n := range []int{2, 7, 100} {
		out, first := make([]int, n), make([]int, n)
		const pairs = 4000
		for k := range pairs {
			a := weights(resample.Draw{Kind: resample.Half, Seed: 4, Replicate: 2 * k}, n)
			b := weights(resample.Draw{Kind: resample.Half, Seed: 4, Replicate: 2*k + 1}, n)
			rows := [2]int{}
			for i := range n {
				if a[i]+b[i] > 1 {
					t.Fatalf("row %d is in both halves of pair %d", i, k)
				}
				rows[0] += a[i]
				rows[1] += b[i]
				first[i] += a[i]
				out[i] += 1 - a[i] - b[i]
			}
			if rows != [2]int{n / 2, n / 2} {
				t.Fatalf("halves of %d rows have %v", n, rows)
			}
		}
		for i := range n {
			for what, c := range map[string][2]float64{"first half": {float64(first[i]), float64(n/2) / float64(n)}, "neither": {float64(out[i]), float64(n%2) / float64(n)}} {
				want, sd := c[1]*pairs, math.Sqrt(c[1]*(1-c[1])*pairs)
				if !(math.Abs(c[0]-want) <= 4.5*sd) {
					t.Errorf("%d rows: row %d is in %s %v times, want about %v", n, i, what, c[0], want)
				}
			}
		}
	}
}

// TestOneRow checks that a stratum of one row has that row once, and no more rows.
func TestOneRow(t *testing.T) {
	s := resample.Draw{Kind: resample.Bootstrap, Seed: 1}.Start([]int{1})
	if got := s.Next(0); got != 1 {
		t.Errorf("the only row is drawn %d times", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a row beyond the last one was drawn")
		}
	}()
	s.Next(0)
}
