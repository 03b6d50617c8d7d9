package metric

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// randomGraph returns a graph that may have pairs i ⇄ j, longer cycles and self-loops.
func randomGraph(rng *rand.Rand, n int, p float64) *graph.Graph {
	g := graph.New(n)
	for i := range n {
		for j := range n {
			if rng.Float64() < p {
				g.AddEdge(i, j)
			}
		}
	}
	return g
}

// TestCountsAgainstPairs compares every count with a walk over all pairs of nodes.
func TestCountsAgainstPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for trial := range 2000 {
		n := 1 + rng.IntN(7)
		truth := randomDAG(rng, n, rng.Float64())
		est := randomGraph(rng, n, 0.4)
		if trial%2 == 0 {
			est = randomDAG(rng, n, rng.Float64())
		}
		var h Hamming
		var directed, skeleton Confusion
		wrongOrdered, nonEdges, wrongJoined, nonPairs := 0, 0, 0, 0
		for i := range n {
			for j := range n {
				switch {
				case est.HasEdge(i, j) && truth.HasEdge(i, j):
					directed.TP++
				case est.HasEdge(i, j):
					directed.FP++
				case truth.HasEdge(i, j):
					directed.FN++
				}
				if i == j {
					if est.HasEdge(i, i) {
						h.Extra++
					}
					continue
				}
				if !truth.HasEdge(i, j) {
					nonEdges++
					if est.HasEdge(i, j) {
						wrongOrdered++
					}
				}
				if !truth.HasEdge(i, j) && !truth.HasEdge(j, i) && est.HasEdge(i, j) {
					wrongJoined++
				}
				if i > j {
					continue
				}
				tf, tb, ef, eb := truth.HasEdge(i, j), truth.HasEdge(j, i), est.HasEdge(i, j), est.HasEdge(j, i)
				if !tf && !tb {
					nonPairs++
				}
				switch {
				case tf && eb && !ef, tb && ef && !eb:
					h.Reversed++
				case (tf || tb) && !ef && !eb:
					h.Missing++
				case (tf || tb) && ef && eb:
					h.Extra++
				case !tf && !tb && ef && eb:
					h.Extra += 2
				case !tf && !tb && (ef || eb):
					h.Extra++
				}
				switch {
				case (tf || tb) && (ef || eb):
					skeleton.TP++
				case ef || eb:
					skeleton.FP++
				case tf || tb:
					skeleton.FN++
				}
			}
		}
		if got := SHD(truth, est); got != h {
			t.Fatalf("truth %v, estimate %v: SHD %+v, want %+v", truth.Edges(), est.Edges(), got, h)
		}
		d := Diff(truth, est)
		if len(d.Right) != directed.TP || len(d.Right)+len(d.Reversed)+len(d.Extra) != est.NumEdges() {
			t.Fatalf("%+v, want %d right edges of %d", d, directed.TP, est.NumEdges())
		}
		for _, e := range d.Reversed {
			if !est.HasEdge(e.From, e.To) || !truth.HasEdge(e.To, e.From) {
				t.Fatalf("reversed edge %v does not stand as in the estimate", e)
			}
		}
		if got := Directed(truth, est); got != directed {
			t.Fatalf("truth %v, estimate %v: directed %+v, want %+v", truth.Edges(), est.Edges(), got, directed)
		}
		if got := Skeleton(truth, est); got != skeleton {
			t.Fatalf("truth %v, estimate %v: skeleton %+v, want %+v", truth.Edges(), est.Edges(), got, skeleton)
		}
		if got, want := fpr(truth, est), quotient(wrongOrdered, nonEdges); got != want {
			t.Fatalf("truth %v, estimate %v: FPR %v, want %v", truth.Edges(), est.Edges(), got, want)
		}
		if got, want := releasedFPR(truth, est), quotient(wrongJoined, nonPairs); got != want {
			t.Fatalf("truth %v, estimate %v: released FPR %v, want %v", truth.Edges(), est.Edges(), got, want)
		}
	}
}

func quotient(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func TestSHDByHand(t *testing.T) {
	truth := edges(t, 4, graph.Edge{From: 0, To: 1}, graph.Edge{From: 1, To: 2}, graph.Edge{From: 2, To: 3})
	for _, test := range []struct {
		name string
		est  []graph.Edge
		want Hamming
	}{
		{"equal", truth.Edges(), Hamming{}},
		{"empty", nil, Hamming{Missing: 3}},
		{"reversed", []graph.Edge{{From: 1, To: 0}, {From: 1, To: 2}, {From: 2, To: 3}}, Hamming{Reversed: 1}},
		{"both directions of a true edge", append(truth.Edges(), graph.Edge{From: 1, To: 0}), Hamming{Extra: 1}},
		{"both directions of no edge", append(truth.Edges(), graph.Edge{From: 0, To: 3}, graph.Edge{From: 3, To: 0}), Hamming{Extra: 2}},
		{"self-loop", append(truth.Edges(), graph.Edge{From: 0, To: 0}), Hamming{Extra: 1}},
	} {
		got := SHD(truth, edges(t, 4, test.est...))
		if got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
		if got.Distance() != got.Missing+got.Extra+got.Reversed {
			t.Errorf("%s: distance %d", test.name, got.Distance())
		}
	}
}

func TestRatios(t *testing.T) {
	for _, test := range []struct {
		c                     Confusion
		precision, recall, f1 float64
	}{
		{Confusion{}, 1, 1, 1},
		{Confusion{FP: 2}, 0, 1, 0},
		{Confusion{FN: 2}, 1, 0, 0},
		{Confusion{TP: 3, FP: 1, FN: 3}, 0.75, 0.5, 0.6},
	} {
		if p, r, f := test.c.Precision(), test.c.Recall(), test.c.F1(); p != test.precision || r != test.recall || f != test.f1 {
			t.Errorf("%+v: precision %v, recall %v, F1 %v", test.c, p, r, f)
		}
	}
}

// status names the kind of edge between i and j.
func status(p *graph.PDAG, i, j int) string {
	switch {
	case p.HasUndirected(i, j):
		return "—"
	case p.HasDirected(i, j):
		return "→"
	case p.HasDirected(j, i):
		return "←"
	}
	return ""
}

func TestCPDAGAgainstPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 2))
	randomPDAG := func(n int) *graph.PDAG {
		p := graph.NewPDAG(n)
		for i := range n {
			for j := range i {
				switch rng.IntN(5) {
				case 0:
					p.SetDirected(i, j)
				case 1:
					p.SetDirected(j, i)
				case 2:
					p.SetUndirected(i, j)
				}
			}
		}
		return p
	}
	for range 1000 {
		n := 1 + rng.IntN(6)
		truth, est := randomPDAG(n), randomPDAG(n)
		var want Confusion
		distance := 0
		for i := range n {
			for j := range i {
				a, b := status(truth, i, j), status(est, i, j)
				if a == b {
					if a != "" {
						want.TP++
					}
					continue
				}
				distance++
				if a != "" {
					want.FN++
				}
				if b != "" {
					want.FP++
				}
			}
		}
		if got := CPDAGDistance(truth, est); got != distance {
			t.Fatalf("distance %d, want %d", got, distance)
		}
		if got := CPDAGEdges(truth, est); got != want {
			t.Fatalf("edges %+v, want %+v", got, want)
		}
	}
}

// TestCPDAGDistanceIsZeroInsideAClass checks the claim on all pairs of DAGs of three nodes.
func TestCPDAGDistanceIsZeroInsideAClass(t *testing.T) {
	var all []*graph.Graph
	allDAGs(3, func(g *graph.Graph) { all = append(all, g) })
	for _, truth := range all {
		for _, est := range all {
			same := must.Get(graph.MarkovEquivalent(truth, est))
			if r := Compare(truth, est); (*r.CPDAGSHD == 0) != same || (*r.CPDAGF1 == 1) != same {
				t.Fatalf("%v and %v: CPDAG distance %d, F1 %v", truth.Edges(), est.Edges(), *r.CPDAGSHD, *r.CPDAGF1)
			}
		}
	}
}

func TestReportJSON(t *testing.T) {
	truth := edges(t, 4, graph.Edge{From: 0, To: 1}, graph.Edge{From: 1, To: 2}, graph.Edge{From: 3, To: 2}, graph.Edge{From: 0, To: 3})
	est := edges(t, 4, graph.Edge{From: 1, To: 0}, graph.Edge{From: 1, To: 2}, graph.Edge{From: 3, To: 2}, graph.Edge{From: 0, To: 2})
	sid, err := SID(truth, est)
	must.Succeed(t, err)
	r := CompareWithSID(truth, est)
	if r.SID == nil || *r.SID != sid {
		t.Fatalf("SID %v, want %d", r.SID, sid)
	}
	got := must.Get(json.Marshal(Compare(truth, est)))
	const want = `{"nodes":4,"edges_true":4,"edges_estimated":4,"acyclic":true,` +
		`"shd":3,"missing":1,"extra":1,"reversed":1,` +
		`"tp":2,"fp":2,"fn":2,"precision":0.5,"tpr":0.5,"f1":0.5,"fpr":0.25,"fpr_released":0.5,` +
		`"skeleton_precision":0.75,"skeleton_recall":0.75,"skeleton_f1":0.75,"cpdag_shd":2,"cpdag_f1":0.75}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	est.AddEdge(0, 1)
	r = CompareWithSID(truth, est)
	if r.Acyclic || r.CPDAGSHD != nil || r.CPDAGF1 != nil || r.SID != nil {
		t.Errorf("a cyclic estimate has metrics of DAGs: %+v", r)
	}
	if r.SHD != 3 || r.Extra != 2 || r.TP != 3 {
		t.Errorf("cyclic estimate: %+v", r)
	}
}

func TestDifferentNodesPanic(t *testing.T) {
	for name, f := range map[string]func(a, b *graph.Graph){
		"SHD":         func(a, b *graph.Graph) { SHD(a, b) },
		"Directed":    func(a, b *graph.Graph) { Directed(a, b) },
		"Skeleton":    func(a, b *graph.Graph) { Skeleton(a, b) },
		"FPR":         func(a, b *graph.Graph) { fpr(a, b) },
		"ReleasedFPR": func(a, b *graph.Graph) { releasedFPR(a, b) },
		"SID":         func(a, b *graph.Graph) { _, _ = SID(a, b) },
		"CPDAGEdges":  func(a, b *graph.Graph) { CPDAGEdges(graph.NewPDAG(a.N()), graph.NewPDAG(b.N())) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f(graph.New(2), graph.New(3))
		}()
	}
}

func TestCompareLagged(t *testing.T) {
	edge := func(from, to, lag int) [3]int { return [3]int{from, to, lag} }
	truth := [][3]int{edge(0, 0, 1), edge(0, 1, 2), edge(1, 0, 1), edge(2, 1, 1)}
	est := [][3]int{edge(0, 0, 1), edge(0, 1, 1), edge(1, 0, 1)}
	if got, want := *CompareLagged(truth, est), (Lagged{4, 3, 2.0 / 3, 0.5, 4.0 / 7}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := *CompareLagged[int](nil, nil), (Lagged{0, 0, 1, 1, 1}); got != want {
		t.Errorf("without edges: %+v", got)
	}
	if got, want := *CompareLagged(truth, nil), (Lagged{4, 0, 1, 0, 0}); got != want {
		t.Errorf("without estimated edges: %+v", got)
	}
}
