package constraint

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
)

// TestPublishedExamples checks examples from the literature. Nodes in capital letters are hidden.
func TestPublishedExamples(t *testing.T) {
	for _, c := range []struct{ name, dag, cpdag, pag string }{
		// The Y structure (Mani, Spirtes and Cooper 2006): with a common effect of two, its own effect is known to be one.
		{"Y", "a>c b>c c>d", "a-->c b-->c c-->d", "ao->c bo->c c-->d"},
		// Two instruments for x and y with a hidden common cause (Spirtes, Glymour and Scheines 2000, chapter 6).
		{"confounded", "a>x L>x L>y b>y", "", "ao->x bo->y x<->y"},
		// A chain is indistinguishable from a fork and from hidden causes.
		{"chain", "a>b b>c", "a---b b---c", "ao-ob bo-oc"},
		// A discriminating path a, x, y, z for y, which is a noncollider (Zhang 2008, rule R4), and the same
		// with a hidden cause that makes it a collider.
		{"discriminating", "a>x L>x L>y x>z y>z", "", "ao->x x-->z y-->z yo->x"},
		{"discriminating, collider", "a>x L>x L>y x>z M>y M>z", "", "ao->x x-->z x<->y y<->z"},
		// a, b and d separate c and e, and a is adjacent to neither: only the possible d-separating set finds
		// it (Spirtes 1997, Limits on causal inference from statistical data, page 21; the PAG is on page 24).
		{"beyond neighbours", "a>b a>d b>c d>e L>c L>d M>b M>e", "", "ao->b ao->d b-->c b<->e c<->d d-->e"},
		// The same with f and g between a and the others. The path c, d, f, a leads to a, and d is on it in a triangle with c and f.
		{"beyond a triangle", "a>f a>g f>c g>e b>c d>e L>c L>d M>b M>e N>d N>f O>b O>g", "",
			"ao->f ao->g b-->c b<->e b<->g c<->d d-->e d<->f f-->c g-->e"},
		// Asia (Lauritzen and Spiegelhalter 1988): the two colliders and their consequences are known.
		{"Asia", "asia>tub smoke>lung smoke>bronc tub>either lung>either either>xray either>dysp bronc>dysp",
			"asia---tub bronc---smoke bronc-->dysp either-->dysp either-->xray lung---smoke lung-->either tub-->either", ""},
	} {
		var names []string
		at := func(name string) int {
			if k := slices.Index(names, name); k >= 0 {
				return k
			}
			names = append(names, name)
			return len(names) - 1
		}
		var edges []graph.Edge
		for e := range strings.FieldsSeq(c.dag) {
			from, to, _ := strings.Cut(e, ">")
			edges = append(edges, graph.Edge{From: at(from), To: at(to)})
		}
		g, err := graph.FromEdges(len(names), edges)
		if err != nil {
			t.Fatal(err)
		}
		o := independence.Oracle{Graph: g}
		var seen []string
		for v, name := range names {
			if strings.ToLower(name) == name {
				o.Observed, seen = append(o.Observed, v), append(seen, name)
			}
		}
		written := func(m *graph.Mixed) string {
			var out []string
			for _, e := range m.Edges() {
				from, to := seen[e.From], seen[e.To]
				if e.AtFrom == e.AtTo && from > to {
					from, to = to, from
				}
				out = append(out, from+e.Symbol()+to)
			}
			slices.Sort(out)
			return strings.Join(out, " ")
		}
		s := search(t, o, every)
		if c.cpdag != "" {
			out, err := s.PC(context.Background(), Majority)
			if err != nil || written(out.Graph) != c.cpdag {
				t.Errorf("%s: %s, want %s, %v", c.name, written(out.Graph), c.cpdag, err)
			}
		}
		if c.pag == "" {
			continue
		}
		if err := s.PossibleDSep(context.Background()); err != nil {
			t.Fatal(err)
		}
		p, err := s.FCI(context.Background(), Majority)
		if err != nil || written(p.Mixed()) != c.pag {
			t.Errorf("%s: %s, want %s, %v", c.name, written(p.Mixed()), c.pag, err)
		}
	}
}
