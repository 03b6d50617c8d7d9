package layout

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// random returns a DAG on d boxes of many sizes whose order is shuffled.
func random(seed uint64, d, edges int, labels bool) Graph {
	rng := rand.New(rand.NewPCG(seed, 7))
	g := Graph{}
	for i := range d {
		g.Nodes = append(g.Nodes, Node{Name: fmt.Sprint("x", i), Width: 15 + 200*rng.Float64()*rng.Float64(), Height: 12 + 40*rng.Float64()*rng.Float64()})
	}
	perm := rng.Perm(d)
	seen := map[[2]int]bool{}
	for len(g.Edges) < min(edges, d*(d-1)/2) {
		i, j := rng.IntN(d), rng.IntN(d)
		if i >= j || seen[[2]int{i, j}] {
			continue
		}
		seen[[2]int{i, j}] = true
		e := Edge{Edge: graph.Edge{From: perm[i], To: perm[j]}, Weight: rng.NormFloat64()}
		if labels {
			e.LabelWidth, e.LabelHeight = 15+20*rng.Float64(), 8+3*rng.Float64()
		}
		g.Edges = append(g.Edges, e)
	}
	return g
}

type box struct{ x0, y0, x1, y1 float64 }

func boxAt(c Point, w, h float64) box { return box{c.X - w/2, c.Y - h/2, c.X + w/2, c.Y + h/2} }

func (a box) meets(b box) bool { return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1 }

// digits is how far dot's five digits may be off in a drawing of that size.
func (d *Drawing) digits() float64 { return 0.05 + 1e-4*max(d.Width, d.Height) }

func check(t *testing.T, g Graph, d *Drawing, labels bool) {
	t.Helper()
	eps := d.digits()
	page := box{-eps, -eps, d.Width + eps, d.Height + eps}
	inside := func(b box) bool { return b.x0 >= page.x0 && b.y0 >= page.y0 && b.x1 <= page.x1 && b.y1 <= page.y1 }
	var boxes []box
	for i, n := range g.Nodes {
		b := boxAt(d.Nodes[i], n.Width, n.Height)
		if !inside(b) {
			t.Errorf("node %d at %v is outside of %v × %v", i, b, d.Width, d.Height)
		}
		for j, other := range boxes {
			if b.meets(other) {
				t.Errorf("nodes %d and %d overlap: %v %v", i, j, b, other)
			}
		}
		boxes = append(boxes, b)
	}
	for k, e := range g.Edges {
		if d.Nodes[e.From].Y+g.Nodes[e.From].Height/2 >= d.Nodes[e.To].Y-g.Nodes[e.To].Height/2 {
			t.Errorf("edge %d: the cause at %v is not above the effect at %v", k, d.Nodes[e.From], d.Nodes[e.To])
		}
		way := d.Edges[k]
		if len(way) < 4 || len(way)%3 != 1 {
			t.Fatalf("edge %d has %d control points", k, len(way))
		}
		for end, v := range map[Point]int{way[0]: e.From, way[len(way)-1]: e.To} {
			dx := math.Abs(end.X-d.Nodes[v].X) - g.Nodes[v].Width/2
			dy := math.Abs(end.Y-d.Nodes[v].Y) - g.Nodes[v].Height/2
			if !(math.Abs(max(dx, dy)) <= eps+1) {
				t.Errorf("edge %d ends at %v, off the border of node %d at %v by %.2f", k, end, v, d.Nodes[v], max(dx, dy))
			}
		}
		if labels {
			b := boxAt(d.Labels[k], e.LabelWidth, e.LabelHeight)
			if !inside(b) {
				t.Errorf("the label of edge %d at %v is outside of %v × %v", k, b, d.Width, d.Height)
			}
			for j, other := range boxes {
				if b.meets(other) {
					t.Errorf("the label of edge %d overlaps box %d", k, j)
				}
			}
			boxes = append(boxes, b)
		}
	}
}

func TestLayered(t *testing.T) {
	for _, c := range []struct {
		d, edges int
		labels   bool
	}{{1, 0, false}, {2, 1, false}, {8, 12, true}, {20, 15, true}, {20, 60, false}, {50, 30, true}, {50, 100, true}, {50, 300, false}, {120, 200, false}} {
		seeds := uint64(3)
		if c.d >= 50 {
			seeds = 1 // seconds each
		}
		for seed := range seeds {
			t.Run(fmt.Sprintf("d=%d/edges=%d/seed=%d", c.d, c.edges, seed), func(t *testing.T) {
				g := random(seed, c.d, c.edges, c.labels)
				d := must.Get(Layered(context.Background(), g, DefaultSettings()))
				check(t, g, d, c.labels)
			})
		}
	}
}

// TestLarge checks layers and borders if dot gets only a part of the edges or none.
func TestLarge(t *testing.T) {
	for _, c := range []struct {
		g     Graph
		quick bool
	}{{random(1, 60, 1200, false), false}, {random(1, 200, 5000, false), false}, {bipartite(70), true}} {
		if p := newPlan(c.g, false); p.quick != c.quick || !c.quick && len(p.keep) == len(c.g.Edges) {
			t.Errorf("%d edges: quick %v, %d edges for dot", len(c.g.Edges), p.quick, len(p.keep))
		}
		d := must.Get(Layered(context.Background(), c.g, DefaultSettings()))
		check(t, c.g, d, false)
	}
}

func bipartite(n int) Graph {
	g := Graph{}
	for i := range 2 * n {
		g.Nodes = append(g.Nodes, Node{Width: 20, Height: 10})
		for j := range n {
			if i >= n {
				g.Edges = append(g.Edges, Edge{Edge: graph.Edge{From: j, To: i}})
			}
		}
	}
	return g
}

// TestSameBytes checks that both engines give the same bytes, and so does a second drawing of the same graph.
func TestSameBytes(t *testing.T) {
	g := random(5, 12, 20, true)
	linked := []bool{true, true, true, true, true, true, true, true, true, true, true, true}
	src := source(g, newPlan(g, false), linked, DefaultSettings())
	var first []byte
	for _, load := range []func() (*engine, error){interpreted, compiled, compiled} {
		e := must.Get(load())
		out := must.Get(e.dot(context.Background(), src))
		if first == nil {
			first = out
		} else if !bytes.Equal(first, out) {
			t.Error("two engines disagree")
		}
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(first))
	if want := "8db2521c68231f04582bc553b5dcc0d42e34e0f02c3c88790b1fa5a4dfabce05"; sum != want {
		t.Errorf("dot answers with bytes of sum %s, want %s: another version of Graphviz, or another question", sum, want)
	}
}

// TestProgram checks that the embedded program is the one of go-graphviz v0.2.10.
func TestProgram(t *testing.T) {
	z := must.Get(gzip.NewReader(bytes.NewReader(graphviz)))
	wasm := must.Get(io.ReadAll(z))
	if got := fmt.Sprintf("%x", sha256.Sum256(wasm)); got != "7cc5b0a5f176aeaa69760ed5dc3282ceda2b1b04229b22de77bb0a5eab45578e" {
		t.Errorf("sum %s", got)
	}
}

// TestNamesAreNotRead checks that Graphviz interprets no name.
func TestNamesAreNotRead(t *testing.T) {
	g := random(2, 6, 8, false)
	want := must.Get(Layered(context.Background(), g, DefaultSettings()))
	for i := range g.Nodes {
		g.Nodes[i].Name = []string{`"];}`, "<b>", "\\N", "a\x00b", "🙂", strings.Repeat("x", 1<<16)}[i]
	}
	got, err := Layered(context.Background(), g, DefaultSettings())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the names changed the drawing; error %v", err)
	}
}

// TestExpat checks the version of Expat in the program, and that it never runs, whatever the names and labels are. Graphviz calls it for
// HTML-like labels, which begin with an angle bracket outside of quotes.
func TestExpat(t *testing.T) {
	e := must.Get(interpreted())
	mod := must.Get(e.runtime.InstantiateModule(t.Context(), e.code, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")))
	defer mod.Close(t.Context())
	m := memory{in: started{mod, func(f api.Function, args []uint64) ([]uint64, error) { return f.Call(t.Context(), args...) }}}
	must.Same(t, string(m.bytes(m.call("XML_ExpatVersion"), 12)), "expat_2.6.3\x00")
	must.Succeed(t, m.err)

	g := random(3, 6, 8, true)
	for i := range g.Nodes {
		g.Nodes[i].Name = []string{"<b>x</b>", "<", "<TABLE><TR><TD>x</TD></TR></TABLE>", `" label=<b>`, "<!DOCTYPE x>", ">"}[i]
	}
	linked := []bool{true, true, true, true, true, true}
	if text := source(g, newPlan(g, false), linked, DefaultSettings()); strings.Contains(text, "<") {
		t.Errorf("an angle bracket in\n%s", text)
	}
}

func TestCycle(t *testing.T) {
	g := Graph{Nodes: []Node{{"a", 30, 10}, {"b", 30, 10}, {"c", 30, 10}, {"d", 30, 10}}, Edges: []Edge{{Edge: graph.Edge{From: 0, To: 1}}, {Edge: graph.Edge{From: 1, To: 2}}, {Edge: graph.Edge{From: 2, To: 0}}, {Edge: graph.Edge{From: 2, To: 3}}}}
	if d, err := Layered(context.Background(), g, DefaultSettings()); err != nil || len(d.Edges[2]) < 4 {
		t.Errorf("%v, %v", d, err)
	}
	if down := orient(g); !reflect.DeepEqual(down, []bool{true, true, false, true}) {
		t.Errorf("down %v", down)
	}
}

// TestLabels checks that overlapping labels move along their edges, and that one without a free position is
// dropped.
func TestLabels(t *testing.T) {
	g := Graph{Nodes: []Node{{"a", 20, 10}, {"b", 20, 10}, {"c", 20, 10}}, Edges: []Edge{
		{Edge: graph.Edge{From: 0, To: 1}, Weight: 1, LabelWidth: 30, LabelHeight: 10}, {Edge: graph.Edge{From: 0, To: 1}, Weight: 2, LabelWidth: 30, LabelHeight: 10},
		{Edge: graph.Edge{From: 0, To: 2}, LabelWidth: 30, LabelHeight: 10}, {Edge: graph.Edge{From: 0, To: 2}, LabelWidth: 500, LabelHeight: 10}}}
	line := []Point{{50, 15}, {50, 38}, {50, 61}, {50, 85}}
	d := &Drawing{Width: 200, Height: 100, Nodes: []Point{{50, 10}, {50, 90}, {150, 90}}, Edges: [][]Point{line, line, line, line},
		Labels: []Point{{66, 50}, {66, 52}, {50, 12}, {100, 50}}}
	d.labels(g)
	if d.Labels[1] != (Point{66, 52}) {
		t.Errorf("the label of the heavier edge moved to %v", d.Labels[1])
	}
	for k, want := range []Point{{66, 41}, {66, 52}, {66, 20}} {
		if math.Hypot(d.Labels[k].X-want.X, d.Labels[k].Y-want.Y) > 6 {
			t.Errorf("label %d is at %v, want it about %v", k, d.Labels[k], want)
		}
	}
	if d.Labels[3] != (Point{}) {
		t.Errorf("a label wider than the page is at %v", d.Labels[3])
	}
	g.Edges, d.Edges, d.Labels = g.Edges[:3], d.Edges[:3], d.Labels[:3]
	boxes := []box{boxAt(d.Nodes[0], 20, 10), boxAt(d.Nodes[1], 20, 10), boxAt(d.Nodes[2], 20, 10)}
	for k := range g.Edges {
		b := boxAt(d.Labels[k], 30, 10)
		for _, o := range boxes {
			if b.meets(o) {
				t.Errorf("label %d at %v overlaps %v", k, b, o)
			}
		}
		boxes = append(boxes, b)
	}
}

// TestAspect checks that a flat drawing gets higher gaps, up to the limit, and keeps its layers.
func TestAspect(t *testing.T) {
	for _, g := range []Graph{random(4, 60, 40, true), bipartite(70)} {
		flat := must.Get(Layered(context.Background(), g, DefaultSettings()))
		opt := DefaultSettings()
		opt.Aspect = 2.5
		d := must.Get(Layered(context.Background(), g, opt))
		check(t, g, d, g.Edges[0].LabelWidth > 0)
		if d.Height <= flat.Height || d.Width != flat.Width {
			t.Errorf("%.0f × %.0f became %.0f × %.0f", flat.Width, flat.Height, d.Width, d.Height)
		}
	}
}

// TestRows checks that isolated nodes form rows of the requested width below the rest.
func TestRows(t *testing.T) {
	g := Graph{Edges: []Edge{{Edge: graph.Edge{From: 0, To: 1}}}}
	for range 42 {
		g.Nodes = append(g.Nodes, Node{Width: 40, Height: 20})
	}
	opt := DefaultSettings()
	opt.RowWidth = 300
	d, err := Layered(context.Background(), g, opt)
	must.Succeed(t, err)
	check(t, g, d, false)
	rows := map[float64]int{}
	for _, p := range d.Nodes[2:] {
		rows[p.Y]++
		if p.Y <= d.Nodes[1].Y {
			t.Errorf("a lone node at %v is not below the effect at %v", p, d.Nodes[1])
		}
	}
	if d.Width != 5*40+4*14+0 || len(rows) != 8 {
		t.Errorf("%d rows, %v wide", len(rows), d.Width)
	}
	g.Edges = nil
	opt.RowWidth = 0
	d = must.Get(Layered(context.Background(), g, opt))
	if ratio := d.Width / d.Height; ratio < 1.2 || ratio > 3.5 {
		t.Errorf("%.0f × %.0f", d.Width, d.Height)
	}
	if d, err = Layered(context.Background(), Graph{}, opt); err != nil || d.Width != 0 || d.Height != 0 {
		t.Errorf("nothing: %v, %v", d, err)
	}
}

// TestReduction compares the reduction with its definition by trying all intermediate nodes.
func TestReduction(t *testing.T) {
	for seed := range uint64(20) {
		g := random(seed, 70, 10+int(seed)*12, false)
		d := len(g.Nodes)
		reach := make([][]bool, d)
		for i := range reach {
			reach[i] = make([]bool, d)
		}
		for _, e := range g.Edges {
			reach[e.From][e.To] = true
		}
		for k := range d {
			for i := range d {
				for j := range d {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		var want []int
		for k, e := range g.Edges {
			through := false
			for v := range d {
				through = through || reach[e.From][v] && reach[v][e.To]
			}
			if !through {
				want = append(want, k)
			}
		}
		if got := reduction(g, orient(g)); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	node := Node{"a", 10, 10}
	opt := DefaultSettings()
	for _, c := range []struct {
		g    Graph
		opt  Settings
		want string
	}{
		{Graph{Nodes: []Node{{"a", 0, 10}}}, opt, `node 0 ("a") is 0 × 10 points`},
		{Graph{Nodes: []Node{{"a", 10, math.NaN()}}}, opt, "want sides above 0"},
		{Graph{Nodes: []Node{node}, Edges: []Edge{{Edge: graph.Edge{From: 0, To: 1}}}}, opt, "edge 0 runs from 0 to 1"},
		{Graph{Nodes: []Node{node, node}, Edges: []Edge{{Edge: graph.Edge{From: 0, To: 1}, Weight: math.Inf(1)}}}, opt, "weighs +Inf"},
		{Graph{Nodes: []Node{node, node}, Edges: []Edge{{Edge: graph.Edge{From: 0, To: 1}, LabelWidth: 3}}}, opt, "label of edge 0"},
		{Graph{}, Settings{LayerGap: -1, NodeGap: math.NaN()}, "NodeGap = NaN"},
	} {
		if _, err := Layered(context.Background(), c.g, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Layered(ctx, random(1, 8, 9, false), opt); err != context.Canceled {
		t.Errorf("a cancelled call answers %v", err)
	}
}

func TestEngineErrors(t *testing.T) {
	e := must.Get(compiled())
	if _, err := e.dot(context.Background(), "digraph { n0 -> "); err == nil || !strings.Contains(err.Error(), "syntax error") {
		t.Errorf("error %v", err)
	}
	for _, out := range []string{"", "{}", `{"bb":"0,0,1,1"}`, `{"bb":"0,0,1,1","objects":[{"name":"x"}]}`, `{"bb":"0,0,1,1","objects":[{"name":"n0","pos":"1,NaN"}]}`,
		`{"bb":"0,0,1,1","objects":[{"name":"n0","pos":"1,1"}],"edges":[{"index":"0","pos":"1,1 2,2"}]}`} {
		d := &Drawing{Nodes: make([]Point, 1), Edges: make([][]Point, 1), Labels: make([]Point, 1)}
		if err := d.read([]byte(out), 2); err == nil {
			t.Errorf("%q was accepted", out)
		}
	}
}

func BenchmarkLayered(b *testing.B) {
	for _, c := range [][2]int{{8, 12}, {50, 100}, {200, 400}, {500, 1000}} {
		b.Run(fmt.Sprintf("d=%d/edges=%d", c[0], c[1]), func(b *testing.B) {
			g := random(1, c[0], c[1], false)
			for b.Loop() {
				must.Get(Layered(context.Background(), g, DefaultSettings()))
			}
		})
	}
}

// TestPackedFillsAWindow checks that packed components have about the requested aspect ratio, no overlapping
// boxes, and all edges pointing down.
func TestPackedFillsAWindow(t *testing.T) {
	var g Graph
	for i := range 120 {
		g.Nodes = append(g.Nodes, Node{Name: fmt.Sprint(i), Width: 50, Height: 20})
	}
	for i := 0; i < 117; i += 3 { // 39 parts of three, and three nodes alone
		g.Edges = append(g.Edges, Edge{Edge: graph.Edge{From: i, To: i + 1}}, Edge{Edge: graph.Edge{From: i, To: i + 2}})
	}
	opt := DefaultSettings()
	row := must.Get(Layered(context.Background(), g, opt))
	d := must.Get(Packed(context.Background(), g, opt, 1.5))
	if row.Width < 10*row.Height || d.Width > 2.5*d.Height || d.Height > 1.5*d.Width {
		t.Errorf("a row of %.0f × %.0f became %.0f × %.0f", row.Width, row.Height, d.Width, d.Height)
	}
	for i, a := range d.Nodes {
		for j, b := range d.Nodes[:i] {
			if math.Abs(a.X-b.X) < 50 && math.Abs(a.Y-b.Y) < 20 {
				t.Fatalf("boxes %d and %d overlap: %v, %v", i, j, a, b)
			}
		}
	}
	for k, e := range g.Edges {
		way := d.Edges[k]
		if d.Nodes[e.From].Y >= d.Nodes[e.To].Y || !(math.Abs(way[0].X-d.Nodes[e.From].X) <= 26) || !(math.Abs(way[len(way)-1].X-d.Nodes[e.To].X) <= 26) {
			t.Errorf("edge %v runs %v", e, way)
		}
	}
}

// TestAspectMovesLayersApart checks that a wide drawing gets the distance between layers that its aspect needs, up to eight times the given
// one.
func TestAspectMovesLayersApart(t *testing.T) {
	for leaves, want := range map[int]float64{6: 0, 30: 8} {
		g := Graph{Nodes: []Node{{Name: "root", Width: 40, Height: 20}}}
		for i := range leaves {
			g.Nodes = append(g.Nodes, Node{Name: fmt.Sprint("leaf", i), Width: 40, Height: 20})
			g.Edges = append(g.Edges, Edge{Edge: graph.Edge{From: 0, To: i + 1}})
		}
		opt := DefaultSettings()
		opt.Aspect = 2
		d := must.Get(Layered(t.Context(), g, opt))
		gap := d.Nodes[1].Y - d.Nodes[0].Y - 20
		if want == 0 { // as much as is missing
			if !(math.Abs(d.Width-2*d.Height) <= 2) {
				t.Errorf("%d leaves: %v × %v points, want an aspect of 2", leaves, d.Width, d.Height)
			}
		} else if !(math.Abs(gap-want*opt.LayerGap) <= 2) {
			t.Errorf("%d leaves: layers are %v points apart, want %v", leaves, gap, want*opt.LayerGap)
		}
	}
}
