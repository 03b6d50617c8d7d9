package learntest

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/bif"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/metric"
)

// sachsTruth is the network of 17 edges of the bnlearn repository, over the given names.
func sachsTruth(t *testing.T, names []string) *graph.Graph {
	t.Helper()
	net := must.Get(bif.Read(published(t, "networks/bif/sachs.bif.gz")))
	at := map[string]int{}
	for v, name := range names {
		at[name] = v
	}
	truth := graph.New(len(names))
	for v, parents := range net.Parents() {
		for _, p := range parents {
			truth.AddEdge(at[net.Variables[p].Name], at[net.Variables[v].Name])
		}
	}
	return truth
}

// right counts the edges of g that the truth has, in the same direction.
func right(truth, g *graph.Graph) (n int) {
	for _, e := range g.Edges() {
		if truth.HasEdge(e.From, e.To) {
			n++
		}
	}
	return n
}

// TestSachsInterventions learns from the proteins of Sachs et al. (2005) in three levels, 5400 rows with their
// interventions, with the defaults. Column INT has the index of the intervened column. POLYDAG_STUDY=1 adds 60
// bootstrap samples and keeps the edges with a frequency of 85 %.
func TestSachsInterventions(t *testing.T) {
	text := must.Get(io.ReadAll(published(t, "sachs/sachs_interventional_discrete.txt.gz")))
	table := strings.ReplaceAll(strings.ReplaceAll(string(text), `"`, ""), "\t", ",")
	res := learnedFrom(t, targeted(t, table, "INT"), nil)
	truth := sachsTruth(t, res.Names)
	shd := metric.SHD(truth, res.Graph).Distance()
	t.Logf("%d edges, %d of 17 right, distance %d", len(res.Edges), right(truth, res.Graph), shd)
	if shd > 8 || res.Model != "discrete" {
		t.Errorf("model %s, distance %d, want discrete and at most 8", res.Model, shd)
	}
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Log("60 resampled tables take a minute: set POLYDAG_STUDY=1")
		return
	}
	const tables, share = 60, 0.85
	lines := strings.Split(strings.TrimSpace(table), "\n")
	rng := rand.New(rand.NewPCG(1, 60))
	times := map[graph.Edge]int{}
	for range tables {
		drawn := []string{lines[0]}
		for range lines[1:] {
			drawn = append(drawn, lines[1+rng.IntN(len(lines)-1)])
		}
		for _, e := range learnedFrom(t, targeted(t, strings.Join(drawn, "\n")+"\n", "INT"), nil).Graph.Edges() {
			times[e]++
		}
	}
	kept := graph.New(len(res.Names))
	for e, n := range times {
		if float64(n) >= share*tables {
			kept.AddEdge(e.From, e.To)
		}
	}
	shd = metric.SHD(truth, kept).Distance()
	t.Logf("in %.0f %% of %d resampled tables: %d edges, %d of 17 right, distance %d", 100*share, tables, kept.NumEdges(), right(truth, kept), shd)
	if shd > 4 {
		t.Errorf("distance %d, want at most 4", shd)
	}
}

// TestSachsMeasured learns from the measured data, 7466 rows of amounts under nine conditions, binned into
// three classes. The file has conditions but no targets; the targets of each reagent are from the paper.
// Reagents change the activity of a protein and not its measured amount, so its level in those rows is a
// separate value.
func TestSachsMeasured(t *testing.T) {
	text := must.Get(io.ReadAll(published(t, "sachs/sachs_all_conditions.csv.gz")))
	p := polydag.DefaultPreparation()
	p.Targets, p.Drop, p.LastRow, p.Discretize = "condition:3=Akt,4=PKC,5=PIP2,6=Mek,8=PKC,9=PKA", []string{"label"}, 7466, 3
	table := must.Get(polydag.Prepare(context.Background(), written{text: string(text)}, p))
	for _, values := range []order.TargetValues{order.Own, order.Measured} {
		m := order.New()
		m.TargetValues = values
		res := learnedFrom(t, table, m)
		truth := sachsTruth(t, res.Names)
		shd := metric.SHD(truth, res.Graph).Distance()
		t.Logf("target values %s: %d edges, %d of 17 right, distance %d", values, len(res.Edges), right(truth, res.Graph), shd)
		if values == order.Own && (shd > 10 || res.Model != "discrete") {
			t.Errorf("model %s, distance %d, want discrete and at most 10", res.Model, shd)
		}
	}
}
