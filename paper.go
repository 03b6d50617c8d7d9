package polydag

import (
	"errors"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/dag"
	"github.com/polydag/polydag/diagnose"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// learnPaper is the paper's system: least squares with an L1 penalty under an acyclicity
// constraint, by an augmented Lagrangian with Adam (Algorithm 1), then a threshold.
func learnPaper[T matrix.Float](l *learner) (*Result, error) {
	cfg := l.cfg.Paper
	s, scale := l.second(l.cfg.Standardize)
	h := constraint[T](string(l.cfg.Method), cfg.K, l.cfg.Threads)
	ls := score.NewLeastSquares[T](s, l.cfg.Threads)
	problem := solve.Problem[T]{
		D: len(l.data.Names), Score: ls, Constraint: h, Penalty: solve.L1[T]{Lambda: cfg.L1},
	}
	var sched solve.Schedule = solve.NewReleased(cfg.Rho, cfg.Inner)
	if cfg.Schedule == SchedulePaper {
		sched = solve.NewPaper(cfg.Rho, cfg.Inner, cfg.HTol)
	}
	name := string(l.cfg.Method)
	var err error // of a solver that failed on the way
	run, stageErr := once(l, name, func(c carry) (*solve.Result[T], bool, error) {
		var run *solve.Result[T]
		run, err = solve.Run(l.ctx, problem, sched, solve.NewAdam[T](cfg.Rate), solve.Settings{Steps: cfg.Steps, Pause: c.pause, Resume: c.resume}, l.watch(name, cfg.Steps))
		return run, err == nil && run.Status != solve.Canceled, nil
	})
	if run == nil || stageErr != nil {
		return nil, errors.Join(err, stageErr)
	}

	w := matrix.Convert[float64](run.W)
	thresholded := dag.Threshold(w.Rows, w.At, cfg.Threshold)
	cert := diagnose.Certify(thresholded, l.data.Names)
	cert.HFinal = run.Last.H
	cert.HThreshold = restricted(h, run.W, thresholded)
	cert.Threshold = &cfg.Threshold
	res := &Result{
		Status: run.Status, Steps: run.Last.Step, Score: run.Last.Score + run.Last.Penalty,
		Certificate: cert, Graph: thresholded, W: w, Cause: why(run.Cause),
	}
	if !cert.DAG {
		if err := l.breakCycles(res, func(g *dag.Graph) *float64 { return restricted(ls, run.W, g) }); err != nil {
			return nil, err
		}
	}
	res.Stages = []Stage{l.stage(name, res.Graph, &cert.HFinal)}
	var weighErr error
	res.Edges, weighErr = l.weigh(res.Graph, VarianceUnequal, func(e dag.Edge) float64 { return w.At(e.From, e.To) * scale[e.To] / scale[e.From] })
	return res, errors.Join(err, weighErr)
}

// constraint builds the acyclicity constraint that a method or setting names.
func constraint[T matrix.Float](name string, k, threads int) solve.Constraint[T] {
	switch name {
	case string(PolydagPoly), "poly":
		return &acyclic.Poly[T]{Threads: threads}
	case string(NotearsExp), "exp":
		return &acyclic.Exp[T]{Threads: threads}
	default:
		return &acyclic.Geometric[T]{K: k, Threads: threads}
	}
}

// watch records the steps of a continuous stage and passes them on to the observer.
func (l *learner) watch(stage string, steps int) solve.Observer {
	return func(st solve.Step) {
		l.trace.add(stage, false, tracePoint{Step: st.Step, Score: st.Score + st.Penalty, H: st.H, Rho: st.Rho})
		l.tell(Progress{
			Stage: stage, Step: st.Step, Steps: steps,
			Score: st.Score + st.Penalty, H: st.H, Rho: st.Rho, Alpha: st.Alpha,
		})
	}
}

// restricted returns f of w with only the entries of g kept, nil where it overflows.
func restricted[T matrix.Float](f solve.Constraint[T], w *matrix.Dense[T], g *dag.Graph) *float64 {
	kept := matrix.New[T](w.Rows, w.Cols)
	for _, e := range g.Edges() {
		kept.Set(e.From, e.To, w.At(e.From, e.To))
	}
	v, err := f.Eval(nil, kept)
	if err != nil {
		return nil
	}
	return &v
}

// breakCycles turns the thresholded graph of res into a DAG by cutting edges of small weight, and puts on record what was
// there, what was cut and what that added to the score.
func (l *learner) breakCycles(res *Result, scoreOf func(*dag.Graph) *float64) error {
	cyclic := res.Graph
	kept, cut, err := dag.BreakCycles(cyclic, func(e dag.Edge) float64 { return res.W.At(e.From, e.To) })
	if err != nil {
		return err
	}
	before := res.Certificate
	after := diagnose.Certify(kept, l.data.Names)
	after.HFinal, after.HThreshold, after.Threshold = before.HFinal, before.HThreshold, before.Threshold
	after.CyclicComponents, after.Cycle = before.CyclicComponents, before.Cycle
	for _, e := range cut {
		after.Cut = append(after.Cut, diagnose.CutEdge{From: l.data.Names[e.From], To: l.data.Names[e.To], Weight: res.W.At(e.From, e.To)})
	}
	if a, b := scoreOf(cyclic), scoreOf(kept); a != nil && b != nil {
		cost := *b - *a
		after.CutCost = &cost
	}
	res.ThresholdedEdges = links(cyclic, l.data.Names)
	res.Graph, res.Certificate = kept, after
	return nil
}
