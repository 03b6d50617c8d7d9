package tape_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
)

// Dense shortens the tests.
type Dense = matrix.Dense[float64]

// A check is one operation on parameters of the given shapes, and the same by its definition.
type check struct {
	name   string
	shapes [][2]int
	shift  float64 // added to the parameters, for operations with a domain
	op     func(t *tape.Tape, p []*tape.Node) *tape.Node
	slow   func(p []*Dense) *Dense
}

func each(f func(float64) float64) func(p []*Dense) *Dense {
	return func(p []*Dense) *Dense {
		out := p[0].Clone()
		for i, v := range out.Data {
			out.Data[i] = f(v)
		}
		return out
	}
}

func made(rows, cols int, f func(i, j int) float64) *Dense {
	m := matrix.New[float64](rows, cols)
	for i := range rows {
		for j := range cols {
			m.Set(i, j, f(i, j))
		}
	}
	return m
}

func times(a, b *Dense) *Dense {
	return made(a.Rows, b.Cols, func(i, j int) float64 {
		sum := 0.0
		for k := range a.Cols {
			sum += a.At(i, k) * b.At(k, j)
		}
		return sum
	})
}

// inverse is Gauss and Jordan's, without pivots: the matrices of the test are near I.
func inverse(a *Dense) *Dense {
	n := a.Rows
	a, out := a.Clone(), made(n, n, func(i, j int) float64 { return map[bool]float64{true: 1}[i == j] })
	for k := range n {
		p := a.At(k, k)
		for j := range n {
			a.Set(k, j, a.At(k, j)/p)
			out.Set(k, j, out.At(k, j)/p)
		}
		for i := range n {
			if f := a.At(i, k); i != k {
				for j := range n {
					a.Set(i, j, a.At(i, j)-f*a.At(k, j))
					out.Set(i, j, out.At(i, j)-f*out.At(k, j))
				}
			}
		}
	}
	return out
}

func one(v float64) *Dense { return matrix.Of(1, 1, []float64{v}) }

func blocks(b, q int) func(p []*Dense) *Dense {
	return func(p []*Dense) *Dense {
		x, w := p[0], p[1]
		size := x.Cols / b
		return made(x.Rows, b*q, func(i, j int) float64 {
			sum := 0.0
			for k := range size {
				sum += x.At(i, j/q*size+k) * w.At(j/q*size+k, j%q)
			}
			return sum
		})
	}
}

func density(p []*Dense) *Dense {
	sum := 0.0
	for i := range p[0].Rows {
		for j := range p[0].Cols {
			v := math.Exp(p[1].At(min(i, p[1].Rows-1), j))
			e := float64(i) - p[0].At(i, j)
			sum += math.Log(math.Exp(-e*e/(2*v)) / math.Sqrt(2*math.Pi*v))
		}
	}
	return one(sum)
}

func ofData(t *tape.Tape, p []*tape.Node) *tape.Node {
	x := t.Input(p[0].Rows(), p[0].Cols())
	x.Value.CopyFrom(made(x.Rows(), x.Cols(), func(i, _ int) float64 { return float64(i) }))
	return t.NormalLogDensity(x, p[0], p[1])
}

// elementwise is the check of an operation on one matrix, entry by entry.
func elementwise(name string, shift float64, op func(*tape.Tape, *tape.Node) *tape.Node, slow func(float64) float64) check {
	return check{name, [][2]int{{4, 3}}, shift, func(t *tape.Tape, p []*tape.Node) *tape.Node { return op(t, p[0]) }, each(slow)}
}

// pairwise is that of an operation on two matrices of a shape.
func pairwise(name string, op func(t *tape.Tape, a, b *tape.Node) *tape.Node, slow func(a, b float64) float64) check {
	return check{name, [][2]int{{2, 3}, {2, 3}}, 0, func(t *tape.Tape, p []*tape.Node) *tape.Node { return op(t, p[0], p[1]) },
		func(p []*Dense) *Dense {
			return made(2, 3, func(i, j int) float64 { return slow(p[0].At(i, j), p[1].At(i, j)) })
		}}
}

var checks = []check{
	elementwise("Sigmoid", 0, (*tape.Tape).Sigmoid, func(x float64) float64 { return math.Exp(x) / (1 + math.Exp(x)) }),
	elementwise("Tanh", 0, (*tape.Tape).Tanh, func(x float64) float64 { return (math.Exp(x) - math.Exp(-x)) / (math.Exp(x) + math.Exp(-x)) }),
	elementwise("Exp", 0, (*tape.Tape).Exp, math.Exp),
	elementwise("Log", 5, (*tape.Tape).Log, math.Log),
	elementwise("Sqrt", 5, (*tape.Tape).Sqrt, func(x float64) float64 { return math.Pow(x, 0.5) }),
	elementwise("Sinh", 0, (*tape.Tape).Sinh, func(x float64) float64 { return (math.Exp(x) - math.Exp(-x)) / 2 }),
	elementwise("Square", 0, (*tape.Tape).Square, func(x float64) float64 { return x * x }),
	elementwise("Abs", 0, (*tape.Tape).Abs, func(x float64) float64 { return math.Sqrt(x * x) }),
	elementwise("LeakyReLU", 0, func(t *tape.Tape, x *tape.Node) *tape.Node { return t.LeakyReLU(x, 0.25) }, func(x float64) float64 { return max(x, 0.25*x) }),
	elementwise("Scale", 0, func(t *tape.Tape, x *tape.Node) *tape.Node { return t.Scale(x, -2.5) }, func(x float64) float64 { return -2.5 * x }),
	pairwise("Add", (*tape.Tape).Add, func(a, b float64) float64 { return a + b }),
	pairwise("Sub", (*tape.Tape).Sub, func(a, b float64) float64 { return a - b }),
	pairwise("Mul", (*tape.Tape).Mul, func(a, b float64) float64 { return a * b }),
	{"Columns", [][2]int{{4, 5}}, 0, func(t *tape.Tape, p []*tape.Node) *tape.Node { return t.Columns(p[0], 1, 4) },
		func(p []*Dense) *Dense {
			return made(4, 3, func(i, j int) float64 { return p[0].At(i, j+1) })
		}},
	{"AddRow", [][2]int{{4, 3}, {1, 3}}, 0, func(t *tape.Tape, p []*tape.Node) *tape.Node { return t.AddRow(p[0], p[1]) },
		func(p []*Dense) *Dense {
			return made(4, 3, func(i, j int) float64 { return p[0].At(i, j) + p[1].At(0, j) })
		}},
	{"Product", [][2]int{{5, 3}, {3, 4}}, 0, func(t *tape.Tape, p []*tape.Node) *tape.Node { return t.Product(p[0], p[1]) },
		func(p []*Dense) *Dense { return times(p[0], p[1]) }},
	{"BlockProduct", [][2]int{{5, 6}, {6, 2}}, 0, func(t *tape.Tape, p []*tape.Node) *tape.Node { return t.BlockProduct(p[0], p[1], 3) }, blocks(3, 2)},
	{"BlockProduct of one column", [][2]int{{5, 6}, {6, 1}}, 0, func(t *tape.Tape, p []*tape.Node) *tape.Node { return t.BlockProduct(p[0], p[1], 2) }, blocks(2, 1)},
	{"Reshape", [][2]int{{4, 3}, {2, 5}}, 0, func(t *tape.Tape, p []*tape.Node) *tape.Node {
		return t.Product(t.Reshape(t.Square(p[0]), 6, 2), p[1])
	}, func(p []*Dense) *Dense {
		sq := each(func(x float64) float64 { return x * x })(p)
		return times(matrix.Of(6, 2, sq.Data), p[1])
	}},
	{"Inverse", [][2]int{{4, 4}}, 0, func(t *tape.Tape, p []*tape.Node) *tape.Node { return t.Inverse(t.Scale(p[0], 0.1)) },
		func(p []*Dense) *Dense {
			return inverse(made(4, 4, func(i, j int) float64 { return map[bool]float64{true: 1}[i == j] - 0.1*p[0].At(i, j) }))
		}},
	{"Sum", [][2]int{{4, 3}}, 0, func(t *tape.Tape, p []*tape.Node) *tape.Node { return t.Sum(p[0]) },
		func(p []*Dense) *Dense {
			sum := 0.0
			for _, v := range p[0].Data {
				sum += v
			}
			return one(sum)
		}},
	{"SumSquares", [][2]int{{4, 3}}, 0, func(t *tape.Tape, p []*tape.Node) *tape.Node { return t.SumSquares(p[0]) },
		func(p []*Dense) *Dense {
			sum := 0.0
			for _, v := range p[0].Data {
				sum += v * v
			}
			return one(sum)
		}},
	{"GroupNorms", [][2]int{{4, 6}}, 0, func(t *tape.Tape, p []*tape.Node) *tape.Node { return t.GroupNorms(p[0], 2) },
		func(p []*Dense) *Dense {
			return made(4, 2, func(i, j int) float64 {
				a, b, c := p[0].At(i, 3*j), p[0].At(i, 3*j+1), p[0].At(i, 3*j+2)
				return math.Sqrt(a*a + b*b + c*c)
			})
		}},
	{"Acyclic", [][2]int{{3, 3}}, 0, func(t *tape.Tape, p []*tape.Node) *tape.Node { return t.Acyclic(&acyclic.Poly[float64]{}, p[0]) },
		func(p []*Dense) *Dense {
			a := each(func(x float64) float64 { return x * x })(p)
			return one(a.Trace() + times(a, a).Trace() + times(a, times(a, a)).Trace())
		}},
	{"Function", [][2]int{{2, 3}, {3, 2}}, 0, func(t *tape.Tape, p []*tape.Node) *tape.Node {
		return t.Function(func(grads, x []*Dense) (float64, error) { // tr(ab)
			matrix.Transpose(grads[0], x[1])
			matrix.Transpose(grads[1], x[0])
			sum := 0.0
			for i, v := range x[0].Data {
				sum += v * grads[0].Data[i]
			}
			return sum, nil
		}, p[0], p[1])
	}, func(p []*Dense) *Dense { return one(times(p[0], p[1]).Trace()) }},
	{"NormalLogDensity", [][2]int{{4, 3}, {4, 3}}, 0, ofData, density},
	{"NormalLogDensity of one row of variances", [][2]int{{4, 3}, {1, 3}}, 0, ofData, density},
}

func random(rng *rand.Rand, n int, shift float64) []float64 {
	theta := make([]float64, n)
	for i := range theta {
		theta[i] = shift + rng.NormFloat64()
	}
	return theta
}

func (c check) tape() (t *tape.Tape, y, out *tape.Node) {
	t = tape.New(1)
	var p []*tape.Node
	for _, s := range c.shapes {
		p = append(p, t.Param(s[0], s[1]))
	}
	y = c.op(t, p)
	return t, y, t.SumSquares(y)
}

func (c check) matrices(theta []float64) (p []*Dense) {
	for _, s := range c.shapes {
		n := s[0] * s[1]
		p = append(p, matrix.Of(s[0], s[1], theta[:n]))
		theta = theta[n:]
	}
	return p
}

// TestOperations compares every operation with its definition, and the gradient of the sum of its squares with
// central differences.
func TestOperations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			tp, y, out := c.tape()
			theta := random(rng, tp.Parameters(), c.shift)
			tp.Load(theta)
			must.Get(tp.Forward(out))
			want := c.slow(c.matrices(theta))
			if want.Rows != y.Rows() || want.Cols != y.Cols() {
				t.Fatalf("%d×%d, want %d×%d", y.Rows(), y.Cols(), want.Rows, want.Cols)
			}
			for i, v := range want.Data {
				if !(math.Abs(v-y.Value.Data[i]) <= 1e-12*(1+math.Abs(v))) {
					t.Fatalf("entry %d is %v, want %v", i, y.Value.Data[i], v)
				}
			}
			grad := make([]float64, len(theta))
			tp.Backward(out, 1)
			tp.AddGradient(grad)
			for k := range theta {
				at := func(x float64) float64 {
					moved := append([]float64(nil), theta...)
					moved[k] = x
					sum := 0.0
					for _, v := range c.slow(c.matrices(moved)).Data {
						sum += v * v
					}
					return sum
				}
				const step = 1e-5
				diff := (at(theta[k]+step) - at(theta[k]-step)) / (2 * step)
				if !(math.Abs(diff-grad[k]) <= 1e-6*(1+math.Abs(diff))) {
					t.Errorf("parameter %d: gradient %v, differences %v", k, grad[k], diff)
				}
			}
		})
	}
}

// TestGradientsAddUp checks that gradients accumulate over runs, by weight, and over several uses of one node.
func TestGradientsAddUp(t *testing.T) {
	tp := tape.New(1)
	p := tp.Param(1, 1)
	out := tp.Sum(tp.Add(tp.Square(p), tp.Scale(p, 3)))
	tp.Load([]float64{2})
	for _, weight := range []float64{1, 10} {
		if v, err := tp.Forward(out); err != nil || v != 10 {
			t.Fatalf("%v, %v", v, err)
		}
		tp.Backward(out, weight)
	}
	grad := []float64{1000}
	tp.AddGradient(grad)
	if grad[0] != 1000+11*7 {
		t.Errorf("gradient %v, want 1077", grad[0])
	}
	grad[0] = 0
	if tp.AddGradient(grad); grad[0] != 0 {
		t.Errorf("taken gradients stay: %v", grad[0])
	}
}

// TestSlopesAtZero checks the documented slopes of functions that are not smooth.
func TestSlopesAtZero(t *testing.T) {
	tp := tape.New(1)
	p := tp.Param(1, 4)
	out := tp.Add(tp.Add(tp.Sum(tp.Abs(p)), tp.Sum(tp.GroupNorms(p, 2))), tp.Sum(tp.Add(tp.Sqrt(p), tp.LeakyReLU(p, 0.5))))
	must.Get(tp.Forward(out))
	tp.Backward(out, 1)
	grad := make([]float64, 4)
	tp.AddGradient(grad)
	for _, g := range grad {
		if g != 0.5 {
			t.Errorf("slopes %v, want 0.5 each", grad)
		}
	}
}

func TestOutsideTheDomain(t *testing.T) {
	for name, c := range map[string]struct {
		op func(*tape.Tape, *tape.Node) *tape.Node
		at []float64
	}{
		"the logarithm of 0": {(*tape.Tape).Log, []float64{1, 0, 1, 1}}, "the root of -1": {(*tape.Tape).Sqrt, []float64{0, -1, 0, 0}},
		"the inverse of 0": {(*tape.Tape).Inverse, []float64{1, 0, 0, 1}},
	} {
		tp := tape.New(1)
		sum := tp.Sum(c.op(tp, tp.Param(2, 2)))
		tp.Load(c.at)
		if _, err := tp.Forward(sum); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
}

// TestRunsDoNotAllocate checks that a layer of a network, forward and backward, allocates nothing after the
// first run.
func TestRunsDoNotAllocate(t *testing.T) {
	for _, c := range checks {
		tp, _, out := c.tape()
		tp.Load(random(rand.New(rand.NewPCG(2, 2)), tp.Parameters(), c.shift))
		grad := make([]float64, tp.Parameters())
		run := func() {
			must.Get(tp.Forward(out))
			tp.Backward(out, 1)
			tp.AddGradient(grad)
		}
		run()
		if n := testing.AllocsPerRun(10, run); n > 0 {
			t.Errorf("%s allocates %v times a run", c.name, n)
		}
	}
}

// TestShapes checks that mismatched shapes panic.
func TestShapes(t *testing.T) {
	tp := tape.New(1)
	a, b := tp.Param(2, 3), tp.Param(2, 4)
	for name, f := range map[string]func(){
		"Add": func() { tp.Add(a, b) }, "AddRow": func() { tp.AddRow(a, b) }, "Product": func() { tp.Product(a, b) },
		"BlockProduct": func() { tp.BlockProduct(a, b, 1) }, "Inverse": func() { tp.Inverse(a) }, "GroupNorms": func() { tp.GroupNorms(a, 2) },
		"NormalLogDensity": func() { tp.NormalLogDensity(a, a, a) }, "Load": func() { tp.Load(nil) },
		"Forward": func() { tp.Forward(a) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s takes any shape", name)
				}
			}()
			f()
		}()
	}
}
