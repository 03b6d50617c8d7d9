package heldout

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/metric"
)

var letters = []string{"a", "b", "c", "d"}

func links(words ...string) (out []graph.Link) {
	for _, w := range words {
		out = append(out, graph.Link{From: w[:1], To: w[1:]})
	}
	return out
}

func dag(edges ...[2]int) *graph.Graph {
	g := graph.New(len(letters))
	for _, e := range edges {
		g.AddEdge(e[0], e[1])
	}
	return g
}

// TestJudgeByHand compares a → b → c ← d with the same graph with a → b reversed and d → c missing.
func TestJudgeByHand(t *testing.T) {
	truth, err := NewTruth(letters, links("ab", "bc", "dc"))
	must.Succeed(t, err)
	m := must.Get(truth.judge(dag([2]int{1, 0}, [2]int{1, 2}).Mixed(), 4))
	if m.Against != graph.KindDAG || *m.SHD != 2 || *m.F1 != 0.4 || m.SkeletonF1 != 0.8 || m.SID == nil || m.ClassSHD == nil || m.ArrowheadF1 != nil {
		t.Errorf("%+v", m)
	}
	if m, err = truth.judge(dag([2]int{1, 0}).Mixed(), 3); err != nil || m.SID != nil {
		t.Errorf("SID of more columns than asked for: %+v, %v", m, err)
	}
	// The class of the truth leaves a — b open.
	class := graph.NewPDAG(4)
	class.SetUndirected(0, 1)
	class.SetDirected(1, 2)
	class.SetDirected(3, 2)
	if m, err = truth.judge(class.Mixed(), 4); err != nil || m.Against != graph.KindCPDAG || *m.SHD != 0 && *m.SHD != *m.ClassSHD || m.SkeletonF1 != 1 || m.SID != nil {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestJudgeAgainstMetric compares the metrics on random DAGs with package metric.
func TestJudgeAgainstMetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func() *graph.Graph {
		g, order := graph.New(4), rng.Perm(4)
		for i := range 4 {
			for j := range i {
				if rng.IntN(2) == 0 {
					g.AddEdge(order[j], order[i])
				}
			}
		}
		return g
	}
	for range 200 {
		want, est := random(), random()
		var list []graph.Link
		for _, e := range want.Edges() {
			list = append(list, e.Named(letters))
		}
		truth, err := NewTruth(letters, list)
		must.Succeed(t, err)
		m := must.Get(truth.judge(est.Mixed(), 4))
		rep := metric.CompareWithSID(want, est)
		if *m.SHD != rep.SHD || *m.F1 != rep.F1 || m.SkeletonF1 != rep.SkeletonF1 || *m.ClassSHD != *rep.CPDAGSHD || *m.ClassF1 != *rep.CPDAGF1 || *m.SID != *rep.SID {
			t.Fatalf("%v against %v: %+v, want %+v", est.Edges(), want.Edges(), m, rep)
		}
		c := must.Get(graph.CPDAG(est))
		if m, err = truth.judge(c.Mixed(), 4); err != nil || *m.SHD != *rep.CPDAGSHD || *m.F1 != *rep.CPDAGF1 || m.SkeletonF1 != rep.SkeletonF1 {
			t.Fatalf("class of %v against %v: %+v, %v", est.Edges(), want.Edges(), m, err)
		}
	}
}

// TestHiddenColumns checks that with a hidden common cause every graph is compared with the PAG: h → a, h → b
// become a ↔ b next to c → a, d → b.
func TestHiddenColumns(t *testing.T) {
	truth := must.Get(NewTruth(letters, links("ha", "hb", "ca", "db")))
	if truth.edges != 4 || len(truth.hidden) != 1 || truth.hidden[0] != "h" {
		t.Errorf("%+v", truth)
	}
	est := dag([2]int{0, 1}, [2]int{2, 0}, [2]int{3, 1})
	m := must.Get(truth.judge(est.Mixed(), 4))
	// c o→ a ↔ b ←o d: three of its four arrowheads are found, and no other; three marks are others.
	if m.Against != graph.KindPAG || m.F1 != nil || m.SkeletonF1 != 1 || *m.ArrowheadF1 != 6.0/7 || *m.SHD != 3 || m.SID != nil || m.ClassSHD != nil {
		t.Errorf("%+v, arrowheads %v, SHD %v", m, *m.ArrowheadF1, *m.SHD)
	}
}

// TestCyclicTruth checks that a cyclic truth has SHD and F1 of DAGs but no classes, and nothing with a hidden
// column.
func TestCyclicTruth(t *testing.T) {
	truth := must.Get(NewTruth(letters, links("ab", "ba")))
	m, err := truth.judge(dag([2]int{0, 1}).Mixed(), 4)
	if err != nil || m.SHD == nil || m.ClassSHD != nil || m.SID != nil || m.SkeletonF1 != 1 {
		t.Errorf("%+v, %v", m, err)
	}
	for _, kind := range []graph.Kind{graph.KindCPDAG, graph.KindPAG} {
		if m, err := truth.judge(dag([2]int{0, 1}).Mixed().As(kind), 4); err != nil || m.SHD != nil || m.SkeletonF1 != 1 {
			t.Errorf("%s: %+v, %v", kind, m, err)
		}
	}
	if _, err := NewTruth(letters, links("ah", "ha")); err == nil || !strings.Contains(err.Error(), "a cycle") {
		t.Error(err)
	}
}

// TestAgreement compares a → b, b → c with c — b, b → a, c → d by hand.
func TestAgreement(t *testing.T) {
	other := graph.NewMixed(graph.KindPDAG, 4)
	other.Set(graph.MarkedEdge{Edge: graph.Edge{From: 1, To: 2}, AtFrom: graph.Tail, AtTo: graph.Tail})
	other.Set(graph.MarkedEdge{Edge: graph.Edge{From: 0, To: 1}, AtFrom: graph.Tail, AtTo: graph.Arrow})
	other.Set(graph.MarkedEdge{Edge: graph.Edge{From: 2, To: 3}, AtFrom: graph.Tail, AtTo: graph.Arrow})
	one := dag([2]int{0, 1}, [2]int{1, 2}).Mixed()
	for _, pair := range [][2]*graph.Mixed{{one, other}, {other, one}} {
		if s, m := agree(pair[0], pair[1]); s != 0.8 || m != 0.4 {
			t.Errorf("%v and %v, want 0.8 and 0.4", s, m)
		}
	}
	if s, m := agree(graph.New(4).Mixed(), graph.New(4).Mixed()); s != 1 || m != 1 {
		t.Errorf("%v, %v without an edge", s, m)
	}
	if s, m := agree(one, graph.New(4).Mixed()); s != 0 || m != 0 {
		t.Errorf("%v, %v with an empty graph", s, m)
	}
}
