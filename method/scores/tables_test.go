package scores

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// table returns the input of rows whose columns have these kinds, with all rows in the sample. environments may be nil.
func table(t *testing.T, x *matrix.Dense[float64], kinds []kind.Kind, environments []int) *method.Input {
	t.Helper()
	names := make([]string, x.Cols)
	in := &method.Input{Threads: 1, Seed: 1}
	for j := range names {
		names[j] = string(rune('a' + j))
		c := make([]float64, x.Rows)
		for i := range c {
			c[i] = x.At(i, j)
		}
		slices.Sort(c)
		in.Kinds = append(in.Kinds, kind.Column{Name: names[j], Kind: kinds[j], Levels: len(slices.Compact(c))})
	}
	var err error
	if in.Moments, err = dataset.MomentsOf(names, x, 1); err != nil {
		t.Fatal(err)
	}
	in.Sample = &dataset.Sample{Columns: x.Cols, Values: x.Data, Index: make([]int, x.Rows), Environments: environments}
	in.Rows = dataset.RowBatch{Values: x.Data, Environments: environments}.Rows(x.Cols)
	if environments != nil {
		in.Environments = &dataset.Environments{Unknown: true}
		for k := range slices.Max(environments) + 1 {
			part := []float64{}
			for i, r := range environments {
				if r == k {
					part = append(part, x.Row(i)...)
				}
			}
			m := must.Get(dataset.MomentsOf(names, matrix.Of(len(part)/x.Cols, x.Cols, part), 1))
			in.Environments.Names, in.Environments.Targets, in.Environments.Moments = append(in.Environments.Names, string(rune('0'+k))), append(in.Environments.Targets, nil), append(in.Environments.Moments, m)
		}
	}
	return in
}

// The effects of a mixed table have the counts of the rows, the shares of the rows for a single parent, and for several parents the means
// that least squares predicts with the other parents at their means.
func TestMixedEffectsAgainstRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	const n = 400
	x := matrix.New[float64](n, 3) // a category of three, one of two, and a number
	counts, rows := make([][]int, 3), make([]int, 3)
	for k := range counts {
		counts[k] = make([]int, 2)
	}
	for i := range n {
		a := rng.IntN(3)
		b := 0
		if rng.Float64() < 0.2+0.3*float64(a) {
			b = 1
		}
		counts[a][b]++
		rows[a]++
		x.Set(i, 0, float64(a))
		x.Set(i, 1, 5+2*float64(b))
		x.Set(i, 2, 10+float64(a*a)-3*float64(b)+rng.NormFloat64())
	}
	in := table(t, x, []kind.Kind{kind.Categorical, kind.Binary, kind.Continuous}, nil)
	s := Default()
	tab := must.Get(s.Of(t.Context(), in, Mixed))
	place := tab.Place()
	e := tab.moments(place[1], []int{place[0]})[place[0]]
	if e == nil || e.Form != method.EffectTable || !slices.Equal(e.FromLevels, []string{"0", "1", "2"}) || !slices.Equal(e.ToLevels, []string{"5", "7"}) || !slices.Equal(e.Rows, rows) {
		t.Fatalf("%+v", e)
	}
	for a := range counts {
		if !slices.Equal(e.Counts[a], counts[a]) {
			t.Errorf("counts at level %d are %v, want %v", a, e.Counts[a], counts[a])
		}
		near(t, "share", e.P[a][1], float64(counts[a][1])/float64(rows[a]), 1e-4)
		near(t, "share", e.P[a][0], float64(counts[a][0])/float64(rows[a]), 1e-4)
	}
	parents := []int{place[0], place[1]}
	slices.Sort(parents)
	means := tab.moments(place[2], parents)[place[0]]
	gram, right := matrix.New[float64](4, 4), matrix.New[float64](4, 1)
	var mean [4]float64
	for i := range n {
		row := []float64{1, 0, 0, x.At(i, 1)}
		if a := int(x.At(i, 0)); a > 0 {
			row[a] = 1
		}
		for j, u := range row {
			mean[j] += u / n
			right.Set(j, 0, right.At(j, 0)+u*x.At(i, 2))
			for k, v := range row {
				gram.Set(j, k, gram.At(j, k)+u*v)
			}
		}
	}
	var lu matrix.LU[float64]
	must.Succeed(t, lu.Factor(gram))
	beta := matrix.New[float64](4, 1)
	lu.Solve(beta, right)
	for a := range 3 {
		want := beta.At(0, 0) + beta.At(3, 0)*mean[3]
		if a > 0 {
			want += beta.At(a, 0)
		}
		near(t, "mean", means.Y[a], want, 1e-3)
	}
	// Of a number as the parent of a category the shares are shown at three values, and add up to 1.
	shares := tab.moments(place[1], []int{place[2]})[place[2]]
	if shares == nil || len(shares.X) != 3 || shares.Counts != nil || !(shares.P[0][1] > shares.P[2][1]) {
		t.Fatalf("%+v", shares)
	}
	for _, p := range shares.P {
		near(t, "sum of shares", p[0]+p[1], 1, 1e-3)
	}
}

// Of a binary column that is another one with one value in ten changed, the other explains 1 - H(0.1) = 0.531 of one bit.
func TestGainIsInformation(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	const n = 8000
	x := matrix.New[float64](n, 3)
	for i := range n {
		a, other := rng.IntN(2), rng.IntN(2)
		b := a
		if rng.Float64() < 0.1 {
			b = 1 - a
		}
		x.Set(i, 0, float64(a))
		x.Set(i, 1, float64(b))
		x.Set(i, 2, float64(other))
	}
	in := table(t, x, []kind.Kind{kind.Binary, kind.Binary, kind.Binary}, nil)
	s := Default()
	tab := must.Get(s.Of(t.Context(), in, Discrete))
	place := tab.Place()
	g := graph.New(3)
	g.AddEdge(place[0], place[1])
	a := &method.Answer{}
	tab.AddFacts(a, g)
	entropy := -0.1*math.Log2(0.1) - 0.9*math.Log2(0.9)
	near(t, "gain in bits per row", *a.Edges[0].Gain, 1-entropy, 0.02)
	near(t, "share explained", *a.Nodes[place[1]].Explained, 1-entropy, 0.02)
	near(t, "share explained without parents", *a.Nodes[place[2]].Explained, 0, 0)
}

// The test of a changed equation is n·ln s - Σ n_k·ln s_k of its residual variances, with a slope, a mean and a variance in each environment.
func TestEvidenceOfAChange(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const n = 200
	x, environments := matrix.New[float64](n, 2), make([]int, n)
	for i := range n {
		if i%3 == 0 {
			environments[i] = 1
		}
		a := rng.NormFloat64()
		x.Set(i, 0, a)
		x.Set(i, 1, 0.5*a+rng.NormFloat64()+0.4*float64(environments[i]))
	}
	in := table(t, x, []kind.Kind{kind.Continuous, kind.Continuous}, environments)
	s := Fixed(Linear)
	tab := must.Get(s.Of(t.Context(), in, Linear))
	residual := func(keep func(int) bool) (rows, value float64) {
		var m [5]float64 // x, y, xx, xy, yy
		for i := range n {
			if keep(environments[i]) {
				rows++
				a, b := x.At(i, 0), x.At(i, 1)
				for k, v := range []float64{a, b, a * a, a * b, b * b} {
					m[k] += v
				}
			}
		}
		sxx, sxy, syy := m[2]-m[0]*m[0]/rows, m[3]-m[0]*m[1]/rows, m[4]-m[1]*m[1]/rows
		return rows, rows * math.Log((syy-sxy*sxy/sxx)/rows)
	}
	_, all := residual(func(int) bool { return true })
	_, first := residual(func(k int) bool { return k == 0 })
	_, second := residual(func(k int) bool { return k == 1 })
	ratio, df := tab.evidence(1, []int{0, 2}, 2)
	near(t, "likelihood ratio", ratio, all-first-second, 1e-6)
	near(t, "degrees of freedom", df, 3, 0)
	a := &method.Answer{Graph: graph.FromParents([][]int{nil, {0, 2}, nil}).Mixed()}
	tab.TakeContexts(a, [][]int{nil, {0, 2}, nil})
	if len(a.Changes) != 1 || a.Changes[0].Environment != 1 || a.Changes[0].Column != 1 || a.Graph.Directed().N() != 2 {
		t.Fatalf("%+v", a.Changes)
	}
	p := independence.ChiSquared(all-first-second, 3)
	near(t, "p", a.Changes[0].P, p, 1e-9)
	near(t, "corrected p", a.Changes[0].Adjusted, min(1, 2*p), 1e-9) // two columns and one context
}

// A weight under the mixed model is a coefficient of least squares on the other parents and the indicators of levels.
func TestSlopesAgainstRegression(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	const n = 300
	x := matrix.New[float64](n, 3)
	columns := make([][]float64, 5) // two indicators, the parent, and the child
	for i := range n {
		k := rng.IntN(3)
		a := rng.NormFloat64() + float64(k)
		x.Set(i, 0, float64(k))
		x.Set(i, 1, a)
		x.Set(i, 2, 2*a-float64(k*k)+rng.NormFloat64())
		for j, v := range []float64{boolean(k == 1), boolean(k == 2), a, x.At(i, 2)} {
			columns[j] = append(columns[j], v)
		}
	}
	s := matrix.New[float64](4, 4)
	for i := range 4 {
		for j := range 4 {
			var a, b, ab float64
			for r := range n {
				a, b, ab = a+columns[i][r]/n, b+columns[j][r]/n, ab+columns[i][r]*columns[j][r]/n
			}
			s.Set(i, j, ab-a*b)
		}
	}
	var g chol.Regression
	chol.Regress(&g, s.Data, s.Stride, 3, []int{0, 1, 2})
	in := table(t, x, []kind.Kind{kind.Categorical, kind.Continuous, kind.Continuous}, nil)
	a := must.Get(Describe(t.Context(), in, Mixed, graph.FromParents([][]int{nil, {0}, {0, 1}})))
	for _, e := range a.Edges {
		want := 0.0
		if e.From == 1 && e.To == 2 {
			want = g.Coefficients()[2]
		}
		near(t, "weight", *e.Weight, want, 1e-9)
	}
}

func boolean(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// TestSharesAtThreeValues checks that the effect of a number on a category is shown at its 5 %, 50 % and 95 % quantiles.
func TestSharesAtThreeValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 3))
	const n = 1000
	x := matrix.New[float64](n, 2)
	for i, v := range rng.Perm(n) {
		x.Set(i, 0, float64(v))
		x.Set(i, 1, boolean(rng.Float64() < float64(v)/n)+boolean(rng.Float64() < 0.3))
	}
	in := table(t, x, []kind.Kind{kind.Continuous, kind.Categorical}, nil)
	a := must.Get(Describe(t.Context(), in, Mixed, graph.FromParents([][]int{nil, {0}})))
	e := a.Edges[0].Effect
	if e == nil || len(e.X) != 3 || len(e.P) != 3 {
		t.Fatalf("%+v", e)
	}
	for k, want := range []float64{50, 500, 950} {
		near(t, "value", e.X[k], want, 3)
		near(t, "share of 0", e.P[k][0], 0.7*(1-want/n), 0.08)
	}
}

// TestSlopeOfAColumnWithOneFrequentValue checks that the slope of a parent whose 5 % and 95 % quantiles are equal is that between its extremes.
func TestSlopeOfAColumnWithOneFrequentValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	const n = 2000
	x := matrix.New[float64](n, 2)
	for i := range n {
		a := 3.0 // the largest value, in 98 % of the rows
		if i%50 == 0 {
			a = float64(i / 50 % 3)
		}
		x.Set(i, 0, a)
		x.Set(i, 1, a*a+0.1*rng.NormFloat64())
	}
	in := table(t, x, []kind.Kind{kind.Continuous, kind.Continuous}, nil)
	a := must.Get(Describe(t.Context(), in, Flexible, graph.FromParents([][]int{nil, {0}})))
	near(t, "slope", *a.Edges[0].Weight, 3, 0.3)
}
