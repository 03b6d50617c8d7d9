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
// leaves a DAG, and that DAG without the edges that BIC does not pay for. Its fields are exported for gob.
type scaleFree struct {
	Status      solve.Status
	Cause       string
	Steps       int
	H           float64
	W           *matrix.Dense[float64]
	Tau         float64
	Thresholded [][]int // the parents of each column
	Graph       [][]int
}

// runScaleFree minimizes the Gaussian likelihood with unequal variances plus MCP plus μh along a path of rising μ, on the
// correlation matrix: nothing in it depends on a column's units or sign. With --variance equal the likelihood is
// that of equal variances, on the covariance matrix.
func (l *learner) runScaleFree(name string, cfg PathConfig, c carry) (*scaleFree, error) {
	if cfg.Precision == 32 {
		return runScaleFree[float32](l, name, cfg, c)
	}
	return runScaleFree[float64](l, name, cfg, c)
}

func runScaleFree[T matrix.Float](l *learner, name string, cfg PathConfig, c carry) (*scaleFree, error) {
	s := l.correlation()
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
	run, err := solve.Run(l.ctx, problem, path, adam, solve.Settings{Steps: path.Steps(), Pause: c.pause, Resume: c.resume}, l.watch(name, path.Steps()))
	if err != nil {
		return nil, err
	}
	out := &scaleFree{Status: run.Status, Cause: why(run.Cause), Steps: run.Last.Step, H: run.Last.H, W: matrix.Convert[float64](run.W)}

	required := dag.New(s.Rows)
	for _, e := range l.known.Required() {
		required.AddEdge(e.From, e.To)
	}
	var thresholded *dag.Graph
	out.Tau, thresholded = dag.SmallestAcyclicThreshold(s.Rows, func(i, j int) float64 {
		if required.NumEdges() > 0 && required.HasEdge(i, j) {
			return math.Inf(1)
		}
		return out.W.At(i, j)
	})
	pruned, err := l.prune(thresholded, required)
	if err != nil {
		return nil, err
	}
	out.Thresholded, out.Graph = parentsOf(thresholded), parentsOf(pruned)
	return out, nil
}

// parentsOf lists the parents of each node.
func parentsOf(g *dag.Graph) [][]int {
	parents := make([][]int, g.N())
	for v := range parents {
		parents[v] = g.Parents(v)
	}
	return parents
}

// prune drops from each column the parent that it misses least, again and again, while the loss in fit, n ln(residual
// variance), is below the price of an edge. Required edges stay.
func (l *learner) prune(g, required *dag.Graph) (*dag.Graph, error) {
	r := l.correlation()
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
	sf, err := once(l, string(Polydag), func(c carry) (*scaleFree, bool, error) {
		sf, err := l.runScaleFree(string(Polydag), l.cfg.Path, c)
		return sf, err == nil && sf.Status != solve.Canceled, err
	})
	if err != nil {
		return nil, err
	}
	graph := dag.FromParents(sf.Graph)
	cert := diagnose.Certify(graph, l.data.Names)
	cert.HFinal, cert.Threshold = sf.H, &sf.Tau
	cert.HThreshold = restricted(constraint[float64](l.cfg.Path.Constraint, l.cfg.Path.K, l.cfg.Threads), sf.W, dag.FromParents(sf.Thresholded))
	res := &Result{Status: sf.Status, Cause: sf.Cause, Steps: sf.Steps, Certificate: cert, Graph: graph, W: sf.W}
	variance := VarianceUnequal
	if l.cfg.Search.Variance == VarianceEqual {
		variance = VarianceEqual
	}
	res.Variance = &Variance{Requested: l.cfg.Search.Variance, Chosen: variance}
	res.Stages = []Stage{l.stage(string(Polydag), graph, &sf.H)}
	if res.Score, err = l.bic(graph); err != nil {
		return nil, err
	}
	return res, l.weighResult(res)
}
