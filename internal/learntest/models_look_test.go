package learntest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/score"
)

// TestStudyChoice checks the model that auto chooses by kind of table; on linear tables it must find the graph
// of model linear. docs/explanation/models.md has the figures of POLYDAG_STUDY=1.
func TestStudyChoice(t *testing.T) {
	tables := 1
	if os.Getenv("POLYDAG_STUDY") != "" {
		tables = 20
	}
	for _, c := range []struct {
		what     string
		d, edges int
		noise    string // the noise of linear models; "" for curves
		joint    bool
		always   bool // also without POLYDAG_STUDY
	}{
		{"lines", 20, 40, "gaussian", false, true}, {"lines", 100, 200, "gaussian", false, true},
		{"lines", 20, 40, "uniform", false, true}, {"lines", 20, 40, "laplace", false, false}, {"lines", 20, 40, "exponential", false, true},
		{"lines", 20, 20, "uniform", false, false}, {"lines", 20, 20, "laplace", false, false}, {"lines", 20, 20, "exponential", false, false},
		{"lines", 100, 100, "exponential", false, false},
		{"sums", 20, 80, "", false, false}, {"sums", 100, 200, "", false, false},
		{"joint", 10, 10, "", true, true}, {"joint", 10, 40, "", true, false}, {"joint", 20, 20, "", true, false}, {"joint", 20, 80, "", true, false},
	} {
		if !c.always && tables == 1 {
			continue
		}
		t.Run(fmt.Sprintf("%s/d=%d/edges=%d/%s", c.what, c.d, c.edges, c.noise), func(t *testing.T) {
			want, right := score.SmoothEffects, 0
			if c.noise != "" {
				want = score.LinearEffects
			}
			for seed := range uint64(tables) {
				rng := rand.New(rand.NewPCG(seed, 21))
				var s *sheet
				if c.noise != "" {
					s, _ = lines(rng, c.d, c.edges, 1000, c.noise)
				} else {
					s, _ = curves(rng, c.d, c.edges, 1000, c.joint)
				}
				table := prepared(t, s.plain())
				m := order.New()
				m.Restarts.N, m.Restarts.Word = 0, ""
				auto := learnedFrom(t, table, m)
				if auto.Model == want {
					right++
				} else {
					t.Logf("%s, d = %d, %d edges, %s noise, seed %d: %+v", c.what, c.d, c.edges, c.noise, seed, auto.Choice("model"))
				}
				if c.noise == "" || auto.Model != want {
					continue
				}
				m.Model = order.Linear
				if linear := learnedFrom(t, table, m); !reflect.DeepEqual(auto.Edges, linear.Edges) {
					t.Errorf("%s, d = %d, %s noise, seed %d: other edges than model linear", c.what, c.d, c.noise, seed)
				}
			}
			t.Logf("%s, d = %d, %d edges, %s noise: right in %d of %d", c.what, c.d, c.edges, c.noise, right, tables)
			if right < tables-tables/20 {
				t.Errorf("%s, d = %d, %d edges, %s noise: %s in %d of %d tables", c.what, c.d, c.edges, c.noise, want, right, tables)
			}
		})
	}
}

// TestStudyCurves measures how well nonlinear effects are found with default settings;
// docs/explanation/models.md has the figures of POLYDAG_STUDY=1.
func TestStudyCurves(t *testing.T) {
	tables, first := 1, uint64(0)
	if os.Getenv("POLYDAG_STUDY") != "" {
		tables, first = 5, 100
	}
	for _, c := range []struct {
		d, edges int
		joint    bool
		shd, f1  float64 // at most, at least
		always   bool
	}{
		{20, 80, false, 3, 0, false}, {15, 25, false, math.Inf(1), 0.9, true}, {40, 80, false, math.Inf(1), 0.96, false}, {100, 200, false, math.Inf(1), 0.96, false},
		{10, 10, true, 1.5, 0, true}, {10, 40, true, 8, 0, false}, {20, 20, true, 3, 0, false}, {20, 80, true, 45, 0, false},
	} {
		if !c.always && tables == 1 {
			continue
		}
		var shd, f1, seconds float64
		for seed := range uint64(tables) {
			s, truth := curves(rand.New(rand.NewPCG(first+seed, 22)), c.d, c.edges, 1000, c.joint)
			from := time.Now()
			res := learnedFrom(t, prepared(t, s.plain()), nil)
			seconds += time.Since(from).Seconds() / float64(tables)
			shd += float64(metric.SHD(truth, res.Graph).Distance()) / float64(tables)
			f1 += metric.Directed(truth, res.Graph).F1() / float64(tables)
			if res.Model != score.SmoothEffects {
				t.Errorf("d = %d, %d edges, seed %d: %+v", c.d, c.edges, seed, res.Choice("model"))
			}
		}
		t.Logf("d = %d, %d edges, joint %v, %d tables: SHD %.1f, F1 %.3f, %.1f s", c.d, c.edges, c.joint, tables, shd, f1, seconds)
		if shd > c.shd || f1 < c.f1 {
			t.Errorf("d = %d, %d edges, joint %v: SHD %.1f, F1 %.3f, want at most %v, at least %v", c.d, c.edges, c.joint, shd, f1, c.shd, c.f1)
		}
	}
}

// TestChoiceIsCanonical checks that the column order, units and threads change neither the choice, its reason
// nor the result.
func TestChoiceIsCanonical(t *testing.T) {
	sums, _ := curves(rand.New(rand.NewPCG(3, 23)), 8, 10, 400, false)
	joint, _ := curves(rand.New(rand.NewPCG(3, 23)), 8, 10, 400, true)
	straight, _ := lines(rand.New(rand.NewPCG(3, 23)), 8, 10, 400, "exponential")
	for what, s := range map[string]*sheet{"sums of curves": sums, "joint curves": joint, "lines": straight} {
		learn := func(text string, threads int) *polydag.Result {
			cfg := polydag.DefaultConfig()
			cfg.Threads = threads
			m := order.New()
			m.Variance = order.Unequal // equal ones are a statement about units
			cfg.Method = m
			res := must.Get(prepared(t, text).Learn(context.Background(), cfg, polydag.Run{}))
			return res
		}
		first := learn(s.plain(), 1)
		edges := graphByName(first)
		shuffled := learn(s.csv(rand.New(rand.NewPCG(4, 23)).Perm(len(s.names))), 3)
		if !reflect.DeepEqual(shuffled.Choice("model"), first.Choice("model")) || !slices.Equal(graphByName(shuffled), edges) {
			t.Errorf("%s, other order and threads: %+v, want %+v", what, shuffled.Choice("model"), first.Choice("model"))
		}
		scaled := &sheet{names: s.names}
		for j := range s.cells {
			scaled.cells = append(scaled.cells, nil)
			for _, cell := range s.cells[j] {
				var x float64
				fmt.Sscan(cell, &x)
				scaled.cells[j] = append(scaled.cells[j], fmt.Sprintf("%v", 5+x*math.Pow(10, float64(j%5-2))))
			}
		}
		other := learn(scaled.plain(), 1)
		if a, b := other.Choice("model"), first.Choice("model"); a.Chosen != b.Chosen || !(math.Abs(a.Scores["smooth"]-b.Scores["smooth"]) <= 1e-3) || !slices.Equal(graphByName(other), edges) {
			t.Errorf("%s, other units: %+v, want %+v", what, a, b)
		}
	}
}

// graphByName lists the edges by the names of their ends.
func graphByName(r *polydag.Result) []string {
	var out []string
	for _, e := range r.Edges {
		out = append(out, e.From+" "+e.To)
	}
	slices.Sort(out)
	return out
}

// TestCurvesInManyColumns checks that tables of more than a hundred columns are tested too, and that a stopped
// run reports it.
func TestCurvesInManyColumns(t *testing.T) {
	s, truth := curves(rand.New(rand.NewPCG(5, 24)), 130, 160, 400, false)
	m := order.New()
	m.Restarts.N, m.Restarts.Word = 0, ""
	res := learnedFrom(t, prepared(t, s.plain()), m)
	if f1 := metric.Directed(truth, res.Graph).F1(); res.Model != score.SmoothEffects || f1 < 0.8 {
		t.Errorf("F1 %.3f, %+v", f1, res.Choice("model"))
	}
	if empty := graph.New(130); metric.SHD(truth, empty).Distance() <= metric.SHD(truth, res.Graph).Distance() {
		t.Error("no better than no edge")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	stopped, err := polydag.BestSoFar(prepared(t, s.plain()).Learn(ctx, polydag.DefaultConfig(), polydag.Run{}))
	if err != nil || !strings.Contains(stopped.Choice("model").Reason, "stopped before") {
		t.Errorf("%v, %+v", err, stopped)
	}
}
