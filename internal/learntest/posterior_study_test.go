package learntest

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/parallel"
	chains "github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/lab/bcdnets"
	"github.com/polydag/polydag/lab/dibs"
	"github.com/polydag/polydag/lab/dpdag"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/score"
)

// posteriorTable draws an ER table of linear effects, standardized.
func posteriorTable(t *testing.T, nodes, edges, rows int, seed uint64) (*dataset.Moments, *graph.Graph) {
	t.Helper()
	c := sim.Default()
	c.Nodes, c.Edges, c.Seed, c.Standardize = nodes, edges, seed, true
	m := must.Get(sim.New(c))
	out := must.Get(dataset.MomentsOf(m.Names(), m.Sample(sim.Stream(seed, sim.StreamNoise), rows), 1))
	return out, m.Graph()
}

// quality returns the expected SHD between the classes of the graphs and of the truth, and the area under the ROC curve of the edge
// probabilities over all ordered pairs.
func quality(truth *graph.Graph, graphs [][]graph.Edge, weights []float64) (shd, area float64) {
	d := truth.N()
	prob := matrix.New[float64](d, d)
	class, _ := graph.CPDAG(truth)
	for k, edges := range graphs {
		g, _ := graph.FromEdges(d, edges)
		own, _ := graph.CPDAG(g)
		shd += weights[k] * float64(metric.CPDAGDistance(class, own))
		for _, e := range edges {
			prob.Set(e.From, e.To, prob.At(e.From, e.To)+weights[k])
		}
	}
	return shd, auroc(truth, prob)
}

func auroc(truth *graph.Graph, prob *matrix.Dense[float64]) float64 {
	var with, without []float64
	for i := range truth.N() {
		for j := range truth.N() {
			if i == j {
				continue
			}
			if truth.HasEdge(i, j) {
				with = append(with, prob.At(i, j))
			} else {
				without = append(without, prob.At(i, j))
			}
		}
	}
	sum := 0.0
	for _, a := range with {
		for _, b := range without {
			switch {
			case a > b:
				sum++
			case a == b:
				sum += 0.5
			}
		}
	}
	return sum / float64(len(with)*len(without))
}

// firstSeed returns POLYDAG_STUDY_SEED, or the given seed.
func firstSeed(usual uint64) uint64 {
	if seed, err := strconv.ParseUint(os.Getenv("POLYDAG_STUDY_SEED"), 10, 64); err == nil {
		return seed
	}
	return usual
}

// posteriors are the methods that approximate a posterior, by the words of a command line. The last one is the sampler of --posterior.
func posteriors() ([]string, []func() method.Method) {
	with := func(change func(*dibs.Method)) func() method.Method {
		return func() method.Method {
			m := dibs.New()
			change(m)
			return m
		}
	}
	return []string{"`dibs`", "`dibs --set weighting=uniform`", "`dibs --set constraint=geo`", "`bcd-nets`", "`dp-dag`", "`dp-dag --set orders=top-k`", "`--posterior`"},
		[]func() method.Method{
			with(func(*dibs.Method) {}),
			with(func(m *dibs.Method) { m.Weighting = dibs.Uniform }),
			with(func(m *dibs.Method) { m.Constraint = dibs.Geometric }),
			func() method.Method { return bcdnets.New() },
			func() method.Method { return dpdag.New() },
			func() method.Method {
				m := dpdag.New()
				m.Orders = dpdag.TopK
				return m
			},
			nil,
		}
}

// TestStudyPosterior measures posteriors on ER tables with 25 columns, 40 edges and 1000 rows, standardized. lab/docs/methods.md
// has the figures. POLYDAG_STUDY is the number of tables, POLYDAG_STUDY_METHOD a part of the names of the methods,
// and POLYDAG_STUDY_SEED the seed of the first table. Defaults of bcd-nets and dp-dag were chosen on tables 500 to 503.
func TestStudyPosterior(t *testing.T) {
	tables, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if tables == 0 {
		t.Skip("it takes half an hour: set POLYDAG_STUDY to the number of tables")
	}
	names, methods := posteriors()
	type outcome struct{ shd, area, edges, seconds float64 }
	results := make([]outcome, tables*len(names))
	parallel.For(len(results), runtime.NumCPU(), func(i int) {
		k := i % len(names)
		if !strings.Contains(names[k], os.Getenv("POLYDAG_STUDY_METHOD")) {
			return
		}
		data, truth := posteriorTable(t, 25, 40, 1000, firstSeed(500)+uint64(i/len(names)))
		start := time.Now()
		post := &method.Posterior{}
		if methods[k] != nil {
			a, err := methods[k]().Learn(t.Context(), &method.Input{Moments: data, Seed: 1, Threads: 1}, nil)
			if err != nil || a.Posterior == nil {
				t.Error(names[k], err)
				return
			}
			post = a.Posterior
		} else {
			bge, err := score.NewBGe(data.Correlation(), data.N, score.DefaultBGe())
			if err != nil {
				t.Error(err)
				return
			}
			found, err := chains.Run(t.Context(), chains.Problem{Score: bge}, chains.DefaultSettings(), nil)
			if err != nil {
				t.Error(err)
				return
			}
			post.Graphs, post.Weights = found.Graphs, slices.Repeat([]float64{1 / float64(len(found.Graphs))}, len(found.Graphs))
		}
		r := &results[i]
		r.seconds = time.Since(start).Seconds()
		r.shd, r.area = quality(truth, post.Graphs, post.Weights)
		for j, edges := range post.Graphs {
			r.edges += post.Weights[j] * float64(len(edges))
		}
		fmt.Println(names[k], i/len(names), *r)
	})
	fmt.Println("| method | expected CPDAG SHD | AUROC | expected edges | seconds |\n|---|---|---|---|---|")
	for k, name := range names {
		var s outcome
		n := float64(tables)
		for i := k; i < len(results); i += len(names) {
			r := results[i]
			s = outcome{s.shd + r.shd/n, s.area + r.area/n, s.edges + r.edges/n, s.seconds + r.seconds/n}
		}
		fmt.Printf("| %s | %.1f | %.3f | %.1f | %.0f |\n", name, s.shd, s.area, s.edges, s.seconds)
	}
}
