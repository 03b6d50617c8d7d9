package explain

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
)

// written returns the text of an explanation.
func written(t *testing.T, m *Model, from, to string, opt Options) string {
	t.Helper()
	e, err := m.Between(from, to, opt)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := e.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// model returns a model of edges written as two letters, "ab" for a → b and "a-b" for an undirected one.
func model(t *testing.T, names string, edges ...string) *Model {
	t.Helper()
	var list []Edge
	for _, e := range edges {
		list = append(list, Edge{Link: graph.Link{From: e[:1], To: e[len(e)-1:]}, Weight: 1, Undirected: len(e) == 3})
	}
	m, err := NewModel(strings.Split(names, ""), list)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The text mentions sensitive ends, undirected edges of the effect, and that a set of several columns is minimal.
func TestTextOfAnExplanation(t *testing.T) {
	plain := model(t, "abcd", "ab", "ca", "cb")
	two := model(t, "abcde", "ab", "ca", "cb", "da", "db", "b-e")
	for _, c := range []struct {
		what      string
		m         *Model
		sensitive []string
		noSlopes  bool
		has, not  []string
	}{
		{"plain", plain, nil, false, []string{"Adjust for   c (blocks every back-door path)\n", "a → b  1\n"}, []string{"sensitive", "no part of it", "depends on undirected"}},
		{"sensitive source", plain, []string{"a"}, false, []string{"a is itself marked sensitive."}, nil},
		{"sensitive target", plain, []string{"b"}, false, []string{"b is itself marked sensitive.", "through sensitive b  0\n"}, nil},
		{"sensitive confounder", plain, []string{"c"}, false, []string{"Confounders  c (sensitive)"}, []string{"itself marked"}},
		{"two confounders", two, nil, false, []string{"Adjust for   c, d (blocks every back-door path; no part of it alone does)"}, []string{"depends on undirected"}},
		{"an undirected path", model(t, "abc", "a-c", "cb"), nil, false, []string{"  depends on undirected a — c\n", "Depends on   undirected a — c: with these reversed"}, []string{"c — b"}},
		{"without slopes", plain, nil, true, []string{"are not slopes", "  a → b\n"}, []string{"  total"}},
	} {
		opt := DefaultOptions()
		opt.Sensitive, opt.NoSlopes = c.sensitive, c.noSlopes
		got := written(t, c.m, "a", "b", opt)
		for _, want := range c.has {
			if !strings.Contains(got, want) {
				t.Errorf("%s: the text lacks %q:\n%s", c.what, want, got)
			}
		}
		for _, bad := range c.not {
			if strings.Contains(got, bad) {
				t.Errorf("%s: the text has %q:\n%s", c.what, bad, got)
			}
		}
	}
}

// The effects of at most twelve edges are described, each once.
func TestEffectsOfEdges(t *testing.T) {
	for _, inner := range []int{5, 6, 7} { // a → m → b for each inner column: two edges
		names, edges := []string{"a", "b"}, []Edge(nil)
		for k := range inner {
			name := fmt.Sprint("m", k)
			names = append(names, name)
			edges = append(edges, Edge{Link: graph.Link{From: "a", To: name}, Says: []string{"rises by 1"}}, Edge{Link: graph.Link{From: name, To: "b"}, Says: []string{"rises by 2"}})
		}
		m, err := NewModel(names, edges)
		if err != nil {
			t.Fatal(err)
		}
		got := written(t, m, "a", "b", DefaultOptions())
		if said := strings.Count(got, "    rises by"); said != min(2*inner, 12) || strings.Contains(got, "and 2 more edges") != (inner == 7) {
			t.Errorf("%d edges: %d are described, want at most 12:\n%s", 2*inner, said, got)
		}
	}
	// Both paths of a → c → b and a → d → c → b have c → b, and the edge without words is not listed.
	m, err := NewModel([]string{"a", "b", "c", "d"}, []Edge{
		{Link: graph.Link{From: "a", To: "c"}}, {Link: graph.Link{From: "a", To: "d"}}, {Link: graph.Link{From: "d", To: "c"}}, {Link: graph.Link{From: "c", To: "b"}, Says: []string{"rises"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if e, err := m.Between("a", "b", DefaultOptions()); err != nil || len(e.Effects) != 1 || e.Effects[0].From != "c" {
		t.Errorf("effects %+v, %v, want one of c → b", e.Effects, err)
	}
}

// Bad models and questions are errors. An unknown name lists at most 30 columns.
func TestFaultsOfAModel(t *testing.T) {
	for what, edges := range map[string][]Edge{
		"from an unknown name": {{Link: graph.Link{From: "x", To: "b"}}},
		"to an unknown name":   {{Link: graph.Link{From: "a", To: "x"}}},
		"an edge twice":        {{Link: graph.Link{From: "a", To: "b"}}, {Link: graph.Link{From: "a", To: "b"}}},
		"a cycle":              {{Link: graph.Link{From: "a", To: "b"}}, {Link: graph.Link{From: "b", To: "a"}}},
	} {
		if _, err := NewModel([]string{"a", "b"}, edges); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := NewModel([]string{"a", "a"}, nil); err == nil {
		t.Error("a name twice: no error")
	}
	for _, opt := range []Options{{Paths: -1}, {Steps: -1}, {Sensitive: []string{"x"}}} {
		if _, err := model(t, "ab", "ab").Between("a", "b", opt); err == nil {
			t.Errorf("%+v: no error", opt)
		}
	}
	for _, n := range []int{30, 31, 35} {
		names := make([]string, n)
		for k := range names {
			names[k] = fmt.Sprint("c", k)
		}
		m, err := NewModel(names, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Between("nobody", "c0", Options{})
		if !errors.Is(err, ErrName) || !strings.Contains(err.Error(), ", c29") || strings.Contains(err.Error(), "c30") || strings.Contains(err.Error(), fmt.Sprintf("and %d more", n-30)) != (n > 30) {
			t.Errorf("%d columns: %v", n, err)
		}
	}
}

// A set with the effect itself, or with a descendant of the cause, is no adjustment set.
func TestBadAdjustmentSets(t *testing.T) {
	m := model(t, "abcde", "ca", "cb", "ae") // a has no effect on b
	for set, want := range map[string]bool{"c": true, "": false, "b": false, "cb": false, "ce": false, "cd": true} {
		if got, err := m.IsAdjustment("a", "b", strings.Split(set, "")); err != nil || got != want {
			t.Errorf("the set %q: %v, %v, want %v", set, got, err, want)
		}
	}
}

// The fastest path has the smallest sum of lags, over any number of edges.
func TestFastestPath(t *testing.T) {
	edge := func(from, to string, lag int) LaggedEdge {
		return LaggedEdge{Edge: Edge{Link: graph.Link{From: from, To: to}}, Lag: lag}
	}
	names := []string{"a", "b", "c", "d"}
	edges := []LaggedEdge{edge("c", "d", 0), edge("b", "c", 1), edge("a", "b", 1), edge("a", "d", 5), edge("a", "a", 2), edge("a", "b", 3)}
	for to, want := range map[string]int{"b": 1, "c": 2, "d": 2, "a": 2} {
		if got := fastest(names, edges, "a", to); got != want {
			t.Errorf("from a to %s: a lag of %d, want %d", to, got, want)
		}
	}
	if got := fastest(names, edges, "d", "a"); got != 0 {
		t.Errorf("from d to a: a lag of %d, want 0 without a path", got)
	}
}
