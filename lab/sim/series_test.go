package sim

import (
	"math"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestProcessIsStationary checks the number of edges, that edges without a lag have no cycle, and that variances stay bounded although the
// drawn weights would make some processes explode.
func TestProcessIsStationary(t *testing.T) {
	scaled := 0
	for seed := range uint64(20) {
		cfg := DefaultSeries()
		cfg.Nodes, cfg.Links, cfg.WeightHigh, cfg.Seed = 8, 3, 0.8, seed
		p := must.Get(NewProcess(cfg))
		edges := p.Edges()
		if len(edges) != 8+24 {
			t.Errorf("seed %d: %d edges", seed, len(edges))
		}
		place := make([]int, cfg.Nodes)
		for i, v := range p.order {
			place[v] = i
		}
		for _, e := range edges {
			if e.Lag == 0 && place[e.From] >= place[e.To] || e.Lag < 0 || e.Lag > cfg.Lags || e.From == e.To && e.Lag != 1 {
				t.Errorf("seed %d: edge %+v", seed, e)
			}
			if e.From == e.To && e.Weight < cfg.AutoLow {
				scaled++
			}
		}
		if root := p.root(); root > largestRoot+0.02 {
			t.Errorf("seed %d: the largest eigenvalue is %v", seed, root)
		}
		var first, second float64
		n := 0
		_ = p.Sample(2000, func(_ int, row []float64) error {
			for _, x := range row {
				if n < 1000 {
					first += x * x
				} else {
					second += x * x
				}
			}
			n++
			return nil
		})
		if ratio := second / first; math.IsNaN(ratio) || ratio > 5 || ratio < 0.2 {
			t.Errorf("seed %d: the variance changes by a factor of %v", seed, ratio)
		}
	}
	if scaled == 0 {
		t.Error("no process was scaled: the test is too narrow")
	}
}

// TestRoot compares the estimated eigenvalue with one that is known: x(t) = 0.5·x(t-1) + 0.36·x(t-2) has the roots 0.9 and -0.4.
func TestRoot(t *testing.T) {
	p := &Process{cfg: SeriesSettings{Nodes: 1, Lags: 2}, order: []int{0}, into: [][]Edge{{laggedEdge(0, 0, 1, 0.5), laggedEdge(0, 0, 2, 0.36)}}}
	if got := p.root(); !(math.Abs(got-0.9) <= 1e-3) {
		t.Errorf("the largest eigenvalue is %v, want 0.9", got)
	}
}

// TestSeriesAndKinds checks the number of rows and series, their means, and the values of categories.
func TestSeriesAndKinds(t *testing.T) {
	cfg := DefaultSeries()
	cfg.Nodes, cfg.Series, cfg.MeanSpread = 4, 4, 100
	p, err := NewProcess(cfg)
	must.Succeed(t, err)
	rows, mean := make([]int, 4), make([]float64, 4)
	_ = p.Sample(50, func(s int, row []float64) error {
		rows[s]++
		mean[s] += row[0] / 50
		return nil
	})
	for s := range rows {
		if rows[s] != 50 || s > 0 && math.Abs(mean[s]-mean[0]) < 5 {
			t.Errorf("series %d has %d rows and the mean %v; the first has %v", s, rows[s], mean[s], mean[0])
		}
	}
	cfg.Mechanism = Logit
	if p, err = NewProcess(cfg); err != nil {
		t.Fatal(err)
	}
	_ = p.Sample(50, func(_ int, row []float64) error {
		for _, x := range row {
			if x != 0 && x != 1 {
				t.Fatalf("a category is %v", x)
			}
		}
		return nil
	})
	if _, err := NewProcess(SeriesSettings{}); err == nil {
		t.Error("an empty configuration was accepted")
	}
}

// TestBoundedCurves checks the three curves of an additive process, chosen by (From + To + Lag) mod 3, at values by hand.
func TestBoundedCurves(t *testing.T) {
	for _, c := range []struct {
		lag     int
		y, want float64
	}{
		{2, 0, 2}, {2, 1, 4 * (0.60653065971 - 0.5)}, {2, -1, 4*math.Exp(-0.5) - 2}, {2, 30, -2}, // a bell
		{3, 0, 0}, {3, math.Pi / 2, 3}, {3, -math.Pi / 6, -1.5}, // a wave
		{1, 0, 0}, {1, 0.5, 3 * 0.76159415595}, {1, -20, -3}, {1, 50, 3}, // a step
	} {
		if got := bounded(c.y, laggedEdge(1, 0, c.lag, 1)); !(math.Abs(got-c.want) <= 1e-9) {
			t.Errorf("lag %d: the curve at %v is %v, want %v", c.lag, c.y, got, c.want)
		}
	}
}

// TestSeriesBeginStationary checks the first row of many series: with x(t) = 0.9·x(t-1) + e(t) its variance is 1/(1 - 0.81).
func TestSeriesBeginStationary(t *testing.T) {
	cfg := DefaultSeries()
	cfg.Nodes, cfg.Lags, cfg.Links, cfg.AutoLow, cfg.AutoHigh, cfg.Series, cfg.MeanSpread = 2, 1, 0, 0.9, 0.9, 2000, 0
	p, squares := must.Get(NewProcess(cfg)), 0.0
	must.Succeed(t, p.Sample(1, func(_ int, row []float64) error {
		squares += row[0]*row[0] + row[1]*row[1]
		return nil
	}))
	must.Near(t, squares/4000, 1/(1-0.81), 0.5, "variance of the first row")
}
