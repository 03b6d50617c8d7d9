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
		t.Skip("it takes a quarter of an hour: set POLYDAG_STUDY to the number of tables")
	}
	constraints := []Constraint{Binomial, Geometric, "the sampler of --posterior"} // PowerSum has the value of Geometric
	type outcome struct{ shd, area, equalSHD, equalArea, seconds float64 }
	results := make([]outcome, tables*len(constraints))
	parallel.For(len(results), runtime.NumCPU(), func(i int) {
		data, truth := drawn(t, 25, 40, 1000, uint64(500+i/len(constraints)))
		start := time.Now()
		post := &method.Posterior{}
		if k := i % len(constraints); k < len(constraints)-1 {
			m := New()
			m.Constraint = constraints[k]
			a, err := m.Learn(context.Background(), &method.Input{Moments: data, Seed: 1, Threads: 1}, nil)
			if err != nil || a.Posterior == nil {
				t.Error(constraints[k], err)
				return
			}
			post = a.Posterior
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
			post.Graphs = found.Graphs
		}
		seconds := time.Since(start).Seconds()
		equal := slices.Repeat([]float64{1 / float64(len(post.Graphs))}, len(post.Graphs))
		if post.Weights == nil {
			post.Weights = equal
		}
		r := &results[i]
		r.seconds = seconds
		r.shd, r.area = quality(truth, post.Graphs, post.Weights)
		r.equalSHD, r.equalArea = quality(truth, post.Graphs, equal)
		fmt.Println(constraints[i%len(constraints)], i/len(constraints), *r)
	})
	fmt.Println("| constraint | expected CPDAG SHD | AUROC | the same with equal weights | AUROC | seconds |\n|---|---|---|---|---|---|")
	for k, name := range constraints {
		var s outcome
		n := float64(tables)
		for i := k; i < len(results); i += len(constraints) {
			r := results[i]
			s = outcome{s.shd + r.shd/n, s.area + r.area/n, s.equalSHD + r.equalSHD/n, s.equalArea + r.equalArea/n, s.seconds + r.seconds/n}
		}
		fmt.Printf("| %s | %.1f | %.3f | %.1f | %.3f | %.0f |\n", name, s.shd, s.area, s.equalSHD, s.equalArea, s.seconds)
	}
}
