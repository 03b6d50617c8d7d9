package independence_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
)

// everyTest draws a table of six columns for each test.
func everyTest(t *testing.T) map[string]independence.Test {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 11))
	const n, d = 300, 6
	x := matrix.New[float64](n, d)
	codes, both := make([][]uint32, d), make([]independence.Column, d)
	for j := range d {
		codes[j] = make([]uint32, n)
		both[j].Values = make([]float64, n)
		for i := range n {
			v := rng.NormFloat64()
			if j > 0 {
				v += x.At(i, rng.IntN(j))
			}
			x.Set(i, j, v)
			both[j].Values[i] = v
			codes[j][i] = min(2, uint32(max(0, v+1)))
		}
		if j%2 == 1 {
			both[j] = independence.Column{Codes: codes[j], Levels: 3}
		}
	}
	table := must.Get(counts.New(codes, counts.Rows{}))
	b, err := basis.OfRows([]string{"a", "b", "c", "d", "e", "f"}, nil, x, basis.Settings{Curves: 4, Bounded: true, MaxLevels: 9}, 1)
	must.Succeed(t, err)
	out := map[string]independence.Test{}
	put := func(name string, test independence.Test, err error) {
		must.Succeed(t, err)
		out[name] = test
		out["cached "+name] = independence.NewCache(test, 1<<12)
	}
	g2, err := independence.NewG2(table, 1)
	put("g2", g2, err)
	chi2, err := independence.NewChi2(table, 0.5)
	put("chi2", chi2, err)
	mixed, err := independence.NewMixed(both, 1)
	put("mixed", mixed, err)
	smooth, err := independence.NewBlocks(b.Gram, b.Start, 3, b.N)
	put("smooth", smooth, err)
	put("arranged", independence.Arranged(mixed, []int{3, 0, 5, 1, 4, 2}), nil)
	return out
}

func TestEveryTestKeepsTheLaws(t *testing.T) {
	for name, test := range everyTest(t) {
		if err := kit.Independence(test, 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := kit.Independence(independence.WorkerOf(test), 2); err != nil {
			t.Errorf("a worker of %s: %v", name, err)
		}
	}
}

// TestArranged checks that columns in another order have the results of the test.
func TestArranged(t *testing.T) {
	own := everyTest(t)["mixed"]
	other := independence.Arranged(own, []int{3, 0, 5, 1, 4, 2})
	got, err := other.Independent(0, 4, []int{5, 1})
	want, err2 := own.Independent(3, 4, []int{0, 2})
	if err != nil || err2 != nil || got != want {
		t.Errorf("%v (%v), want %v (%v)", got, err, want, err2)
	}
}

// TestWorkersAgree checks that several goroutines get the answers that one gets, through a cache that is full
// all the time.
func TestWorkersAgree(t *testing.T) {
	for name, test := range everyTest(t) {
		want := must.Get(test.Independent(0, 3, []int{1, 4}))
		var group sync.WaitGroup
		for k := range 4 {
			group.Go(func() {
				w := independence.WorkerOf(test)
				for i := range 30 {
					_, _ = w.Independent(k%6, (k+1+i%5)%6, nil) // fills the cache
					if got, err := w.Independent(0, 3, []int{4, 1}); err != nil || got != want {
						t.Errorf("%s: %+v, %v, before %+v", name, got, err, want)
					}
				}
			})
		}
		group.Wait()
	}
}

// G² and χ² against sums over a table of three columns written out.
func TestLevelsByHand(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	columns := levels(rng, 300)
	columns[0][0] = 7 // a level that one row has
	table := must.Get(counts.New(columns, counts.Rows{}))
	var g, chi2, df float64
	for s := range uint32(2) {
		cells, row, column, total := map[[2]uint32]float64{}, map[uint32]float64{}, map[uint32]float64{}, 0.0
		for i, b := range columns[1] {
			if b == s {
				x, y := columns[0][i], columns[2][i]
				cells[[2]uint32{x, y}]++
				row[x]++
				column[y]++
				total++
			}
		}
		df += float64((len(row) - 1) * (len(column) - 1))
		for x, r := range row {
			for y, c := range column {
				n, e := cells[[2]uint32{x, y}], r*c/total
				if n > 0 {
					g += 2 * n * math.Log(n/e)
				}
				chi2 += (n - e) * (n - e) / e
			}
		}
	}
	for want, make := range map[float64]func(*counts.Data, float64) (*independence.Levels, error){g: independence.NewG2, chi2: independence.NewChi2} {
		test := must.Get(make(table, 1))
		if r, err := test.Independent(2, 0, []int{1}); err != nil || !(math.Abs(r.Statistic-want) <= 1e-9) || r.DF != df || r.DF != 10 {
			t.Errorf("%+v, %v, want %v with %v", r, err, want, df)
		}
	}
}

// Mixed agrees with the plain tests where a table is of one kind.
func TestMixedOfOneKind(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	x := chain(rng, 150)
	z := must.Get(independence.NewFisherZ(moments(t, x).Correlation(), 150))
	var all []independence.Column
	for j := range 4 {
		all = append(all, numbers(150, func(i int) float64 { return x.At(i, j) }))
	}
	mixed := must.Get(independence.NewMixed(all, 1))
	a, _ := z.Independent(0, 2, []int{1, 3})
	b, err := mixed.Independent(0, 2, []int{1, 3})
	if err != nil || !(math.Abs(b.Statistic-a.Statistic*a.Statistic) <= 1e-9) || !(math.Abs(a.P-b.P) <= 1e-9) {
		t.Errorf("numbers: %+v and %+v, %v", a, b, err)
	}
	columns := levels(rng, 500)
	table := must.Get(counts.New(columns, counts.Rows{}))
	g2, _ := independence.NewG2(table, 1)
	mixed = must.Get(independence.NewMixed([]independence.Column{codes(columns[0], 3), codes(columns[1], 2), codes(columns[2], 3)}, 1))
	a, _ = g2.Independent(0, 2, []int{1})
	if b, err = mixed.Independent(0, 2, []int{1}); err != nil || !(math.Abs(a.Statistic-b.Statistic) <= 1e-9) || a.DF != b.DF {
		t.Errorf("levels: %+v and %+v, %v", a, b, err)
	}
}

// TestBlocksOfOneFunction checks that with one function per column Blocks is a test of partial correlations.
func TestBlocksOfOneFunction(t *testing.T) {
	m := moments(t, chain(rand.New(rand.NewPCG(14, 14)), 400))
	b := must.Get(independence.NewBlocks(m.Correlation(), []int{0, 1, 2, 3, 4}, 1, 400))
	z, _ := independence.NewFisherZ(m.Correlation(), 400)
	for _, given := range [][]int{nil, {1}, {1, 3}} {
		p, _ := z.Independent(0, 2, given)
		q, err := b.Independent(2, 0, given)
		if err != nil || q.DF != 1 || !(math.Abs(math.Sqrt(q.Statistic)-p.Statistic) <= 0.05*(1+p.Statistic)) {
			t.Errorf("given %v: %+v and %+v, %v", given, p, q, err)
		}
	}
}

// What a condition determines is independent of everything, and too few rows are an error.
func TestDeterminedColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 15))
	n := 200
	s := make([]uint32, n)
	for i := range s {
		s[i] = pick(rng, 1, 1, 1)
	}
	y := numbers(n, func(i int) float64 { return float64(s[i]) + rng.NormFloat64() })
	fixed := numbers(n, func(i int) float64 { return 2 * float64(s[i]) })
	test, err := independence.NewMixed([]independence.Column{codes(s, 3), y, fixed, codes(s, 3), numbers(n, func(i int) float64 { return y.Values[i] })}, 1)
	must.Succeed(t, err)
	for _, q := range [][3]int{{2, 1, 0}, {3, 1, 0}, {3, 2, 0}} {
		if r, err := test.Independent(q[0], q[1], q[2:]); err != nil || r.P != 1 {
			t.Errorf("column %d is determined by %d, and with %d: %+v, %v", q[0], q[2], q[1], r, err)
		}
	}
	if r, err := test.Independent(1, 4, nil); err != nil || r.P > 1e-300 || math.IsInf(r.Statistic, 0) {
		t.Errorf("two columns that are one: %+v, %v", r, err)
	}
	if r, err := test.Independent(2, 3, nil); err != nil || r.P > 1e-100 || math.IsInf(r.Statistic, 0) || math.IsNaN(r.Statistic) {
		t.Errorf("a number that levels determine: %+v, %v", r, err)
	}
	few := must.Get(independence.NewMixed([]independence.Column{numbers(5, func(i int) float64 { return float64(i * i) }), numbers(5, func(i int) float64 { return float64(-i) }), numbers(5, func(int) float64 { return rng.NormFloat64() }), numbers(5, func(int) float64 { return rng.NormFloat64() })}, 1))
	if _, err := few.Independent(0, 1, []int{2, 3}); !errors.Is(err, independence.ErrRows) {
		t.Errorf("five rows and two in the condition: %v", err)
	}
}

// counting counts the questions that reach a test.
type counting struct {
	independence.Test
	asked *int
}

func (c counting) Independent(x, y int, given []int) (independence.Result, error) {
	*c.asked++
	return c.Test.Independent(x, y, given)
}

// Without memory every question reaches the test; with memory each does once.
func TestCacheOfNothing(t *testing.T) {
	for bytes, want := range map[int64]int{0: 3, 1 << 20: 1} {
		asked := 0
		c := independence.NewCache(counting{everyTest(t)["g2"], &asked}, bytes)
		for range 3 {
			must.Get(c.Independent(0, 1, []int{2}))
		}
		if asked != want {
			t.Errorf("%d bytes: %d questions reach the test, want %d", bytes, asked, want)
		}
	}
}

func TestCacheCounts(t *testing.T) {
	for _, bytes := range []int64{0, 1 << 20} {
		c := independence.NewCache(everyTest(t)["g2"], bytes)
		for range 3 {
			must.Get(c.Independent(0, 1, []int{2}))
		}
		if c.Asked() != 3 || c.Columns() != 6 {
			t.Errorf("%d questions of %d columns", c.Asked(), c.Columns())
		}
	}
}

// The weight of a row multiplies the statistics of a mixed test, whose degrees of freedom stay.
func TestMixedRowWeight(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	columns := []independence.Column{{Values: make([]float64, 60)}, {Values: make([]float64, 60)}, {Codes: make([]uint32, 60), Levels: 2}}
	for i := range 60 {
		columns[0].Values[i], columns[1].Values[i], columns[2].Codes[i] = rng.NormFloat64(), rng.NormFloat64(), uint32(i%2)
	}
	var found [2][2]independence.Result
	for k, weight := range []float64{1, 0.25} {
		test := must.Get(independence.NewMixed(columns, weight))
		for y := range 2 {
			found[k][y] = must.Get(test.Independent(0, y+1, nil))
		}
	}
	for y := range 2 {
		if one, quarter := found[0][y], found[1][y]; !(math.Abs(quarter.Statistic-one.Statistic/4) <= 1e-12) || quarter.DF != one.DF || !(quarter.P > one.P) {
			t.Errorf("column %d: %+v with weight 0.25, %+v with weight 1", y+1, quarter, one)
		}
	}
}
