package polydag_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/method/pc"
)

// gappy returns a table of a chain of numbers, or of numbers and categories, in which a share of the values is missing.
func gappy(n int, share float64, mixed bool) polydag.Columns {
	random := rand.New(rand.NewPCG(5, 6))
	out := make(polydag.Columns, 5)
	for j := range out {
		out[j].Name = fmt.Sprintf("x%d", j)
	}
	for range n {
		x := 0.0
		for j := range out {
			x = 0.8*x + random.NormFloat64()
			v := x
			if mixed && j%2 == 1 {
				if v = 0; x > 0 {
					v = 1
				}
			}
			if random.Float64() < share {
				v = math.NaN()
			}
			out[j].Numbers = append(out[j].Numbers, v)
		}
	}
	return out
}

// Shuffled columns and any number of threads give the same edges, weights and scores.
func TestMissingSameBytes(t *testing.T) {
	for _, mixed := range []bool{false, true} {
		columns := gappy(300, 0.2, mixed)
		var want string
		for k, order := range [][]int{{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}, {3, 0, 4, 2, 1}} {
			own := make(polydag.Columns, len(columns))
			for i, j := range order {
				own[i] = columns[j]
			}
			p, cfg := polydag.DefaultPreparation(), polydag.DefaultConfig()
			p.Threads, cfg.Threads = k+1, k+1
			table, err := polydag.Prepare(t.Context(), own, p)
			if err != nil {
				t.Fatal(err)
			}
			if !table.Incomplete() || table.Rows() != 300 {
				t.Fatalf("incomplete: %v, %d rows", table.Incomplete(), table.Rows())
			}
			res, err := table.Learn(t.Context(), cfg, polydag.Run{})
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprint(res.Rows)
			for _, name := range []string{"x0", "x1", "x2", "x3", "x4"} {
				for _, e := range res.Edges {
					if e.From == name {
						text += fmt.Sprintf(" %s %s %s %x", e.From, e.Mark, e.To, e.Weight)
					}
				}
			}
			if k == 0 {
				want = text
			} else if text != want {
				t.Errorf("mixed %v, run %d:\n%s\nwant\n%s", mixed, k, text, want)
			}
		}
	}
}

// A bootstrap sample completes its own rows.
func TestMissingBootstrap(t *testing.T) {
	for _, mixed := range []bool{false, true} {
		table, err := polydag.Prepare(t.Context(), gappy(200, 0.1, mixed), polydag.DefaultPreparation())
		if err != nil {
			t.Fatal(err)
		}
		from, err := table.Resampler(t.Context(), 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		draw := polydag.Draw{Kind: polydag.Bootstrap, Seed: 1, Replicate: 3}
		a, err := from.Draw(t.Context(), draw)
		if err != nil {
			t.Fatal(err)
		}
		b, err := from.Draw(t.Context(), draw)
		if err != nil {
			t.Fatal(err)
		}
		if a.Rows() != 200 || a.Fingerprint() != b.Fingerprint() || a.Fingerprint() == table.Fingerprint() {
			t.Errorf("%d rows, fingerprints %s, %s", a.Rows(), a.Fingerprint(), b.Fingerprint())
		}
		times, err := from.Times(t.Context(), draw)
		if err != nil || len(times) != table.Moments.N {
			t.Errorf("%d draws of %d rows, %v", len(times), table.Moments.N, err)
		}
	}
}

func TestMissingPairwiseNeedsTests(t *testing.T) {
	p := polydag.DefaultPreparation()
	p.Missing = dataset.MissingPairwise
	table, err := polydag.Prepare(t.Context(), gappy(200, 0.1, false), p)
	if err != nil {
		t.Fatal(err)
	}
	cfg := polydag.DefaultConfig()
	if _, err := table.Learn(t.Context(), cfg, polydag.Run{}); !errors.Is(err, polydag.ErrPairwise) {
		t.Errorf("default method: %v", err)
	}
	cfg.Method = pc.New()
	if _, err := table.Learn(t.Context(), cfg, polydag.Run{}); err != nil {
		t.Errorf("pc: %v", err)
	}
}
