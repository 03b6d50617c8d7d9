package solve_test

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// itself is the identity parametrization W = θ with a zero diagonal.
type itself struct{ d int }

func (p itself) Shape() (int, int)                         { return p.d, p.d }
func (p itself) Adjacency(w, theta *matrix.Dense[float64]) { w.CopyFrom(theta); clearDiagonal(w) }
func (p itself) Pull(grad, gradW, theta *matrix.Dense[float64]) {
	grad.CopyFrom(gradW)
	clearDiagonal(grad)
}

func clearDiagonal(w *matrix.Dense[float64]) {
	for i := range w.Rows {
		w.Set(i, i, 0)
	}
}

// TestParametersThatAreW checks that a problem in W and the same problem in θ = W give the same bytes.
func TestParametersThatAreW(t *testing.T) {
	const d = 5
	p := leastSquares(d, 2)
	p.Forbidden = make([]bool, d*d)
	p.Forbidden[7] = true
	want, wantTrail := trail(t, p, solve.NewReleased(1, 10), solve.NewAdam[float64](0.02), solve.Settings{Steps: 40})
	p.Score, p.Constraint = solve.Through(p.Score, itself{d}, d), solve.Through(p.Constraint, itself{d}, d)
	p.Parameters = itself{d}
	got, gotTrail := trail(t, p, solve.NewReleased(1, 10), solve.NewAdam[float64](0.02), solve.Settings{Steps: 40})
	if !reflect.DeepEqual(got.W, want.W) || !reflect.DeepEqual(got.Theta, want.W) || !reflect.DeepEqual(gotTrail, wantTrail) {
		t.Errorf("%+v, want %+v", got.Last, want.Last)
	}
	if want.Theta != nil {
		t.Error("a problem in W has a Theta")
	}
}

// noCurl computes W from potentials and flows (Yu, Gao, Yin and Ji 2021): θ has one row more than W. Its last
// row is p, the others are U, and
//
//	wᵢⱼ = uᵢⱼ max(0, pⱼ - pᵢ),
//
// which is a DAG for every θ: edges go from low to high potential.
type noCurl struct{ d int }

func (n noCurl) Shape() (int, int) { return n.d + 1, n.d }

func (n noCurl) Adjacency(w, theta *matrix.Dense[float64]) {
	p := theta.Row(n.d)
	for i := range n.d {
		for j := range n.d {
			w.Set(i, j, theta.At(i, j)*max(0, p[j]-p[i]))
		}
	}
}

func (n noCurl) Pull(grad, gradW, theta *matrix.Dense[float64]) {
	p, gp := theta.Row(n.d), grad.Row(n.d)
	clear(gp)
	for i := range n.d {
		for j := range n.d {
			up := max(0, p[j]-p[i])
			grad.Set(i, j, gradW.At(i, j)*up)
			if up > 0 {
				slope := gradW.At(i, j) * theta.At(i, j)
				gp[j] += slope
				gp[i] -= slope
			}
		}
	}
}

func noCurlProblem(d int) solve.Problem[float64] {
	n := noCurl{d}
	p := solve.Problem[float64]{
		D: d, Score: solve.Through(solve.Score[float64](score.NewLeastSquares[float64](covariance(d, 2), 1)), n, d),
		Parameters: n, Start: matrix.New[float64](d+1, d),
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range p.Start.Data {
		p.Start.Data[i] = rng.NormFloat64() / 2
	}
	return p
}

func TestNoCurl(t *testing.T) {
	const d = 6
	p := noCurlProblem(d)
	if err := kit.ScoreAt(p.Score, p.Start); err != nil {
		t.Errorf("the score as a function of θ: %v", err)
	}
	for name, desc := range descents(0.02, 1e-7) {
		res, points := trail(t, p, solve.Constant{}, desc(), solve.Settings{Steps: 400})
		w := matrix.New[float64](d, d)
		noCurl{d}.Adjacency(w, res.Theta)
		if !reflect.DeepEqual(w, res.W) || !reflect.DeepEqual([]int{res.Theta.Rows, res.Theta.Cols}, []int{d + 1, d}) {
			t.Errorf("%s: the result's W is not that of its θ", name)
		}
		if !graph.Threshold(d, res.W.At, 0).IsAcyclic() || graph.Threshold(d, res.W.At, 0).NumEdges() == 0 {
			t.Errorf("%s: W is no DAG, or empty", name)
		}
		if h, err := (&acyclic.Poly[float64]{}).Eval(nil, res.W); h != 0 || err != nil {
			t.Errorf("%s: h = %v, %v", name, h, err)
		}
		// The minimum for this order is the least squares fit of each column on those before it.
		best := math.Inf(1)
		if order, err := graph.Threshold(d, res.W.At, 0).Order(); err == nil {
			place := make([]int, d)
			for k, v := range order {
				place[v] = k
			}
			s := covariance(d, 2)
			best, _ = score.NewLeastSquares[float64](s, 1).Eval(nil, lasso(s, 0, func(i, j int) bool { return place[i] < place[j] }))
		}
		if first, last := points[0].Score, res.Last.Score; !(last < first) || last > 1.2*best {
			t.Errorf("%s: the score went from %v to %v, the least along this order is %v", name, first, last, best)
		}
	}
}

// TestParametersShape checks that the diagonal of θ is not set to zero and that shapes are checked.
func TestParametersShape(t *testing.T) {
	p := noCurlProblem(3)
	res, err := solve.Run(context.Background(), p, solve.Constant{}, solve.NewAdam[float64](0.02), solve.Settings{Steps: 1}, nil)
	if err != nil || res.Theta.At(1, 1) == 0 {
		t.Errorf("θ = %v, %v", res.Theta, err)
	}
	p.Forbidden = make([]bool, 9)
	if _, err := solve.Run(context.Background(), p, solve.Constant{}, solve.NewAdam[float64](0.02), solve.Settings{Steps: 1}, nil); err == nil {
		t.Error("Forbidden of the shape of W was accepted for θ")
	}
}
