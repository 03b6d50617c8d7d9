package confidence_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/order"
)

// faces reads the selected rows, counted from 0, of the published attributes of CelebA-HQ.
func faces(t *testing.T, rows int, keep func(i int) bool) *polydag.Table {
	t.Helper()
	root := os.Getenv("POLYDAG_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "data")
	}
	name := filepath.Join(root, "celeba_hq", "CelebAMask-HQ-attribute-anno.txt.gz")
	f, err := os.Open(name)
	if err != nil {
		t.Skipf("the data are not part of the repository, and %s is not there: set POLYDAG_DATA to a folder that has it", name)
	}
	defer f.Close()
	z := must.Get(gzip.NewReader(f))
	var names []string
	var values []float64
	lines := bufio.NewScanner(z)
	for i := 0; lines.Scan() && i < rows+2; i++ {
		fields := strings.Fields(lines.Text())
		switch {
		case i == 0: // the number of images
		case i == 1:
			names = fields
		case keep(i - 2):
			for _, field := range fields[1:] {
				v := must.Get(strconv.ParseFloat(field, 64))
				values = append(values, v)
			}
		}
	}
	return prepared(t, names, matrix.Of(len(values)/len(names), len(names), values), nil)
}

// TestRoundsOfReplicates measures the effect of fewer rounds on frequencies. It searches the same bootstrap
// samples with all rounds, with another seed, and as replicates. docs/evidence/calibration.md has the figures.
func TestRoundsOfReplicates(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it takes minutes: set POLYDAG_STUDY=1")
	}
	linear := func(degree float64, design sim.Design) func(*testing.T) *polydag.Table {
		return func(t *testing.T) *polydag.Table {
			_, table := simulated(t, 1000, 5, func(c *sim.Settings) { c.Nodes, c.Degree, c.Design, c.Standardize = 100, degree, design, true })
			return table
		}
	}
	for _, c := range []struct {
		name   string
		table  func(*testing.T) *polydag.Table
		tables int
	}{
		{"linear", linear(4, sim.Plain), 20}, {"flat", linear(8, sim.Flat), 10}, {"faces", func(t *testing.T) *polydag.Table { return faces(t, 5000, func(int) bool { return true }) }, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, table, cfg := context.Background(), c.table(t), polydag.DefaultConfig()
			full := must.Get(table.Learn(ctx, cfg, polydag.Run{}))
			count := func(coarse bool, seed uint64) *graph.Votes {
				plan, err := confidence.NewPlan(cfg, full)
				must.Succeed(t, err)
				var m order.Method
				must.Succeed(t, json.Unmarshal(plan.Settings, &m))
				m.Coarse = coarse
				if plan.Settings, err = json.Marshal(&m); err != nil {
					t.Fatal(err)
				}
				plan.Seed = seed
				return voted(t, table, plan, c.tables)
			}
			long := count(false, 1)
			for _, other := range []struct {
				name  string
				votes *graph.Votes
			}{{"as long as a run", long}, {"another seed", count(false, 2)}, {"few rounds", count(true, 1)}} {
				agreement, before, differ, pairs := 0.0, 0.0, 0.0, 0.0
				for _, e := range full.Graph.Edges() {
					agreement += other.votes.Directed(e.From, e.To) / float64(len(full.Edges))
					before += long.Directed(e.From, e.To) / float64(len(full.Edges))
				}
				for i := range full.Names {
					for j := range full.Names {
						if a, b := long.Directed(i, j), other.votes.Directed(i, j); i != j && a+b > 0.1 {
							differ += math.Abs(a - b)
							pairs++
						}
					}
				}
				t.Logf("%-17s agreement %.3f, %+.3f; frequencies differ by %.3f over %.0f pairs", other.name, agreement, agreement-before, differ/max(1, pairs), pairs)
				if agreement > before+0.02 {
					t.Errorf("%s: replicates agree with the graph of the whole table by %.3f more", other.name, agreement-before)
				}
			}
		})
	}
}
