package surrogate

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/dataset"
	dag "github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/sim"
	"github.com/polydag/polydag/solve"
)

// A table is a table of the paper's main experiment: linear effects, an Erdős–Rényi graph with two edges per column, noise of variance 1,
// 1,000 rows.
type table struct {
	covariance *matrix.Dense[float64]
	truth      *dag.Graph
}

func newTable(d int, seed uint64) (*table, error) {
	c := sim.Default()
	c.Nodes, c.Edges, c.Seed = d, 2*d, seed
	m, err := sim.New(c)
	if err != nil {
		return nil, err
	}
	data, err := dataset.MomentsOf(m.Names(), m.Sample(sim.Stream(seed, sim.StreamNoise), 1000), 1)
	if err != nil {
		return nil, err
	}
	return &table{data.Covariance(), m.Graph()}, nil
}

// multipliers are the updates of NOTEARS. The schedule of the paper's code does not come near h = 0.
var multipliers = solve.MultipliersSettings{
	Rho: 1, Factor: 10, RhoMax: 1e16, Progress: 0.25, HTol: floor, Rounds: 100, Inner: 1000, Every: 1, Tol: 1e-6,
}

// learn minimizes least squares with an L1 penalty of 0.01 under a constraint.
func (t *table) learn(ctx context.Context, h solve.Constraint[float64], observe func(w *matrix.Dense[float64])) (*matrix.Dense[float64], error) {
	d := t.covariance.Rows
	p := solve.Problem[float64]{
		D: d, Score: score.NewLeastSquares[float64](t.covariance, 1), Penalty: solve.L1[float64]{Lambda: 0.01},
		Constraint: &watched{h, observe},
	}
	out, err := solve.Run(ctx, p, solve.NewMultipliers(multipliers), solve.NewOWLQN[float64](1e-6), solve.Settings{Steps: 3000, Threads: 1}, nil)
	if err != nil {
		return nil, err
	}
	return out.W, ctx.Err()
}

// A watched constraint shows the matrices at which it is computed.
type watched struct {
	solve.Constraint[float64]
	observe func(w *matrix.Dense[float64])
}

func (c *watched) Eval(grad, w *matrix.Dense[float64]) (float64, error) {
	if c.observe != nil {
		c.observe(w)
	}
	return c.Constraint.Eval(grad, w)
}

// exact returns h_geo, with K = 16 as in the paper.
func exact() *acyclic.Geometric[float64] { return &acyclic.Geometric[float64]{K: 16} }

// floor is added to h before its logarithm is taken. The solver ends at about this value.
const floor = 1e-8

// An example is a matrix, log h there, and the gradient of log h by its entries.
type example struct {
	w, slope *matrix.Dense[float64]
	log      float64
}

// examples returns the matrices at which one run computes h, one of every so many. The columns of each are in random order, which
// does not change h.
func (t *table) examples(ctx context.Context, every int, rng *rand.Rand) ([]example, error) {
	var out []example
	step := 0
	_, err := t.learn(ctx, exact(), func(w *matrix.Dense[float64]) {
		if step++; step%every == 0 {
			if e, err := newExample(shuffled(w, rng)); err == nil {
				out = append(out, e)
			}
		}
	})
	return out, err
}

func newExample(w *matrix.Dense[float64]) (example, error) {
	e := example{w: w, slope: matrix.New[float64](w.Rows, w.Cols)}
	h, err := exact().Eval(e.slope, w)
	if err != nil {
		return e, err
	}
	for i := range e.slope.Data {
		e.slope.Data[i] /= h + floor
	}
	e.log = math.Log(h + floor)
	return e, nil
}

// near returns the example a small random step away.
func (e example) near(rng *rand.Rand) (example, error) {
	w := e.w.Clone()
	for i := range w.Data {
		w.Data[i] *= 1 + 0.1*rng.NormFloat64()
	}
	return newExample(w)
}

func shuffled(w *matrix.Dense[float64], rng *rand.Rand) *matrix.Dense[float64] {
	order, out := rng.Perm(w.Rows), matrix.New[float64](w.Rows, w.Cols)
	for i, a := range order {
		for j, b := range order {
			out.Set(i, j, w.At(a, b))
		}
	}
	return out
}
