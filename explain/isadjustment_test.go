package explain

import (
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
)

// Examples of the back-door criterion: a confounder, M-bias, and a descendant of the cause (Pearl 2009, section 3.3).
func TestIsAdjustment(t *testing.T) {
	model := func(edges ...string) *Model {
		var list []Edge
		for _, e := range edges {
			list = append(list, Edge{Link: graph.Link{From: e[:1], To: e[1:]}})
		}
		m, err := NewModel([]string{"x", "y", "z", "u", "v", "m", "d"}, list)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	confounder := model("zx", "zy", "xy", "xd")
	butterfly := model("ux", "um", "vm", "vy", "xy")
	for _, c := range []struct {
		m    *Model
		set  []string
		want bool
	}{
		{confounder, []string{"z"}, true}, {confounder, nil, false}, {confounder, []string{"z", "d"}, false}, {confounder, []string{"z", "u"}, true},
		{butterfly, nil, true}, {butterfly, []string{"m"}, false}, {butterfly, []string{"m", "u"}, true}, {butterfly, []string{"m", "v"}, true},
	} {
		if got, err := c.m.IsAdjustment("x", "y", c.set); err != nil || got != c.want {
			t.Errorf("%v: %v, %v; want %v", c.set, got, err, c.want)
		}
	}
	for _, bad := range [][3]string{{"q", "y", "z"}, {"x", "q", "z"}, {"x", "y", "q"}} {
		if _, err := confounder.IsAdjustment(bad[0], bad[1], bad[2:]); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}

// TestAdjusted compares the sets of all effects with those of one pair after the other.
func TestAdjusted(t *testing.T) {
	var edges []Edge
	for _, e := range []string{"ab", "ac", "bc", "cd", "be", "ed"} {
		edges = append(edges, Edge{Link: graph.Link{From: e[:1], To: e[1:]}})
	}
	m, err := NewModel([]string{"e", "d", "c", "b", "a"}, edges)
	if err != nil {
		t.Fatal(err)
	}
	list, all := m.Adjusted(100)
	if all != 9 || len(list) != 9 {
		t.Fatalf("%d of %d effects", len(list), all)
	}
	for k, e := range list {
		one, err := m.Between(e.From, e.To, DefaultOptions())
		if err != nil || one.Relation != Ancestor || !slices.Equal(one.Adjustment.Set, e.Set) || !slices.Contains(e.After, e.To) || slices.Contains(e.After, e.From) {
			t.Errorf("%+v: %+v, %v", e, one, err)
		}
		if direct := slices.ContainsFunc(edges, func(x Edge) bool { return x.Link == e.Link }); direct != (k < len(edges)) {
			t.Errorf("%v is at place %d", e.Link, k)
		}
	}
	if list, all := m.Adjusted(2); len(list) != 2 || all != 9 {
		t.Errorf("%d of %d effects", len(list), all)
	}
}
