package explain

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// written returns the text of an explanation.
func written(t *testing.T, m *Model, from, to string, opt Settings) string {
	t.Helper()
	e := must.Get(m.Between(from, to, opt))
	return must.Text(t, e.WriteText)
}

// model returns a model of edges written as two letters, "ab" for a → b and "a-b" for an undirected one.
func model(t *testing.T, names string, edges ...string) *Model {
	t.Helper()
	var list []Edge
	for _, e := range edges {
		list = append(list, Edge{Link: graph.Link{From: e[:1], To: e[len(e)-1:]}, Weight: 1, Undirected: len(e) == 3})
	}
	m := must.Get(NewModel(strings.Split(names, ""), list))
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
		{"an undirected path", model(t, "abc", "a-c", "cb"), nil, false, []string{"  depends on undirected a — c\n", "Depends on   undirected a — c: with these reversed"}, []string{"c — b", "The edge"}},
		{"an undirected edge", model(t, "abc", "a-b", "cb"), nil, false, []string{"The edge a — b is undirected: its direction is not stated. What follows holds if a acts on b.\n"}, nil},
		{"without slopes", plain, nil, true, []string{"are not slopes", "  a → b\n"}, []string{"  total"}},
	} {
		opt := DefaultSettings()
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
		m := must.Get(NewModel(names, edges))
		got := written(t, m, "a", "b", DefaultSettings())
		if said := strings.Count(got, "    rises by"); said != min(2*inner, 12) || strings.Contains(got, "and 2 more edges") != (inner == 7) {
			t.Errorf("%d edges: %d are described, want at most 12:\n%s", 2*inner, said, got)
		}
	}
	// Both paths of a → c → b and a → d → c → b have c → b, and the edge without words is not listed.
	m := must.Get(NewModel([]string{"a", "b", "c", "d"}, []Edge{
		{Link: graph.Link{From: "a", To: "c"}}, {Link: graph.Link{From: "a", To: "d"}}, {Link: graph.Link{From: "d", To: "c"}}, {Link: graph.Link{From: "c", To: "b"}, Says: []string{"rises"}},
	}))
	if e, err := m.Between("a", "b", DefaultSettings()); err != nil || len(e.Effects) != 1 || e.Effects[0].From != "c" {
		t.Errorf("effects %+v, %v, want one of c → b", e.Effects, err)
	}
}

// Bad models and questions are errors. An unknown name lists at most 30 columns.
func TestFaultsOfAModel(t *testing.T) {
	for what, edges := range map[string][]Edge{
		"from an unknown name": {{Link: graph.Link{From: "x", To: "b"}}},
		"to an unknown name":   {{Link: graph.Link{From: "a", To: "x"}}},
		"an edge twice":        {{Link: graph.Link{From: "a", To: "b"}}, {Link: graph.Link{From: "a", To: "b"}}},
	} {
		if _, err := NewModel([]string{"a", "b"}, edges); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := NewModel([]string{"a", "a"}, nil); err == nil {
		t.Error("a name twice: no error")
	}
	for _, opt := range []Settings{{Paths: -1}, {Steps: -1}, {Sensitive: []string{"x"}}} {
		if _, err := model(t, "ab", "ab").Between("a", "b", opt); err == nil {
			t.Errorf("%+v: no error", opt)
		}
	}
	for _, n := range []int{30, 31, 35} {
		names := make([]string, n)
		for k := range names {
			names[k] = fmt.Sprint("c", k)
		}
		m := must.Get(NewModel(names, nil))
		_, err := m.Between("nobody", "c0", Settings{})
		if !errors.Is(err, ErrName) || !strings.Contains(err.Error(), ", c29") || strings.Contains(err.Error(), "c30") || strings.Contains(err.Error(), fmt.Sprintf("and %d more", n-30)) != (n > 30) {
			t.Errorf("%d columns: %v", n, err)
		}
	}
}

// The fastest path has the smallest sum of lags, over any number of edges.
func TestFastestPath(t *testing.T) {
	edge := func(from, to string, lag int) Edge { return laggedEdge(from, to, lag, 0) }
	names := []string{"a", "b", "c", "d"}
	edges := []Edge{edge("c", "d", 0), edge("b", "c", 1), edge("a", "b", 1), edge("a", "d", 5), edge("a", "a", 2), edge("a", "b", 3)}
	for to, want := range map[string]int{"b": 1, "c": 2, "d": 2, "a": 2} {
		must.Same(t, fastest(names, edges, "a", to), want, to)
	}
	must.Same(t, fastest(names, edges, "d", "a"), 0, "from d to a")
}
