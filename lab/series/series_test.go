package study_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
)

// drawSeries prepares the table of a simulated process with columns x0, x1, ….
func drawSeries(t *testing.T, cfg sim.SeriesSettings, n int, set dataset.TimeSettings) (*polydag.Table, *sim.Process) {
	t.Helper()
	p, err := sim.NewProcess(cfg)
	must.Succeed(t, err)
	columns := polydag.Columns{{Name: "series"}}
	for j := range cfg.Nodes {
		columns = append(columns, polydag.Column{Name: fmt.Sprintf("x%d", j)})
	}
	_ = p.Sample(n, func(series int, row []float64) error {
		columns[0].Numbers = append(columns[0].Numbers, float64(series))
		for j, x := range row {
			columns[j+1].Numbers = append(columns[j+1].Numbers, x)
		}
		return nil
	})
	set.Column = "."
	if cfg.Series > 1 {
		set.Series = "series"
	} else {
		columns = columns[1:]
	}
	prep := polydag.DefaultPreparation()
	prep.Time = set
	table := must.Get(polydag.Prepare(context.Background(), columns, prep))
	return table, p
}

// figures count the edges of several graphs.
type figures struct {
	lagged, present rate
	stated, right   int // directions of edges without a lag, and those of them that are right
	all, allRight   int // the same of all true adjacencies without a lag, stated or not
	seconds         float64
	bins            [10][3]float64 // edges by confidence: number, sum of confidences, number of right ones
}

type rate struct{ found, hit, truth int }

func (r rate) precision() float64 { return float64(r.hit) / float64(max(1, r.found)) }
func (r rate) recall() float64    { return float64(r.hit) / float64(max(1, r.truth)) }
func (r rate) f1() float64 {
	return 2 * float64(r.hit) / float64(max(1, r.found+r.truth))
}

func (f *figures) add(p *sim.Process, res *polydag.Result) {
	type key struct {
		from, to string
		lag      int
	}
	truth := map[key]bool{}
	for _, e := range p.Edges() {
		truth[key{fmt.Sprintf("x%d", e.From), fmt.Sprintf("x%d", e.To), e.Lag}] = true
		if e.Lag > 0 {
			f.lagged.truth++
		} else {
			f.present.truth++
		}
	}
	f.all = f.present.truth
	for _, e := range res.Lagged {
		f.lagged.found++
		ok := truth[key{e.From, e.To, e.Lag}]
		if ok {
			f.lagged.hit++
		}
		f.bin(e, ok)
	}
	for _, e := range res.Edges {
		f.present.found++
		ahead, back := truth[key{e.From, e.To, 0}], truth[key{e.To, e.From, 0}]
		if ahead || back {
			f.present.hit++
		}
		if ahead {
			f.allRight++
		}
		if e.Verdict == polydag.Directed {
			f.stated++
			if ahead {
				f.right++
			}
			f.bin(e, ahead)
		} else {
			f.bin(e, ahead || back)
		}
	}
}

func (f *figures) bin(e polydag.Edge, ok bool) {
	b := &f.bins[min(9, int(10*e.Confidence))]
	b[0]++
	b[1] += e.Confidence
	if ok {
		b[2]++
	}
}

// calibration is the expected calibration error of the confidences.
func (f *figures) calibration() float64 {
	off, all := 0.0, 0.0
	for _, b := range f.bins {
		off += math.Abs(b[1] - b[2])
		all += b[0]
	}
	return off / max(all, 1)
}

// studySeed is the first seed of the tables of a study: POLYDAG_STUDY_SEED, or the given one.
func studySeed(usual uint64) uint64 {
	if seed, err := strconv.ParseUint(os.Getenv("POLYDAG_STUDY_SEED"), 10, 64); err == nil {
		return seed
	}
	return usual
}

// TestStudySeries prints the figures of docs/evidence/time-series.md. POLYDAG_STUDY is the number of tables of each kind.
func TestStudySeries(t *testing.T) {
	tables, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if tables == 0 {
		t.Skip("it takes minutes: set POLYDAG_STUDY to the number of tables of each kind")
	}
	only := os.Getenv("POLYDAG_STUDY_ONLY")
	fmt.Println("| table | lagged edges: precision, recall | same time: precision, recall | stated directions right | all directions right | F1 | calibration error | seconds |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	run := func(name string, change func(*sim.SeriesSettings), n, lags, bootstrap int) {
		if only != "" && !strings.HasPrefix(name, only) {
			return
		}
		f := &figures{}
		for seed := range uint64(tables) {
			cfg := sim.DefaultSeries()
			cfg.Seed = studySeed(1000) + seed
			change(&cfg)
			start := time.Now()
			table, p := drawSeries(t, cfg, n, dataset.TimeSettings{Lags: lags})
			c := polydag.DefaultConfig()
			c.Threads = 2
			var res *polydag.Result
			var err error
			if bootstrap > 0 {
				s := confidence.DefaultSettings()
				s.Replicates = bootstrap
				res, err = confidence.Learn(context.Background(), table, c, s, polydag.Run{})
			} else {
				res, err = table.Learn(context.Background(), c, polydag.Run{})
			}
			must.Succeed(t, err)
			f.seconds += time.Since(start).Seconds()
			f.add(p, res)
			if testing.Verbose() {
				one := &figures{}
				one.add(p, res)
				t.Log(name, seed, res.Model, one.lagged, one.present)
			}
		}
		both := rate{f.lagged.found + f.present.found, f.lagged.hit + f.present.hit, f.lagged.truth + f.present.truth}
		fmt.Printf("| %s | %.3f, %.3f | %.3f, %.3f | %d of %d (%.3f) | %.3f | %.3f | %.3f | %.2f |\n", name, f.lagged.precision(), f.lagged.recall(), f.present.precision(), f.present.recall(),
			f.right, f.stated, float64(f.right)/float64(max(1, f.stated)), float64(f.allRight)/float64(max(1, f.present.truth)), both.f1(), f.calibration(), f.seconds/float64(tables))
	}
	for _, d := range []int{10, 20, 40} {
		for _, n := range []int{500, 1000} {
			run(fmt.Sprintf("linear %d %d", d, n), func(c *sim.SeriesSettings) { c.Nodes = d }, n, 2, 0)
		}
	}
	run("lags auto", func(c *sim.SeriesSettings) { c.Nodes = 20 }, 500, 0, 0)
	run("lags auto, panel", func(c *sim.SeriesSettings) { c.Series = 200 }, 20, 0, 0)
	run("lags auto, laplace", func(c *sim.SeriesSettings) { c.Noise = sim.Laplace }, 1000, 0, 0)
	run("lags auto, curves", func(c *sim.SeriesSettings) { c.Mechanism = sim.Additive }, 1000, 0, 0)
	run("lags auto, categories", func(c *sim.SeriesSettings) { c.Mechanism = sim.Logit }, 2000, 0, 0)
	run("lags auto, four lags", func(c *sim.SeriesSettings) { c.Lags = 4 }, 1000, 0, 0)
	run("weak", func(c *sim.SeriesSettings) { c.Nodes, c.WeightLow, c.WeightHigh = 20, 0.1, 0.3 }, 500, 2, 0)
	run("weak bootstrap", func(c *sim.SeriesSettings) { c.Nodes, c.WeightLow, c.WeightHigh = 20, 0.1, 0.3 }, 500, 2, 50)
	run("panel", func(c *sim.SeriesSettings) { c.Series = 200 }, 20, 2, 0)
	run("laplace", func(c *sim.SeriesSettings) { c.Noise = sim.Laplace }, 1000, 2, 0)
	run("laplace 20", func(c *sim.SeriesSettings) { c.Nodes, c.Noise = 20, sim.Laplace }, 1000, 2, 0)
	run("curves", func(c *sim.SeriesSettings) { c.Mechanism = sim.Additive }, 1000, 2, 0)
	run("categories", func(c *sim.SeriesSettings) { c.Mechanism = sim.Logit }, 2000, 2, 0)
	run("wide", func(c *sim.SeriesSettings) { c.Nodes, c.Lags = 100, 3 }, 2000, 3, 0)
	if only == "many lags" {
		run("many lags", func(c *sim.SeriesSettings) { c.Nodes = 50 }, 2000, 50, 0)
	}
}
