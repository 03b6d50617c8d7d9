package learntest

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/metric"
)

// smallTable draws a table of 1000 rows: linear effects with equal noise variances, as drawn (raw) or standardized, or additive curves of
// Gaussian processes.
func smallTable(t *testing.T, kind string, nodes, edges int, seed uint64) (*method.Input, *graph.Graph) {
	t.Helper()
	c := sim.Default()
	c.Nodes, c.Edges, c.Seed, c.Standardize = nodes, edges, seed, kind == "standardized"
	switch kind {
	case "curves":
		c.Mechanism = sim.Additive
	case "steep": // as in the paper of ALIAS
		c.WeightLow, c.WeightHigh = 2, 5
	}
	m := must.Get(sim.New(c))
	x := m.Sample(sim.Stream(seed, sim.StreamNoise), 1000)
	data := must.Get(dataset.MomentsOf(m.Names(), x, 1))
	return &method.Input{Moments: data, Seed: 1, Threads: 1, GraphOnly: true, Rows: dataset.RowBatch{Values: x.Data}.Rows(x.Cols)}, m.Graph()
}

// TestStudySmall compares methods on small tables, one thread each. lab/docs/methods.md has the figures. POLYDAG_STUDY is the number of
// tables and POLYDAG_STUDY_SEED the seed of the first one. Settings of alias and sam were chosen on tables 1000 to 1002.
//
//	POLYDAG_KINDS    kinds of tables, steep, raw, standardized or curves, each with a number of edges [raw:10,raw:20,standardized:10,standardized:20]
//	POLYDAG_COLUMNS  number of columns [10]
//	POLYDAG_METHOD   methods, with settings after a colon [alias,order], for example alias:variance=equal:steps=1000
func TestStudySmall(t *testing.T) {
	count, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if count == 0 {
		t.Skip("it takes minutes: set POLYDAG_STUDY to the number of tables")
	}
	nodes, _ := strconv.Atoi(cmp.Or(os.Getenv("POLYDAG_COLUMNS"), "10"))
	fmt.Println("| table | method | SHD, mean ± SD | missing | extra | reversed | CPDAG SHD | score | seconds |\n|---|---|---|---|---|---|---|---|---|")
	for _, kind := range strings.Split(cmp.Or(os.Getenv("POLYDAG_KINDS"), "raw:10,raw:20,standardized:10,standardized:20"), ",") {
		kind, text, _ := strings.Cut(kind, ":")
		edges, _ := strconv.Atoi(text)
		for _, name := range strings.Split(cmp.Or(os.Getenv("POLYDAG_METHOD"), "alias,order"), ",") {
			var sum, square, class, score, seconds float64
			var all metric.Hamming
			n := float64(count)
			for k := range count {
				in, truth := smallTable(t, kind, nodes, edges, firstSeed(1000)+uint64(k))
				words := strings.Split(name, ":")
				start := time.Now()
				a := must.Get(using(t, words[0], words[1:]...).Learn(t.Context(), in, nil))
				seconds += time.Since(start).Seconds() / n
				g := a.Graph.Directed()
				h := metric.SHD(truth, g)
				all.Missing, all.Extra, all.Reversed = all.Missing+h.Missing, all.Extra+h.Extra, all.Reversed+h.Reversed
				shd := float64(h.Distance())
				sum, square, score = sum+shd/n, square+shd*shd/n, score+a.Score/n
				own, _ := graph.CPDAG(g)
				true, _ := graph.CPDAG(truth)
				class += float64(metric.CPDAGDistance(true, own)) / n
			}
			fmt.Printf("| %s, %d columns, %d edges | %s | %.1f ± %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", kind, nodes, edges, name, sum, math.Sqrt(max(0, square-sum*sum)),
				float64(all.Missing)/n, float64(all.Extra)/n, float64(all.Reversed)/n, class, score, seconds)
		}
	}
}
