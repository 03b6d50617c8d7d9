package solve_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// lasso minimizes ½ tr((I-W)ᵀS(I-W)) + λ Σ|w| over the free entries by coordinate descent. It is slow, but each
// update is the exact minimum over one entry.
func lasso(s *matrix.Dense[float64], lambda float64, free func(i, j int) bool) *matrix.Dense[float64] {
	d := s.Rows
	w := matrix.New[float64](d, d)
	for moved := 1.0; moved > 1e-13; {
		moved = 0
		for i := range d {
			for j := range d {
				if !free(i, j) {
					continue
				}
				rest := s.At(i, j) // Sᵢⱼ - Σ_{k≠i} Sᵢₖ wₖⱼ
				for k := range d {
					if k != i {
						rest -= s.At(i, k) * w.At(k, j)
					}
				}
				v := math.Max(math.Abs(rest)-lambda, 0) / s.At(i, i)
				if rest < 0 {
					v = -v
				}
				moved = max(moved, math.Abs(v-w.At(i, j)))
				w.Set(i, j, v)
			}
		}
	}
	return w
}

// residual returns the largest violation of the Karush-Kuhn-Tucker conditions of a smooth score plus λ Σ|w|.
func residual(t *testing.T, f solve.Score[float64], w *matrix.Dense[float64], lambda float64, free func(i, j int) bool) float64 {
	t.Helper()
	g := matrix.New[float64](w.Rows, w.Cols)
	must.Get(f.Eval(g, w))
	worst := 0.0
	for i := range w.Rows {
		for j := range w.Cols {
			switch v := w.At(i, j); {
			case !free(i, j):
			case v > 0:
				worst = max(worst, math.Abs(g.At(i, j)+lambda))
			case v < 0:
				worst = max(worst, math.Abs(g.At(i, j)-lambda))
			default:
				worst = max(worst, math.Abs(g.At(i, j))-lambda)
			}
		}
	}
	return worst
}

// TestOWLQNSolvesTheLasso checks OWLQN on least squares with L1, a convex problem: over all entries but a few, and over
// the upper triangle, as with a known order of the columns. It must end where coordinate descent ends, with the same
// exact zeros.
func TestOWLQNSolvesTheLasso(t *testing.T) {
	type lassoCase struct {
		d     int
		seed  uint64
		steps int
		free  func(i, j int) bool
	}
	var cases []lassoCase
	for seed := range uint64(6) {
		cases = append(cases, lassoCase{4 + 2*int(seed), seed, 2000, func(i, j int) bool { return i != j && !(i == 0 && j == 1) && !(i == 2 && j == 0) }})
	}
	for seed := range uint64(4) {
		cases = append(cases, lassoCase{6 + 3*int(seed), seed, 20000, func(i, j int) bool { return i < j }})
	}
	for _, c := range cases {
		d, s := c.d, covariance(c.d, c.seed)
		forbidden := make([]bool, d*d)
		for i := range forbidden {
			forbidden[i] = !c.free(i/d, i%d)
		}
		for _, lambda := range []float64{0, 0.02, 0.05, 0.6} {
			want := lasso(s, lambda, c.free)
			ls := score.NewLeastSquares[float64](s, 1)
			p := solve.Problem[float64]{D: d, Score: ls, Penalty: solve.L1[float64]{Lambda: lambda}, Forbidden: forbidden}
			res, _ := trail(t, p, solve.Constant{}, optimize.NewOWLQN[float64](1e-8), solve.Settings{Steps: c.steps})
			name := fmt.Sprintf("d = %d, λ = %g", d, lambda)
			if r := residual(t, ls, res.W, lambda, c.free); !(r <= 1e-6) || res.Status != solve.Converged {
				t.Errorf("%s: KKT residual %g after %d steps, status %s", name, r, res.Last.Step, res.Status)
			}
			zeros := 0
			for i, v := range res.W.Data {
				if !(math.Abs(v-want.Data[i]) <= 1e-5) || (v == 0) != (want.Data[i] == 0) {
					t.Errorf("%s: entry %d is %v, coordinate descent has %v", name, i, v, want.Data[i])
				}
				if v == 0 {
					zeros++
				}
			}
			if lambda > 0.1 && zeros < d*d/3 {
				t.Errorf("%s: only %d of %d entries are zero: the test shows little", name, zeros, d*d)
			}
		}
	}
}

// TestOWLQNDescends checks that each step lowers its objective on a nonconvex augmented Lagrangian.
func TestOWLQNDescends(t *testing.T) {
	p := solve.Problem[float64]{
		D: 8, Score: score.NewLeastSquares[float64](covariance(8, 3), 1),
		Constraint: &acyclic.Geometric[float64]{}, Penalty: solve.MCP[float64]{Lambda: 0.05, Width: 0.4},
	}
	res, points := trail(t, p, solve.NewPaper(20, 30, 1e-8), optimize.NewOWLQN[float64](1e-6), solve.Settings{Steps: 600})
	for i, b := range points[1:] {
		a := points[i]
		up := b.H - a.H
		was, is := a.ScoreWeight*(a.Score+a.Penalty), a.ScoreWeight*(b.Score+b.Penalty)+a.HWeight*up+a.Curvature/2*up*up
		if !(is < was || is == was && b.Still) {
			t.Fatalf("step %d: the objective went from %v to %v, still: %v", i, was, is, b.Still)
		}
	}
	if h := points[30].H; !(res.Last.H < h/3) || !slices.ContainsFunc(points, func(s solve.Step) bool { return s.Still }) {
		t.Errorf("h went from %g to %g", h, res.Last.H)
	}
}

// TestOWLQNStaysInTheDomain checks that the line search shortens steps that would leave the domain, so that Run
// undoes none.
func TestOWLQNStaysInTheDomain(t *testing.T) {
	p, sched := leaving()
	p.Constraint = &counted{c: &acyclic.LogDet[float64]{S: 0.1}}
	res, points := trail(t, p, sched(), optimize.NewOWLQN[float64](1e-9), solve.Settings{Steps: 140})
	if points[len(points)-1].Rejected != 0 || res.Last.H > 0.05 {
		t.Errorf("%+v", res.Last)
	}
	if p.Constraint.(*counted).failed == 0 {
		t.Error("no evaluation was outside the domain: the test shows nothing")
	}
}

// counted counts all evaluations and the failed ones.
type counted struct {
	c             solve.Constraint[float64]
	calls, failed int
}

func (c *counted) Eval(grad, w *matrix.Dense[float64]) (float64, error) {
	h, err := c.c.Eval(grad, w)
	c.calls++
	if err != nil {
		c.failed++
	}
	return h, err
}

// probe is a Searcher that compares its objective with central differences and takes gradient steps.
type probe struct {
	t *testing.T
	o solve.Objective[float64]
	n int
}

func (p *probe) Reset()                         {}
func (p *probe) Aim(o solve.Objective[float64]) { p.o = o }
func (p *probe) Step(w, grad *matrix.Dense[float64]) {
	p.n++
	g := matrix.New[float64](w.Rows, w.Cols)
	if f, err := p.o.Eval(g, w); f != p.o.Value || err != nil || !reflect.DeepEqual(g, grad) {
		p.t.Fatalf("Eval at the start of step %d gives %v, %v, want %v and the same gradient", p.n, f, err, p.o.Value)
	}
	at := w.Clone()
	for i := range at.Data { // another point, not at a kink
		if i%(w.Cols+1) != 0 {
			at.Data[i] += 0.3 + 0.01*float64(i)
		}
	}
	if _, err := p.o.Eval(g, at); err != nil {
		p.t.Fatal(err)
	}
	for i, v := range at.Data {
		const delta = 1e-5
		at.Data[i] = v + delta
		up, _ := p.o.Eval(nil, at)
		at.Data[i] = v - delta
		down, _ := p.o.Eval(nil, at)
		at.Data[i] = v
		want := (up - down) / (2 * delta)
		if i%(w.Cols+1) == 0 {
			want = 0
		}
		if math.Abs(g.Data[i]-want) > 1e-6*(1+math.Abs(want)) {
			p.t.Fatalf("step %d: entry %d of the gradient is %v, differences give %v", p.n, i, g.Data[i], want)
		}
	}
	for i, v := range grad.Data {
		w.Data[i] -= 0.05 * v
	}
}

func TestObjective(t *testing.T) {
	p := leastSquares(4, 1)
	desc := &probe{t: t}
	must.Get(solve.Run(context.Background(), p, curved{}, desc, solve.Settings{Steps: 5}, nil))
	if desc.n != 5 || !(math.Abs(desc.o.Kink-0.7*0.05) <= 1e-15) {
		t.Errorf("%d steps, kink %v", desc.n, desc.o.Kink)
	}
	p.Constraint = &limit{max: 0.5}
	desc = &probe{t: t}
	p.Penalty = nil
	must.Get(solve.Run(context.Background(), p, curved{}, &beyond{probe: desc}, solve.Settings{Steps: 1}, nil))
}

// curved is a schedule with a positive weight for all three terms.
type curved struct{}

func (curved) Next(p solve.Point) solve.Move {
	return solve.Move{ScoreWeight: 0.7, HWeight: 1.5 + p.H, Curvature: 2}
}
func (curved) AtLimit() solve.Status { return solve.Completed }

// beyond evaluates outside the domain and does not move.
type beyond struct{ *probe }

func (b *beyond) Step(w, grad *matrix.Dense[float64]) {
	far := w.Clone()
	far.Data[1] = 2
	if f, err := b.o.Eval(nil, far); !math.IsInf(f, 1) || !errors.Is(err, acyclic.ErrDomain) || b.o.Kink != 0 {
		b.t.Errorf("outside the domain: %v, %v", f, err)
	}
}

// TestSearchEvaluatesOnce checks that the evaluation at the end of a line search is reused for the next step.
func TestSearchEvaluatesOnce(t *testing.T) {
	p := leastSquares(5, 3)
	c := &counted{c: p.Constraint}
	p.Constraint = c
	desc := &tally{OWLQN: optimize.NewOWLQN[float64](0).(*optimize.OWLQN[float64])}
	trail(t, p, solve.Constant{Weight: 1}, desc, solve.Settings{Steps: 12})
	if c.calls != desc.evals+1 {
		t.Errorf("%d evaluations, of which %d by the search and one at the start", c.calls, desc.evals)
	}
}

type tally struct {
	*optimize.OWLQN[float64]
	evals int
}

func (c *tally) Aim(o solve.Objective[float64]) {
	eval := o.Eval
	o.Eval = func(grad, w *matrix.Dense[float64]) (float64, error) {
		c.evals++
		return eval(grad, w)
	}
	c.OWLQN.Aim(o)
}
