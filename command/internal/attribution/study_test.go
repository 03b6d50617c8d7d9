package attribution_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/attribution"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/method/param"
)

// tables is the number of tables of a study, or of its small version in the gate.
func tables(few int) int {
	if n, err := strconv.Atoi(os.Getenv("POLYDAG_STUDY")); err == nil && n > 0 {
		return 40 * n
	}
	return few
}

// A sem is a linear model with intercepts and noise of variance 1.
type sem struct {
	names     []string
	g         *graph.Graph
	order     []int
	weight    map[graph.Edge]float64
	intercept []float64
}

func newSEM(t *testing.T, seed uint64, d int) *sem {
	t.Helper()
	c := sim.Default()
	c.Nodes, c.Degree, c.Seed = d, 3, seed
	m, err := sim.New(c)
	must.Succeed(t, err)
	s := &sem{names: m.Names(), g: m.Graph(), weight: map[graph.Edge]float64{}}
	for _, e := range m.Edges() {
		s.weight[graph.Edge{From: e.From, To: e.To}] = e.Weight
	}
	if s.order, err = s.g.Order(); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	for range d {
		s.intercept = append(s.intercept, 2*rng.Float64()-1)
	}
	return s
}

func (s *sem) clone() *sem {
	own := *s
	own.intercept = slices.Clone(s.intercept)
	own.weight = map[graph.Edge]float64{}
	for e, w := range s.weight {
		own.weight[e] = w
	}
	return &own
}

// row computes a row from its noise.
func (s *sem) row(noise []float64) []float64 {
	x := make([]float64, len(noise))
	for _, v := range s.order {
		x[v] = s.intercept[v] + noise[v]
		for _, p := range s.g.Parents(v) {
			x[v] += s.weight[graph.Edge{From: p, To: v}] * x[p]
		}
	}
	return x
}

func (s *sem) sample(rng *rand.Rand, n int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		noise := make([]float64, len(s.names))
		for v := range noise {
			noise[v] = rng.NormFloat64()
		}
		out[i] = s.row(noise)
	}
	return out
}

// prepared returns a table; with environments, its last column tells them apart.
func prepared(t *testing.T, names []string, rows [][]float64, environments bool, kinds ...string) *polydag.Table {
	t.Helper()
	p := polydag.DefaultPreparation()
	if environments {
		p.Environments = "table"
		names = append(slices.Clone(names), "table")
	}
	columns, err := polydag.RowColumns(names, rows)
	must.Succeed(t, err)
	out := must.Get(polydag.Prepare(context.Background(), columns, p))
	kinds = slices.DeleteFunc(kinds, func(rule string) bool {
		return !slices.ContainsFunc(out.Moments.Names, func(name string) bool { return strings.HasPrefix(rule, name+"=") })
	})
	must.Succeed(t, out.Overrule(kinds))
	return out
}

// two returns the rows of two tables with a last column that tells them apart.
func two(before, after [][]float64) (out [][]float64) {
	for k, rows := range [][][]float64{before, after} {
		for _, row := range rows {
			out = append(out, append(slices.Clone(row), float64(k)))
		}
	}
	return out
}

// below returns a random descendant of v, or v if it has none.
func below(g *graph.Graph, v int, rng *rand.Rand) int {
	var list []int
	for w, is := range g.Descendants([]int{v}) {
		if is && w != v {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return v
	}
	return list[rng.IntN(len(list))]
}

// A tally counts what a study finds.
type tally struct{ tables, first, third, baseline, covered, intervals, false, tested int }

func (c tally) log(t *testing.T, name string) {
	t.Logf("%s: %d tables, top-1 %.3f, top-3 %.3f, largest marginal shift top-1 %.3f, intervals cover %.3f of %d, unchanged mechanisms called changed %.4f of %d",
		name, c.tables, share(c.first, c.tables), share(c.third, c.tables), share(c.baseline, c.tables), share(c.covered, c.intervals), c.intervals, share(c.false, c.tested), c.tested)
}

func share(a, b int) float64 { return float64(a) / math.Max(1, float64(b)) }

// count adds a report about planted changes, whose true contributions are known up to a standard deviation.
func (c *tally) count(r *attribution.Report, names []string, planted map[int]float64, deviation float64, baseline int) {
	c.tables++
	for _, m := range r.Changes.Mechanisms {
		if _, is := planted[slices.Index(names, m.Name)]; !is {
			if c.tested++; m.Changed {
				c.false++
			}
		}
	}
	if _, is := planted[baseline]; is {
		c.baseline++
	}
	found := false
	for k, x := range r.Changes.Target.Contributions {
		truth, is := planted[slices.Index(names, x.Name)]
		if !is {
			continue
		}
		if k == 0 {
			c.first++
		}
		if k < 3 && !found {
			found = true
			c.third++
		}
		middle, half := (*x.Low+*x.High)/2, (*x.High-*x.Low)/2
		if c.intervals++; math.Abs(truth-middle) <= math.Hypot(half, 1.645*deviation) {
			c.covered++
		}
	}
}

// shifted returns the column, among the target and its ancestors, whose mean or distribution changed most.
func shifted(g *graph.Graph, target int, rows [][]float64, levels []int) int {
	before := g.Ancestors([]int{target})
	before[target] = true
	best, most := -1, -1.0
	for v, is := range before {
		if !is {
			continue
		}
		var n, sum, square [2]float64
		var counts [2]map[float64]float64
		counts[0], counts[1] = map[float64]float64{}, map[float64]float64{}
		for _, row := range rows {
			k := int(row[len(row)-1])
			n[k]++
			sum[k] += row[v]
			square[k] += row[v] * row[v]
			counts[k][row[v]]++
		}
		size := 0.0
		if levels != nil && levels[v] > 0 {
			for x := range levels[v] {
				size += math.Abs(counts[0][float64(x)]/n[0]-counts[1][float64(x)]/n[1]) / 2
			}
		} else {
			m0, m1 := sum[0]/n[0], sum[1]/n[1]
			size = math.Abs(m0-m1) / math.Sqrt((square[0]/n[0]-m0*m0+square[1]/n[1]-m1*m1)/2)
		}
		if size > most {
			best, most = v, size
		}
	}
	return best
}

func compare(t *testing.T, table *polydag.Table, names []string, g *graph.Graph, target int) *attribution.Report {
	t.Helper()
	s := attribution.DefaultSettings()
	if s.Replicates, s.Threads = 20, runtime.NumCPU(); os.Getenv("POLYDAG_STUDY") != "" {
		s.Replicates = 100
	}
	r := must.Get(attribution.Compare(context.Background(), table, attribution.Question{Names: names, Graph: g, Target: names[target]}, s))
	return r
}

// A planted change of linear mechanisms is found, with its contribution to the mean of a descendant: an intercept moved by one
// standard deviation of the noise, a weight changed by 0.5, or two intercepts.
func TestStudyLinearChanges(t *testing.T) {
	var c tally
	for seed := range tables(3) {
		before := newSEM(t, uint64(seed)*3+1, 20)
		after := before.clone()
		rng := rand.New(rand.NewPCG(uint64(seed), 5))
		v := rng.IntN(20)
		target := below(before.g, v, rng)
		planted := map[int]float64{}
		mean := func(s *sem) float64 { return s.row(make([]float64, 20))[target] }
		parents := before.g.Parents(v)
		switch {
		case seed%3 == 1 && len(parents) > 0:
			after.weight[graph.Edge{From: parents[rng.IntN(len(parents))], To: v}] += 0.5
		default:
			after.intercept[v] += 1
		}
		planted[v] = mean(after) - mean(before)
		if w := below(before.g, v, rng); seed%3 == 2 && w != v && (before.g.HasPath(w, target) || w == target) {
			last := mean(after)
			after.intercept[w]--
			planted[w] = mean(after) - last
		}
		rows := two(before.sample(rng, 1000), after.sample(rng, 1000))
		r := compare(t, prepared(t, before.names, rows, true), before.names, before.g, target)
		c.count(r, before.names, planted, 0, shifted(before.g, target, rows, nil))
		if x := r.Changes.Target; !(math.Abs(x.Unexplained) <= 1e-6*(1+math.Abs(x.Change))) {
			t.Errorf("seed %d: %v of the change of a linear mean is unexplained", seed, x.Unexplained)
		}
	}
	c.log(t, "linear")
	check(t, c)
}

// TestStudyLearnedGraph measures intervals with a graph that was learned from the first table: given that graph, and with a graph for each
// bootstrap sample. A planted change of one intercept is attributed under the learned graph.
func TestStudyLearnedGraph(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it takes minutes: set POLYDAG_STUDY=1")
	}
	var given, relearned tally
	for seed := range tables(1) {
		before := newSEM(t, uint64(seed)*3+1, 20)
		after := before.clone()
		rng := rand.New(rand.NewPCG(uint64(seed), 11))
		v := rng.IntN(20)
		target := below(before.g, v, rng)
		mean := func(s *sem) float64 { return s.row(make([]float64, 20))[target] }
		after.intercept[v]++
		planted := map[int]float64{v: mean(after) - mean(before)}
		first := before.sample(rng, 1000)
		rows := two(first, after.sample(rng, 1000))
		alone := prepared(t, before.names, first, false)
		cfg := polydag.DefaultConfig()
		m, err := polydag.FindMethod("order")
		must.Succeed(t, err)
		if err := param.Of(m).Set("variance", "unequal"); err != nil { // leaves directions open
			t.Fatal(err)
		}
		cfg.Method = m
		res := must.Get(alone.Learn(context.Background(), cfg, polydag.Run{}))
		s := attribution.DefaultSettings()
		s.Replicates, s.Threads = 100, runtime.NumCPU()
		q := attribution.Question{Names: before.names, Graph: res.Graph, Target: before.names[target]}
		for k, sum := range []*tally{&given, &relearned} {
			if k == 1 {
				if q.Graphs, err = attribution.NewGraphs(context.Background(), alone, res, 1); err != nil {
					t.Fatal(err)
				}
			}
			r := must.Get(attribution.Compare(context.Background(), prepared(t, before.names, rows, true), q, s))
			sum.count(r, before.names, planted, 0, shifted(before.g, target, rows, nil))
		}
	}
	given.log(t, "given the learned graph")
	relearned.log(t, "graphs learned again")
	if share(relearned.covered, relearned.intervals) < 0.8 {
		t.Errorf("%d of %d intervals cover", relearned.covered, relearned.intervals)
	}
}

func check(t *testing.T, c tally) {
	t.Helper()
	if share(c.first, c.tables) < 0.6 || c.tables >= 40 && (share(c.covered, c.intervals) < 0.8 || share(c.first, c.tables) < 0.8) {
		t.Errorf("top-1 in %d of %d tables, %d of %d intervals cover", c.first, c.tables, c.covered, c.intervals)
	}
}

// size returns the estimated size of the difference of a mechanism.
func size(r *attribution.Report, name string) float64 {
	for _, m := range r.Changes.Mechanisms {
		if m.Name == name {
			return m.Size
		}
	}
	return 0
}

// A changed mechanism of a discrete or mixed model is found.
func TestStudyOtherChanges(t *testing.T) {
	for _, kind := range []sim.Mechanism{sim.Discrete, sim.Mixed} {
		t.Run(kind.String(), func(t *testing.T) {
			var c tally
			for seed := range tables(1) {
				cfg := sim.Default()
				cfg.Nodes, cfg.Degree, cfg.Mechanism, cfg.Environments, cfg.LevelsHigh, cfg.Seed = 20, 3, kind, 2, 3, uint64(seed)*3+1
				m := must.Get(sim.New(cfg))
				v := m.Targets()[1][0]
				rng := rand.New(rand.NewPCG(uint64(seed), 5))
				target := below(m.Graph(), v, rng)
				draw := func(seed uint64, n int) (rows [][]float64) {
					x, setting := m.SampleSettings(rand.New(rand.NewPCG(seed, 3)), n)
					for i := range n {
						rows = append(rows, append(slices.Clone(x.Row(i)), float64(setting[i])))
					}
					return rows
				}
				rows := draw(1, 2000)
				var kinds []string
				for v, k := range m.Levels() {
					if k > 0 {
						kinds = append(kinds, m.Names()[v]+"=categorical")
					}
				}
				table := prepared(t, m.Names(), rows, true, kinds...)
				if table.Moments.Dim() < 20 {
					continue // a constant column or a copy of another one
				}
				r := compare(t, table, m.Names(), m.Graph(), target)
				if size(r, m.Names()[v]) < 0.1 {
					continue // the mechanism that was drawn is about the same
				}
				truth, square := [2]float64{}, [2]float64{}
				const half = 50_000
				for _, row := range draw(2, 2*half) {
					x := row[target]
					if r.Changes.Target.Category != "" {
						x = 0
						if fmt.Sprint(row[target]) == r.Changes.Target.Category {
							x = 1
						}
					}
					truth[int(row[20])] += x / half
					square[int(row[20])] += x * x / half
				}
				deviation := math.Sqrt((square[0] - truth[0]*truth[0] + square[1] - truth[1]*truth[1]) / half)
				c.count(r, m.Names(), map[int]float64{v: truth[1] - truth[0]}, deviation, shifted(m.Graph(), target, rows, m.Levels()))
			}
			c.log(t, kind.String())
			check(t, c)
		})
	}
}

// The noise of one variable in one row is 4–6 standard deviations; the target is a random descendant that is more than 3 standard
// deviations from its mean.
func TestStudyOutliers(t *testing.T) {
	var c tally
	n := tables(4)
	for seed := 0; c.tables < n; seed++ {
		m := newSEM(t, uint64(seed)*3+1, 20)
		rng := rand.New(rand.NewPCG(uint64(seed), 9))
		rows := m.sample(rng, 1000)
		v := rng.IntN(20)
		noise := make([]float64, 20)
		for k := range noise {
			noise[k] = rng.NormFloat64()
		}
		noise[v] = 4 + 2*rng.Float64()
		if rng.IntN(2) == 0 {
			noise[v] *= -1
		}
		rows[99] = m.row(noise)
		z := make([]float64, 20)
		for k := range z {
			mean, square := 0.0, 0.0
			for _, row := range rows {
				mean += row[k] / 1000
				square += row[k] * row[k] / 1000
			}
			z[k] = math.Abs(rows[99][k]-mean) / math.Sqrt(square-mean*mean)
		}
		target := below(m.g, v, rng)
		if z[target] < 3 {
			continue
		}
		r := must.Get(attribution.Outlier(context.Background(), prepared(t, m.names, rows, false), attribution.Question{Names: m.names, Graph: m.g, Target: m.names[target]}, 100, attribution.DefaultSettings()))
		c.tables++
		for k, x := range r.Row.Contributions[:min(3, len(r.Row.Contributions))] {
			if x.Name == m.names[v] {
				c.third++
				if k == 0 {
					c.first++
				}
			}
		}
		before := m.g.Ancestors([]int{target})
		before[target] = true
		best := target
		for k, is := range before {
			if is && z[k] > z[best] {
				best = k
			}
		}
		if best == v {
			c.baseline++
		}
	}
	t.Logf("outliers: %d tables, top-1 %.3f, top-3 %.3f, largest marginal deviation top-1 %.3f", c.tables, share(c.first, c.tables), share(c.third, c.tables), share(c.baseline, c.tables))
	if share(c.first, c.tables) < 0.7 {
		t.Errorf("top-1 in %d of %d tables", c.first, c.tables)
	}
}

// The environment whose name sorts first is the one before, also if its rows come last.
func TestCompareOrdersEnvironments(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var rows [][]float64
	for i := range 90 {
		table := float64(1)
		if i >= 60 {
			table = 0
		}
		rows = append(rows, []float64{rng.NormFloat64() + 5*table, rng.NormFloat64(), table})
	}
	names := []string{"x", "y"}
	r := compare(t, prepared(t, names, rows, true), names, graph.New(2), 0)
	if c := r.Changes; c.RowsBefore != 30 || c.RowsAfter != 60 || c.Target.Change < 4 {
		t.Errorf("%d rows before, %d after, a change of %v; want 30, 60 and about 5", c.RowsBefore, c.RowsAfter, c.Target.Change)
	}
}
