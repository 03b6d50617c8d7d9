package scores

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// byLevel's gains are n·ln(whole/left) of a regression on the code and of the means by level, each by its definition. A column is taken as
// codes if the difference exceeds (L - 2)·(ln n + 2·ln d) for some other column.
func TestByLevelAgainstItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	found := map[bool]int{}
	for range 60 {
		const n, d = 80, 3
		strength := 0.8 * rng.Float64()
		values := make([]float64, n*d)
		for i := range n {
			row := values[i*d : (i+1)*d]
			row[0] = float64([]int{2, 3, 5, 8}[rng.IntN(4)])
			row[1] = 1000 + rng.NormFloat64() + strength*math.Cos(2*row[0])
			row[2] = rng.NormFloat64() + 0.1*row[0]
		}
		is := false
		calls := 0
		byLevel(values, n, d, 0, func(levels int, line, means float64) {
			calls++
			y := calls // columns 1 and 2 in their order
			var mx, my float64
			sum, count := map[float64]float64{}, map[float64]float64{}
			for i := range n {
				x, v := values[i*d], values[i*d+y]
				mx, my = mx+x/n, my+v/n
				sum[x] += v
				count[x]++
			}
			var sxx, sxy, syy, within float64
			for i := range n {
				x, v := values[i*d], values[i*d+y]
				sxx, sxy, syy = sxx+(x-mx)*(x-mx), sxy+(x-mx)*(v-my), syy+(v-my)*(v-my)
				left := v - sum[x]/count[x]
				within += left * left
			}
			if levels != 4 {
				t.Errorf("%d levels", levels)
			}
			near(t, "gain of the line", line, n*math.Log(syy/(syy-sxy*sxy/sxx)), 1e-6)
			near(t, "gain of the means", means, n*math.Log(syy/within), 1e-6)
			is = is || means-line > 2*(math.Log(n)+2*math.Log(d))
		})
		if calls != 2 {
			t.Fatalf("%d other columns", calls)
		}
		if got := codes(values, n, d, 0); got != is {
			t.Errorf("taken as codes: %v, want %v", got, is)
		}
		found[is]++
	}
	if found[true] < 10 || found[false] < 10 {
		t.Errorf("%v: the test looks at one side only", found)
	}
}

// Up to 500 columns have seven curves each, and more have three: 4,000 functions in all.
func TestSmoothBasisOfManyColumns(t *testing.T) {
	for columns, want := range map[int]int{2: 7, 500: 7, 501: 3, 900: 3} {
		if got := SmoothBasis(columns).Curves; got != want {
			t.Errorf("%d columns have %d curves each, want %d", columns, got, want)
		}
	}
}

// Blocks in another order are the blocks of a table with its columns in that order, products included.
func TestArrangedBlocksAreThoseOfArrangedColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 8))
	const n, d = 200, 5
	x, levels := matrix.New[float64](n, d), []bool{false, true, false, false, false}
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64()+0.5*x.At(i, max(0, j-1)))
		}
		x.Set(i, 1, float64(rng.IntN(3)))
	}
	set := basis.DefaultSettings()
	set.Curves, set.Straight = 3, []bool{false, false, true, false, false}
	blocks := func(order []int) *basis.Settings {
		s := set
		s.Straight = make([]bool, d)
		for i, v := range order {
			s.Straight[i] = set.Straight[v]
		}
		return &s
	}
	names := make([]string, d)
	own := must.Get(basis.OfRows(names, levels, x, set, 1))
	for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {3, 0, 1, 4, 2}} {
		y, own2 := matrix.New[float64](n, d), make([]bool, d)
		for j, v := range order {
			own2[j] = levels[v]
			for i := range n {
				y.Set(i, j, x.At(i, v))
			}
		}
		want := must.Get(basis.OfRows(names, own2, y, *blocks(order), 1))
		got := arrangeBlocks(own, order)
		if !slices.Equal(got.Start, want.Start) || !slices.Equal(got.Levels, want.Levels) || got.Crossed != want.Crossed || got.N != want.N || len(got.Mean) != len(want.Mean) {
			t.Fatalf("order %v: starts %v, want %v; %d functions, want %d", order, got.Start, want.Start, len(got.Mean), len(want.Mean))
		}
		for i := range want.Mean {
			near(t, "mean", got.Mean[i], want.Mean[i], 1e-9)
			for j := range want.Mean {
				near(t, "covariance", got.Gram.At(i, j), want.Gram.At(i, j), 1e-9)
			}
		}
	}
}

// In a chain each edge is open if reversing the edges of the class one after the other costs less than 10 in all.
func TestOpenEdges(t *testing.T) {
	chain := graph.FromParents([][]int{nil, {0}, {1}})
	none := func(int) bool { return false }
	first, second := graph.Edge{From: 0, To: 1}, graph.Edge{From: 1, To: 2}
	for _, c := range []struct {
		name   string
		cost   [2]float64 // the cost of reversing the first edge, and then the second
		fixed  func(int) bool
		opened []graph.Edge
	}{
		{"both cost little", [2]float64{4, 5}, none, []graph.Edge{first, second}},
		{"the second is too much", [2]float64{4, 6.1}, none, []graph.Edge{first}},
		{"the first is too much", [2]float64{10.1, 0}, none, nil},
		{"a gain does not pay for the second", [2]float64{-20, 9.9}, none, []graph.Edge{first, second}},
		{"a gain pays for nothing", [2]float64{-20, 10.1}, none, []graph.Edge{first}},
		{"a score that is not a number", [2]float64{math.NaN(), 1}, none, nil},
		{"the first column is fixed", [2]float64{1, 1}, func(x int) bool { return x == 0 }, nil},
	} {
		s := &listed{}
		for v := range s {
			for set := range s[v] {
				s[v][set] = float64(3 + 4*v) // the same for all sets of parents
			}
		}
		s[0][1<<1] += c.cost[0] // 1 → 0
		s[1][1<<2] += c.cost[1] // 2 → 1, once 0 is no parent of 1
		got := openEdges(chain, s, c.fixed)
		for _, e := range []graph.Edge{first, second} {
			if got[e] != slices.Contains(c.opened, e) {
				t.Errorf("%s: %v is open: %v", c.name, e, got[e])
			}
		}
	}
}

// P(c | p) averages the shares in the strata of the other parents, weighted by the rows of each stratum in which p occurs.
func TestAveragedProbabilities(t *testing.T) {
	f := &family{
		configs: [][]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {1, 2}},
		cells:   [][]int{{6, 2}, {1, 3}, {5, 15}, {8, 2}, {0, 7}},
	}
	plain := func(k int) scale {
		s := scale{labels: make([]string, k), place: make([]int, k)}
		for i := range s.place {
			s.place[i] = i
		}
		return s
	}
	got := f.averaged(0, plain(2), plain(2))
	want := [][]float64{
		{(12*6./8 + 30*5./20) / 42, (12*2./8 + 30*15./20) / 42},
		{(12*1./4 + 30*8./10 + 7*0) / 49, (12*3./4 + 30*2./10 + 7) / 49},
	}
	for p := range want {
		for c := range want[p] {
			near(t, "probability", got[p][c], want[p][c], 1e-12)
		}
	}
	if rows := f.levels(0); !slices.Equal(rows, []int{28, 21}) {
		t.Errorf("rows by level of the first parent: %v", rows)
	}
	if rows := f.levels(2); !slices.Equal(rows, []int{20, 29}) {
		t.Errorf("rows by level of the child: %v", rows)
	}
}

// Ordered categories with linear effects, and too many categories for the rows, are learned with the mixed model.
func TestDiscreteModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	table := func(n, levels int, k kind.Kind, effect func(x float64) float64) *method.Input {
		in := &method.Input{Moments: dataset.NewMoments([]string{"a", "b", "c"}), Sample: &dataset.Sample{Columns: 3, Index: make([]int, n)}}
		in.Moments.N = n
		for range n {
			x := float64(rng.IntN(levels))
			y := min(float64(levels-1), max(0, math.Round(effect(x)+0.5*rng.NormFloat64())))
			in.Sample.Values = append(in.Sample.Values, x, y, float64(rng.IntN(levels)))
		}
		for range 3 {
			in.Kinds = append(in.Kinds, kind.Column{Kind: k, Levels: levels})
		}
		return in
	}
	line := func(x float64) float64 { return x }
	bend := func(x float64) float64 { return math.Abs(2*x - 4) }
	for _, c := range []struct {
		name string
		in   *method.Input
		want Model
	}{
		{"ordered, linear", table(500, 5, kind.Ordinal, line), Mixed},
		{"ordered, not linear", table(500, 5, kind.Ordinal, bend), Discrete},
		{"nominal", table(500, 5, kind.Categorical, line), Discrete},
		{"binary", table(500, 2, kind.Binary, line), Discrete},
		{"12 categories", table(100, 12, kind.Categorical, bend), Discrete},
	} {
		if got, reason := discreteModel(c.in); got != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, got, reason, c.want)
		}
	}
}

// Ordered categories have linear effects if lines gain at least 90 % of what the means by category gain, beyond one for each further mean,
// summed over the strongest effect of each column.
func TestInOrderAtNineTenths(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 8))
	sides := map[bool]int{}
	for k := range 60 {
		const n, levels = 300, 5
		bend := 0.5 * float64(k) / 60
		in := &method.Input{Moments: dataset.NewMoments([]string{"a", "b"}), Sample: &dataset.Sample{Columns: 2, Index: make([]int, n)}}
		for range n {
			x := float64(rng.IntN(levels))
			y := math.Round((1-bend)*x + bend*math.Abs(2*x-4) + 0.5*rng.NormFloat64())
			in.Sample.Values = append(in.Sample.Values, x, min(levels-1, max(0, y)))
		}
		in.Kinds = []kind.Column{{Kind: kind.Ordinal, Levels: levels}, {Kind: kind.Ordinal, Levels: levels}}
		lines, all := 0.0, 0.0
		for c := range 2 {
			byLevel(in.Sample.Values, n, 2, c, func(levels int, line, means float64) {
				lines += min(line, means-float64(levels-2))
				all += means - float64(levels-2)
			})
		}
		want := lines >= 0.9*all
		if got := inOrder(in); got != want {
			t.Errorf("lines gain %v of %v: in order is %v", lines, all, got)
		}
		sides[want]++
	}
	if sides[true] < 5 || sides[false] < 5 {
		t.Errorf("%v: the test looks at one side only", sides)
	}
}

// The largest environment is what the others are compared with: it is no context, and the sample keeps its rows.
func TestLargestEnvironment(t *testing.T) {
	in := &method.Input{Moments: dataset.NewMoments([]string{"a"}), Environments: &dataset.Environments{Names: []string{"x", "y", "z"}}}
	for _, n := range []int{3, 5, 4} {
		m := dataset.NewMoments([]string{"a"})
		m.N = n
		in.Environments.Moments = append(in.Environments.Moments, m)
	}
	if got := contextsOf(in.Environments); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("contexts %v", got)
	}
	in.Sample = &dataset.Sample{Columns: 1, Values: []float64{10, 11, 12, 13, 14}, Index: []int{2, 4, 6, 8, 9}, Environments: []int{1, 0, 0, 1, 1}}
	if got := largestEnvironment(in); !slices.Equal(got.Values, []float64{10, 13, 14}) || !slices.Equal(got.Index, []int{2, 8, 9}) {
		t.Errorf("rows %v at %v", got.Values, got.Index)
	}
	if got := rowsOf(in, []int{0, 2}); got != 7 {
		t.Errorf("%v rows of the first and the last environment", got)
	}
}
