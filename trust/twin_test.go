package trust

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// randomTable has columns with some correlation among them.
func randomTable(r *rand.Rand, n, d int) *matrix.Dense[float64] {
	x := matrix.New[float64](n, d)
	for i := range n {
		for j := range d {
			v := r.NormFloat64()
			if j > 0 {
				v += x.At(i, r.IntN(1+j/2)/2)
			}
			x.Set(i, j, v)
		}
	}
	return x
}

func columnNames(d int) []string {
	names := make([]string, d)
	for j := range names {
		names[j] = "c" + strconv.Itoa(j)
	}
	return names
}

func momentsOf(t testing.TB, x *matrix.Dense[float64]) *dataset.Moments {
	t.Helper()
	m := must.Get(dataset.MomentsOf(columnNames(x.Cols), x, 1))
	return m
}

// tabulated returns the moments of n rows.
func tabulated(t testing.TB, names []string, n int, row func(i int) []float64) *dataset.Moments {
	t.Helper()
	m := dataset.NewMoments(names)
	for i := range n {
		must.Succeed(t, m.AddBlock(row(i)))
	}
	return m
}

// columnMoments returns the moments of a column x.
func columnMoments(t testing.TB, x []float64) *dataset.Moments {
	t.Helper()
	return tabulated(t, []string{"x"}, len(x), func(i int) []float64 { return x[i : i+1] })
}

// r2ByRows regresses column j on all others by Gram-Schmidt on the rows.
func r2ByRows(x *matrix.Dense[float64], j int) float64 {
	column := func(k int) []float64 {
		c := make([]float64, x.Rows)
		mean := 0.0
		for i := range c {
			c[i] = x.At(i, k)
			mean += c[i] / float64(x.Rows)
		}
		for i := range c {
			c[i] -= mean
		}
		return c
	}
	dot := func(a, b []float64) float64 {
		s := 0.0
		for i := range a {
			s += a[i] * b[i]
		}
		return s
	}
	var basis [][]float64
	left := func(c []float64) []float64 {
		for range 2 {
			for _, q := range basis {
				f := dot(c, q)
				for i := range c {
					c[i] -= f * q[i]
				}
			}
		}
		return c
	}
	for k := range x.Cols {
		if k == j {
			continue
		}
		c := column(k)
		whole := dot(c, c)
		c = left(c)
		if size := dot(c, c); size > 1e-10*whole {
			for i := range c {
				c[i] /= math.Sqrt(size)
			}
			basis = append(basis, c)
		}
	}
	c := column(j)
	whole := dot(c, c)
	c = left(c)
	return 1 - dot(c, c)/whole
}

func TestR2MatchesRegression(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 30 {
		d := 2 + r.IntN(8)
		x := randomTable(r, 50, d)
		if d > 4 && r.IntN(2) == 0 { // collinear: the last column is made of the first three
			for i := range x.Rows {
				x.Set(i, d-1, x.At(i, 0)-2*x.At(i, 1)+x.At(i, 2))
			}
		}
		for j, got := range R2FromOthers(momentsOf(t, x).Correlation()) {
			if want := r2ByRows(x, j); !(math.Abs(got-want) <= 1e-8) {
				t.Errorf("column %d of %d: R² %v, by regression %v", j, d, got, want)
			}
		}
	}
}

func TestConditionAndRankMatchEigenvalues(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for k := range 25 {
		d := 2 + r.IntN(60)
		x := randomTable(r, 4*d, d)
		dependent := 0
		if k%3 == 0 && d > 10 {
			dependent = 2
			for i := range x.Rows {
				x.Set(i, 3, x.At(i, 4)+x.At(i, 5))
				x.Set(i, 8, x.At(i, 6)-x.At(i, 7)+3)
			}
		}
		corr := momentsOf(t, x).Correlation()
		b := newSpanning(corr)
		if len(b.independent) != d-dependent {
			t.Fatalf("rank %d, want %d", len(b.independent), d-dependent)
		}
		part := submatrix(corr, b.independent)
		v, _, err := matrix.EigenSym(part, false)
		must.Succeed(t, err)
		if want, got := v[len(v)-1]/v[0], b.condition(corr); !(math.Abs(got-want) <= 1e-5*want) {
			t.Errorf("d = %d: condition number %v, by eigenvalues %v", d, got, want)
		}
	}
}

// The sortabilities by their definition: boolean powers of the adjacency matrix, entry by entry.
func sortabilityByPowers(g *graph.Graph, figure []float64) (float64, bool) {
	n := g.N()
	step := make([][]bool, n)
	for s := range n {
		step[s] = make([]bool, n)
		for t := range n {
			step[s][t] = g.HasEdge(s, t)
		}
	}
	paths, right := 0.0, 0.0
	for range n - 1 {
		next := make([][]bool, n)
		for s := range n {
			next[s] = make([]bool, n)
			for t := range n {
				if step[s][t] {
					paths++
					if figure[s] < figure[t] {
						right++
					} else if figure[s] == figure[t] {
						right += 0.5
					}
				}
				for m := range n {
					next[s][t] = next[s][t] || step[s][m] && g.HasEdge(m, t)
				}
			}
		}
		step = next
	}
	return right / paths, paths > 0
}

func TestSortabilityMatchesPowers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		n := 1 + r.IntN(9)
		if r.IntN(60) == 0 {
			n = 66 // more than one word
		}
		g := graph.New(n)
		for i := range n {
			for j := i + 1; j < n; j++ {
				if r.IntN(3) == 0 && r.IntN(n) < 8 {
					g.AddEdge(i, j)
				}
			}
		}
		figure := make([]float64, n)
		for i := range figure {
			figure[i] = float64(r.IntN(5))
		}
		got, ok := Varsortability(g, figure)
		want, any := sortabilityByPowers(g, figure)
		if ok != any || ok && !(math.Abs(got-want) <= 1e-12) {
			t.Fatalf("n = %d: %v %v, by powers %v %v", n, got, ok, want, any)
		}
	}
}

// A chain x0 → x1 → x2 with growing variance is sorted by it, and by R² from the others not.
func TestSortabilityOfAChain(t *testing.T) {
	g := graph.New(3)
	g.AddEdge(0, 1)
	g.AddEdge(1, 2)
	if v, ok := Varsortability(g, []float64{1, 2, 3}); v != 1 || !ok {
		t.Errorf("rising: %v %v", v, ok)
	}
	if v, _ := Varsortability(g, []float64{3, 2, 1}); v != 0 {
		t.Errorf("falling: %v", v)
	}
	if v, _ := Varsortability(g, []float64{1, 1, 1 + 1e-12}); v != 0.5 {
		t.Errorf("equal: %v", v)
	}
	// Correlations 0.5 along the chain: R² of the ends is 1/4, of the middle 2·¼/(1+¼) = 0.4.
	r := matrix.Of(3, 3, []float64{1, 0.5, 0.25, 0.5, 1, 0.5, 0.25, 0.5, 1})
	if r2 := R2FromOthers(r); !(math.Abs(r2[0]-0.25) <= 1e-12) || !(math.Abs(r2[1]-0.4) <= 1e-12) {
		t.Errorf("R² %v, want 0.25 0.4 0.25", r2)
	}
	// 0→1 rises, 1→2 falls, 0→2 is a tie.
	if v, _ := R2Sortability(g, r); v != 0.5 {
		t.Errorf("R²-sortability %v, want 0.5", v)
	}
}

// leftBySubset is the share that regression on a set leaves of column j.
func leftBySubset(r *matrix.Dense[float64], j int, set []int) float64 {
	if len(set) == 0 {
		return 1
	}
	all := submatrix(r, append(slices.Clone(set), j))
	return 1 / inverse(all).At(len(set), len(set))
}

// What explain names is enough, nothing in it can be spared, and where a smallest set is much smaller it is found.
func TestExplainMatchesAllSubsets(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 40 {
		d := 4 + rng.IntN(5)
		x := randomTable(rng, 200, d)
		size := 1 + rng.IntN(3)
		for i := range x.Rows { // the last column is made of some others
			v := 0.01 * rng.NormFloat64()
			for k := range size {
				v += x.At(i, k)
			}
			x.Set(i, d-1, v)
		}
		r := momentsOf(t, x).Correlation()
		j := d - 1
		var on []int
		for k := range d - 1 {
			on = append(on, k)
		}
		limit := 2 * leftBySubset(r, j, on)
		got := explain(r, j, on, limit)
		if left := leftBySubset(r, j, got); left > limit*(1+1e-9) {
			t.Errorf("%v leaves %v, more than %v", got, left, limit)
		}
		for k := range got {
			less := slices.Delete(slices.Clone(got), k, k+1)
			if left := leftBySubset(r, j, less); left <= limit {
				t.Errorf("%v is not needed in %v", got[k], got)
			}
		}
		best := len(on)
		for set := range 1 << len(on) {
			var s []int
			for k, v := range on {
				if set>>k&1 == 1 {
					s = append(s, v)
				}
			}
			if leftBySubset(r, j, s) <= limit {
				best = min(best, len(s))
			}
		}
		if len(got) != best {
			t.Errorf("%d columns named, %d are enough", len(got), best)
		}
	}
}

// Planted relations with whole coefficients are found, and hold in every row.
func TestRelationsHoldInEveryRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 60 {
		d := 5 + rng.IntN(6)
		x := randomTable(rng, 80, d)
		coef := make([]float64, d)
		for k := range 2 + rng.IntN(3) {
			coef[k] = float64(1+rng.IntN(3)) * float64(1-2*rng.IntN(2))
		}
		for i := range x.Rows {
			v := 5.0
			for k, c := range coef {
				v += c * x.At(i, k)
			}
			x.Set(i, d-1, v)
		}
		m := momentsOf(t, x)
		p := Examine(m, nil)
		found := 0
		for _, f := range p.Findings {
			if f.Code != Collinear {
				continue
			}
			found++
			formula, exactly := strings.CutSuffix(f.Sentence, " in every row")
			if !exactly {
				t.Fatalf("not in every row: %s", f.Sentence)
			}
			left, right, _ := strings.Cut(formula, " = ")
			for i := range x.Rows {
				if a, b := evaluate(t, left, x.Row(i)), evaluate(t, right, x.Row(i)); !(math.Abs(a-b) <= 1e-9*(1+math.Abs(a))) {
					t.Fatalf("row %d: %s is %v = %v", i, formula, a, b)
				}
			}
		}
		if found != 1 || p.Rank != d-1 {
			t.Errorf("%d relations, rank %d of %d: %+v", found, p.Rank, d, p.Findings)
		}
	}
}

// evaluate reads a linear combination of columns c0, c1, … as the sentences write it.
func evaluate(t *testing.T, s string, row []float64) float64 {
	t.Helper()
	sum, sign := 0.0, 1.0
	for _, word := range strings.Fields(s) {
		switch word {
		case "+":
			sign = 1
			continue
		case "-":
			sign = -1
			continue
		}
		if rest, ok := strings.CutPrefix(word, "-"); ok {
			sign, word = -1, rest
		}
		value := 1.0
		for factor := range strings.SplitSeq(word, "·") {
			if name, ok := strings.CutPrefix(factor, "c"); ok {
				j := must.Get(strconv.Atoi(name))
				value *= row[j]
				continue
			}
			v, err := strconv.ParseFloat(factor, 64)
			if err != nil {
				t.Fatalf("%q: %v", s, err)
			}
			value *= v
		}
		sum += sign * value
	}
	return sum
}

// Overlapping near relations: each named one holds, and without the columns to drop nothing is left to find.
func TestNearRelationsRunOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	x := randomTable(rng, 500, 9)
	for i := range x.Rows {
		x.Set(i, 2, x.At(i, 0)+x.At(i, 1)+0.003*rng.NormFloat64())
		x.Set(i, 5, x.At(i, 2)-x.At(i, 3)+0.003*rng.NormFloat64())
		x.Set(i, 8, x.At(i, 6)+0.002*rng.NormFloat64())
	}
	m := momentsOf(t, x)
	var relations int
	dropped := map[int]bool{}
	for _, f := range Examine(m, nil).Findings {
		if f.Code == Collinear || f.Code == NearCollinear {
			relations++
			_, rest, _ := strings.Cut(f.WayOut, "drop=c")
			digits, _, _ := strings.Cut(rest, ";")
			j, err := strconv.Atoi(digits)
			if err != nil {
				t.Fatalf("%q: %v", f.WayOut, err)
			}
			dropped[j] = true
		}
	}
	if relations != 3 || len(dropped) != 3 {
		t.Fatalf("%d relations, %d columns to drop; want 3", relations, len(dropped))
	}
	y := matrix.New[float64](x.Rows, x.Cols-3)
	for i := range x.Rows {
		k := 0
		for j := range x.Cols {
			if !dropped[j] {
				y.Set(i, k, x.At(i, j))
				k++
			}
		}
	}
	for _, f := range Examine(momentsOf(t, y), nil).Findings {
		if f.Code == Collinear || f.Code == NearCollinear {
			t.Errorf("left after dropping: %s", f.Sentence)
		}
	}
}

func BenchmarkExamine(b *testing.B) {
	for _, d := range []int{100, 500} {
		b.Run("d="+strconv.Itoa(d), func(b *testing.B) {
			m := momentsOf(b, randomTable(rand.New(rand.NewPCG(1, 1)), 2*d, d))
			for b.Loop() {
				Examine(m, nil)
			}
		})
	}
}
