package effect

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/matrix"
)

// fromPosterior returns credible intervals of a linear model: it draws graphs from the posterior of the result, as many as the
// result used, and weights given each graph. The weights have a flat prior, so their posterior is a Student distribution around
// least squares. The prior of the graph posterior would shrink them by about T/n.
func (k *asked) fromPosterior(ctx context.Context) (ends, *Interval, error) {
	cfg, err := confidence.Restore(k.res)
	if err != nil {
		return ends{}, nil, err
	}
	cfg.Threads = k.Threads
	problem, order, err := k.table.Posterior(ctx, cfg, k.res)
	if err != nil {
		return ends{}, nil, err
	}
	set := sample.DefaultSettings()
	if p := k.res.Confidence.Posterior; !p.Exact && p.Chains > 1 {
		set.Chains, set.Samples = p.Chains, p.Samples
	}
	set.Seed, set.Threads = cfg.Seed, k.Threads
	found, err := sample.Run(ctx, sample.Problem(*problem), set, nil)
	if err != nil {
		return ends{}, nil, err
	}
	if ctx.Err() != nil {
		return ends{}, nil, context.Cause(ctx)
	}
	one := func(r int) (replicate, error) {
		g := graph.New(len(order))
		for _, e := range found.Graphs[r] {
			g.AddEdge(order[e.From], order[e.To])
		}
		l, err := fitLinear(g, k.source.moments, k.source.pool)
		if err != nil {
			return replicate{}, err
		}
		if err := l.draw(rand.New(rand.NewPCG(k.Seed, uint64(r))), func(v int) int { return k.source.pool.Of(v).N }); err != nil {
			return replicate{}, err
		}
		f, err := k.study.by(l, g)
		if err != nil {
			return replicate{}, err
		}
		return replicate{low: f.flat(), high: f.flat(), reaches: g.HasPath(k.study.a, k.study.b)}, nil
	}
	all, err := spread(ctx, len(found.Graphs), k.Threads, k.Observe, func(r int) replicate { return caught(one(r)) })
	if err != nil {
		return ends{}, nil, err
	}
	return k.study.gather(all, k.Level, OverPosterior)
}

// draw replaces the weights by draws from their posterior: for each column least squares plus a Student deviate with n - p - 1
// degrees of freedom and the covariance of the estimate. rows returns the effective number of rows of a column.
func (l *linear) draw(rng *rand.Rand, rows func(v int) int) error {
	for v := range l.g.N() {
		parents := l.g.Parents(v)
		if len(parents) == 0 {
			continue
		}
		var c chol.Factor
		if l.vary[v] == nil || !factored(&c, l.vary[v]) {
			return fmt.Errorf("column %d has too few rows for weights of %d parents", v+1, len(parents))
		}
		free := float64(rows(v) - len(parents) - 1)
		wide := math.Sqrt(free / chiSquared(rng, free))
		z := make([]float64, len(parents))
		for i := range z {
			z[i] = rng.NormFloat64() * wide
		}
		for i, p := range parents {
			x := 0.0
			for j, a := range c.Row(i) {
				x += a * z[j]
			}
			l.weight[graph.Edge{From: p, To: v}] += x
		}
	}
	return nil
}

// factored sets f to the Cholesky factor of a covariance matrix and reports whether the matrix is positive definite.
func factored(f *chol.Factor, a *matrix.Dense[float64]) bool {
	f.Reset(a.Rows)
	for i := range a.Rows {
		copy(f.Next(), a.Row(i))
		left := f.Reduce()
		if !(left > 0) {
			return false
		}
		f.Append(left)
	}
	return true
}

// chiSquared draws from the χ² distribution with free degrees of freedom, an integer: as a sum of squares up to 100, and beyond by
// the cube of a normal deviate (Wilson and Hilferty 1931), accurate to 0.1 %.
func chiSquared(rng *rand.Rand, free float64) float64 {
	if free > 100 {
		c := 2 / (9 * free)
		x := 1 - c + math.Sqrt(c)*rng.NormFloat64()
		return free * x * x * x
	}
	sum := 0.0
	for range int(free) {
		z := rng.NormFloat64()
		sum += z * z
	}
	return sum
}
