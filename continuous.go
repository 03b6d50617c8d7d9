package polydag

import (
	"context"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/dag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/diagnose"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// learnContinuous is the paper's system: least squares with an L1 penalty under an acyclicity
// constraint, by an augmented Lagrangian with Adam (Algorithm 1), then a threshold.
func learnContinuous[T matrix.Float](ctx context.Context, data *dataset.Moments, cfg Config, observe Observer) (*Result, error) {
	s, scale := second(data, cfg.Standardize)
	h := constraint[T](cfg)
	problem := solve.Problem[T]{
		D:          len(data.Names),
		Score:      score.NewLeastSquares[T](s, cfg.Threads),
		Constraint: h,
		Penalty:    solve.L1[T]{Lambda: cfg.L1},
	}
	watch := func(st solve.Step) {
		if observe != nil {
			observe(Progress{
				Stage: string(cfg.Method), Step: st.Step, Steps: cfg.Steps,
				Score: st.Score + st.Penalty, H: st.H, Rho: st.Rho, Alpha: st.Alpha,
			})
		}
	}
	run, err := solve.Run(ctx, problem, schedule(cfg), solve.NewAdam[T](cfg.Rate), solve.Settings{Steps: cfg.Steps}, watch)
	if run == nil {
		return nil, err
	}

	w := matrix.Convert[float64](run.W)
	g := dag.Threshold(w.Rows, w.At, cfg.Threshold)
	cert := diagnose.Certify(g, data.Names)
	cert.HFinal = run.Last.H
	cert.HThreshold = atThreshold(h, run.W, cfg.Threshold)
	res := &Result{
		Status: run.Status, Steps: run.Last.Step, Score: run.Last.Score + run.Last.Penalty,
		Edges: edges(g, w, data.Names, scale, data.Std()), Certificate: cert, W: w, Graph: g,
	}
	if run.Cause != nil {
		res.Cause = run.Cause.Error()
	}
	return res, err
}

// constraint builds the acyclicity constraint of the method.
func constraint[T matrix.Float](cfg Config) solve.Constraint[T] {
	switch cfg.Method {
	case PolydagPoly:
		return &acyclic.Poly[T]{Threads: cfg.Threads}
	case NotearsExp:
		return &acyclic.Exp[T]{Threads: cfg.Threads}
	default:
		return &acyclic.Geometric[T]{K: cfg.K, Threads: cfg.Threads}
	}
}

func schedule(cfg Config) solve.Schedule {
	if cfg.Schedule == SchedulePaper {
		return solve.NewPaper(cfg.Rho, cfg.Inner, cfg.HTol)
	}
	return solve.NewReleased(cfg.Rho, cfg.Inner)
}

// atThreshold returns h of w with the entries at or below tau set to zero, nil where it overflows.
func atThreshold[T matrix.Float](h solve.Constraint[T], w *matrix.Dense[T], tau float64) *float64 {
	cut := w.Clone()
	for i, v := range cut.Data {
		if !(float64(v) > tau || float64(v) < -tau) {
			cut.Data[i] = 0
		}
	}
	v, err := h.Eval(nil, cut)
	if err != nil {
		return nil
	}
	return &v
}
