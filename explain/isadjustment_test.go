package explain

import (
	"slices"
	"strings"
	"testing"
)

// Examples of the back-door criterion: a confounder, M-bias, and a descendant of the cause (Pearl 2009, section 3.3). A set with the
// effect itself is no adjustment set.
func TestIsAdjustment(t *testing.T) {
	confounder := model(t, "xyzuvmd", "zx", "zy", "xy", "xd")
	butterfly := model(t, "xyzuvmd", "ux", "um", "vm", "vy", "xy")
	unrelated := model(t, "xyzud", "zx", "zy", "xd") // x has no effect on y
	for _, c := range []struct {
		m    *Model
		set  string
		want bool
	}{
		{confounder, "z", true}, {confounder, "", false}, {confounder, "zd", false}, {confounder, "zu", true},
		{butterfly, "", true}, {butterfly, "m", false}, {butterfly, "mu", true}, {butterfly, "mv", true},
		{unrelated, "z", true}, {unrelated, "", false}, {unrelated, "y", false}, {unrelated, "zy", false}, {unrelated, "zd", false}, {unrelated, "zu", true},
	} {
		if got, err := c.m.IsAdjustment("x", "y", strings.Split(c.set, "")); err != nil || got != c.want {
			t.Errorf("%q: %v, %v; want %v", c.set, got, err, c.want)
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
	m := model(t, "edcba", "ab", "ac", "bc", "cd", "be", "ed")
	list, all := m.Adjusted(100)
	if all != 9 || len(list) != 9 {
		t.Fatalf("%d of %d effects", len(list), all)
	}
	for k, e := range list {
		one, err := m.Between(e.From, e.To, DefaultSettings())
		if err != nil || one.Relation != Ancestor || !slices.Equal(one.Adjustment.Set, e.Set) || !slices.Contains(e.After, e.To) || slices.Contains(e.After, e.From) {
			t.Errorf("%+v: %+v, %v", e, one, err)
		}
		if direct := m.graph.HasEdge(m.index[e.From], m.index[e.To]); direct != (k < m.graph.NumEdges()) {
			t.Errorf("%v is at place %d", e.Link, k)
		}
	}
	if list, all := m.Adjusted(2); len(list) != 2 || all != 9 {
		t.Errorf("%d of %d effects", len(list), all)
	}
}
