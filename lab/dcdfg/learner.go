package dcdfg

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/lab/network"
)

// The first four constants are those of the authors' program, where slowly is 0.9, growth is 2 and a solve has no limit.
const (
	flat     = 1e-4 // change of the objective per step below which a solve ends
	slowly   = 0.5  // ρ grows if h does not fall below this share of its previous value
	firstRho = 1e-8
	rest     = 1000 // steps between checks for improvement once the graph is acyclic
	growth   = 4.0
	longest  = 1000 // most steps of a solve
	window   = 100  // steps between evaluations of the held-out rows
	unlikely = 0.1  // edges with a smaller probability are not in the graph
)

// learner minimizes
//
//	L/d + λ(ΣU + ΣV) + αh(U, V) + ρ/2·h(U, V)²
//
// over the functions and the probabilities U and V of the edges. L is the expected negative log-likelihood of a row under random masks.
type learner struct {
	set             *Method
	x               *rows
	shape           shape
	graph           *factorGraph
	price           float64 // λ
	seed            uint64
	threads         int
	w, v            []float32 // parameters, and the means of their squared gradients
	in, out         []float64 // logits of the edges, columns × factors
	vIn, vOut       []float64
	slopeIn         []float64
	slopeOut        []float64
	u, p            []float64 // probabilities of the edges into and out of the factors
	drawn           weights
	groups          []*group
	batch           []int32
	draws           *rand.PCG
	failed          error
	step, patience  int
	changed         int     // step of the last change of alpha
	rho, alpha, now float64 // weights of h, and h
	value           float64 // objective in the last step
	heldOut         float64 // negative log-likelihood of a held-out row
	before, half    float64 // objective of the held-out rows two and one windows ago
	lastH, best     float64 // h at the last change of alpha, and the best objective since the graph is acyclic
}

// newLearner returns the learner before the first step.
func newLearner(set *Method, x *rows, seed uint64, threads int) *learner {
	s := shape{x.d, set.Factors, set.units(), set.Mechanism == Linear}
	edges, most := s.d*s.m, (set.Batch+set.Masks-1)/set.Masks
	l := &learner{
		set: set, x: x, shape: s, graph: newFactorGraph(s.d, s.m, set.Constraint.New()), seed: seed, threads: threads,
		w: s.start(rand.New(rand.NewPCG(seed, 0x64636466<<16))), v: make([]float32, s.size()), drawn: newWeights(edges), batch: make([]int32, set.Batch),
		draws: rand.NewPCG(0, 0), patience: set.Patience, rho: firstRho, before: math.Inf(1), half: math.Inf(1), lastH: math.Inf(1), best: math.Inf(1),
	}
	for _, part := range []*[]float64{&l.in, &l.out, &l.vIn, &l.vOut, &l.slopeIn, &l.slopeOut, &l.u, &l.p} {
		*part = make([]float64, edges)
	}
	n := float64(len(x.training))
	l.price = set.Sparsity * math.Log(n) / (2 * n) / float64(s.d)
	for range min(set.Masks, set.Batch) {
		l.groups = append(l.groups, newGroup(s, most))
	}
	l.measure()
	return l
}

// measure computes the probabilities, the weights of the masks and h.
func (l *learner) measure() {
	for k, a := range l.in {
		in, out := math.Exp(a), math.Exp(l.out[k])
		l.u[k], l.p[k] = in/(1+in+out), out/(1+in+out)
	}
	l.drawn.set(l.in, l.out)
	h, err := l.graph.eval(l.u, l.p)
	if l.now = h; err != nil && l.failed == nil {
		l.failed = err
	}
}

// evaluate divides the rows among the groups and returns the sum of the losses. If scale is not 0, masks are random, and it sets the gradients
// of the groups. Otherwise the masks have the edges that are more probable than not.
func (l *learner) evaluate(rows []int32, scale float32) float64 {
	p := l.shape.parts(l.w)
	gemm.Share(l.threads, len(l.groups), func(k int) {
		g := l.groups[k]
		g.rows = append(g.rows[:0], rows[k*len(rows)/len(l.groups):(k+1)*len(rows)/len(l.groups)]...)
		if scale == 0 {
			g.mask.decide(&l.drawn)
			g.forward(l.x, p)
			return
		}
		g.draws.Seed(l.seed, uint64(k)<<36+uint64(l.step))
		g.mask.draw(&l.drawn, g.draws)
		g.forward(l.x, p)
		g.backward(l.x, p, scale)
	})
	sum := 0.0
	for _, g := range l.groups {
		sum += g.loss
	}
	return sum
}

// Advance makes one step and, at the end of each window, evaluates the held-out rows. It reports whether the training is over.
func (l *learner) Advance() bool {
	d := float64(l.x.d)
	l.draws.Seed(l.seed, 1<<63+uint64(l.step))
	l.x.draw(l.batch, l.draws)
	per := 1 / (d * float64(len(l.batch)))
	l.value = per*l.evaluate(l.batch, float32(per)) + l.penalty()
	first := l.groups[0]
	for _, g := range l.groups[1:] {
		vec.Axpy(first.g, 1, g.g)
		vec.Axpy(first.inSlope, 1, g.inSlope)
		vec.Axpy(first.outSlope, 1, g.outSlope)
	}
	vec.Adam(l.w, first.g, first.g, l.v, network.RMSpropStep(l.set.Rate))
	s := l.shape.parts(l.w).s
	for j, v := range s {
		s[j] = max(v, leastLogSD)
	}
	l.slopes(first)
	for _, e := range [][3][]float64{{l.in, l.slopeIn, l.vIn}, {l.out, l.slopeOut, l.vOut}} {
		vec.Adam(e[0], e[1], e[1], e[2], network.RMSpropStep(l.set.EdgeRate))
		vec.Clamp(e[0], 0, e[0], -mostLogit, mostLogit)
	}
	l.measure()
	if l.step++; l.value-l.value != 0 && l.failed == nil {
		l.failed = fmt.Errorf("the objective of step %d is %v; lower rate", l.step, l.value)
	}
	return l.failed != nil || l.step%window == 0 && l.judge()
}

// slopes sets the gradient with respect to the logits: that of the loss, from g, and that of penalty.
func (l *learner) slopes(g *group) {
	pull := l.alpha + l.rho*l.now
	for k, u := range l.u {
		p := l.p[k]
		into, out := l.price+pull*l.graph.into[k], l.price+pull*l.graph.out[k]
		mean := u*into + p*out
		l.slopeIn[k] = float64(g.inSlope[k]) + u*(into-mean)
		l.slopeOut[k] = float64(g.outSlope[k]) + p*(out-mean)
	}
}

// penalty returns the part of the objective that does not depend on the rows.
func (l *learner) penalty() float64 {
	sum := 0.0
	for k, u := range l.u {
		sum += l.price * (u + l.p[k])
	}
	return sum + l.alpha*l.now + l.rho/2*l.now*l.now
}

// hold evaluates the held-out rows under the edges that are more probable than not.
func (l *learner) hold() {
	sum := 0.0
	for at := 0; at < len(l.x.held); at += len(l.batch) {
		sum += l.evaluate(l.x.held[at:min(at+len(l.batch), len(l.x.held))], 0)
	}
	l.heldOut = sum / float64(len(l.x.held))
}

// judge evaluates the held-out rows at the end of a window. A solve ends after two windows in which their objective changed monotonically
// and by little, or when it has been long. Then α ← α + ρh, ρ grows if h has not fallen enough, and the optimizer restarts. Once the
// factors have no cycle, the training ends when the objective no longer improves.
func (l *learner) judge() bool {
	l.hold()
	now := l.heldOut/float64(l.x.d) + l.penalty()
	acyclic := l.graph.acyclic(l.u, l.p, unlikely)
	l.measure()
	if acyclic {
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
	if !network.Settled(was, l.half, now, window, flat) && l.step-l.changed < longest {
		return false
	}
	l.changed = l.step
	l.alpha += l.rho * l.now
	if l.now > slowly*l.lastH {
		l.rho = max(growth*l.rho, l.least())
	}
	l.lastH = l.now
	l.before = l.heldOut/float64(l.x.d) + l.penalty()
	clear(l.v)
	clear(l.vIn)
	clear(l.vOut)
	return false
}

// least returns the ρ at which the constraint pulls at some edge as strongly as the penalty. Below it the constraint changes little.
func (l *learner) least() float64 {
	most := 0.0
	for k, s := range l.graph.into {
		most = max(most, l.now*s, l.now*l.graph.out[k])
	}
	if most == 0 {
		return 0
	}
	return l.price / most
}

// probabilities returns those of the edges into the factors, columns × factors, and out of them, factors × columns.
func (l *learner) probabilities() (into, out []float64) {
	d, m := l.shape.d, l.shape.m
	into, out = append([]float64(nil), l.u...), make([]float64, d*m)
	for j := range d {
		for k := range m {
			out[k*d+j] = l.p[j*m+k]
		}
	}
	return into, out
}
