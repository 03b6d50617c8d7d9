package score_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/bif"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/score"
)

// The protein data of Sachs et al. in three levels with their interventions: leaving rows out of the counts of their
// target orients edges that no observation can. The truth is the network of 17 edges in the bnlearn repository.
func TestDiscreteSachsInterventions(t *testing.T) {
	net := must.Get(bif.Read(unzip(t, "networks/bif/sachs.bif.gz")))
	lines := openData(t, "sachs/sachs_interventional_discrete.txt.gz")
	lines.Scan()
	names := strings.Fields(strings.ReplaceAll(lines.Text(), `"`, ""))
	columns := make([][]int, 11)
	o := counts.Rows{Targets: make([][]int, 12)}
	for k := range 11 {
		o.Targets[k+1] = []int{k} // experiment k set column k, counted from 1; 0 set none
	}
	for lines.Scan() {
		fields := strings.Fields(strings.ReplaceAll(lines.Text(), `"`, ""))
		for v, f := range fields {
			k := must.Get(strconv.Atoi(f))
			if v < 11 {
				columns[v] = append(columns[v], k)
			} else {
				o.Environments = append(o.Environments, k)
			}
		}
	}
	if len(columns[0]) != 5400 || len(names) != 12 {
		t.Fatalf("%d rows, names %v", len(columns[0]), names)
	}
	truth := graph.New(11)
	for v, parents := range net.Parents() {
		for _, p := range parents {
			from, to := slices.Index(names, net.Variables[p].Name), slices.Index(names, net.Variables[v].Name)
			if from < 0 || to < 0 {
				t.Fatalf("%s → %s is not in %v", net.Variables[p].Name, net.Variables[v].Name, names)
			}
			truth.AddEdge(from, to)
		}
	}
	var right [2]int
	for i, o := range []counts.Rows{{}, o} {
		e := discrete(t, columns, o, score.DefaultDiscrete()).Evaluator()
		g, _ := newPlainSearch(e, 11).search(20, 1)
		for _, edge := range g.Edges() {
			if truth.HasEdge(edge.From, edge.To) {
				right[i]++
			}
		}
		h := metric.SHD(truth, g)
		t.Logf("interventions %v: %d edges, %d right, %+v, SHD %d", i == 1, g.NumEdges(), right[i], h, h.Distance())
	}
	if right[1] < 14 || right[1] <= right[0] {
		t.Errorf("%d edges right with interventions, %d without; want at least 14 of 17, and more", right[1], right[0])
	}
}
