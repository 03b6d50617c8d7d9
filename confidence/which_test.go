package confidence_test

import (
	"context"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/metric"
)

// TestStudyWhichGraph compares the graphs that a result with confidences could have: the one with the best
// score, the consensus of the replicates, or the first with edges reversed by majority.
// docs/evidence/calibration.md has the figures. POLYDAG_STUDY is the first seed, and POLYDAG_FAMILIES limits
// the kinds of tables as in TestReliability.
func TestStudyWhichGraph(t *testing.T) {
	first, err := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if err != nil {
		t.Skip("it takes minutes: set POLYDAG_STUDY to a first seed, such as 910000")
	}
	kinds := append(small()[:4], family{"mixed", 500, 8, func(c *sim.Settings) { c.Nodes, c.Edges, c.Mechanism = 8, 10, sim.Mixed }})
	kinds = append(kinds, small()[4:]...)
	type sums struct{ f1, shd, class float64 }
	for f, fam := range kinds {
		if !fam.asked() {
			continue
		}
		const tables = 24
		var by [3]sums
		for k := range tables {
			m, table := simulated(t, fam.rows, uint64(first+1000*f+k), fam.change)
			cfg := polydag.DefaultConfig()
			full := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
			plan := must.Get(confidence.NewPlan(cfg, full))
			votes := voted(t, table, plan, 60)
			order := make([]int, 0, len(full.Names))
			for _, name := range full.Certificate.Order {
				order = append(order, slices.Index(full.Names, name))
			}
			consensus := must.Get(votes.Consensus(0.5, order))
			turned, _ := votes.Turned(full.Graph)
			for i, g := range []*graph.Graph{full.Graph, consensus, turned} {
				c := metric.Compare(m.Graph(), g)
				a := must.Get(graph.CPDAG(m.Graph()))
				b := must.Get(graph.CPDAG(g))
				by[i].f1 += c.F1 / tables
				by[i].shd += float64(c.SHD) / tables
				by[i].class += float64(metric.CPDAGDistance(a, b)) / tables
			}
		}
		for i, name := range []string{"best score", "consensus", "turned"} {
			t.Logf("%-18s %-11s F1 %.3f, SHD %.2f, distance of CPDAGs %.2f", fam.name, name, by[i].f1, by[i].shd, by[i].class)
		}
	}
}

// TestStudyHalvesOfFaces measures how many confident edges of one half of CelebA-HQ are reversed in the other
// half, by its graph and by its confidences; docs/evidence/calibration.md has the figures. POLYDAG_STUDY is the
// number of bootstrap samples. The rows are not in random order: column shares differ by up to 22 standard
// errors between the first half and the last.
func TestStudyHalvesOfFaces(t *testing.T) {
	replicates, err := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if err != nil {
		t.Skip("it takes minutes: set POLYDAG_STUDY to a number of drawn tables, such as 200")
	}
	for name, half := range map[string]func(i int) int{"odd and even": func(i int) int { return i % 2 }, "first and last": func(i int) int { return i / 15000 }} {
		var halves [2]*polydag.Result
		var sure [2]map[polydag.Link]float64
		for k := range halves {
			halves[k] = learned(t, faces(t, 30000, func(i int) bool { return half(i) == k }), settings(replicates), 2, polydag.Run{})
			sure[k] = map[polydag.Link]float64{}
			for _, p := range halves[k].Confidence.Pairs {
				sure[k][p.Link] = p.Confidence
			}
		}
		edges, reversed, against := 0, 0, 0
		for k, res := range halves {
			other := 1 - k
			for _, e := range res.Edges {
				if sure[k][e.Link] < 0.9 {
					continue
				}
				back := polydag.Link{From: e.To, To: e.From}
				edges++
				if slices.ContainsFunc(halves[other].Edges, func(o polydag.Edge) bool { return o.Link == back }) {
					reversed++
				}
				if sure[other][back] > sure[other][e.Link] {
					against++
				}
			}
		}
		t.Logf("%s rows: %d and %d edges, %d and %d turned; of %d of confidence 0.9 and more, %d point the other way in the other half, and %d by its confidences",
			name, len(halves[0].Edges), len(halves[1].Edges), len(halves[0].Confidence.Turned), len(halves[1].Confidence.Turned), edges, reversed, against)
	}
}
