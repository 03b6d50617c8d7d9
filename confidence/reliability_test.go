package confidence_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/lab/study/figure"
)

// A family is a kind of table for measuring calibration.
type family struct {
	name   string
	rows   int
	tables int
	change func(*sim.Settings)
}

// asked reports whether the name of the family has a prefix in POLYDAG_FAMILIES, a list separated by |.
func (f family) asked() bool {
	return slices.ContainsFunc(strings.Split(os.Getenv("POLYDAG_FAMILIES"), "|"), func(name string) bool { return strings.HasPrefix(f.name, name) })
}

// families are linear, discrete, mixed and smooth, with strong and with weak effects.
func families() []family {
	linear := func(d int, degree, low, high float64, standardize bool) func(*sim.Settings) {
		return func(c *sim.Settings) {
			c.Nodes, c.Degree, c.WeightLow, c.WeightHigh, c.Standardize = d, degree, low, high, standardize
		}
	}
	levels := func(d, edges int, concentration float64) func(*sim.Settings) {
		return func(c *sim.Settings) {
			c.Nodes, c.Edges, c.Mechanism, c.Concentration, c.LevelsHigh = d, edges, sim.Discrete, concentration, 4
		}
	}
	curves := func(d, edges int, noise float64) func(*sim.Settings) {
		return func(c *sim.Settings) {
			c.Nodes, c.Edges, c.Mechanism, c.SDLow, c.SDHigh, c.Standardize = d, edges, sim.Additive, noise, noise, true
		}
	}
	mixed := func(d, edges int) func(*sim.Settings) {
		return func(c *sim.Settings) { c.Nodes, c.Edges, c.Mechanism = d, edges, sim.Mixed }
	}
	return []family{
		{"linear, strong", 500, 6, linear(30, 3, 0.5, 2, true)},
		{"linear, weak", 300, 6, linear(30, 3, 0.15, 0.6, true)},
		{"linear, weak, many rows", 2000, 4, linear(40, 4, 0.1, 0.4, true)},
		{"linear, few rows", 100, 8, linear(20, 3, 0.2, 0.8, true)},
		{"linear, equal variances", 200, 6, linear(20, 3, 0.15, 0.6, false)},
		{"discrete, strong", 1000, 6, levels(15, 20, 0.5)},
		{"discrete, weak", 1000, 6, levels(15, 20, 3)},
		{"discrete, many rows", 5000, 3, levels(20, 35, 2)},
		{"mixed", 500, 3, mixed(8, 10)},
		{"smooth, strong", 300, 3, curves(6, 8, 0.5)},
		{"smooth, weak", 300, 3, curves(6, 8, 2)},
	}
}

// bins counts pairs by confidence: their number, the sum of their confidences, the number of correct ones, and
// the variance of that number under perfect calibration.
type bins [9]class

type class struct{ pairs, sum, right, variance float64 }

// spread returns the standard error of the correct share, with one more pair on either side, so that it is
// never 0.
func (c class) spread() float64 {
	p := (c.right + 1) / (c.pairs + 2)
	return math.Sqrt(p * (1 - p) / c.pairs)
}

func (c *class) add(p float64, right bool) {
	c.pairs++
	c.sum += p
	c.variance += p * (1 - p)
	if right {
		c.right++
	}
}

func (b *bins) add(confidence float64, right bool) {
	if confidence >= 0.1 {
		b[min(len(b)-1, int((confidence-0.1)*10))].add(confidence, right)
	}
}

func (b *bins) off() (mean, pairs float64) { return off(b[:]) }

func (b *bins) chance() float64 { return chance(b[:]) }

// off is the mean of |probability - share that is right| over the pairs, by class.
func off(list []class) (mean, pairs float64) {
	for _, c := range list {
		mean += math.Abs(c.sum - c.right)
		pairs += c.pairs
	}
	return mean / max(1, pairs), pairs
}

// chance is about the calibration error of correct probabilities of independent pairs.
func chance(list []class) (mean float64) {
	pairs := 0.0
	for _, c := range list {
		mean += math.Sqrt(2 / math.Pi * c.variance)
		pairs += c.pairs
	}
	return mean / max(1, pairs)
}

// small returns the families for recalibration and other sources of confidence: strong and weak effects of each
// model, on small tables.
func small() []family {
	set := func(d, edges int, change func(*sim.Settings)) func(*sim.Settings) {
		return func(c *sim.Settings) {
			c.Nodes, c.Edges, c.Standardize, c.LevelsHigh = d, edges, true, 3
			change(c)
		}
	}
	return []family{
		{"linear, strong", 500, 6, set(14, 20, func(*sim.Settings) {})},
		{"linear, weak", 300, 6, set(14, 20, func(c *sim.Settings) { c.WeightLow, c.WeightHigh = 0.1, 0.5 })},
		{"discrete, strong", 1000, 6, set(14, 20, func(c *sim.Settings) { c.Mechanism, c.Concentration = sim.Discrete, 1 })},
		{"discrete, weak", 500, 6, set(14, 20, func(c *sim.Settings) { c.Mechanism, c.Concentration = sim.Discrete, 3 })},
		{"smooth, strong", 300, 6, set(6, 8, func(c *sim.Settings) { c.Mechanism, c.SDLow, c.SDHigh = sim.Additive, 0.5, 0.5 })},
		{"smooth, weak", 300, 6, set(6, 8, func(c *sim.Settings) { c.Mechanism, c.SDLow, c.SDHigh = sim.Additive, 2, 2 })},
	}
}

// surely finds confidences on a table in one of the three ways.
func surely(t *testing.T, table *polydag.Table, way string, calibrate int) *polydag.Result {
	t.Helper()
	cfg := polydag.DefaultConfig()
	cfg.Threads = 2
	if way == "posterior" {
		p := confidence.DefaultPosterior()
		p.Chains, p.Samples, p.Rounds, p.Calibrate = 2, 250, 1, calibrate
		res := must.Get(confidence.Posterior(context.Background(), table, cfg, p, polydag.Run{}))
		return res
	}
	s := settings(60)
	s.Calibrate = calibrate
	if way == "stability" {
		s.Resampling = polydag.Halves
	}
	return learned(t, table, s, 2, polydag.Run{})
}

// TestReliability measures how often edges of a given confidence are right, on tables with a known graph;
// docs/evidence/calibration.md has the figures. POLYDAG_STUDY is the first seed (the curve was fitted with 1).
// POLYDAG_FAMILIES limits the families to name prefixes, separated by |. POLYDAG_TABLES is the number of tables
// per family. POLYDAG_FIGURE is a file for the curves. POLYDAG_WAY is bootstrap, stability or posterior on the
// small tables, and POLYDAG_CALIBRATE the number of simulated tables of a recalibration.
func TestReliability(t *testing.T) {
	first, err := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if err != nil {
		t.Skip("it takes minutes: set POLYDAG_STUDY to a first seed, such as 500000")
	}
	way := os.Getenv("POLYDAG_WAY")
	calibrate, _ := strconv.Atoi(os.Getenv("POLYDAG_CALIBRATE")) // 0 if unset
	more, _ := strconv.Atoi(os.Getenv("POLYDAG_TABLES"))
	kinds := families()
	if way != "" {
		kinds = small()
	}
	var raw, sure, expected bins
	drawings := map[string]*drawing{}
	for f, fam := range kinds {
		if way == "posterior" && strings.HasPrefix(fam.name, "smooth") {
			continue // no such table
		}
		if !fam.asked() {
			continue
		}
		if more > 0 {
			fam.tables = more
		}
		model, _, _ := strings.Cut(fam.name, ",")
		drawn := drawings[model]
		if drawn == nil {
			drawn = &drawing{model: model}
			drawings[model] = drawn
		}
		var rawOwn, own, fixed bins
		var best fitted
		before, after := 0.0, 0.0 // as in the results
		for k := range fam.tables {
			m, table := simulated(t, fam.rows, uint64(first+1000*f+k), fam.change)
			res := surely(t, table, way, calibrate)
			if r := res.Confidence.Recalibration; r != nil {
				before, after = before+r.Before/float64(fam.tables), after+r.After/float64(fam.tables)
			}
			at := map[string]int{}
			for v, name := range res.Names {
				at[name] = v
			}
			for _, p := range res.Confidence.Pairs {
				if i, j := at[p.From], at[p.To]; i < j && p.Adjacency > 0 {
					best.add(p.Adjacency, p.Frequency/p.Adjacency, float64(res.Confidence.Replicates), m.Graph().HasEdge(i, j), m.Graph().HasEdge(j, i))
				}
				right := m.Graph().HasEdge(at[p.From], at[p.To])
				for _, b := range []*bins{&raw, &rawOwn, &drawn.frequency} {
					b.add(p.Frequency, right)
				}
				for _, b := range []*bins{&expected, &fixed} {
					b.add(confidence.Default(p, res.Confidence, res.Model), right)
				}
				for _, b := range []*bins{&sure, &own, &drawn.confidence} {
					b.add(p.Confidence, right)
				}
			}
		}
		mean, pairs := own.off()
		plain, _ := rawOwn.off()
		fixedOff, _ := fixed.off()
		t.Logf("%-26s %4.0f pairs: confidence off by %.3f (chance alone %.3f), by the fixed curve %.3f, frequency by %.3f; results say %.3f before and %.3f after", fam.name, pairs, mean, own.chance(), fixedOff, plain, before, after)
		shift, slope, direction := best.numbers()
		t.Logf("%-26s the curve that suits these best: %.2f, %.2f, %.2f", fam.name, shift, slope, direction)
		for _, c := range rawOwn {
			t.Logf("%-26s %4.0f pairs of frequency %.2f: %.2f are right", fam.name, c.pairs, c.sum/max(1, c.pairs), c.right/max(1, c.pairs))
		}
	}
	for _, c := range sure {
		t.Logf("%4.0f pairs of confidence %.2f: %.2f are right", c.pairs, c.sum/max(1, c.pairs), c.right/max(1, c.pairs))
	}
	if path := os.Getenv("POLYDAG_FIGURE"); path != "" {
		draw(t, path, drawings)
	}
	mean, pairs := sure.off()
	before, _ := raw.off()
	by, _ := expected.off()
	t.Logf("%.0f pairs: confidence off by %.3f (chance alone %.3f), by the fixed curve %.3f, frequency by %.3f", pairs, mean, sure.chance(), by, before)
	if way == "" && mean > 0.05 {
		t.Errorf("confidences are off by %.3f, want at most 0.05", mean)
	}
}

// drawing has the pairs of one panel of the figure.
type drawing struct {
	model                 string
	frequency, confidence bins
}

func (b *bins) curve(label string, color int) figure.Series { return points(b[:], 5, label, color) }

// points has a point for every class with at least the given number of pairs, with the standard error of the observed share.
func points(list []class, least float64, label string, color int) figure.Series {
	s := figure.Series{Label: label, Color: color, Points: true}
	for _, c := range list {
		if c.pairs >= least {
			s.X, s.Y, s.Err = append(s.X, c.sum/c.pairs), append(s.Y, c.right/c.pairs), append(s.Err, c.spread())
		}
	}
	return s
}

// draw writes the share that is right against the confidence, a panel a model.
func draw(t *testing.T, path string, drawings map[string]*drawing) {
	t.Helper()
	chart := figure.Lines{
		X: figure.Axis{Label: "frequency or confidence of an edge", Min: 0.1, Max: 1, At: []float64{0.1, 0.3, 0.5, 0.7, 0.9}},
		Y: figure.Axis{Label: "share that is right", Min: -0.02, Max: 1.02, At: []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
	}
	for _, model := range slices.Sorted(maps.Keys(drawings)) {
		d := drawings[model]
		ideal := figure.Series{Label: "as it should be", Color: 7, Dash: figure.Dotted, X: []float64{0.1, 1}, Y: []float64{0.1, 1}}
		chart.Panels = append(chart.Panels, figure.Panel{Title: model, Series: []figure.Series{ideal, d.frequency.curve("frequency", 1), d.confidence.curve("confidence", 0)}})
	}
	saveChart(t, path, chart)
}

func saveChart(t *testing.T, path string, chart figure.Lines) {
	t.Helper()
	page := figure.NewPage(170, 80)
	chart.Draw(page, page.Area())
	var svg bytes.Buffer
	must.Succeed(t, errors.Join(page.Write(&svg, io.Discard), os.WriteFile(path, svg.Bytes(), 0o644)))
}

// fitted fits the three parameters of a calibration curve (calibration.go) to pairs of simulated tables. It is
// logistic regression, by Newton's method, of adjacency on the logit of its frequency, and of the direction on
// the logit of its frequency.
type fitted struct{ adjacency, direction []judged }

// judged is a logit and whether it came true.
type judged struct {
	x     float64
	right bool
}

// add adds two columns: their frequencies of adjacency and of the first direction over the replicates, and the
// truth.
func (f *fitted) add(adjacency, share, replicates float64, forward, back bool) {
	logit := func(p float64) float64 { return math.Log((p*replicates + 0.5) / ((1-p)*replicates + 0.5)) }
	f.adjacency = append(f.adjacency, judged{logit(adjacency), forward || back})
	if forward || back {
		f.direction = append(f.direction, judged{logit(share), forward}, judged{logit(1 - share), back})
	}
}

// numbers are the shift and the slope of adjacencies, and the slope of directions.
func (f *fitted) numbers() (shift, slope, direction float64) {
	shift, slope = logistic(f.adjacency)
	_, direction = logistic(f.direction)
	return shift, slope, direction
}

func logistic(list []judged) (a, b float64) {
	for range 50 {
		var ga, gb, haa, hab, hbb float64
		for _, j := range list {
			p := 1 / (1 + math.Exp(-a-b*j.x))
			miss, w := -p, p*(1-p)
			if j.right {
				miss++
			}
			ga, gb = ga+miss, gb+miss*j.x
			haa, hab, hbb = haa+w, hab+w*j.x, hbb+w*j.x*j.x
		}
		det := haa*hbb - hab*hab
		if !(det > 0) {
			return a, b
		}
		a, b = a+(hbb*ga-hab*gb)/det, b+(haa*gb-hab*ga)/det
	}
	return a, b
}
