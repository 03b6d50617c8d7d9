package score_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/score"
)

// recovered learns a graph from a curved table with the plain search.
func recovered(t testing.TB, seed uint64, d, edges int, joint bool, starts int) (truth, found *graph.Graph) {
	truth, x := curvedTable(seed, d, edges, 1000, joint)
	s := smooth(t, x)
	parents, _ := plainly(s.Evaluator(), d, s.Price(), starts)
	return truth, graph.FromParents(parents)
}

// Curved effects are found with their directions, where a linear score is lost; joint effects of pairs too.
func TestSmoothRecovers(t *testing.T) {
	for _, c := range []struct {
		d, edges int
		joint    bool
		limit    int
	}{{10, 20, false, 1}, {10, 10, true, 2}, {7, 14, true, 4}} {
		truth, found := recovered(t, 1, c.d, c.edges, c.joint, 2)
		if h := metric.SHD(truth, found); h.Distance() > c.limit {
			t.Errorf("d = %d, %d edges, joint %v: %+v, want a distance of at most %d", c.d, c.edges, c.joint, h, c.limit)
		}
	}
}

// Products are what finds joint effects: without them more is missed.
func TestProductsFindJointEffects(t *testing.T) {
	with, without := 0, 0
	for seed := range uint64(3) {
		truth, x := curvedTable(seed, 8, 24, 1000, true)
		b := blocks(t, x, nil, basis.DefaultSettings())
		distance := func(set score.SmoothSettings) int {
			s := must.Get(score.NewSmooth(b, set))
			parents, _ := plainly(s.Evaluator(), 8, s.Price(), 2)
			return metric.SHD(truth, graph.FromParents(parents)).Distance()
		}
		set := score.DefaultSmoothSettings()
		with += distance(set)
		set.PairStrength = 0
		without += distance(set)
	}
	if with >= without {
		t.Errorf("distance %d with products, %d without", with, without)
	}
}

func TestMixedRecovers(t *testing.T) {
	truth, categorical, x := mixedTable(1, 16, 28, 2000)
	s := mixed(t, x, categorical)
	parents, _ := plainly(s.Evaluator(), 16, s.Price(), 2)
	if f := metric.Skeleton(truth, graph.FromParents(parents)).F1(); f < 0.93 {
		t.Errorf("skeleton F1 %.3f, want at least 0.93", f)
	}
	// Codes taken for numbers do worse.
	s = mixed(t, x, make([]bool, 16))
	wrong, _ := plainly(s.Evaluator(), 16, s.Price(), 2)
	a, b := metric.Skeleton(truth, graph.FromParents(parents)).F1(), metric.Skeleton(truth, graph.FromParents(wrong)).F1()
	if b >= a {
		t.Errorf("skeleton F1 %.3f, and %.3f with codes as numbers", a, b)
	}
}

// BenchmarkRecovery prints how well graphs are found, means over tables:
//
//	go test ./score -run '^$' -bench Recovery -benchtime 1x
func BenchmarkRecovery(b *testing.B) {
	for _, c := range []struct {
		d, edges      int
		joint         bool
		tables, start int
	}{
		{20, 80, false, 6, 2}, {100, 200, false, 3, 1},
		{10, 10, true, 12, 3}, {10, 40, true, 12, 3}, {20, 20, true, 12, 2}, {20, 80, true, 6, 2},
	} {
		b.Run(fmt.Sprintf("joint=%v/d=%d/edges=%d", c.joint, c.d, c.edges), func(b *testing.B) {
			for b.Loop() {
				shd, f1, seconds := 0.0, 0.0, 0.0
				for seed := range c.tables {
					truth, x := curvedTable(uint64(seed), c.d, c.edges, 1000, c.joint)
					from := time.Now()
					s := smooth(b, x)
					parents, _ := plainly(s.Evaluator(), c.d, s.Price(), c.start)
					seconds += time.Since(from).Seconds()
					shd += float64(metric.SHD(truth, graph.FromParents(parents)).Distance())
					f1 += metric.Directed(truth, graph.FromParents(parents)).F1()
				}
				n := float64(c.tables)
				b.ReportMetric(shd/n, "SHD")
				b.ReportMetric(f1/n, "F1")
				b.ReportMetric(seconds/n, "s/table")
			}
		})
	}
	b.Run("mixed/d=50/edges=100", func(b *testing.B) {
		for b.Loop() {
			const tables = 12
			f1, skeleton, seconds := 0.0, 0.0, 0.0
			for seed := range uint64(tables) {
				truth, categorical, x := mixedTable(seed, 50, 100, 2000)
				from := time.Now()
				s := mixed(b, x, categorical)
				parents, _ := plainly(s.Evaluator(), 50, s.Price(), 3)
				seconds += time.Since(from).Seconds()
				f1 += metric.Directed(truth, graph.FromParents(parents)).F1()
				skeleton += metric.Skeleton(truth, graph.FromParents(parents)).F1()
			}
			b.ReportMetric(f1/tables, "F1")
			b.ReportMetric(skeleton/tables, "skeleton-F1")
			b.ReportMetric(seconds/tables, "s/table")
		}
	})
}

// BenchmarkLocal times one call of Score and Additions with four parents.
func BenchmarkLocal(b *testing.B) {
	_, x := curvedTable(1, 100, 200, 1000, false)
	_, y := curvedTable(1, 20, 40, 1000, true)
	_, categorical, z := mixedTable(1, 50, 100, 2000)
	for _, c := range []struct {
		name string
		fit  local
		d    int
	}{
		{"smooth/d=100", smooth(b, x).Evaluator(), 100},
		{"smooth+products/d=20", smooth(b, y).Evaluator(), 20},
		{"mixed/d=50", mixed(b, z, categorical).Evaluator(), 50},
	} {
		parents, dst := []int{1, 2, 3, 4}, make([]float64, c.d)
		b.Run(c.name+"/score", func(b *testing.B) {
			for b.Loop() {
				c.fit.Score(0, parents)
			}
		})
		b.Run(c.name+"/additions", func(b *testing.B) {
			for b.Loop() {
				c.fit.Additions(dst, 0, parents)
			}
		})
	}
}
