package confidence_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/sim"
)

// A family is a kind of table that confidences are held against the truth on.
type family struct {
	name   string
	rows   int
	tables int
	change func(*sim.Config)
}

// families are linear, discrete, mixed and smooth, with strong and with weak effects.
func families() []family {
	linear := func(d int, degree, low, high float64, standardize bool) func(*sim.Config) {
		return func(c *sim.Config) {
			c.Nodes, c.Degree, c.WeightLow, c.WeightHigh, c.Standardize = d, degree, low, high, standardize
		}
	}
	levels := func(d, edges int, concentration float64) func(*sim.Config) {
		return func(c *sim.Config) {
			c.Nodes, c.Edges, c.Mechanism, c.Concentration, c.LevelsHigh = d, edges, sim.Discrete, concentration, 4
		}
	}
	curves := func(d, edges int, noise float64) func(*sim.Config) {
		return func(c *sim.Config) {
			c.Nodes, c.Edges, c.Mechanism, c.SDLow, c.SDHigh, c.Standardize = d, edges, sim.Additive, noise, noise, true
		}
	}
	mixed := func(d, edges int) func(*sim.Config) {
		return func(c *sim.Config) { c.Nodes, c.Edges, c.Mechanism = d, edges, sim.Mixed }
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

// bins counts pairs by their confidence: how many, the sum of their confidences and how many are right.
type bins [9]struct{ pairs, sum, right float64 }

func (b *bins) add(confidence float64, right bool) {
	if confidence < 0.1 {
		return
	}
	k := min(len(b)-1, int((confidence-0.1)*10))
	b[k].pairs++
	b[k].sum += confidence
	if right {
		b[k].right++
	}
}

// off is the mean of |confidence - share that is right| over the pairs, by bin.
func (b *bins) off() (mean, pairs float64) {
	for _, c := range b {
		mean += math.Abs(c.sum - c.right)
		pairs += c.pairs
	}
	return mean / max(1, pairs), pairs
}

// How often edges of some confidence are right, on tables whose graph is known: docs/confidence.md has the figures. POLYDAG_STUDY is the
// first seed; the curve was fitted with 1, and POLYDAG_FAMILIES limits the families to those whose names begin so.
func TestReliability(t *testing.T) {
	first, err := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if err != nil {
		t.Skip("it takes minutes: set POLYDAG_STUDY to a first seed, such as 500000")
	}
	var raw, sure bins
	for f, fam := range families() {
		if !strings.HasPrefix(fam.name, os.Getenv("POLYDAG_FAMILIES")) {
			continue
		}
		var rawOwn, own bins
		for k := range fam.tables {
			m, table := simulated(t, fam.rows, uint64(first+1000*f+k), fam.change)
			res := learned(t, table, settings(60), 2, polydag.Run{})
			at := map[string]int{}
			for v, name := range res.Names {
				at[name] = v
			}
			for _, p := range res.Confidence.Pairs {
				right := m.Graph().HasEdge(at[p.From], at[p.To])
				for _, b := range []*bins{&raw, &rawOwn} {
					b.add(p.Frequency, right)
				}
				for _, b := range []*bins{&sure, &own} {
					b.add(p.Confidence, right)
				}
			}
		}
		mean, pairs := own.off()
		before, _ := rawOwn.off()
		t.Logf("%-26s %4.0f pairs: confidence off by %.3f, frequency by %.3f", fam.name, pairs, mean, before)
	}
	for _, c := range sure {
		t.Logf("%4.0f pairs of confidence %.2f: %.2f are right", c.pairs, c.sum/max(1, c.pairs), c.right/max(1, c.pairs))
	}
	mean, pairs := sure.off()
	before, _ := raw.off()
	t.Logf("%.0f pairs: confidence off by %.3f, frequency by %.3f", pairs, mean, before)
	if mean > 0.05 {
		t.Errorf("confidences are off by %.3f, want at most 0.05", mean)
	}
}
