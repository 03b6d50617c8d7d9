package learntest

import (
	"compress/gzip"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/bif"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/trust"
)

var (
	missingStudy = flag.String("missing-study", "", "tables of the study of missing values: linear, wide, curves, mixed, time, time-curves, time-discrete, time-mixed, or the name of a network, separated by commas")
	missingSeeds = flag.Int("missing-seeds", 5, "number of seeds in the study of missing values")
	missingFirst = flag.Int("missing-first", 0, "first seed in the study of missing values")
	missingHow   = flag.String("missing-how", "complete,auto", "treatments in the study of missing values: complete, auto, drop")
	missingMost  = flag.Float64("missing-most", 0.8, "largest probability that a value is missing at random, given the other columns")
	missingAt    = flag.String("missing-at", "0.1,0.3", "shares of missing values in the study")
)

// gapTable draws the table of a study: columns, and the true graph.
func gapTable(t *testing.T, name string, seed uint64) (polydag.Columns, *graph.Graph) {
	t.Helper()
	cfg := sim.Default()
	cfg.Seed, cfg.Standardize = seed, true
	rows := 1000
	switch name {
	case "linear":
		cfg.Nodes, cfg.Edges = 20, 40
	case "wide":
		cfg.Nodes, cfg.Edges, rows = 100, 200, 2000
	case "curves":
		cfg.Nodes, cfg.Edges, cfg.Mechanism = 20, 40, sim.Additive
	case "mixed":
		cfg.Nodes, cfg.Edges, cfg.Mechanism, rows = 50, 75, sim.Mixed, 2000
	case "time", "time-curves", "time-discrete", "time-mixed": // for times
		cfg.Nodes, cfg.Edges, rows = 50, 100, 10_000
		cfg.Mechanism = map[string]sim.Mechanism{"time-curves": sim.Additive, "time-discrete": sim.Discrete, "time-mixed": sim.Mixed}[name]
	default:
		return networkTable(t, name, seed, 10_000)
	}
	m := must.Get(sim.New(cfg))
	x := m.Sample(sim.Stream(seed, sim.StreamNoise), rows)
	truth := graph.New(cfg.Nodes)
	for _, e := range m.Edges() {
		truth.AddEdge(e.From, e.To)
	}
	columns := make(polydag.Columns, cfg.Nodes)
	for j := range columns {
		columns[j].Name = fmt.Sprintf("x%d", j)
		for i := range rows {
			columns[j].Numbers = append(columns[j].Numbers, x.At(i, j))
		}
	}
	return columns, truth
}

// networkTable draws rows from a published network. Categories are words.
func networkTable(t *testing.T, name string, seed uint64, rows int) (polydag.Columns, *graph.Graph) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "networks", "bif", name+".bif.gz"))
	if err != nil {
		t.Skipf("the network %s is not there: %v", name, err)
	}
	defer f.Close()
	z := must.Get(gzip.NewReader(f))
	net := must.Get(bif.Read(z))
	truth := graph.FromParents(net.Parents())
	columns := make(polydag.Columns, len(net.Names()))
	for j, v := range net.Sample(rand.New(rand.NewPCG(seed, 9)), rows) {
		columns[j].Name = net.Names()[j]
		for _, k := range v {
			columns[j].Text = append(columns[j].Text, "c"+strconv.Itoa(int(k)))
		}
	}
	return columns, truth
}

// withGaps returns a copy of the columns in which a share of all values is missing, completely at random or, if mar is set, depending
// on other columns: a third of the columns is complete, and values of the others are missing more often where one of these is large.
func withGaps(columns polydag.Columns, share float64, mar bool, seed uint64) polydag.Columns {
	random := rand.New(rand.NewPCG(seed, 77))
	d, n := len(columns), max(len(columns[0].Numbers), len(columns[0].Text))
	out := make(polydag.Columns, d)
	whole := random.Perm(d)[:d/3]
	above := func(j, i int) bool {
		c := &columns[j]
		if c.Text != nil {
			return c.Text[i] > "c0"
		}
		return c.Numbers[i] > 0
	}
	for j := range columns {
		out[j] = polydag.Column{Name: columns[j].Name, Numbers: slices.Clone(columns[j].Numbers), Text: slices.Clone(columns[j].Text)}
		if mar && slices.Contains(whole, j) {
			continue
		}
		by, high, p := 0, 0, share
		if mar {
			by = whole[random.IntN(len(whole))]
			for i := range n {
				if above(by, i) {
					high++
				}
			}
			p *= float64(d) / float64(d-len(whole))
		}
		// Rows above lack the value three times as often as the others.
		low := p * float64(n) / float64(n+2*high)
		for i := range n {
			q := p
			if mar {
				if q = low; above(by, i) {
					q = min(3*low, *missingMost)
				}
			}
			if random.Float64() >= q {
				continue
			}
			if out[j].Text != nil {
				out[j].Text[i] = ""
			} else {
				out[j].Numbers[i] = math.NaN()
			}
		}
	}
	return out
}

// TestMissingStudy measures learning from tables with missing values:
//
//	go test ./internal/learntest -run MissingStudy -missing-study linear,curves,mixed,child -missing-seeds 5 -v -timeout 0
func TestMissingStudy(t *testing.T) {
	if *missingStudy == "" {
		t.Skip("no -missing-study")
	}
	fmt.Println("| table | missing | share | treatment | F1 | skeleton F1 | CPDAG SHD | lost | extra | stated | wrong | seconds |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, name := range strings.Split(*missingStudy, ",") {
		for _, text := range strings.Split(*missingAt, ",") {
			share := must.Get(strconv.ParseFloat(text, 64))
			for _, mar := range []bool{false, true} {
				for _, how := range strings.Split(*missingHow, ",") {
					if how == "complete" && (mar || text != strings.Split(*missingAt, ",")[0]) {
						continue
					}
					var f1, skeleton, shd, lost, extra, stated, wrong, seconds float64
					for seed := *missingFirst; seed < *missingFirst+*missingSeeds; seed++ {
						columns, truth := gapTable(t, name, uint64(seed+1000))
						p := polydag.DefaultPreparation()
						if how != "complete" {
							columns = withGaps(columns, share, mar, uint64(seed))
							if how == "drop" {
								p.Missing = "drop"
							}
						}
						start := time.Now()
						table := must.Get(polydag.Prepare(t.Context(), columns, p))
						res := must.Get(table.Learn(t.Context(), polydag.DefaultConfig(), polydag.Run{}))
						seconds += time.Since(start).Seconds()
						r := metric.Compare(truth, res.Graph)
						f1, skeleton = f1+r.F1, skeleton+r.SkeletonF1
						lost, extra = lost+float64(r.Missing), extra+float64(r.Extra)
						if r.CPDAGSHD != nil {
							shd += float64(*r.CPDAGSHD)
						}
						for _, e := range res.Edges {
							if e.Verdict == trust.Directed {
								stated++
								if i, j := slices.Index(res.Names, e.From), slices.Index(res.Names, e.To); !truth.HasEdge(i, j) {
									wrong++
								}
							}
						}
					}
					n := float64(*missingSeeds)
					kind := "completely at random"
					if mar {
						kind = "at random"
					}
					if how == "complete" {
						kind, text = "none", "0"
					}
					fmt.Printf("| %s | %s | %s | %s | %.3f | %.3f | %.1f | %.1f | %.1f | %.0f | %.0f | %.2f |\n", name, kind, text, how, f1/n, skeleton/n, shd/n, lost/n, extra/n, stated, wrong, seconds/n)
					if how == "complete" {
						text = strings.Split(*missingAt, ",")[0]
					}
				}
			}
		}
	}
}
