package score

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

func normal(rng *rand.Rand, rows, columns int) *matrix.Dense[float64] {
	x := matrix.New[float64](rows, columns)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	return x
}

// TestSteinAgainstSums compares stein with its definition: derivatives of the kernel by differences, and an inverse.
func TestSteinAgainstSums(t *testing.T) {
	const ridge, step = 0.01, 1e-4
	x := normal(rand.New(rand.NewPCG(1, 2)), 15, 3)
	gradient, curvature, err := stein(x, ridge, 2)
	must.Succeed(t, err)
	var all []float64
	for i := range x.Rows {
		for l := range i {
			sum := 0.0
			for j := range x.Cols {
				sum += math.Pow(x.At(i, j)-x.At(l, j), 2)
			}
			all = append(all, sum)
		}
	}
	slices.Sort(all)
	kappa := func(i, l, j int, by float64) float64 {
		sum := 0.0
		for c := range x.Cols {
			d := x.At(i, c) - x.At(l, c)
			if c == j {
				d -= by
			}
			sum += d * d
		}
		return math.Exp(-sum / (2 * all[len(all)/2]))
	}
	k := matrix.New[float64](x.Rows, x.Rows)
	for i := range x.Rows {
		for l := range x.Rows {
			k.Set(i, l, kappa(i, l, 0, 0))
		}
		k.Set(i, i, 1+ridge)
	}
	var f matrix.LU[float64]
	must.Succeed(t, f.Factor(k))
	f.Inverse(k)
	for j := range x.Cols {
		for i := range x.Rows {
			first, second := 0.0, 0.0
			for m := range x.Rows {
				for l := range x.Rows {
					up, here, down := kappa(m, l, j, step), kappa(m, l, j, 0), kappa(m, l, j, -step)
					first += k.At(i, m) * (up - down) / (2 * step)
					second += k.At(i, m) * (up - 2*here + down) / (step * step)
				}
			}
			if g, h := -first, second-first*first; !(math.Abs(gradient.At(i, j)-g) <= 1e-4) || !(math.Abs(curvature.At(i, j)-h) <= 1e-3*(1+math.Abs(h))) {
				t.Errorf("row %d, column %d: %v and %v, want %v and %v", i, j, gradient.At(i, j), curvature.At(i, j), g, h)
			}
		}
	}
}

// TestSteinOfANormal checks the estimate against the known score -x/σ² of independent normal columns.
func TestSteinOfANormal(t *testing.T) {
	x := normal(rand.New(rand.NewPCG(3, 4)), 600, 2)
	for i := range x.Rows {
		x.Set(i, 1, 2*x.At(i, 1))
	}
	gradient, curvature, err := stein(x, 1e-3, 1)
	must.Succeed(t, err)
	for j, variance := range []float64{1, 4} {
		product, gradients, squares, mean := 0.0, 0.0, 0.0, 0.0
		for i := range x.Rows {
			g, v := gradient.At(i, j), x.At(i, j)
			product += g * v
			gradients += g * g
			squares += v * v
			mean += curvature.At(i, j) * variance / float64(x.Rows)
		}
		slope, agreement := variance*product/squares, product/math.Sqrt(gradients*squares)
		if !(math.Abs(slope+1) <= 0.1) || agreement > -0.85 || !(math.Abs(mean+1) <= 0.5) {
			t.Errorf("column %d: slope %v, want -1; cosine %v, want near -1; mean derivative %v, want near -1", j, slope, agreement, mean)
		}
	}
}

// TestCrossResiduals compares with the formula that needs one inverse: with B = (K + λI)⁻¹, the residuals of a fold F are
// B_FF⁻¹ (B y)_F.
func TestCrossResiduals(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x, y := normal(rng, 23, 2), normal(rng, 23, 1).Data
	got := must.Get(crossResiduals(x, y))
	b := distances(x, 1)
	kernel(b, gamma, 1)
	for i := range b.Rows {
		b.Set(i, i, 1+lambda)
	}
	var f matrix.LU[float64]
	must.Succeed(t, f.Factor(b))
	f.Inverse(b)
	for fold := range folds {
		var in []int
		for i := fold; i < len(y); i += folds {
			in = append(in, i)
		}
		block, right := matrix.New[float64](len(in), len(in)), matrix.New[float64](len(in), 1)
		for r, i := range in {
			for c, j := range in {
				block.Set(r, c, b.At(i, j))
			}
			for j, v := range y {
				right.Data[r] += b.At(i, j) * v
			}
		}
		must.Succeed(t, f.Factor(block))
		f.Solve(right, right)
		for r, i := range in {
			if !(math.Abs(got[i]-right.Data[r]) <= 1e-8) {
				t.Errorf("row %d: %v, want %v", i, got[i], right.Data[r])
			}
		}
	}
}

// TestUnpredictedIsTheMeanSquare compares with residuals of residuals, one column at a time.
func TestUnpredictedIsTheMeanSquare(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 6))
	x, gradient := normal(rng, 30, 3), normal(rng, 30, 3)
	got := must.Get(unpredicted(t.Context(), x, gradient, 2))
	for j, others := range [][]int{{1, 2}, {0, 2}, {0, 1}} {
		residual, err := crossResiduals(columns(x, others), column(x, j))
		must.Succeed(t, err)
		left := must.Get(crossResiduals(matrix.Of(30, 1, residual), column(gradient, j)))
		want := 0.0
		for _, v := range left {
			want += v * v
		}
		if want /= 30; !(math.Abs(got[j]-want) <= 1e-12) {
			t.Errorf("column %d: %v, want %v", j, got[j], want)
		}
	}
}

// TestSampledIsSpread checks that a sample has rows of the whole table, in order.
func TestSampledIsSpread(t *testing.T) {
	in := drawn(t, 5, 5, 3000, 1)
	rows := must.Get(network.NewRows(t.Context(), in, network.Unit))
	for _, most := range []int{20, 2999, 3000, 5000} {
		x := must.Get(rows.Sample(t.Context(), most))
		for i := range x.Rows {
			if want := rows.Kept().Row(i * 3000 / x.Rows); !slices.Equal(x.Row(i), want) {
				t.Fatalf("%d rows: row %d differs", most, i)
			}
		}
	}
}

// TestOrder checks that both variants find the causes of curves, and that a required edge overrules the data.
func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	x := normal(rng, 300, 3)
	for i := range x.Rows {
		x.Set(i, 1, x.At(i, 1)+math.Sin(2*x.At(i, 0))*2)
		x.Set(i, 2, x.At(i, 2)+x.At(i, 1)*x.At(i, 1)/2)
	}
	for _, variant := range []Variant{Score, NoGAM} {
		in := input(t, []string{"a", "b", "c"}, x)
		m := New()
		m.Variant = variant
		a, err := m.Learn(t.Context(), in, nil)
		must.Succeed(t, err)
		if g := a.Graph.Directed(); g.NumEdges() != 2 || !g.HasEdge(0, 1) || !g.HasEdge(1, 2) {
			t.Errorf("%s: %v", variant, g.Edges())
		}
		if in.Knowledge, err = (knowledge.Spec{Require: []string{"c->a"}}).Resolve(in.Names()); err != nil {
			t.Fatal(err)
		}
		if a, err = m.Learn(t.Context(), in, nil); err != nil || !a.Graph.Directed().HasEdge(2, 0) {
			t.Errorf("%s: the required edge is missing: %v, %v", variant, a, err)
		}
	}
}

// input is what a method gets of rows.
func input(t *testing.T, names []string, x *matrix.Dense[float64]) *method.Input {
	t.Helper()
	in := inputtest.Of(t, names, x)
	in.GraphOnly = true
	return in
}

// drawn draws a table of functions from a Gaussian process.
func drawn(t *testing.T, nodes, edges, rows int, seed uint64) *method.Input {
	t.Helper()
	in, _ := inputtest.Simulated(t, rows, func(c *sim.Settings) { c.Nodes, c.Edges, c.Mechanism, c.Seed = nodes, edges, sim.Joint, seed })
	in.GraphOnly = true
	return in
}

// TestCrossResidualsByHand checks two rows at a distance of 2, each predicted from the other alone by exp(-0.1·2²)·y/(1 + 0.01).
func TestCrossResidualsByHand(t *testing.T) {
	got := must.Get(crossResiduals(matrix.Of(2, 1, []float64{1, 3}), []float64{5, 7}))
	must.Near(t, got[0], 5-math.Exp(-0.4)*7/1.01, 1e-12, "first row")
	must.Near(t, got[1], 7-math.Exp(-0.4)*5/1.01, 1e-12, "second row")
}
