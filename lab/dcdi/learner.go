package dcdi

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// These are the constants of the authors' program.
const (
	window   = 100  // steps between evaluations of the held-out rows
	flat     = 1e-4 // change of the objective per step below which a solve ends
	slowly   = 0.9  // ρ grows if h does not fall below this share of its previous value
	growth   = 2.0
	firstRho = 1e-8
	rest     = 1000 // steps between checks for improvement once the graph is acyclic
)

// These constants differ from the authors' program. There logits have no bound. An edge that has long been sure then takes so long to fall that ρ has
// grown too far, and both directions of a pair disappear.
const (
	mostLogit = 5.0  // bound of the logits, which edges have at first: all networks see nearly all columns
	unlikely  = -3.0 // edges with smaller logits (p < 0.05) are not in the graph
	level     = 0.05 // of the test of a change
	weakPull  = 0.1  // the first ρ that counts pulls at some edge with this share of the penalty per edge
)

// learner minimizes
//
//	L/d + λ·Σ p_ij + λ'·Σ q_kj + αh(P) + ρ/2·h(P)²
//
// over the networks, the probabilities p = σ(edge) of the edges and, if targets are unknown, q = σ(target) of interventions. L is the
// expected negative log-likelihood of a row under random masks.
type learner struct {
	set     *Method
	x       *rows
	columns []*column
	h       solve.Constraint[float64]
	scale   float64 // h is evaluated at P times this
	whole   float64 // h of the complete graph, which divides h
	price   float64 // penalty of an edge
	// priceTarget is the penalty of a change.
	priceTarget float64
	fixed       []int8 // 1 for a required edge, 0 for a forbidden one and -1 for a free one
	seed        uint64
	threads     int

	v, vTarget      []float64              // mean squares of the gradients of the logits
	w, gradH        *matrix.Dense[float64] // √(scale·P) and the gradient of h
	slope           []float64              // gradients of the logits
	batch           batch
	parts           []batch // the held-out rows
	sums            []float64
	draws           *rand.PCG
	failed          error
	step            int
	rho, alpha, now float64 // weights of h, and h
	value           float64 // objective in the last step
	heldOut         float64 // negative log-likelihood of a held-out row
	before, half    float64 // objective of the held-out rows two and one windows ago
	lastH           float64 // h at the last change of alpha
	best            float64 // best objective of the held-out rows since the graph is acyclic
	patience        int
	pass            int
}

// newLearner returns the learner before the first step.
func newLearner(m *Method, x *rows, fixed []int8, seed uint64, threads int) (*learner, error) {
	d := x.d
	l := &learner{
		set: m, x: x, fixed: fixed, pass: 1, seed: seed, threads: threads, v: make([]float64, d*d), vTarget: make([]float64, d*len(x.targets)),
		w: matrix.New[float64](d, d), gradH: matrix.New[float64](d, d), slope: make([]float64, max(d*d, d*len(x.targets))), sums: make([]float64, d),
		draws: rand.NewPCG(0, 0), rho: firstRho, before: math.Inf(1), half: math.Inf(1), lastH: math.Inf(1), best: math.Inf(1), patience: m.Patience,
	}
	n := float64(len(x.training))
	bic := float64(m.Hidden) * math.Log(n) / (2 * n) / float64(d)
	l.price, l.priceTarget = m.Sparsity*bic, m.TargetSparsity*bic
	for j := range d {
		c := newColumn(x, j, m.Hidden, m.Batch, rand.New(rand.NewPCG(seed, 0x64636469<<16+uint64(j))))
		for i := range d {
			switch fixed[i*d+j] {
			case 0:
				c.edge[i] = math.Inf(-1)
			case 1:
				c.edge[i] = math.Inf(1)
			default:
				c.edge[i] = mostLogit
			}
		}
		l.columns = append(l.columns, c)
	}
	for at := 0; at < len(x.held); at += m.Batch {
		b := batch{rows: x.held[at:min(at+m.Batch, len(x.held))]}
		b.divide(x)
		l.parts = append(l.parts, b)
	}
	l.h, l.scale = m.constraint(d)
	for i := range d {
		for j := range d {
			if i != j {
				l.w.Set(i, j, math.Sqrt(l.scale))
			}
		}
	}
	var err error
	l.whole, err = l.h.Eval(nil, l.w)
	return l, err
}

// Advance makes one step and, at the end of each window, evaluates the held-out rows. It reports whether the training is over.
func (l *learner) Advance() bool {
	d := l.x.d
	l.draws.Seed(l.seed, 1<<63+uint64(l.step))
	l.batch.draw(l.x, l.x.training, l.set.Batch, l.draws)
	per := 1 / float64(d*l.set.Batch)
	gemm.Share(l.threads, d+1, func(j int) {
		if j == 0 {
			l.constrain()
			return
		}
		c := l.columns[j-1]
		l.sums[j-1] = c.evaluate(&l.batch, l.seed, uint64(j)<<36+uint64(l.step), float32(per))
		c.move(l.set.Rate)
	})
	l.value = 0
	for _, v := range l.sums {
		l.value += v * per
	}
	pull := l.alpha + l.rho*l.now
	for j, c := range l.columns {
		for i, a := range c.edge {
			p := sigmoid(a)
			k := j*d + i
			l.slope[k] = c.edgeSlope[i] + (l.price+pull*l.slopeH(i, j))*p*(1-p)
		}
		vec.Adam(c.edge, l.slope[j*d:(j+1)*d], l.slope[j*d:(j+1)*d], l.v[j*d:(j+1)*d], network.RMSpropStep(l.set.EdgeRate))
		bound(c.edge)
	}
	if l.x.unknown {
		for j, c := range l.columns {
			r := len(c.target)
			for k, a := range c.target {
				q := sigmoid(a)
				l.slope[k] = c.slope[k]
				if k != l.x.ref {
					l.slope[k] += l.priceTarget * q * (1 - q)
				}
			}
			vec.Adam(c.target, l.slope[:r], l.slope[:r], l.vTarget[j*r:(j+1)*r], network.RMSpropStep(l.set.EdgeRate))
			bound(c.target)
		}
	}
	l.value += l.penalty()
	if l.step++; l.value-l.value != 0 && l.failed == nil {
		l.failed = fmt.Errorf("the objective of step %d is %v; lower rate", l.step, l.value)
	}
	return l.failed != nil || l.step%window == 0 && l.judge()
}

// bound keeps logits within their bounds. Infinite ones are those of required and forbidden edges.
func bound(logits []float64) {
	for i, a := range logits {
		if !math.IsInf(a, 0) {
			logits[i] = max(-mostLogit, min(a, mostLogit))
		}
	}
}

// penalty returns the part of the objective that does not depend on the rows.
func (l *learner) penalty() float64 {
	sum := 0.0
	for _, c := range l.columns {
		for _, a := range c.edge {
			sum += l.price * sigmoid(a)
		}
		for k, a := range c.target {
			if k != l.x.ref {
				sum += l.priceTarget * sigmoid(a)
			}
		}
	}
	return sum + l.alpha*l.now + l.rho/2*l.now*l.now
}

// hold evaluates the held-out rows.
func (l *learner) hold() {
	gemm.Share(l.threads, len(l.columns), func(j int) {
		l.sums[j] = 0
		for k := range l.parts {
			l.sums[j] += l.columns[j].evaluate(&l.parts[k], l.seed, 1<<62+uint64(j)<<40+uint64(l.step/window)<<16+uint64(k), 0)
		}
	})
	l.heldOut = 0
	for _, v := range l.sums {
		l.heldOut += v / float64(len(l.x.held))
	}
}

// judge evaluates the held-out rows at the end of a window. A solve ends after two windows in which their objective changed monotonically
// and by little. Then α ← α + ρh, ρ grows if h has not fallen enough, and the optimizer restarts. Once the graph has no cycle, the next pass
// begins. In the last pass the training ends when the objective no longer improves.
func (l *learner) judge() bool {
	l.hold()
	now := l.heldOut/float64(l.x.d) + l.penalty()
	if l.acyclic() {
		if l.pass < l.set.Passes {
			if l.step%rest == 0 {
				l.reopen()
			}
			return false
		}
		if l.step%rest == 0 {
			if l.patience--; now < l.best {
				l.best, l.patience = now, l.set.Patience
			}
		}
		return l.patience <= 0
	}
	if l.step%(2*window) != 0 {
		l.half = now
		return false
	}
	was := l.before
	l.before = now
	if !network.Settled(was, l.half, now, window, flat) {
		return false
	}
	l.alpha += l.rho * l.now
	if l.now > slowly*l.lastH {
		l.rho = max(growth*l.rho, l.least())
	}
	l.lastH = l.now
	l.before = l.heldOut/float64(l.x.d) + l.penalty()
	l.restart()
	return false
}

// reopen starts another pass: it admits every edge that does not close a cycle in the present graph. The likelihood of a cyclic graph is too
// large, because columns are predicted from their effects, and true edges then seem useless. They are found when the cycles are gone.
func (l *learner) reopen() {
	l.pass++
	g := l.graph()
	for j, c := range l.columns {
		below := g.Descendants([]int{j})
		for i := range c.edge {
			switch {
			case l.fixed[i*l.x.d+j] >= 0 || g.HasEdge(i, j):
			case below[i]:
				c.edge[i] = math.Inf(-1)
			default:
				c.edge[i] = mostLogit
			}
		}
	}
	l.rho, l.alpha, l.before, l.half, l.lastH = firstRho, 0, math.Inf(1), math.Inf(1), math.Inf(1)
	l.restart()
}

// restart clears the memory of the optimizer.
func (l *learner) restart() {
	clear(l.v)
	clear(l.vTarget)
	for _, c := range l.columns {
		clear(c.v)
	}
}

// acyclic reports whether the edges that are not unlikely form a DAG.
func (l *learner) acyclic() bool {
	_, err := l.graph().Order()
	return err == nil
}

// graph returns the edges that are not unlikely.
func (l *learner) graph() *graph.Graph {
	g := graph.New(l.x.d)
	for j, c := range l.columns {
		for i, a := range c.edge {
			if a > unlikely {
				g.AddEdge(i, j)
			}
		}
	}
	return g
}

// probabilities returns those of the edges.
func (l *learner) probabilities() *matrix.Dense[float64] {
	p := matrix.New[float64](l.x.d, l.x.d)
	for j, c := range l.columns {
		for i, a := range c.edge {
			p.Set(i, j, sigmoid(a))
		}
	}
	return p
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
