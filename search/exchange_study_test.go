package search

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
)

// TestStudyExchange fits dense tables along their true order and compares the score with that of the true graph, without and with
// exchanges. Tables whose true parents determine a column are passed over. POLYDAG_STUDY is the number of tables; the test is skipped
// without it. POLYDAG_SEED is the first seed [1].
func TestStudyExchange(t *testing.T) {
	tables, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if tables == 0 {
		t.Skip("it takes minutes: set POLYDAG_STUDY to the number of tables")
	}
	first, _ := strconv.Atoi(os.Getenv("POLYDAG_SEED"))
	var above [2]int
	var worst [2]float64
	for k, seed := 0, uint64(max(1, first)); k < tables; seed++ {
		cfg := sim.Default()
		cfg.Nodes, cfg.Degree, cfg.Design, cfg.Seed, cfg.Standardize = 100, 16, sim.Hetero, seed, true
		m := must.Get(sim.New(cfg))
		p := problemOf(t, m, 20_000)
		e := testEngine(p, Unequal)
		w := e.workers[0]
		truth, least := 0.0, 1.0
		for v := range int32(e.d) {
			parents := slices.Sorted(slices.Values(m.Graph().Parents(int(v))))
			set := unsigned(nodes(parents))
			least = min(least, w.factor(v, set))
			truth += e.score(e.cache.at(w.nodeOf(v, set)))
		}
		if least <= chol.Determined {
			continue
		}
		k++
		order := must.Get(m.Graph().Order())
		e.load(nodes(order))
		gaps := [2]float64{e.total() - truth}
		e.fitAll(e.order, func(w *worker, v int32) nodeID { return w.exchange(e.node[v], e.pos[v]) })
		gaps[1] = e.total() - truth
		for i, gap := range gaps {
			if gap > 1e-6 {
				above[i]++
			}
			worst[i] = max(worst[i], gap)
		}
		fmt.Printf("seed %d: %.1f, with exchanges %.1f\n", seed, gaps[0], gaps[1])
	}
	fmt.Printf("of %d tables worse than the true graph: %d, by up to %.0f points; with exchanges %d, by up to %.0f\n", tables, above[0], worst[0], above[1], worst[1])
}
