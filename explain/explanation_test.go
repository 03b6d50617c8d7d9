package explain

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// links pairs adjacent names.
func links(names ...string) []graph.Link {
	var out []graph.Link
	for k := 0; k < len(names); k += 2 {
		out = append(out, graph.Link{From: names[k], To: names[k+1]})
	}
	return out
}

// small has a confounder S of X and Y, a mediator M, a collider C between two causes, and reversible edges.
func small(t *testing.T) *Model {
	t.Helper()
	m := must.Get(NewModel([]string{"X", "Y", "M", "S", "P", "C", "Q"}, []Edge{
		{Link: graph.Link{From: "X", To: "M"}, Weight: 2}, {Link: graph.Link{From: "M", To: "Y"}, Weight: 3, Undirected: true}, {Link: graph.Link{From: "X", To: "Y"}, Weight: 0.5},
		{Link: graph.Link{From: "S", To: "X"}, Weight: 1, Undirected: true}, {Link: graph.Link{From: "S", To: "Y"}, Weight: 1},
		{Link: graph.Link{From: "P", To: "X"}, Weight: 1}, {Link: graph.Link{From: "P", To: "C"}, Weight: 1}, {Link: graph.Link{From: "Q", To: "C"}, Weight: 1}, {Link: graph.Link{From: "Q", To: "Y"}, Weight: 1},
	}))
	return m
}

func TestBetween(t *testing.T) {
	opt := DefaultSettings()
	opt.Sensitive = []string{"S"}
	e := must.Get(small(t).Between("X", "Y", opt))
	if e.Relation != Ancestor || *e.TotalEffect != 6.5 || *e.DirectEffect != 0.5 || *e.SensitiveEffect != 0 {
		t.Errorf("%s, total %v, direct %v, sensitive %v", e.Relation, *e.TotalEffect, *e.DirectEffect, *e.SensitiveEffect)
	}
	for _, c := range []struct {
		what      string
		got, want []string
	}{
		{"mediators", e.Mediators, []string{"M"}}, {"confounders", e.Confounders, []string{"S"}},
		{"colliders", e.Colliders, []string{"C"}}, {"set", e.Adjustment.Set, []string{"S"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s %q, want %q", c.what, c.got, c.want)
		}
	}
	for _, c := range []struct {
		what      string
		got, want []graph.Link
	}{
		{"effect", e.EffectRests, links("M", "Y")}, {"adjustment", e.Adjustment.Rests, links("M", "Y", "S", "X")},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("the %s rests on %q, want %q", c.what, c.got, c.want)
		}
	}
	b := must.Text(t, e.WriteText)
	must.Contain(t, b,
		"total   6.5", "direct  0.5", "Directed paths: 2",
		"  X → Y  0.5\n", "  X → M → Y  6  depends on undirected M — Y\n",
		"  X ← S → Y  through sensitive S  depends on undirected S — X\n",
		"  X ← P → [C] ← Q → Y\n", "Confounders  S (sensitive)", "Mediators    M\n", "Colliders    C\n",
		"Adjust for   S (", "Not for      M (mediator: it carries part of the effect); C (collider: it can open a path)\n", "does not confirm causal mechanisms",
	)
}

// TestRelations checks the three cases without an effect and the two without an adjustment.
func TestRelations(t *testing.T) {
	m := small(t)
	for _, c := range []struct {
		from, to, relation string
		exists             bool
		set, text          string
	}{
		{"Y", "X", Descendant, false, "", "Y is not an ancestor of X: it has no effect on it in this graph. X is an ancestor of Y."},
		{"M", "X", Descendant, false, "", "no set of variables separates the two: X is a parent of M"},
		{"Y", "P", Descendant, true, "X,S", "P is an ancestor of Y"},
		{"P", "Q", Unrelated, true, "", "neither has an effect on the other"},
		{"X", "C", Unrelated, true, "P", "X ← P → C"},
		{"X", "C", Unrelated, true, "P", "P (given it X and C are independent in this graph; the data can test that)"},
		{"S", "Y", Ancestor, true, "", "no variable: no back-door path is open"},
		{"M", "Y", Ancestor, true, "X", "M ← X → Y"},
	} {
		e := must.Get(m.Between(c.from, c.to, DefaultSettings()))
		if e.Relation != c.relation || e.Adjustment.Exists != c.exists || strings.Join(e.Adjustment.Set, ",") != c.set {
			t.Errorf("%s, %s: %s, set %v %q", c.from, c.to, e.Relation, e.Adjustment.Exists, e.Adjustment.Set)
		}
		if c.relation != Ancestor && (*e.TotalEffect != 0 || e.Directed.Count != 0) {
			t.Errorf("%s, %s: effect %v by %d paths", c.from, c.to, *e.TotalEffect, e.Directed.Count)
		}
		var b strings.Builder
		if err := e.WriteText(&b); err != nil || !strings.Contains(b.String(), c.text) {
			t.Errorf("%s, %s: %v, the text lacks %q:\n%s", c.from, c.to, err, c.text, b.String())
		}
	}
}

func TestRefuses(t *testing.T) {
	m := small(t)
	opt := DefaultSettings()
	opt.Sensitive = []string{"Z"}
	_, err := m.Between("x", "Y", opt)
	if !errors.Is(err, ErrName) || !strings.Contains(err.Error(), `no "x"`) || !strings.Contains(err.Error(), `no "Z"`) {
		t.Errorf("unknown names: %v", err)
	}
	if _, err := m.Between("X", "X", DefaultSettings()); !errors.Is(err, ErrName) {
		t.Errorf("one variable: %v", err)
	}
	_, err = NewModel([]string{"a", "b"}, []Edge{{Link: graph.Link{From: "a", To: "b"}}, {Link: graph.Link{From: "b", To: "a"}}})
	var cycle *graph.CycleError
	if !errors.As(err, &cycle) || !strings.Contains(err.Error(), "a → b → a") {
		t.Errorf("a cycle: %v", err)
	}
}

// TestLimits checks counts beyond enumeration: directed paths are counted exactly, others up to the limit, and
// the shortest are listed.
func TestLimits(t *testing.T) {
	names := []string{"n0"}
	var edges []Edge
	const rungs = 25
	for k := range rungs {
		next := fmt.Sprint("n", k+1)
		names = append(names, next)
		for side := range 3 {
			m := fmt.Sprint("m", k, side)
			names = append(names, m)
			edges = append(edges, Edge{Link: graph.Link{From: fmt.Sprint("n", k), To: m}, Weight: 1}, Edge{Link: graph.Link{From: m, To: next}, Weight: 1})
		}
	}
	names = append(names, "top")
	edges = append(edges, Edge{Link: graph.Link{From: "top", To: "n0"}, Weight: 1}, Edge{Link: graph.Link{From: "top", To: "n1"}, Weight: 1})
	m := must.Get(NewModel(names, edges))
	e := must.Get(m.Between("n0", "n25", Settings{Paths: 4, Steps: 10_000}))
	if want := int(math.Pow(3, rungs)); e.Directed.Count != want || e.Directed.AtLeast || *e.TotalEffect != float64(want) {
		t.Errorf("%d directed paths (at least: %v), effect %v, want %d", e.Directed.Count, e.Directed.AtLeast, *e.TotalEffect, want)
	}
	if len(e.Directed.Listed) != 4 || len(e.Directed.Listed[0].Nodes) != 2*rungs+1 {
		t.Errorf("%d paths listed, the first %v", len(e.Directed.Listed), e.Directed.Listed[0])
	}
	if !e.OpenBackDoor.AtLeast || e.OpenBackDoor.Count < 4 || len(e.OpenBackDoor.Listed) != 4 {
		t.Errorf("%d open back-door paths, at least: %v, %d listed", e.OpenBackDoor.Count, e.OpenBackDoor.AtLeast, len(e.OpenBackDoor.Listed))
	}
	if !slices.Equal(e.Adjustment.Set, []string{"top"}) || !slices.Equal(e.Confounders, []string{"top"}) {
		t.Errorf("set %q, confounders %q", e.Adjustment.Set, e.Confounders)
	}
	var b strings.Builder
	if err := e.WriteText(&b); err != nil || !strings.Contains(b.String(), "are open: at least") || !strings.Contains(b.String(), "… and 847288609439 more, none shorter") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestAdjustmentRests checks that the adjustment set depends on an undirected edge at the cause, even if that leads away from the effect:
// reversed, it has another parent. An undirected edge from an ancestor to a column that is not an ancestor does not change the set.
func TestAdjustmentRests(t *testing.T) {
	for _, c := range []struct {
		m    *Model
		want []graph.Link
	}{
		{model(t, "XYZ", "XY", "X-Z"), links("X", "Z")},
		{model(t, "SXYZ", "SX", "S-Y", "XY", "S-Z"), links("S", "Y")},
	} {
		e, err := c.m.Between("X", "Y", DefaultSettings())
		if err != nil || !slices.Equal(e.Adjustment.Rests, c.want) {
			t.Errorf("rests on %v, %v; want %v", e.Adjustment.Rests, err, c.want)
		}
	}
}
