package confidence_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/lab/study/figure"
	"github.com/polydag/polydag/trust"
)

// tenths counts statements by their probability, in ten bins.
type tenths [10]class

func (b *tenths) add(p float64, right bool) { b[min(9, int(10*p))].add(p, right) }

func (b *tenths) join(other tenths) {
	for k, c := range other {
		b[k] = class{b[k].pairs + c.pairs, b[k].sum + c.sum, b[k].right + c.right, b[k].variance + c.variance}
	}
}

// ece is the expected calibration error.
func (b *tenths) ece() float64 {
	off, _ := off(b[:])
	return off
}

func (b *tenths) chance() float64 { return chance(b[:]) }

func (b *tenths) curve(label string, color int) figure.Series { return points(b[:], 10, label, color) }

// reliability is how often probabilities of edges are right. Directions are counted among the adjacent.
type reliability struct {
	adjacent, direction    tenths
	edges, directed, right int
	fitted                 fitted // the adjacency as a function of the gain
}

func (r *reliability) add(res *polydag.Result, truth *graph.Graph) {
	at := map[string]int{}
	for v, name := range res.Names {
		at[name] = v
	}
	for _, e := range res.Edges {
		from, to := at[e.From], at[e.To]
		ahead, back := truth.HasEdge(from, to), truth.HasEdge(to, from)
		r.edges++
		r.adjacent.add(e.PAdjacent, ahead || back)
		r.fitted.adjacency = append(r.fitted.adjacency, judged{e.Gain * 2 * math.Ln2 * float64(res.Rows), ahead || back})
		if ahead || back {
			r.direction.add(e.PDirection, ahead)
		}
		if e.Verdict == polydag.Directed {
			r.directed++
			if ahead {
				r.right++
			}
		}
	}
}

func (r *reliability) join(other *reliability) {
	r.adjacent.join(other.adjacent)
	r.direction.join(other.direction)
	r.edges, r.directed, r.right = r.edges+other.edges, r.directed+other.directed, r.right+other.right
	r.fitted.adjacency = append(r.fitted.adjacency, other.fitted.adjacency...)
}

func (r *reliability) row(name string) string {
	return fmt.Sprintf("| %s | %d | %.3f | %.3f | %.3f | %d | %.2f |", name, r.edges, r.adjacent.ece(), r.direction.ece(), r.direction.chance(), r.directed, float64(r.right)/float64(max(1, r.directed)))
}

const reliabilityHeader = "| tables | edges | error of p_adjacent | error of p_direction | by chance | directed | share right |"

// A design makes tables with a known graph.
type design struct {
	name string
	rows []int
	draw func(t *testing.T, rows int, seed uint64) (*graph.Graph, *polydag.Table)
}

// designs are tables that the models of polydag describe (the first five) and tables that they do not.
func designs() (held, violated []design) {
	of := func(change func(*sim.Settings)) func(*testing.T, int, uint64) (*graph.Graph, *polydag.Table) {
		return func(t *testing.T, rows int, seed uint64) (*graph.Graph, *polydag.Table) {
			m, table := simulated(t, rows, seed, change)
			if share, err := strconv.ParseFloat(os.Getenv("POLYDAG_MISSING"), 64); err == nil {
				x := m.Sample(sim.Stream(seed, sim.StreamNoise), rows)
				rng := rand.New(rand.NewPCG(seed, 20))
				for k := range x.Data {
					if rng.Float64() < share {
						x.Data[k] = math.NaN()
					}
				}
				table = prepared(t, m.Names(), x, nil)
			}
			return m.Graph(), table
		}
	}
	rows := []int{300, 1000, 5000}
	held = []design{
		{"linear, strong effects", rows, of(func(c *sim.Settings) { c.Nodes, c.Degree, c.Standardize = 25, 3, true })},
		{"linear, weak effects", rows, of(func(c *sim.Settings) {
			c.Nodes, c.Degree, c.Standardize, c.WeightLow, c.WeightHigh = 25, 4, true, 0.1, 0.5
		})},
		{"discrete", rows, of(func(c *sim.Settings) { c.Nodes, c.Degree, c.Mechanism = 18, 3, sim.Discrete })},
		{"mixed", rows, of(func(c *sim.Settings) { c.Nodes, c.Degree, c.Mechanism = 20, 4, sim.Mixed })},
		{"smooth", rows[:2], of(func(c *sim.Settings) { c.Nodes, c.Degree, c.Mechanism = 10, 3, sim.Additive })},
	}
	for _, kind := range violations {
		violated = append(violated, design{kind, rows, func(t *testing.T, rows int, seed uint64) (*graph.Graph, *polydag.Table) {
			truth, x := violatedTable(kind, rows, seed)
			names := make([]string, x.Cols)
			for v := range names {
				names[v] = fmt.Sprintf("x%02d", v)
			}
			return truth, prepared(t, names, x, nil)
		}})
	}
	return held, violated
}

// studySeed is the first seed of a study, from POLYDAG_STUDY.
func studySeed(t *testing.T) uint64 {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("POLYDAG_STUDY"), 10, 32)
	if err != nil {
		t.Skip("the study takes minutes: set POLYDAG_STUDY to a first seed, such as 1")
	}
	return seed
}

// TestStudyVerdicts prints how well p_adjacent and p_direction are calibrated on simulated tables. docs/explanation/confidence.md has the
// table. POLYDAG_STUDY is the first seed, POLYDAG_TABLES the number of tables per kind and number of rows (default 3), POLYDAG_FIGURE a
// file for the reliability diagram, and POLYDAG_MISSING the share of the values that are missing, completely at random, in tables whose
// model holds.
func TestStudyVerdicts(t *testing.T) {
	seed := studySeed(t)
	tables, err := strconv.Atoi(os.Getenv("POLYDAG_TABLES"))
	if err != nil {
		tables = 3
	}
	held, violated := designs()
	var all [2]reliability
	t.Log(reliabilityHeader)
	for group, kinds := range [][]design{held, violated} {
		for k, d := range kinds {
			if only := os.Getenv("POLYDAG_FAMILIES"); only != "" && !(family{name: d.name}).asked() {
				continue
			}
			var own reliability
			for _, rows := range d.rows {
				for table := range tables {
					truth, drawn := d.draw(t, rows, seed*1_000_000+uint64(10000*group+1000*k+100*table+rows/100))
					cfg := polydag.DefaultConfig()
					cfg.Threads = 1
					res := must.Get(drawn.Learn(context.Background(), cfg, polydag.Run{}))
					own.add(res, truth)
				}
			}
			t.Log(own.row(d.name))
			shift, slope := logistic(slices.DeleteFunc(slices.Clone(own.fitted.adjacency), func(j judged) bool { return j.x > 40 }))
			t.Logf("    log odds of an adjacency that fit best: %.2f + %.3f·gain", shift, slope)
			for b, c := range own.direction {
				if c.pairs > 0 {
					t.Logf("    p_direction %.1f–%.1f: %3.0f edges, mean %.2f, %.2f right", float64(b)/10, float64(b+1)/10, c.pairs, c.sum/c.pairs, c.right/c.pairs)
				}
			}
			all[group].join(&own)
		}
		t.Log(all[group].row([]string{"all whose model holds", "all whose model does not hold"}[group]))
	}
	drawReliability(t, []figure.Panel{
		{Title: "model holds", Series: []figure.Series{all[0].adjacent.curve("p_adjacent", 0), all[0].direction.curve("p_direction", 1)}},
		{Title: "model does not hold", Series: []figure.Series{all[1].adjacent.curve("p_adjacent", 0), all[1].direction.curve("p_direction", 1)}},
	})
}

// drawReliability writes a reliability diagram to the file that POLYDAG_FIGURE names, if it does.
func drawReliability(t *testing.T, panels []figure.Panel) {
	t.Helper()
	path := os.Getenv("POLYDAG_FIGURE")
	if path == "" {
		return
	}
	ideal := figure.Series{Label: "perfect calibration", Color: 7, Dash: figure.Dotted, X: []float64{0, 1}, Y: []float64{0, 1}}
	for k := range panels {
		panels[k].Series = append([]figure.Series{ideal}, panels[k].Series...)
	}
	ticks := []float64{0, 0.2, 0.4, 0.6, 0.8, 1}
	chart := figure.Lines{Panels: panels, X: figure.Axis{Label: "probability", Min: -0.02, Max: 1.02, At: ticks}, Y: figure.Axis{Label: "share right", Min: -0.02, Max: 1.02, At: ticks}}
	saveChart(t, path, chart)
}

// TestStudyAgreement compares the probabilities of a single run with those of the bootstrap and the posterior,
// edge by edge.
func TestStudyAgreement(t *testing.T) {
	seed := studySeed(t)
	type mean struct{ adjacent, direction, edges, one, other, known float64 } // one and other are squared errors of p_direction
	sums := map[string]mean{}
	for table := range uint64(6) {
		m, drawn := simulated(t, 500, seed*1000+table, func(c *sim.Settings) {
			c.Nodes, c.Edges, c.Standardize, c.WeightLow, c.WeightHigh = 12, 18, true, 0.2, 1
		})
		one := must.Get(drawn.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{}))
		s := settings(100)
		s.Graph = trust.NoConsensus
		for way, res := range map[string]*polydag.Result{"bootstrap": learned(t, drawn, s, 1, polydag.Run{}), "posterior": posterior(t, drawn, 1, nil)} {
			of := map[polydag.Link]polydag.Edge{}
			for _, e := range res.Edges {
				of[e.Link] = e
			}
			sum := sums[way]
			for _, e := range one.Edges {
				o, ok := of[e.Link]
				if !ok {
					continue
				}
				sum.adjacent += math.Abs(e.PAdjacent - o.PAdjacent)
				sum.direction += math.Abs(e.PDirection - o.PDirection)
				sum.edges++
				from, to := slices.Index(res.Names, e.From), slices.Index(res.Names, e.To)
				if ahead, back := m.Graph().HasEdge(from, to), m.Graph().HasEdge(to, from); ahead || back {
					truth := 0.0
					if ahead {
						truth = 1
					}
					sum.known++
					sum.one += (truth - e.PDirection) * (truth - e.PDirection)
					sum.other += (truth - o.PDirection) * (truth - o.PDirection)
				}
			}
			sums[way] = sum
		}
	}
	for _, way := range []string{"bootstrap", "posterior"} {
		s := sums[way]
		t.Logf("| %s | %.0f edges | p_adjacent differs by %.3f | p_direction by %.3f | squared error of p_direction %.3f and by one run %.3f |", way, s.edges, s.adjacent/s.edges, s.direction/s.edges, s.other/s.known, s.one/s.known)
	}
}
