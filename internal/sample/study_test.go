package sample_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/marginal"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/search"
)

// study skips a test that prints tables and takes minutes.
func study(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("a study of minutes: set POLYDAG_STUDY=1 and -v to see its table")
	}
}

// simulated draws a model and a table.
func simulated(t *testing.T, cfg sim.Settings, n int) (*graph.Graph, *matrix.Dense[float64]) {
	model := must.Get(sim.New(cfg))
	truth := graph.New(cfg.Nodes)
	for _, e := range model.Edges() {
		truth.AddEdge(e.From, e.To)
	}
	return truth, model.Sample(sim.Stream(cfg.Seed, sim.StreamNoise), n)
}

// marginally returns the marginal likelihood of a table as in polydag.Table.Posterior, with the graph for its
// fitted scale. The prior odds of an edge are the default times d^(-2·extra).
func marginally(t *testing.T, x *matrix.Dense[float64], levels, fitted bool, extra float64) sample.Problem {
	names := make([]string, x.Cols)
	for v := range names {
		names[v] = fmt.Sprint("x", v)
	}
	a := dataset.NewAccumulator(names, 1)
	must.Succeed(t, a.Add(x.Data))
	m := must.Get(a.Moments())
	make := func(parents [][]int) search.Score {
		var s search.Score
		var err error
		if levels {
			rows := dataset.RowBatch{Values: x.Data}.Rows(x.Cols)
			s, err = marginal.Discrete(context.Background(), names, rows, nil, 0, parents)
		} else {
			s, err = marginal.Linear(m, nil, parents)
		}
		must.Succeed(t, err)
		return sample.WithOdds(s, math.Pow(float64(x.Cols), -2*extra))
	}
	found := must.Get(search.Search(context.Background(), search.Problem{Score: make(nil)}, search.DefaultSettings(), nil))
	if !fitted {
		return sample.Problem{Score: make(nil), Start: found.Parents}
	}
	return sample.Problem{Score: make(found.Parents), Start: found.Parents}
}

// expected is the mean distance between the CPDAGs of the graphs drawn and the true one.
func expected(t *testing.T, truth *graph.Graph, graphs [][]graph.Edge) float64 {
	want := must.Get(graph.CPDAG(truth))
	sum := 0.0
	for _, edges := range graphs {
		g := must.Get(graph.FromEdges(truth.N(), edges))
		class := must.Get(graph.CPDAG(g))
		sum += float64(metric.CPDAGDistance(want, class))
	}
	return sum / float64(len(graphs))
}

// auroc returns the probability that a true edge has a higher value than another pair; ties count half.
func auroc(truth *graph.Graph, p *matrix.Dense[float64]) float64 {
	type pair struct {
		p    float64
		edge bool
	}
	var pairs []pair
	for i := range p.Rows {
		for j := range p.Rows {
			if i != j {
				pairs = append(pairs, pair{p.At(i, j), truth.HasEdge(i, j)})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.p, b.p) })
	ranks, edges := 0.0, 0.0
	for i := 0; i < len(pairs); {
		j := i
		for j < len(pairs) && pairs[j].p == pairs[i].p {
			j++
		}
		for _, q := range pairs[i:j] {
			if q.edge {
				ranks += float64(i+j+1) / 2
				edges++
			}
		}
		i = j
	}
	return (ranks - edges*(edges+1)/2) / (edges * (float64(len(pairs)) - edges))
}

// reliability collects probabilities and whether they came true.
type reliability struct{ p, right, n [10]float64 }

func (r *reliability) add(p float64, right bool) {
	k := min(9, int(p*10))
	r.p[k] += p
	r.n[k]++
	if right {
		r.right[k]++
	}
}

// String lists, for each decile, the mean probability, the observed frequency and the number of pairs, and the
// mean calibration error over the pairs above 0.1. It adds that error with one class from 0.4 to 0.6, which has
// edges with an unidentified direction.
func (r *reliability) String() string {
	out, off, n := "", 0.0, 0.0
	for k := range r.n {
		if r.n[k] == 0 {
			continue
		}
		out += fmt.Sprintf(" %.2f:%.2f(%.0f)", r.p[k]/r.n[k], r.right[k]/r.n[k], r.n[k])
		if k > 0 {
			off += math.Abs(r.p[k] - r.right[k])
			n += r.n[k]
		}
	}
	low, high := r.p[4]-r.right[4], r.p[5]-r.right[5]
	joined := off - math.Abs(low) - math.Abs(high) + math.Abs(low+high)
	return fmt.Sprintf("error %.3f, %.3f with one class in the middle %s", off/n, joined/n, out)
}

// tables is how many tables of each kind calibration is measured on.
const tables = 12

// TestStudyCalibration measures the calibration of edge, adjacency and ancestor probabilities on fresh tables
// by prior: with the default or a fitted scale of effects, and with default, fitted or even odds of an edge.
// POLYDAG_STUDY is the first seed, POLYDAG_PRIORS selects priors, and POLYDAG_TABLES is a prefix of the kinds
// of tables.
func TestStudyCalibration(t *testing.T) {
	study(t)
	first := must.Get(strconv.ParseUint(os.Getenv("POLYDAG_STUDY"), 10, 64))
	first += 100
	for _, c := range []struct {
		name string
		n    int
		set  func(*sim.Settings)
	}{
		{"linear strong", 1000, func(c *sim.Settings) {}},
		{"linear weak", 300, func(c *sim.Settings) { c.WeightLow, c.WeightHigh = 0.1, 0.5 }},
		{"discrete strong", 2000, func(c *sim.Settings) { c.Mechanism, c.LevelsHigh = sim.Discrete, 3 }},
		{"discrete weak", 300, func(c *sim.Settings) { c.Mechanism, c.LevelsHigh, c.Concentration = sim.Discrete, 3, 3 }},
	} {
		if !strings.HasPrefix(c.name, os.Getenv("POLYDAG_TABLES")) {
			continue
		}
		for _, prior := range []struct {
			name         string
			fitted, odds bool
			extra        float64
		}{{"fixed", false, false, 0}, {"fitted", true, false, 0}, {"fitted, odds too", true, true, 0}, {"fitted, even odds", true, false, -0.5}} {
			if only := os.Getenv("POLYDAG_PRIORS"); only != "" && !strings.Contains(only, prior.name) {
				continue
			}
			var edges, adjacent, ancestors reliability
			for seed := range uint64(tables) {
				cfg := sim.Default()
				cfg.Nodes, cfg.Edges, cfg.Seed = 20, 30, seed+first
				c.set(&cfg)
				truth, x := simulated(t, cfg, c.n)
				s := sample.DefaultSettings()
				s.Threads, s.Chains, s.Samples, s.Rounds, s.Candidates = 2, 2, 250, 1, 10
				problem := marginally(t, x, cfg.Mechanism == sim.Discrete, prior.fitted, prior.extra)
				if prior.odds {
					odds := must.Get(sample.FitOdds(context.Background(), problem, 1.0/20, s))
					problem.Score = sample.WithOdds(problem.Score, odds*20)
				}
				res := must.Get(sample.Run(context.Background(), problem, s, nil))
				for i := range truth.N() {
					above := truth.Ancestors([]int{i})
					for j := range truth.N() {
						if i == j {
							continue
						}
						edges.add(res.Edge.At(i, j), truth.HasEdge(i, j))
						ancestors.add(res.Ancestor.At(j, i), above[j])
						if i < j {
							adjacent.add(min(1, res.Edge.At(i, j)+res.Edge.At(j, i)), truth.Adjacent(i, j))
						}
					}
				}
			}
			t.Logf("%-15s %-17s edges     %v", c.name, prior.name, &edges)
			t.Logf("%-15s %-17s adjacent  %v", c.name, prior.name, &adjacent)
			t.Logf("%-15s %-17s ancestors %v", c.name, prior.name, &ancestors)
		}
	}
}

// correlate returns the correlations of the columns.
func correlate(x *matrix.Dense[float64]) *matrix.Dense[float64] {
	z := x.Clone()
	for v := range z.Cols {
		mean, sum := 0.0, 0.0
		for i := range z.Rows {
			mean += z.At(i, v) / float64(z.Rows)
		}
		for i := range z.Rows {
			z.Set(i, v, z.At(i, v)-mean)
			sum += z.At(i, v) * z.At(i, v)
		}
		for i := range z.Rows {
			z.Set(i, v, z.At(i, v)/math.Sqrt(sum))
		}
	}
	r := matrix.New[float64](z.Cols, z.Cols)
	matrix.MulTA(r, z, z, 1)
	for v := range z.Cols {
		r.Set(v, v, 1)
	}
	return r
}
