package basis_test

import (
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
)

// sample has a numeric column with few ties, one with many, a category, a constant and a heavy tail.
func sample(seed uint64, n int) *matrix.Dense[float64] {
	rng := rand.New(rand.NewPCG(seed, 8))
	x := matrix.New[float64](n, 5)
	for i := range n {
		a := rng.NormFloat64()
		for j, v := range []float64{a, math.Round(a), float64(rng.IntN(4)), -2, math.Exp(4 * rng.NormFloat64())} {
			x.Set(i, j, v)
		}
	}
	return x
}

var (
	columns     = []string{"a", "rounded", "kind", "constant", "tail"}
	categorical = []bool{false, false, true, false, false}
)

// twin is a slow reference: ranks by counting, functions by their formula, covariances by two passes.
func twin(x *matrix.Dense[float64], s basis.Settings) (names []string, gram *matrix.Dense[float64]) {
	n := x.Rows
	var wide [][]float64
	add := func(name string, f func(i int) float64) {
		c := make([]float64, n)
		for i := range n {
			c[i] = f(i)
		}
		wide, names = append(wide, c), append(names, name)
	}
	first := make([]int, x.Cols)
	for j, name := range columns {
		first[j] = len(wide)
		if categorical[j] {
			times := map[float64]int{}
			for i := range n {
				times[x.At(i, j)]++
			}
			base := math.Inf(1)
			for l, k := range times {
				if b, ok := times[base]; !ok || k > b || k == b && l < base {
					base = l
				}
			}
			for l := range 4 {
				if l := float64(l); l != base && times[l] > 0 {
					add(fmt.Sprintf("%s=%v", name, l), func(i int) float64 {
						if x.At(i, j) == l {
							return 1
						}
						return 0
					})
				}
			}
			continue
		}
		add(name, func(i int) float64 { return x.At(i, j) })
		for k := 1; k <= s.Curves; k++ {
			add(fmt.Sprintf("%s~curve%d", name, k), func(i int) float64 {
				below, equal := 0.0, 0.0
				for m := range n {
					if x.At(m, j) < x.At(i, j) {
						below++
					} else if x.At(m, j) == x.At(i, j) {
						equal++
					}
				}
				return curve(k, (below+equal/2)/float64(n), s.Bounded)
			})
		}
	}
	for b := range columns {
		for a := range b {
			for k := 1; k <= s.Crossed && !categorical[a] && !categorical[b]; k++ {
				for l := 1; l <= s.Crossed; l++ {
					p, q := first[a]+k, first[b]+l
					add(names[p]+"*"+names[q], func(i int) float64 { return wide[p][i] * wide[q][i] })
				}
			}
		}
	}
	gram = matrix.New[float64](len(wide), len(wide))
	for _, c := range wide {
		mean := 0.0
		for _, v := range c {
			mean += v / float64(n)
		}
		for i := range c {
			c[i] -= mean
		}
	}
	for i := range wide {
		for j := range wide {
			sum := 0.0
			for m := range n {
				sum += wide[i][m] * wide[j][m] / float64(n)
			}
			gram.Set(i, j, sum)
		}
	}
	return names, gram
}

func TestGramAgainstRows(t *testing.T) {
	x := sample(1, 150)
	for _, s := range []basis.Settings{basis.DefaultSettings(), {MaxLevels: 4}, {Curves: 3, Crossed: 3, CrossedColumns: 4, MaxLevels: 4}, {Curves: 5, Bounded: true, MaxLevels: 4}} {
		b := must.Get(basis.OfRows(columns, categorical, x, s, 2))
		must.Succeed(t, b.Validate())
		names, want := twin(x, s)
		if got := functions(t, x, s).Names(); !slices.Equal(got, names) {
			t.Fatalf("functions %q, want %q", got, names)
		}
		for i := range want.Rows {
			for j := range want.Rows {
				scale := 1 + math.Sqrt(want.At(i, i)*want.At(j, j))
				if d := b.Gram.At(i, j) - want.At(i, j); !(math.Abs(d) <= 1e-10*scale) {
					t.Fatalf("covariance of %s and %s is %v, by the rows %v", names[i], names[j], b.Gram.At(i, j), want.At(i, j))
				}
			}
		}
	}
}

func functions(t *testing.T, x *matrix.Dense[float64], s basis.Settings) *basis.Functions {
	t.Helper()
	fit := basis.NewFit(columns, categorical)
	must.Succeed(t, fit.Add(x.Data))
	return must.Get(fit.Functions(s))
}

// TestGramOfBatches checks that the bytes depend neither on the threads nor on how the rows arrive.
func TestGramOfBatches(t *testing.T) {
	x := sample(2, 9000)
	s := basis.Settings{Curves: 3, MaxLevels: 4}
	f := functions(t, x, s)
	var want *dataset.Moments
	for _, batch := range []int{9000, 1, 1000, 4099} {
		g := f.NewGram(1 + batch%3)
		for at := 0; at < x.Rows; at += batch {
			must.Succeed(t, g.Add(x.Data[at*5:min(at+batch, x.Rows)*5]))
		}
		m := must.Get(g.Moments())
		if want == nil {
			want = m
		}
		if m.N != 9000 || !slices.Equal(m.Scatter, want.Scatter) || !slices.Equal(m.Mean, want.Mean) {
			t.Errorf("batches of %d rows change the moments", batch)
		}
	}
}

// curve is function k of the rank u, by its definition.
func curve(k int, u float64, bounded bool) float64 {
	z := math.Sqrt2 * math.Erfinv(2*u-1)
	switch {
	case bounded || k <= 2:
		return math.Sqrt2 * math.Cos(float64(k)*math.Pi*u)
	case k == 3:
		return (z*z - 1) / math.Sqrt2
	case k == 4:
		return (z*z*z - 3*z) / math.Sqrt(6)
	}
	return math.Sqrt2 * math.Cos(float64(k-2)*math.Pi*u)
}

// Curves have mean 0 and variance 1 over all ranks, and the first ones do not depend on how many there are.
func TestCurves(t *testing.T) {
	const n = 400_000
	for size := range 9 {
		at := make([]float64, size)
		for _, u := range []float64{1e-9, 0.01, 0.3, 0.5, 0.77, 1 - 1e-6} {
			basis.Curves(at, u)
			for k, f := range at {
				if want := curve(k+1, u, false); !(math.Abs(f-want) <= 1e-9*(1+math.Abs(want))) {
					t.Errorf("curve %d of %d at %v is %v, want %v", k+1, size, u, f, want)
				}
			}
		}
	}
	mean, squares, at := make([]float64, 8), make([]float64, 8), make([]float64, 8)
	for i := range n {
		basis.Curves(at, (float64(i)+0.5)/n)
		for k, f := range at {
			mean[k] += f / n
			squares[k] += f * f / n
		}
	}
	for k := range at {
		if math.Abs(mean[k]) > 1e-3 || math.Abs(squares[k]-1) > 3e-3 {
			t.Errorf("curve %d has mean %v and mean square %v, want 0 and 1", k+1, mean[k], squares[k])
		}
	}
}

// TestRanksOfManyRows checks the error of curves of approximate ranks at 200,000 rows, sorted or not: 0.01 for the cosines; for the polynomials,
// whose slope is largest in the tails, a share of 0.01 of the variance.
func TestRanksOfManyRows(t *testing.T) {
	const n = 200_000
	for _, kind := range []string{"ascending", "descending", "shuffled"} {
		fit := basis.NewFit([]string{"a"}, nil)
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i)
		}
		switch kind {
		case "descending":
			slices.Reverse(values)
		case "shuffled":
			rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, j int) { values[i], values[j] = values[j], values[i] })
		}
		must.Succeed(t, fit.Add(values))
		f := must.Get(fit.Functions(basis.Settings{Curves: 7, MaxLevels: 1}))
		worst, square, out := make([]float64, 8), make([]float64, 8), make([]float64, 8)
		for i := range n {
			must.Succeed(t, f.Expand(out, []float64{float64(i)}))
			for k := 1; k <= 7; k++ {
				off := out[k] - curve(k, (float64(i)+0.5)/n, false)
				worst[k] = max(worst[k], math.Abs(off))
				square[k] += off * off / n
			}
		}
		t.Logf("%s: largest errors %.4f, mean squares %.2g", kind, worst[1:], square[1:])
		for k := 1; k <= 7; k++ {
			polynomial := k == 3 || k == 4
			if !polynomial && worst[k] > 0.01 || square[k] > 0.01 {
				t.Errorf("%s: curve %d is off by up to %v, mean square %v", kind, k, worst[k], square[k])
			}
		}
	}
}

func TestFaults(t *testing.T) {
	two := []string{"a", "b"}
	fit := basis.NewFit(two, nil)
	if err := fit.Add([]float64{1, 2, 3}); err == nil {
		t.Error("a row and a half is taken")
	}
	if err := fit.Add([]float64{1, 2, 3, math.NaN()}); !errors.Is(err, dataset.ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
	if _, err := basis.NewFit(two, nil).Functions(basis.DefaultSettings()); !errors.Is(err, dataset.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
	fit = basis.NewFit(two, []bool{true, false})
	must.Succeed(t, fit.Add([]float64{1, 2, 3, 4, 5, 6}))
	if _, err := fit.Functions(basis.Settings{MaxLevels: 2}); !errors.Is(err, basis.ErrLevels) {
		t.Errorf("three levels of two allowed: %v", err)
	}
	f := must.Get(fit.Functions(basis.DefaultSettings()))
	g := f.NewGram(1)
	must.Succeed(t, g.Add([]float64{9, 1}))
	if _, err := g.Blocks(); !errors.Is(err, basis.ErrLevels) {
		t.Errorf("a level that was not there: %v", err)
	}
	if _, err := f.NewGram(1).Blocks(); !errors.Is(err, dataset.ErrNoRows) {
		t.Errorf("a second pass without rows: %v", err)
	}
	for _, s := range []basis.Settings{{Curves: -1, MaxLevels: 1}, {Curves: 1, Crossed: 2, MaxLevels: 1}, {}, {MaxLevels: 1, CrossedColumns: -1}} {
		if s.Validate() == nil {
			t.Errorf("%+v is taken", s)
		}
	}
	if _, err := basis.OfRows(two, nil, matrix.New[float64](3, 3), basis.DefaultSettings(), 1); err == nil {
		t.Error("two names for three columns")
	}
}

func ExampleOfRows() {
	x := matrix.Of(4, 2, []float64{
		1, 0,
		2, 1,
		3, 1,
		4, 1,
	})
	s := basis.Settings{Curves: 1, MaxLevels: 8}
	b, err := basis.OfRows([]string{"size", "kind"}, []bool{false, true}, x, s, 1)
	if err != nil {
		panic(err)
	}
	fmt.Println(b.N, b.Start)
	for i := range b.Gram.Rows {
		fmt.Printf("%.2f\n", b.Gram.Row(i)) // size, its first curve, and whether the kind is 0
	}
	// Output:
	// 4 [0 2 3]
	// [1.25 -1.12 -0.38]
	// [-1.12 1.00 0.33]
	// [-0.38 0.33 0.19]
}

// TestExpandAll compares all rows at once with one row at a time. A column with one value has no functions.
func TestExpandAll(t *testing.T) {
	rows := []float64{1, 7, 0, 2, 7, 1, 4, 7, 2, 3, 7, 0, 9, 7, 1, 5, 7, 2}
	fit := basis.NewFit([]string{"a", "b", "c"}, []bool{false, false, true})
	must.Succeed(t, fit.Add(rows))
	set := basis.DefaultSettings()
	set.Curves, set.Crossed = 2, 0
	f := must.Get(fit.Functions(set))
	got, kept, err := f.ExpandAll(rows)
	if err != nil || len(kept) == 0 || len(got) != 6*len(kept) {
		t.Fatalf("%d values of %v, %v", len(got), kept, err)
	}
	start, one := f.Start(), make([]float64, f.Size())
	for i := range 6 {
		must.Succeed(t, f.Expand(one, rows[3*i:3*i+3]))
		for k, of := range kept {
			if want := one[start[of.Column]+of.Function]; of.Column == 1 || got[i*len(kept)+k] != want {
				t.Errorf("row %d, function %v: %v, want %v", i, of, got[i*len(kept)+k], want)
			}
		}
	}
	if _, _, err := f.ExpandAll([]float64{1, 7, 5}); err == nil {
		t.Error("an unknown level was accepted")
	}
}

// TestExpandOf compares the functions of some columns, and their products, with those of a whole row. The products are a function of the
// first column times one of the second, in the order of the pairs. Nothing else is written.
func TestExpandOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	rows := make([]float64, 4*200)
	for i := range rows {
		rows[i] = rng.NormFloat64()
		if i%4 == 1 {
			rows[i] = float64(rng.IntN(3))
		}
	}
	fit := basis.NewFit([]string{"a", "b", "c", "d"}, []bool{false, true, false, false})
	must.Succeed(t, fit.Add(rows))
	set := basis.DefaultSettings()
	set.Curves, set.Crossed, set.CrossedLines = 3, 2, false
	f := must.Get(fit.Functions(set))
	start, whole, some := f.Start(), make([]float64, f.Size()), make([]float64, f.Size())
	at := []int{start[0] + 1, start[2] + 1, start[3] + 1} // the curves of the numeric columns
	row := rows[:4]
	must.Succeed(t, f.Expand(whole, row))
	products := 0
	for k, p := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
		for i := range 4 {
			products++
			if got, want := whole[start[4]+4*k+i], whole[at[p[0]]+i/2]*whole[at[p[1]]+i%2]; got != want {
				t.Errorf("product %d of columns %v: %v, want %v", i, p, got, want)
			}
		}
	}
	if start[4]+products != f.Size() {
		t.Fatalf("%d functions, want %d", f.Size(), start[4]+products)
	}
	for k := range some {
		some[k] = math.NaN()
	}
	must.Succeed(t, f.ExpandOf(some, row, []int{3, 0}))
	for k, got := range some {
		if of := k >= start[0] && k < start[1] || k >= start[3] && k < start[4] || k >= start[4]+4 && k < start[4]+8; !of && !math.IsNaN(got) || of && got != whole[k] {
			t.Errorf("function %d: %v, of a whole row %v", k, got, whole[k])
		}
	}
	if err := f.ExpandOf(some, []float64{0, 7, 0, 0}, []int{1}); err == nil {
		t.Error("an unknown category was accepted")
	}
}
