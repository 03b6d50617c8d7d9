package missing

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// incomplete returns a table of n rows and two columns, of which the second lacks the given share of its values.
func incomplete(n int, share float64, discrete, weighted bool) *Completion {
	random := rand.New(rand.NewPCG(9, 9))
	rows := make([]float64, 0, 2*n)
	for i := range n {
		a := float64(random.IntN(3))
		b := a + float64(random.IntN(2))
		if float64(i) < share*float64(n) {
			b = math.NaN()
		}
		rows = append(rows, a, b)
	}
	c := &Completion{Names: []string{"a", "b"}, Discrete: []bool{discrete, discrete}}
	c.Rows = Rows{N: n, Threads: 1, Seed: 1, Read: func(_ context.Context, each func(dataset.RowBatch) error) error {
		return each(dataset.RowBatch{Values: slices.Clone(rows)})
	}}
	if weighted {
		c.Weights = make([]float64, n)
		for i := range c.Weights {
			c.Weights[i] = 1 + float64(i%2)
		}
	}
	return c
}

// TestNumberOfCopies checks the number of copies of each row: 20 for each unit of the largest share of missing values, at most 30,000 rows
// in all, and between 2 and 10; at least 8 with weights. A network draws one copy before the last graph.
func TestNumberOfCopies(t *testing.T) {
	for _, c := range []struct {
		name               string
		n                  int
		share              float64
		discrete, weighted bool
		given              int
		copies, last       int
	}{
		{"2 % missing", 200, 0.02, false, false, 0, 2, 2},
		{"15 % missing", 200, 0.15, false, false, 0, 3, 3},
		{"20 % missing", 200, 0.2, false, false, 0, 4, 4},
		{"50 % missing", 200, 0.5, false, false, 0, 10, 10},
		{"80 % missing", 200, 0.8, false, false, 0, 10, 10},
		{"10,000 rows", 10_000, 0.5, false, false, 0, 3, 3},
		{"10,001 rows", 10_001, 0.5, false, false, 0, 2, 2},
		{"with weights", 200, 0.2, false, true, 0, 8, 8},
		{"with weights and 50 % missing", 200, 0.5, false, true, 0, 10, 10},
		{"given", 200, 0.5, false, false, 5, 5, 5},
		{"categories", 200, 0.2, true, false, 0, 1, 4},
		{"categories with weights", 200, 0.2, true, true, 0, 8, 8},
	} {
		own := incomplete(c.n, c.share, c.discrete, c.weighted)
		own.Copies = c.given
		must.Succeed(t, own.Complete(t.Context(), nil))
		if own.Copies != c.copies || own.LastCopies != c.last || len(own.Filled) != 2*c.n*c.copies || own.Moments.N != c.n*c.copies {
			t.Errorf("%s: %d copies, %d at last, %d values, want %d and %d copies", c.name, own.Copies, own.LastCopies, len(own.Filled), c.copies, c.last)
		}
		near(t, c.name+": largest share", own.Most, c.share, 0.1*boolTo(c.weighted)+1e-3)
	}
}

func boolTo(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// TestInformationOfCompletedRows checks that a normal distribution counts pairs given a third column, a network counts pairs, and weights
// reduce both.
func TestInformationOfCompletedRows(t *testing.T) {
	for _, c := range []struct {
		discrete    bool
		information float64
	}{
		{false, 200 * math.Pow(0.8, 1.5)},
		{true, 160},
	} {
		own := incomplete(200, 0.2, c.discrete, false)
		must.Succeed(t, own.Complete(t.Context(), nil))
		near(t, "information", own.Information, c.information, 1e-9)
		near(t, "information on pairs", own.Paired, 160, 1e-9)
		near(t, "share of a pair", own.Share(0, 1), 1, 1e-12)
		near(t, "share of a column", own.Share(0, 0), 200./160, 1e-12)
	}
	whole := incomplete(200, 0, false, true)
	must.Succeed(t, whole.Complete(t.Context(), nil))
	near(t, "information of weighted rows", whole.Information, 300.*300/500, 1e-9)
	if whole.Gaussian != nil || whole.Share != nil {
		t.Error("complete rows have a model of missing values")
	}
}

// TestCopiesOfACompletion checks that one copy is the first one, and that all copies are drawn from the same model.
func TestCopiesOfACompletion(t *testing.T) {
	own := incomplete(200, 0.2, false, false)
	own.Sampled = true
	must.Succeed(t, own.Complete(t.Context(), nil))
	one, err := own.OneCopy(t.Context())
	if err != nil || one.Copies != 1 || !slices.Equal(one.Filled, own.Filled[:400]) || one.Moments.N != 200 {
		t.Errorf("one copy has %d values of %d rows, %v", len(one.Filled), one.Moments.N, err)
	}
	if !slices.Equal(own.Sample.Values, one.Filled) {
		t.Error("the sample is not the first copy")
	}
	near(t, "weight of a row of the sample", own.Sample.Weight, 0.8, 1e-12)
	if same, err := own.All(t.Context()); err != nil || same != own {
		t.Errorf("a table with all copies is completed again: %v", err)
	}
	if same, err := one.OneCopy(t.Context()); err != nil || same != one {
		t.Errorf("a table with one copy is completed again: %v", err)
	}
	if all, err := one.All(t.Context()); err != nil || all.Copies != 4 || !slices.Equal(all.Filled[:400], one.Filled) {
		t.Errorf("all copies: %v", err)
	}
	var other []float64
	must.Succeed(t, own.Impute(t.Context(), 1, 77, func(b dataset.RowBatch) error { other = append(other, b.Values...); return nil }))
	if len(other) != 400 || slices.Equal(other, one.Filled) || other[399] != one.Filled[399] {
		t.Error("another seed draws the same values, or changes values that are there")
	}
}

// TestDescribedRows checks that up to 20,000 rows are described, and evenly spaced ones of longer tables.
func TestDescribedRows(t *testing.T) {
	for n, want := range map[int]int{20_000: 20_000, 20_001: 10_001} {
		c := incomplete(n, 0.1, false, false)
		got, err := c.Describe(t.Context(), c.Names, c.Discrete)
		if err != nil || got.Rows != want {
			t.Errorf("%d rows: %d are described, want %d: %v", n, got.Rows, want, err)
		}
	}
}
