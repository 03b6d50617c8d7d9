package scores

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
)

// TestCodesOfEveryStep compares the kept rows with a loop, for blocks that the step does not divide, with and without environments.
func TestCodesOfEveryStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	const n, d = 500, 3
	values, of := make([]float64, 0, n*d), make([]int, n)
	for i := range n {
		values = append(values, float64(rng.IntN(3)), float64(rng.IntN(2))-0.5, float64(300*rng.IntN(4)))
		of[i] = rng.IntN(2)
	}
	for _, step := range []int{1, 2, 3, 7, 90} {
		for _, environments := range []*dataset.Environments{nil, {Names: []string{"a", "b"}, Targets: make([][]int, 2)}} {
			in := &method.Input{Moments: dataset.NewMoments([]string{"x", "y", "z"}), Environments: environments}
			in.Moments.N = n
			in.Rows = func(ctx context.Context, each func(dataset.RowBatch) error) error {
				for lo, hi := 0, 0; lo < n; lo = hi {
					hi = min(n, lo+1+(lo*7)%60)
					if err := each(dataset.RowBatch{Values: values[lo*d : hi*d], Environments: of[lo:hi]}); err != nil {
						return err
					}
				}
				return nil
			}
			if environments == nil {
				in.Rows = in.Rows.Pooled()
			}
			r := &Reader{in: in, Each: in.Rows}
			coded, levels, kept, err := r.Codes(t.Context(), step)
			must.Succeed(t, err)
			table := must.Get(coded.Table(counts.Rows{}))
			var want []int
			coders := make([]Coder, d)
			columns := make([][]uint32, d)
			for i := 0; i < n; i += step {
				want = append(want, of[i])
				for j := range d {
					columns[j] = append(columns[j], coders[j].Of(values[i*d+j]))
				}
			}
			if table.Given() != len(want) || environments != nil && !slices.Equal(kept, want) || environments == nil && kept != nil {
				t.Fatalf("step %d: %d rows and environments %v, want %v", step, table.Given(), kept, want)
			}
			plain, _ := counts.New(columns, counts.Rows{})
			a, b := table.Counter(), plain.Counter()
			for v := range d {
				x, _ := a.Cells(v, []int{(v + 1) % d})
				y, _ := b.Cells(v, []int{(v + 1) % d})
				if !slices.Equal(x, y) {
					t.Errorf("step %d, column %d: counts %v, want %v", step, v, x, y)
				}
				for i := 0; i < n; i += step {
					if x := values[i*d+v]; levels[v][coders[v].Of(x)] != x {
						t.Fatalf("step %d, column %d: level %d is %v, want %v", step, v, coders[v].Of(x), levels[v][coders[v].Of(x)], x)
					}
				}
			}
		}
	}
}

// TestCoder compares codes with the order of occurrence, for values that have an entry in its table and others.
func TestCoder(t *testing.T) {
	var c Coder
	negative := 0.0
	negative = -negative // -0 is 0
	for i, x := range []float64{3, -1, 0, 255, 256, 0.5, negative, 255, 256, -1, 3, 1e300, 0.5, -255} {
		if want := []uint32{0, 1, 2, 3, 4, 5, 2, 3, 4, 1, 0, 6, 5, 7}[i]; c.Of(x) != want {
			t.Errorf("value %v has code %d, want %d", x, c.Of(x), want)
		}
	}
	if c.Levels() != 8 || !slices.Equal(c.values(), []float64{3, -1, 0, 255, 256, 0.5, 1e300, -255}) {
		t.Errorf("%d levels: %v", c.Levels(), c.values())
	}
}

// TestCodeStep checks the limit of 2^29 values: all of 13,421,772 rows of 40 columns are kept, and every 75th of 10^9.
func TestCodeStep(t *testing.T) {
	for _, c := range [][3]int{{1, 40, 1}, {13421772, 40, 1}, {13421773, 40, 2}, {1_000_000_000, 40, 75}, {10, 1 << 30, 10}} {
		if got := codeStep(c[0], c[1]); got != c[2] {
			t.Errorf("%d rows of %d columns: step %d, want %d", c[0], c[1], got, c[2])
		}
	}
	step := codeStep(1_000_000_000, 40)
	table, _ := counts.New([][]int{{0, 1}}, counts.Rows{})
	in := &method.Input{Moments: dataset.NewMoments([]string{"x"})}
	in.Moments.N = 150
	var a method.Answer
	(&ScoredTable{Step: step, Counts: table, In: in}).Warn(&a)
	(&ScoredTable{Step: 1, Counts: table, In: in}).Warn(&a)
	if want := "the discrete model counted one row in 75 (2 of 150 rows), to limit memory"; len(a.Warnings) != 1 || a.Warnings[0] != want {
		t.Errorf("warnings %q, want %q", a.Warnings, want)
	}
	if (&ScoredTable{Step: 2, Counts: table, In: in}).Warn(&a); len(a.Warnings) != 2 {
		t.Errorf("every second row is counted, and the warnings are %q", a.Warnings)
	}
}
