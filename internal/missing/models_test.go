package missing

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// mixed returns rows of a category with three levels, a number and a second category, with missing values.
func mixed(n int) []float64 {
	random := rand.New(rand.NewPCG(6, 1))
	var rows []float64
	for range n {
		a, x := float64(random.IntN(3)), random.NormFloat64()
		b := 0.0
		if random.Float64() < 0.3+0.2*a {
			b = 1
		}
		row := []float64{a, x + a*a, b}
		if k := random.IntN(8); k < 3 {
			row[k] = math.NaN()
		}
		rows = append(rows, row...)
	}
	return rows
}

// coded returns the columns of rows and the rows in their codes.
func codedRows(rows []float64, d int, discrete []bool) ([]netColumn, []float64) {
	columns := newNetColumns(rows, d, discrete)
	out := make([]float64, len(rows))
	for i, v := range rows {
		out[i] = columns[i%d].code(v)
	}
	return columns, out
}

// A cell of a probability table is (n(c, z) + p(c))/(n(z) + 1): the shares p of all rows, with half a row for each level, count as one
// row more.
func TestTableAgainstCounts(t *testing.T) {
	const d = 3
	columns, rows := codedRows(mixed(200), d, []bool{true, false, true})
	table := fitCPT(rows, d, 2, []int{0}, columns)
	var all, cells [2][3]float64
	total := 0.0
	for at := 0; at < len(rows); at += d {
		if b := rows[at+2]; b == b {
			all[int(b)][0]++
			total++
			if a := rows[at]; a == a {
				cells[int(b)][int(a)]++
			}
		}
	}
	for a := range 3 {
		n := cells[0][a] + cells[1][a]
		for b := range 2 {
			share := (all[b][0] + 0.5) / (total + 1)
			near(t, "probability", table.p[table.base([]float64{float64(a), 0, 0}, -1)+b], (cells[b][a]+share)/(n+1), 1e-12)
		}
	}
	if at := table.base([]float64{2, 0, 0}, 0); at != 0 {
		t.Errorf("the place without the parent is %d", at)
	}
	if fitCPT(rows, d, 2, []int{0, 1}, columns) != nil || fitCPT(rows, d, 1, []int{0}, columns) != nil {
		t.Error("a table with a numeric column")
	}
}

// The regression minimizes Σ(y - xβ)² + ½·Σβ², without the intercept in the penalty, over the rows that have all columns.
func TestAdditiveAgainstNormalEquations(t *testing.T) {
	const d = 3
	raw := mixed(90)
	columns, rows := codedRows(raw, d, []bool{true, false, true})
	if len(columns[1].knots) != knotCount {
		t.Fatalf("%d knots", len(columns[1].knots))
	}
	design := func(a, x float64) []float64 { // intercept, two indicators, the number and its excess over each knot
		out := []float64{1, 0, 0, x}
		if a > 0 {
			out[int(a)] = 1
		}
		for _, knot := range columns[1].knots {
			out = append(out, math.Max(0, x-knot))
		}
		return out
	}
	for _, response := range []int{2, 1} {
		on := []int{0, 3 - response}
		features := func(row []float64) []float64 {
			if response == 2 {
				return design(row[0], row[1])
			}
			out := []float64{1, 0, 0, row[2]}
			if row[0] > 0 {
				out[int(row[0])] = 1
			}
			return out
		}
		a := fitAdditive(rows, d, response, on, columns)
		outputs := 2
		if response == 1 {
			outputs = 1
		}
		if a.outputs != outputs || a.size != len(features(rows)) {
			t.Fatalf("%d outputs, %d functions", a.outputs, a.size)
		}
		for o := range outputs {
			k := a.size
			gram, right := matrix.New[float64](k, k), matrix.New[float64](k, 1)
			n, squares := 0.0, 0.0
			for at := 0; at < len(rows); at += d {
				row := rows[at : at+d]
				if row[0] != row[0] || row[1] != row[1] || row[2] != row[2] {
					continue
				}
				n++
				y := row[response]
				if response == 2 {
					y = 0
					if int(row[2]) == o {
						y = 1
					}
				}
				squares += y * y
				x := features(row)
				for i := range x {
					right.Set(i, 0, right.At(i, 0)+x[i]*y)
					for j := range x {
						gram.Set(i, j, gram.At(i, j)+x[i]*x[j])
					}
				}
			}
			for i := 1; i < k; i++ {
				gram.Set(i, i, gram.At(i, i)+0.5)
			}
			var lu matrix.LU[float64]
			must.Succeed(t, lu.Factor(gram))
			beta := matrix.New[float64](k, 1)
			lu.Solve(beta, right)
			left := squares
			for i := range k {
				near(t, "coefficient", a.beta[i*outputs+o], beta.At(i, 0), 1e-6)
				left -= beta.At(i, 0) * right.At(i, 0)
			}
			if response == 1 {
				near(t, "standard deviation", a.sigma, math.Sqrt(left/(n-float64(k))), 1e-6)
			}
			out := make([]float64, outputs)
			for at := 0; at < len(rows); at += d {
				row := rows[at : at+d]
				if !hasAll(row, response, on) {
					continue
				}
				want := 0.0
				for i, x := range features(row) {
					want += beta.At(i, 0) * x
				}
				a.predict(out, row, columns, -1)
				near(t, "prediction", out[o], want, 1e-6)
				a.predict(out, row, columns, 0)
				if row[0] > 0 {
					want -= beta.At(int(row[0]), 0)
				}
				near(t, "prediction without a column", out[o], want, 1e-6)
			}
		}
	}
}

// The numbers 0 … 600 have their bends at 100, 200, …, 500. Values come back from their codes, within the range of the column and whole.
func TestColumnsOfANetwork(t *testing.T) {
	var rows []float64
	for i := range 601 {
		rows = append(rows, float64(i), float64(i%3)*5-5)
	}
	columns := newNetColumns(rows, 2, []bool{true, true})
	c := &columns[0]
	if c.levels != nil || len(c.knots) != 5 {
		t.Fatalf("%d levels, bends %v; 601 values are too many for levels", len(c.levels), c.knots)
	}
	for k, knot := range c.knots {
		near(t, "bend", c.mean+knot*c.std, 100*float64(k+1), 1e-9)
	}
	for v, want := range map[float64]float64{17: 17, 300.4: 300, 300.6: 301, -50: 0, 900: 600} {
		near(t, "value", c.value(c.code(v)), want, 1e-9)
	}
	if got := c.code(math.NaN()); got == got {
		t.Errorf("the code of a missing value is %v", got)
	}
	for code, level := range []float64{-5, 0, 5} {
		if columns[1].code(level) != float64(code) || columns[1].value(float64(code)) != level {
			t.Errorf("the code of %v is %v", level, columns[1].code(level))
		}
	}
}

// The gain of a pair is n times its mutual information, less half of ln n for each parameter (BIC).
func TestPairGainIsMutualInformation(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 1))
	const n = 300
	a, b := make([]int16, n), make([]int16, n)
	joint := map[[2]int16]float64{}
	left, right := map[int16]float64{}, map[int16]float64{}
	all := 0.0
	for i := range a {
		a[i] = int16(random.IntN(3))
		b[i] = int16((int(a[i]) + random.IntN(3)) % 4)
		switch random.IntN(10) {
		case 0:
			a[i] = -1
			continue
		case 1:
			b[i] = -1
			continue
		}
		joint[[2]int16{a[i], b[i]}]++
		left[a[i]]++
		right[b[i]]++
		all++
	}
	entropy := func(counts ...float64) (sum float64) {
		for _, c := range counts {
			sum -= c / all * math.Log(c/all)
		}
		return sum
	}
	information := 0.0
	for _, c := range left {
		information += entropy(c)
	}
	for _, c := range right {
		information += entropy(c)
	}
	for _, c := range joint {
		information -= entropy(c)
	}
	near(t, "gain", pairGain(a, b, 3, 4), all*information-0.5*2*3*math.Log(all), 1e-9)
}

// The classes of a numeric column are quarters.
func TestClassesAreQuarters(t *testing.T) {
	var rows []float64
	for i := range 100 {
		rows = append(rows, float64((i*37)%100))
	}
	columns := newNetColumns(rows, 1, []bool{false})
	classes, k := classesOf(rows, 1, 0, 1, &columns[0])
	for i, c := range classes {
		if want := int16(rows[i]) / 25; c != want || k != 4 {
			t.Fatalf("the class of %v is %d of %d, want %d", rows[i], c, k, want)
		}
	}
}

// For steps that shrink by one factor, SQUAREM gives their limit, unless that is no covariance.
func TestExtrapolationOfAGeometricSequence(t *testing.T) {
	run := func(first, shrink, spread float64) (mu, s float64) {
		g := &Gaussian{mu: []float64{first + first*shrink}, s: []float64{1 + spread*(1+shrink)}}
		g.extrapolate([]float64{0, 1}, []float64{first, 1 + spread}, g.parameters())
		return g.mu[0], g.s[0]
	}
	mu, s := run(1, 0.9, 0.1)
	near(t, "mean", mu, 10, 1e-9)
	near(t, "variance", s, 2, 1e-9)
	mu, s = run(1, 0.9, -0.2) // the limit of the variance is -1
	near(t, "mean", mu, 1.9, 1e-12)
	near(t, "variance", s, 0.62, 1e-12)
}

// A fit that starts at the estimates stays there, also if the columns were not in canonical order.
func TestFitStartsFromAFit(t *testing.T) {
	const d = 4
	rows := chain(400, d, 0.2, 13)
	g := fit(t, rows, d, 1)
	again := must.Get(FitGaussian(t.Context(), rows, d, Settings{Threads: 1, Start: g}))
	if again.Iterations > 2 {
		t.Errorf("%d iterations from the estimates", again.Iterations)
	}
	for i, v := range g.Covariance {
		near(t, "covariance", again.Covariance[i], v, 1e-3*(1+math.Abs(v)))
	}
	m := g.Moments([]string{"a", "b", "c", "d"}, 350)
	covariance := m.Covariance()
	for i := range d {
		near(t, "mean", m.Mean[i], g.Mean[i], 0)
		for j := range d {
			near(t, "covariance of the moments", covariance.At(i, j), g.Covariance[i*d+j], 1e-9*(1+math.Abs(g.Covariance[i*d+j])))
		}
		least, largest := math.Inf(1), math.Inf(-1)
		for at := i; at < len(rows); at += d {
			if v := rows[at]; v == v {
				least, largest = min(least, v), max(largest, v)
			}
		}
		if m.Min[i] != least || m.Max[i] != largest || m.N != 350 {
			t.Errorf("range %v to %v of %d rows, want %v to %v", m.Min[i], m.Max[i], m.N, least, largest)
		}
	}
}

// The pairwise correlations are those of the rows that have both columns.
func TestPairCorrelations(t *testing.T) {
	const d = 4
	rows := chain(60, d, 0.3, 21)
	columns := facts(rows, d)
	order := []int{2, 0, 3, 1}
	got := pairCorrelations(sortRows(rows, columns, order))
	for a, i := range order {
		for b, j := range order {
			var n, x, y, xx, yy, xy float64
			for at := 0; at < len(rows); at += d {
				if u, v := rows[at+i], rows[at+j]; u == u && v == v {
					n, x, y, xx, yy, xy = n+1, x+u, y+v, xx+u*u, yy+v*v, xy+u*v
				}
			}
			near(t, "correlation", got[a*d+b], (xy-x*y/n)/math.Sqrt((xx-x*x/n)*(yy-y*y/n)), 1e-9)
		}
	}
	nan := math.NaN()
	few := []float64{1, 2, 5, 2, 1, nan, 3, nan, 1, nan, 7, 2, 4, nan, 3} // two rows with columns 0 and 1, three with 0 and 2
	got = pairCorrelations(sortRows(few, facts(few, 3), []int{0, 1, 2}))
	if got[1] != 0 || got[2] == 0 {
		t.Errorf("correlations %v of two rows and %v of three, want 0 of two", got[1], got[2])
	}
}

// Every third row of the sorted rows stays in its pattern, and a pattern without rows is gone.
func TestThinnedRows(t *testing.T) {
	nan := math.NaN()
	rows := []float64{0, 9, 1, 9, 2, nan, 3, 9, 4, 9, 5, nan, 6, 9, nan, 9}
	s := sortRows(rows, []columnFacts{{std: 1}, {std: 1}}, []int{0, 1}) // complete rows, then rows without column 1, then the one without column 0
	got := s.thinned(3)
	want := []pattern{{first: 0, rows: 2}, {lacks: []int32{1}, first: 2, rows: 1}}
	if !slices.Equal(got.values, []float64{0, 9, 4, 9, 5, 0}) || !reflect.DeepEqual(got.patterns, want) {
		t.Errorf("rows %v in the patterns %+v", got.values, got.patterns)
	}
}

// The Markov blanket has parents, children and other parents of children, each once and in order.
func TestBlanket(t *testing.T) {
	g := &Network{nodes: make([]node, 5)}
	g.connect([][]int{nil, {4}, {4, 1, 3}, nil, nil}) // 4 → 1, and 4, 1, 3 → 2
	for v, want := range [][]int{nil, {2, 3, 4}, {1, 3, 4}, {1, 2, 4}, {1, 2, 3}} {
		if got := g.nodes[v].blanket; !slices.Equal(got, want) {
			t.Errorf("the blanket of %d is %v, want %v", v, got, want)
		}
	}
	place := make([]int, 5)
	for at, v := range g.causal {
		place[v] = at
	}
	if len(g.causal) != 5 || place[4] > place[1] || place[1] > place[2] || place[3] > place[2] {
		t.Errorf("causal order %v", g.causal)
	}
}
