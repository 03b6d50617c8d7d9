package search

import (
	"context"
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/names"
)

// Status is how a search ended.
type Status int

const (
	// Converged means that the descent reached a local optimum and all rounds were made.
	Converged Status = iota
	// Stopped means that the context ended first. The result is the best state so far.
	Stopped
	// Optimal means a globally optimal graph given prior knowledge (exhaustive search). Only for few variables, see Settings.Exact.
	Optimal
)

// String returns "converged", "stopped" or "optimal".
func (s Status) String() string {
	return valueName("Status", int(s), "converged", "stopped", "optimal")
}

// Stage is a part of the search.
type Stage int

const (
	Start   Stage = iota // an order and first parents
	Path                 // descent at a higher penalty
	Descent              // descent at the penalty itself
	Round                // rounds that try to leave the local optimum
)

// String names the stage.
func (s Stage) String() string {
	return valueName("Stage", int(s), "start", "path", "descent", "round")
}

// Progress is passed to an observer at the end of each stage and each round.
type Progress struct {
	Stage Stage
	Round int     // the last round, from 1; 0 before the rounds
	Score float64 // score of the best state so far, at the penalty of the stage
	Edges int     // edges of the best state so far
}

// Result is the best graph found.
type Result struct {
	// Order is a topological order of the graph.
	Order []int
	// Parents lists the parents of each variable, ascending: i in Parents[j] is the edge i → j.
	Parents [][]int
	// Residual is the residual variance of each variable given its parents, as a share of its variance. It is nil with
	// Problem.Score.
	Residual []float64
	// Score is the minimized score: with Problem.Score the sum of its values in the order of the variables, otherwise see Scores. It
	// includes Prior, the prior cost of the edges; Scores does not.
	Score, Prior float64
	// Scores has the score of the graph under both models; zero with Problem.Score.
	Scores Scores
	// Penalty is the penalty per edge in Score, including Settings.Charge.
	Penalty float64
	// Edges is the number of edges.
	Edges int
	// Status and Cause say why the search ended; Cause is the context's cause, or nil.
	Status Status
	Cause  error
	// Warnings describe problems of the data for this method.
	Warnings []string
	Stats    Stats
}

// Stats counts the work. All fields except Nodes, CacheBytes and Flushes are the same on any number of threads.
type Stats struct {
	Nodes      int   // parent sets evaluated
	Scans      int   // reinsertions tried
	Moves      int   // reinsertions made
	Rounds     int   // rounds made
	Improved   int   // rounds that improved the score
	CacheBytes int64 // size of the node cache at the end
	Flushes    int   // number of times the full cache was emptied
}

// result builds the result from the engine's state.
func (r *run) result(ctx context.Context) *Result {
	e := r.e
	res := &Result{
		Order: make([]int, e.d), Parents: make([][]int, e.d), Score: e.total(), Prior: e.priorTotal(), Penalty: r.penalty, Edges: e.edges(), Stats: r.stats,
	}
	for i, v := range e.order {
		res.Order[i] = int(v)
	}
	crowded := 0
	for v, id := range e.node {
		parents := e.cache.at(id).parents()
		res.Parents[v] = make([]int, len(parents))
		for j, p := range parents {
			res.Parents[v][j] = int(p)
		}
		if len(parents) == e.limit && e.limit < e.d-1 {
			crowded++
		}
	}
	if r.p.Score == nil {
		r.describe(res)
	}
	if crowded > 0 {
		few := r.p.Score == nil && e.limit == (r.p.N-2)/2
		warning := fmt.Sprintf("%s with %d parents, the most that the search allows; raise the penalty or allow more parents", names.Count(crowded, "column"), e.limit)
		switch {
		case few && e.limit == 0:
			warning = fmt.Sprintf("no edge can be learned from %s; add rows", names.Count(r.p.N, "row"))
		case few:
			warning = fmt.Sprintf("%s with %d parents, the most that %s allow; add rows or raise the penalty", names.Count(crowded, "column"), e.limit, names.Count(r.p.N, "row"))
		}
		res.Warnings = append(res.Warnings, warning)
	}
	if r.p.Score == nil && e.d >= r.p.N && e.limit > 0 {
		res.Warnings = append(res.Warnings, fmt.Sprintf("%s for %d columns: low power", names.Count(r.p.N, "row"), e.d))
	}
	res.Stats.Scans, res.Stats.Moves, res.Stats.Flushes = e.scans, e.moves, e.flushes
	res.Stats.CacheBytes = e.cache.bytes()
	for _, w := range e.workers {
		res.Stats.Nodes += w.expansions
	}
	res.Status = r.status
	if ctx.Err() != nil && r.status != Optimal {
		res.Status, res.Cause = Stopped, context.Cause(ctx)
	}
	return res
}

// describe adds the residual variances and the scores under both models, for correlations.
func (r *run) describe(res *Result) {
	e := r.e
	res.Residual = make([]float64, e.d)
	for v, id := range e.node {
		res.Residual[v] = max(e.workers[0].factor(int32(v), e.cache.at(id).parents()), chol.Determined)
		if res.Residual[v] <= 2*chol.Determined {
			res.Warnings = append(res.Warnings, fmt.Sprintf("%s is a linear function of its parents %s; drop a duplicate or derived column", r.p.name(v), r.p.named(res.Parents[v])))
		}
	}
	res.Scores = Compare(r.p, res.Residual, res.Edges, r.penalty)
	if r.s.Variance == Equal {
		res.Score = res.Scores.Equal - math.Log(e.model.n) + res.Prior
	}
}
