package polydag

import (
	"math"

	"github.com/polydag/polydag/dag"
	"github.com/polydag/polydag/diagnose"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// scaleFree is the answer of the scale-free polyDAG: W before thresholding, the smallest threshold that
// leaves a DAG, and that DAG without the edges that BIC does not pay for.
type scaleFree struct {
	status      solve.Status
	cause       error
	steps       int
	h           float64
	w           *matrix.Dense[float64]
	tau         float64
	thresholded *dag.Graph
	graph       *dag.Graph
}

// runScaleFree minimizes the Gaussian likelihood with unequal variances plus MCP plus μh along a path of rising μ, on the
// correlation matrix: nothing in it depends on a column's units or sign. With --variance equal the likelihood is
// that of equal variances, on the covariance matrix.
func (l *learner) runScaleFree(name string, cfg PathConfig) (*scaleFree, error) {
	if cfg.Precision == 32 {
		return runScaleFree[float32](l, name, cfg)
	}
	return runScaleFree[float64](l, name, cfg)
}

func runScaleFree[T matrix.Float](l *learner, name string, cfg PathConfig) (*scaleFree, error) {
	s := l.data.Correlation()
	equal := l.cfg.Method == Polydag && l.cfg.Search.Variance == VarianceEqual
	if equal {
		s, _ = l.second(l.cfg.Standardize)
	}
	path := solve.NewPath(solve.PathSettings{First: cfg.MuFirst, Last: cfg.MuLast, Stages: cfg.Stages, StageSteps: cfg.StageSteps})
	adam := solve.NewAdam[T](cfg.Rate)
	adam.Beta1, adam.Beta2 = cfg.Beta1, cfg.Beta2
	problem := solve.Problem[T]{
		D:          s.Rows,
		Score:      score.NewGaussian[T](s, equal, l.cfg.Threads),
		Constraint: constraint[T](cfg.Constraint, cfg.K, l.cfg.Threads),
		Penalty:    solve.MCP[T]{Lambda: cfg.Lambda, Width: cfg.Width},
	}
	if !l.cfg.Knowledge.Empty() {
		problem.Forbidden = l.known.Mask()
	}
	run, err := solve.Run(l.ctx, problem, path, adam, solve.Settings{Steps: path.Steps()}, l.watch(name, path.Steps()))
	if err != nil {
		return nil, err
	}
	out := &scaleFree{status: run.Status, cause: run.Cause, steps: run.Last.Step, h: run.Last.H, w: matrix.Convert[float64](run.W)}

	required := dag.New(s.Rows)
	for _, e := range l.known.Required() {
		required.AddEdge(e.From, e.To)
	}
	out.tau, out.thresholded = dag.SmallestAcyclicThreshold(s.Rows, func(i, j int) float64 {
		if required.NumEdges() > 0 && required.HasEdge(i, j) {
			return math.Inf(1)
		}
		return out.w.At(i, j)
	})
	out.graph, err = l.prune(out.thresholded, required)
	return out, err
}

// prune drops from each column the parent that it misses least, again and again, while the loss in fit, n ln(residual
// variance), is below the price of an edge. Required edges stay.
func (l *learner) prune(g, required *dag.Graph) (*dag.Graph, error) {
	r := l.data.Correlation()
	price := l.searchSettings().EdgePenalty(l.data.N, r.Rows)
	out := dag.New(g.N())
	for v := range g.N() {
		parents := append([]int(nil), g.Parents(v)...)
		for len(parents) > 0 {
			reg, err := score.Regress(r, v, parents)
			if err != nil {
				return nil, l.collinear(err)
			}
			least, at := price, -1
			for i, p := range parents {
				loss := float64(l.data.N) * math.Log(reg.Drop[i]/reg.Residual)
				if loss < least && !required.HasEdge(p, v) {
					least, at = loss, i
				}
			}
			if at < 0 {
				break
			}
			parents = append(parents[:at], parents[at+1:]...)
		}
		for _, p := range parents {
			out.AddEdge(p, v)
		}
	}
	return out, nil
}

// learnPolydag is --method polydag: the scale-free polyDAG alone.
func (l *learner) learnPolydag() (*Result, error) {
	var sf *scaleFree
	var err error
	l.timed(string(Polydag), func() { sf, err = l.runScaleFree(string(Polydag), l.cfg.Path) })
	if err != nil {
		return nil, err
	}
	cert := diagnose.Certify(sf.graph, l.data.Names)
	cert.HFinal, cert.Threshold = sf.h, &sf.tau
	cert.HThreshold = restricted(constraint[float64](l.cfg.Path.Constraint, l.cfg.Path.K, l.cfg.Threads), sf.w, sf.thresholded)
	res := &Result{Status: sf.status, Steps: sf.steps, Certificate: cert, Graph: sf.graph, W: sf.w}
	if sf.cause != nil {
		res.Cause = sf.cause.Error()
	}
	variance := VarianceUnequal
	if l.cfg.Search.Variance == VarianceEqual {
		variance = VarianceEqual
	}
	res.Variance = &Variance{Requested: l.cfg.Search.Variance, Chosen: variance}
	res.Stages = []Stage{l.stage(string(Polydag), sf.graph, &sf.h)}
	if res.Score, err = l.bic(sf.graph); err != nil {
		return nil, err
	}
	return res, l.weighResult(res)
}
