package continuous

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/gaussian"
	"github.com/polydag/polydag/method/polydag"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/search"
	"github.com/polydag/polydag/sim"
)

// TestStudyCollapse shows why polydag ends in fragments on some tables: its final W, the cost of the threshold
// that gives a DAG, and the result of the same W with cycles cut one by one and parents chosen along its order.
// docs/evidence/continuous.md has the figures.
func TestStudyCollapse(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it takes half a minute: set POLYDAG_STUDY=1")
	}
	fmt.Println("| table | sign of det(I - W) | pairs with both weights | weights above 0.05 | threshold | edges above it | true edges | F1 | F1, cycles cut | F1 with swaps |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, c := range []struct {
		name   string
		degree float64
		seed   uint64
	}{{"4 neighbours, seed 3", 4, 3}, {"4 neighbours, seed 1", 4, 1}, {"4 neighbours, seed 10", 4, 10}, {"8 neighbours, seed 1", 8, 1}, {"8 neighbours, seed 3", 8, 3}} {
		data, m := drawn(t, 1000, func(cfg *sim.Config) { cfg.Nodes, cfg.Degree, cfg.Seed = 100, c.degree, c.seed })
		path := polydag.New()
		path.StageSteps = 100
		a := learned(t, path, data)
		w := a.Continuous.W
		sign, both, strong := shape(w)
		zeroed := w.Clone()
		for i, v := range zeroed.Data {
			if math.Abs(v) <= settled*path.Rate {
				zeroed.Data[i] = 0
			}
		}
		kept, _ := cut(support(zeroed, nil), zeroed, nil)
		order, err := kept.Order()
		if err != nil {
			t.Fatal(err)
		}
		f := newFits(data.Correlation(), data.N, search.DefaultSettings().EdgePenalty(data.N, 100))
		s := newSwaps(f, order, gaussian.Parents(graph.New(100)))
		s.refit(context.Background())
		truth := m.Graph()
		along := metric.Directed(truth, graph.FromParents(s.parents())).F1()
		s.improve(context.Background(), 1, nothing)
		swapped := metric.Directed(truth, graph.FromParents(s.parents())).F1()
		fmt.Printf("| %s | %+.0f | %d | %d | %.3f | %d | %d | %.3f | %.3f | %.3f |\n", c.name, sign, both, strong, a.Continuous.Threshold,
			a.Continuous.Thresholded.NumEdges(), truth.NumEdges(), f1(truth, a), along, swapped)
	}
}

// shape returns the sign of det(I - W), how many pairs have weights above 0.05 in both directions, and how many weights are.
func shape(w *matrix.Dense[float64]) (sign float64, both, strong int) {
	d := w.Rows
	m := matrix.New[float64](d, d)
	for i := range d {
		for j := range d {
			m.Set(i, j, -w.At(i, j))
			if math.Abs(w.At(i, j)) > 0.05 {
				strong++
				if i < j && math.Abs(w.At(j, i)) > 0.05 {
					both++
				}
			}
		}
		m.Set(i, i, 1)
	}
	var lu matrix.LU[float64]
	if err := lu.Factor(m); err != nil {
		return 0, both, strong
	}
	_, s := lu.LogAbsDet()
	return float64(s), both, strong
}

// TestStudyMoves compares the moves of the first descent, before any round, from the order of W and from a
// random order.
func TestStudyMoves(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it takes half a minute: set POLYDAG_STUDY=1")
	}
	fmt.Println("| table | moves from the order of W | objective | moves from a random order | objective | after rounds from W |\n|---|---|---|---|---|---|")
	for seed := range uint64(10) {
		data, _ := drawn(t, 1000, func(cfg *sim.Config) { cfg.Nodes, cfg.Seed = 100, seed+1 })
		r, err := New().relax(context.Background(), &method.Input{Moments: data, Threads: 1}, nil, stage.Point{})
		if err != nil {
			t.Fatal(err)
		}
		kept, _ := cut(support(r.W, nil), r.W, nil)
		order, err := kept.Order()
		if err != nil {
			t.Fatal(err)
		}
		f := newFits(data.Correlation(), data.N, search.DefaultSettings().EdgePenalty(data.N, 100))
		s := newSwaps(f, order, make([][]int, 100))
		s.refit(context.Background())
		s.descend(context.Background(), nothing)
		other := bare(f, rand.New(rand.NewPCG(seed, 1)))
		other.descend(context.Background(), nothing)
		moves, total := s.moves, s.total()
		s.improve(context.Background(), 1, nothing)
		fmt.Printf("| seed %d | %d | %.1f | %d | %.1f | %.1f |\n", seed+1, moves, total, other.moves, other.total(), s.total())
	}
}
