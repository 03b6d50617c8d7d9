package grandag

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// chain is a table of curves x0 → x1 → x2, as a method gets it.
func chain(t *testing.T, rows int, spec knowledge.Spec) *method.Input {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	x := matrix.New[float64](rows, 3)
	for i := range rows {
		for j := range 3 {
			v := rng.NormFloat64()
			if j > 0 {
				v = 0.4*v + 1.5*math.Cos(1.5*x.At(i, j-1))
			}
			x.Set(i, j, v)
		}
	}
	return inputtest.Known(t, inputtest.Of(t, inputtest.Names(3), x), spec)
}

// TestTrainsWithoutCycles checks that networks are trained even if tiers exclude every cycle, so that h is 0
// from the start. Pruning removes the additional edges.
func TestTrainsWithoutCycles(t *testing.T) {
	m := New()
	m.Steps, m.Hidden, m.Rate = 3000, 5, 0.005
	in := chain(t, 300, knowledge.Spec{Tiers: [][]string{{"x0"}, {"x1"}, {"x2"}}})
	a := must.Get(m.Learn(context.Background(), in, nil))
	g := a.Graph.Directed()
	if a.Continuous.Steps < 2*window || g.NumEdges() != 2 || !g.HasEdge(0, 1) || !g.HasEdge(1, 2) {
		t.Errorf("%d steps, %v", a.Continuous.Steps, g.Edges())
	}
	if !(a.Score < 3.5/3) { // a column of unit variance has 1.42
		t.Errorf("the loss of a column is %v", a.Score)
	}
}

// TestPreselection checks that candidates keep the weights of all other columns at zero.
func TestPreselection(t *testing.T) {
	m := New()
	m.Steps, m.Hidden, m.Preselect, m.Prune = 50, 3, 2, false
	a := must.Get(m.Learn(context.Background(), chain(t, 300, knowledge.Spec{}), nil))
	if w := a.Continuous.W; w.At(0, 2) != 0 || w.At(0, 1) == 0 || w.At(1, 2) == 0 {
		t.Errorf("paths %v", w.Data)
	}
}

// TestWeakEdges checks that the weights of an edge at or below 1e-4 become zero for good, those of both hidden units.
func TestWeakEdges(t *testing.T) {
	mod := model{columns: 2, hidden: 2}
	p := &policy{model: mod, edges: &tape.Node{Value: matrix.Of(2, 2, []float64{0, 1e-4, 1.1e-4, 0.5})}}
	tr := &network.Training{Theta: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, Zero: make([]bool, 9)}
	p.clamp(tr)
	must.Same(t, fmt.Sprint(tr.Theta, tr.Zero), "[0 0 0 0 5 6 7 8 9] [true true true true false false false false false]", "weights and zeros")
}

// TestEndOfASolve checks the update at the end of a solve: α grows by ρh, ρ tenfold if h is above 0.9 of the last one, and the rate is
// the first one again.
func TestEndOfASolve(t *testing.T) {
	for _, c := range []struct{ last, alpha, rho float64 }{{0.5, 7 + 2*0.4, 2}, {0.44, 7 + 2*0.4, 20}} {
		mod := model{columns: 2, hidden: 1, constant: true, threads: 1}
		rows := must.Get(network.NewRows(t.Context(), chain(t, 20, knowledge.Spec{}), network.Unit))
		mod.columns = 3
		_, edges := mod.acyclic(&acyclic.Exp[float64]{})
		p := &policy{model: mod, held: network.NewSum(rows, mod.loss), rows: 20, edges: edges, hTol: 1e-8, rate: 0.25}
		theta := mod.start(1)
		nll := must.Get(p.held.Eval(t.Context(), nil, theta)) / 20
		now := nll + 7*0.4 + 0.4*0.4
		tr := &network.Training{Theta: theta, Zero: make([]bool, len(theta)), Step: 2 * window, Now: 0.4, Alpha: 7, Rho: 2, Rate: 0.1, Optimizer: network.RMSprop(), Memory: newMemory()}
		tr.Memory[before], tr.Memory[half], tr.Memory[lastH] = now+2e-6, now+1e-6, c.last
		over, err := p.AfterStep(t.Context(), tr)
		if err != nil || over {
			t.Fatal(over, err)
		}
		must.Near(t, tr.Alpha, c.alpha, 1e-12, "α")
		must.Near(t, tr.Rho, c.rho, 1e-12, "ρ")
		must.Near(t, tr.Rate, 0.25, 0, "rate")
	}
}
