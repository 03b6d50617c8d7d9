// Package dibs is DiBS: it approximates the posterior over graphs by particles in a continuous latent space.
//
// Experimental: the API of this package may change before 1.0.
package dibs

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/lab/internal/steps"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/constraint"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/posterior"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
)

const name = "dibs"

// Constraint is the measure of cycles in the prior of the particles.
type Constraint = constraint.Name

const (
	Binomial  = constraint.Binomial  // tr((I + G/d)^d) - d, as published
	PowerSum  = constraint.PowerSum  // h_poly of G/d, term by term
	Geometric = constraint.Geometric // h_geo of G/d, the same value with fewer products
)

// Weighting is the weight of a particle in the posterior.
type Weighting string

const (
	Uniform  Weighting = "uniform"  // equal weights: DiBS
	Marginal Weighting = "marginal" // the marginal likelihood of its graph: DiBS+
)

// Method has the settings. Some defaults differ from those of the authors' program. It has 128 and 32 draws; fewer suffice if columns are
// weighted one by one. It has an Alpha of 1 for the marginal posterior and of 0.05 for the joint one; with 1 the particles end at worse
// graphs if there are 1000 rows.
type Method struct {
	Particles  int
	Steps      int
	Draws      int
	Soft       int
	Rate       float64
	Alpha      float64
	Beta       float64
	Constraint Constraint
	Weighting  Weighting
}

// New returns the method with its defaults.
func New() *Method {
	return &Method{Particles: 20, Steps: 2000, Draws: 64, Soft: 8, Rate: 0.005, Alpha: 0.05, Beta: 1, Constraint: Binomial, Weighting: Marginal}
}

func (m *Method) Info() method.Info {
	return method.Info{
		Name:      name,
		Title:     "DiBS: posterior over graphs by particles in a latent space (linear, BGe)",
		About:     "For comparisons of posterior methods, on tables of a few dozen columns with linear effects. It gives the probability of every edge over a few particles. The posterior that polydag computes by itself is faster, exact up to 12 columns, and reports whether it has converged (lab/docs/methods.md).",
		Reference: "Lorch, Rothfuss, Schölkopf and Krause (2021), DiBS: Differentiable Bayesian structure learning",
		Needs:     method.Moments, Gives: graph.KindDAG, UnitFree: true, Knowledge: true,
	}
}

func (m *Method) Params(s *param.Set) {
	s.Int(&m.Particles, "particles", "number of particles", param.AtLeast(1), param.AtMost(10000))
	s.Int(&m.Steps, "steps", "number of steps", param.AtLeast(1))
	s.Int(&m.Draws, "draws", "graphs per particle and step for the gradient of the likelihood", param.AtLeast(1), param.AtMost(1<<16))
	s.Int(&m.Soft, "soft-draws", "graphs per particle and step for the gradient of the constraint", param.AtLeast(1), param.AtMost(1<<16))
	s.Float(&m.Rate, "rate", "learning rate of RMSprop", param.Above(0))
	s.Float(&m.Alpha, "alpha-slope", "increase of the inverse temperature of the edges per step", param.Above(0))
	s.Float(&m.Beta, "beta-slope", "increase of the weight of the constraint per step", param.Above(0))
	param.Word(s, &m.Constraint, "constraint", "acyclicity constraint: bin as published, or poly or geo (the paper polyDAG)", Binomial, PowerSum, Geometric)
	param.Word(s, &m.Weighting, "weighting", "weights of the particles: marginal (marginal likelihoods, DiBS+) or uniform (DiBS)", Marginal, Uniform)
}

// Cost counts the constraint and the local scores of all particles. Half of all columns are parents at first.
func (m *Method) Cost(_, columns, threads int) method.Cost {
	d, p := float64(columns), float64(m.Particles)
	return method.Cost{
		Bytes:   method.Matrices(8*m.Particles, columns, 64) + int64(threads)*(mostCached*64+method.Matrices(8, columns, 64)),
		State:   method.Matrices(4*m.Particles, columns, 64),
		Flops:   p * float64(m.Steps) * (float64(m.Soft)*20*d*d*d + float64(m.Draws)*d*200),
		Columns: 100,
	}
}

// Learn moves the particles and returns their most probable graph, with the graphs of all particles as the posterior.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	bge, err := score.NewBGe(in.Moments.Correlation(), in.Moments.N, score.DefaultBGe())
	if err != nil {
		return nil, err
	}
	p := newParticles(m, bge, in)
	if err := steps.Make(ctx, run, name, m.Steps, p); err != nil {
		return nil, err
	}
	return posterior.Ended(ctx, m.answer(p, in), p, m.Steps), nil
}

// answer reads the graphs of the particles. Those with cycles are dropped.
func (m *Method) answer(p *particles, in *method.Input) *method.Answer {
	total := posterior.Total(p.bge)
	a := posterior.Start(in, total)
	if p.step == 0 {
		return a
	}
	var graphs []*graph.Graph
	for i := range p.m {
		if g := p.graph(i); g.IsAcyclic() {
			graphs = append(graphs, g)
		}
	}
	if len(graphs) == 0 {
		a.Warnings = append(a.Warnings, fmt.Sprintf("the graphs of all %d particles have cycles; allow more steps", p.m))
		return a
	}
	if cyclic := p.m - len(graphs); cyclic > 0 {
		a.Warnings = append(a.Warnings, fmt.Sprintf("the graphs of %d of %d particles have cycles and do not count; allow more steps", cyclic, p.m))
	}
	posterior.Complete(a, name, graphs, total, m.Weighting == Uniform, method.Posterior{Score: "BGe", EdgeOdds: 1 / float64(p.d)})
	return a
}

// layout is the format version of Encode.
const layout = "dibs/1"

func (p *particles) Encode() []byte { return network.Encode(layout, p.fields) }

func (p *particles) Decode(b []byte) error { return network.Decode(layout, b, p.fields) }

func (p *particles) fields(c *network.Codec) {
	c.Int(&p.step)
	c.Float(&p.value, &p.h)
	network.Floats(c, p.z, p.square)
}
