package dibs

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/sim"
)

// drawn draws an ER table of linear effects, standardized.
func drawn(t *testing.T, nodes, edges, rows int, seed uint64) (*dataset.Moments, *graph.Graph) {
	t.Helper()
	c := sim.Default()
	c.Nodes, c.Edges, c.Seed, c.Standardize = nodes, edges, seed, true
	m, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	out, err := dataset.FromRows(m.Names(), m.Sample(sim.Stream(seed, sim.StreamNoise), rows), 1)
	if err != nil {
		t.Fatal(err)
	}
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

// TestStudyPosterior measures the posteriors of DiBS with each constraint and of the sampler of --posterior.
// docs/reference/methods.md has the figures. POLYDAG_STUDY is the number of tables.
func TestStudyPosterior(t *testing.T) {
	tables, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if tables == 0 {
		t.Skip("it takes minutes: set POLYDAG_STUDY to the number of tables")
	}
	names := []string{"`dibs`", "`dibs --weighting uniform`", "`dibs --constraint poly`", "`dibs --constraint geo`", "`--posterior`"}
	type outcome struct{ shd, area, seconds, graphs float64 }
	results := make([]outcome, tables*len(names))
	parallel.For(len(results), runtime.NumCPU(), func(i int) {
		data, truth := drawn(t, 25, 40, 1000, uint64(500+i/len(names)))
		start := time.Now()
		var graphs [][]graph.Edge
		var weights []float64
		if k := i % len(names); k < len(names)-1 {
			m := New()
			m.Constraint = []Constraint{Binomial, Binomial, PowerSum, Geometric}[k]
			if k == 1 {
				m.Weighting = Uniform
			}
			a, err := m.Learn(context.Background(), &method.Input{Moments: data, Seed: 1, Threads: 1}, nil)
			if err != nil || a.Posterior == nil {
				t.Error(names[k], err)
				return
			}
			graphs, weights = a.Posterior.Graphs, a.Posterior.Weights
		} else {
			bge, err := score.NewBGe(data.Correlation(), data.N, score.DefaultBGe())
			if err != nil {
				t.Error(err)
				return
			}
			found, err := sample.Run(context.Background(), sample.Problem{Score: bge}, sample.DefaultSettings(), nil)
			if err != nil {
				t.Error(err)
				return
			}
			graphs = found.Graphs
			weights = slices.Repeat([]float64{1 / float64(len(graphs))}, len(graphs))
		}
		seconds := time.Since(start).Seconds()
		shd, area := quality(truth, graphs, weights)
		results[i] = outcome{shd, area, seconds, float64(len(graphs))}
	})
	fmt.Println("| method | expected CPDAG SHD | AUROC | seconds | graphs |\n|---|---|---|---|---|")
	for k, name := range names {
		var sum outcome
		n := float64(tables)
		for i := k; i < len(results); i += len(names) {
			r := results[i]
			sum = outcome{sum.shd + r.shd/n, sum.area + r.area/n, sum.seconds + r.seconds/n, sum.graphs + r.graphs/n}
		}
		fmt.Printf("| %s | %.1f | %.3f | %.0f | %.1f |\n", name, sum.shd, sum.area, sum.seconds, sum.graphs)
	}
}
