package polydag_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/method/pc"
)

// Forty groups of five copies carry the information of forty rows, and half of the groups that of twenty.
func TestHalvesOfGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	columns := polydag.Columns{{Name: "a"}, {Name: "b"}, {Name: "person"}}
	for k := range 40 {
		a, b := random.NormFloat64(), random.NormFloat64()
		for range 5 {
			columns[0].Numbers = append(columns[0].Numbers, a)
			columns[1].Numbers = append(columns[1].Numbers, b)
			columns[2].Text = append(columns[2].Text, fmt.Sprint("p", k))
		}
	}
	p := polydag.DefaultPreparation()
	p.Groups = "person"
	table := must.Get(polydag.Prepare(t.Context(), columns, p))
	from := must.Get(table.Resampler(t.Context(), 1<<30))
	if n := table.EffectiveRows(); n != 40 {
		t.Fatalf("%d effective rows, want 40", n)
	}
	for _, c := range []struct {
		kind            polydag.Resampling
		rows, effective int
	}{{polydag.Halves, 100, 20}, {polydag.Bootstrap, 200, 40}} {
		got := must.Get(from.Draw(t.Context(), polydag.Draw{Kind: c.kind, Seed: 1}))
		if got.Rows() != c.rows || got.EffectiveRows() != c.effective {
			t.Errorf("%s: %d rows, %d effective, want %d and %d", c.kind, got.Rows(), got.EffectiveRows(), c.rows, c.effective)
		}
	}
}

// The score of a bootstrap sample corrects the counts of repeated rows. Half samples have no repeated rows: their score is that of any table
// with these rows.
func TestOnlyRepeatedRowsAreCorrected(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	columns := polydag.Columns{{Name: "a"}, {Name: "b"}}
	for range 120 {
		a := random.IntN(3)
		columns[0].Text = append(columns[0].Text, fmt.Sprint("u", a))
		columns[1].Text = append(columns[1].Text, fmt.Sprint("v", (a+random.IntN(2))%3))
	}
	table := must.Get(polydag.Prepare(t.Context(), columns, polydag.DefaultPreparation()))
	from := must.Get(table.Resampler(t.Context(), 1<<30))
	m := order.New()
	m.Model = order.Discrete
	cfg := polydag.DefaultConfig()
	cfg.Method = m
	g := graph.FromParents([][]int{nil, {0}})
	for kind, corrected := range map[polydag.Resampling]bool{polydag.Halves: false, polydag.Bootstrap: true} {
		drawn := must.Get(from.Draw(t.Context(), polydag.Draw{Kind: kind, Seed: 1}))
		var rows []float64
		must.Succeed(t, drawn.EachRow(t.Context(), func(b dataset.RowBatch) error { rows = append(rows, b.Values...); return nil }))
		same := must.Get(table.Like(t.Context(), dataset.RowBatch{Values: rows}))
		a, b := must.Get(drawn.Score(t.Context(), cfg, g)), must.Get(same.Score(t.Context(), cfg, g))
		if (math.Abs(a-b) > 1e-9) != corrected {
			t.Errorf("%s: score %v, and %v of a table with the same rows", kind, a, b)
		}
	}
}

// A table with a single environment is learned like one without environments, also by methods that do not support them.
func TestSingleEnvironment(t *testing.T) {
	columns := gappy(200, 0, false)
	site := polydag.Column{Name: "site", Text: slices.Repeat([]string{"Graz"}, 200)}
	p := polydag.DefaultPreparation()
	p.Environments = "site"
	table := must.Get(polydag.Prepare(t.Context(), append(slices.Clone(columns), site), p))
	plain := must.Get(polydag.FromColumns(columns...))
	cfg := polydag.DefaultConfig()
	cfg.Method = pc.New()
	got := must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
	want := must.Get(plain.Learn(t.Context(), cfg, polydag.Run{}))
	if !slices.Equal(got.Marked.Edges(), want.Marked.Edges()) {
		t.Errorf("edges %v, want %v", got.Marked.Edges(), want.Marked.Edges())
	}
}

// The values drawn for missing ones are independent between bootstrap samples. The rows without a value of y come first and have the
// same x, so that their draws differ by nothing but noise.
func TestSamplesDrawMissingValuesAnew(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	columns := polydag.Columns{{Name: "x"}, {Name: "y"}, {Name: "z"}}
	const n, lost = 400, 200
	for i := range n {
		x, y, z := 1.0, math.NaN(), "u"
		if i >= lost {
			x, y = random.NormFloat64(), random.NormFloat64()
			if random.IntN(2) == 0 {
				z = "v"
			}
		}
		columns[0].Numbers = append(columns[0].Numbers, x)
		columns[1].Numbers = append(columns[1].Numbers, y)
		columns[2].Text = append(columns[2].Text, z)
	}
	for _, width := range []int{2, 3} { // values are drawn from a normal distribution or, with the categories, from a network
		table := must.Get(polydag.Prepare(t.Context(), columns[:width], polydag.DefaultPreparation()))
		from := must.Get(table.Resampler(t.Context(), 1<<30))
		const most = 150 // a sample has at least as many of the incomplete rows
		var drawn [2][]float64
		for k := range drawn {
			sample := must.Get(from.Draw(t.Context(), polydag.Draw{Kind: polydag.Bootstrap, Seed: 1, Replicate: k}))
			must.Succeed(t, sample.EachRow(t.Context(), func(b dataset.RowBatch) error {
				rows := b.Values
				for i := 0; i < len(rows) && len(drawn[k]) < most; i += width {
					drawn[k] = append(drawn[k], rows[i+1])
				}
				return nil
			}))
		}
		var sum [2]float64
		for i := range most {
			sum[0] += drawn[0][i] / most
			sum[1] += drawn[1][i] / most
		}
		var xx, yy, xy float64
		for i := range most {
			a, b := drawn[0][i]-sum[0], drawn[1][i]-sum[1]
			xx, yy, xy = xx+a*a, yy+b*b, xy+a*b
		}
		if r := xy / math.Sqrt(xx*yy); !(math.Abs(r) < 0.2) {
			t.Errorf("%d columns: the draws of two samples have correlation %.2f", width, r)
		}
	}
}

// Rows that repeat 40 records count as 40 rows everywhere, and a bootstrap sample draws records: all rows of one or none.
func TestRepeatedRecordsAreDrawnTogether(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 2))
	records, rows := make([][]float64, 40), make([][]float64, 0, 1200)
	for i := range records {
		x := random.NormFloat64()
		records[i] = []float64{x, x + random.NormFloat64(), random.NormFloat64()}
	}
	for i := range 1200 {
		rows = append(rows, records[i%40])
	}
	table := must.Get(polydag.FromRows([]string{"x", "y", "z"}, rows))
	if table.Rows() != 1200 || table.EffectiveRows() != 40 {
		t.Fatalf("%d rows, %d effective, want 1200 and 40", table.Rows(), table.EffectiveRows())
	}
	for _, memory := range []int64{1 << 30, 0} {
		from := must.Get(table.Resampler(t.Context(), memory))
		drawn := must.Get(from.Draw(t.Context(), polydag.Draw{Kind: polydag.Bootstrap, Seed: 1}))
		if drawn.EffectiveRows() != 40 {
			t.Errorf("%d bytes: %d effective rows of a sample, want 40", memory, drawn.EffectiveRows())
		}
		times := map[float64]int{}
		must.Succeed(t, drawn.EachRow(t.Context(), func(b dataset.RowBatch) error {
			for i := 0; i < len(b.Values); i += 3 {
				times[b.Values[i]]++
			}
			return nil
		}))
		if len(times) < 20 || len(times) > 32 { // 25 of 40 on average
			t.Errorf("%d bytes: %d records are drawn", memory, len(times))
		}
		for x, n := range times {
			if n%30 != 0 {
				t.Errorf("%d bytes: record %v has %d rows, want a multiple of 30", memory, x, n)
			}
		}
	}
}

// Moments are those of Draw for a small table. A large one has about the moments of its rows, and a constant column is an error.
func TestDrawMoments(t *testing.T) {
	draw := polydag.Draw{Kind: polydag.Bootstrap, Seed: 3}
	for _, rows := range []int{50, 12_000} {
		rng := rand.New(rand.NewPCG(2, 3))
		a, b, rare := make([]float64, rows), make([]float64, rows), make([]float64, rows)
		for i := range a {
			a[i] = rng.NormFloat64()
			b[i] = a[i] + rng.NormFloat64()
		}
		rare[7] = 1
		table := must.Get(polydag.FromColumns(polydag.Column{Name: "a", Numbers: a}, polydag.Column{Name: "b", Numbers: b}))
		from := must.Get(table.Resampler(t.Context(), 1<<20))
		got := must.Get(from.DrawMoments(t.Context(), draw)).Moments
		want := must.Get(from.Draw(t.Context(), draw)).Moments
		if rows == 50 {
			if !slices.Equal(got.Scatter, want.Scatter) || got.N != want.N {
				t.Errorf("%v, want %v", got.Scatter, want.Scatter)
			}
			continue
		}
		if share := got.At(0, 1) / want.At(0, 1); share < 0.9 || share > 1.1 || got.N < 11_000 || got.N > 13_000 {
			t.Errorf("%d rows, %v times the scatter", got.N, share)
		}
		table = must.Get(polydag.FromColumns(polydag.Column{Name: "a", Numbers: a}, polydag.Column{Name: "rare", Numbers: rare}))
		from, failed := must.Get(table.Resampler(t.Context(), 1<<20)), 0
		for draw.Replicate = range 40 {
			if _, err := from.DrawMoments(t.Context(), draw); errors.Is(err, dataset.ErrConstant) {
				failed++
			}
		}
		if failed < 5 || failed > 25 {
			t.Errorf("a column with one 1 is constant in %d of 40 samples", failed)
		}
	}
}
