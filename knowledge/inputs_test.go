package knowledge

import (
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
)

// TestInputs checks that no edge leads to an input, by its exact name, and that other knowledge stays.
func TestInputs(t *testing.T) {
	spec := Spec{Inputs: []string{"a*", "b,(t-1)"}, Forbid: []string{"c->d"}}
	k, err := spec.Resolve([]string{"a*", "ab", "b,(t-1)", "c", "d"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		for j := range 5 {
			if want := i == j || j == 0 || j == 2 || i == 3 && j == 4; k.Forbidden(i, j) != want {
				t.Errorf("%d → %d is forbidden: %v, want %v", i, j, !want, want)
			}
		}
	}
	if in := k.Inputs(); !k.Input(0) || k.Input(1) || len(in) != 5 || !in[2] {
		t.Errorf("the inputs are %v", in)
	}
	if spec.Empty() || (Spec{Inputs: []string{"a"}}).Empty() {
		t.Error("inputs alone restrict no graph")
	}
	merged, err := spec.Merge(Spec{Inputs: []string{"ab"}})
	if err != nil || strings.Join(merged.Inputs, ";") != "a*;b,(t-1);ab" {
		t.Errorf("merged inputs are %q, %v", merged.Inputs, err)
	}
	for _, bad := range []Spec{{Inputs: []string{"e"}}, {Inputs: []string{"c"}, Require: []string{"d->c"}}} {
		if _, err := bad.Resolve([]string{"c", "d"}); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
	for _, undirected := range []bool{true, false} { // an edge to an input is named, also without required edges
		p := graph.NewPDAG(5)
		if p.SetDirected(0, 2); undirected {
			p.SetUndirected(0, 2)
		}
		if _, err := k.Orient(p); err == nil || !strings.Contains(err.Error(), "is an input") {
			t.Errorf("an edge between inputs: %v", err)
		}
	}
	if none, err := (Spec{}).Resolve([]string{"a"}); err != nil || none.Inputs() != nil || none.Input(0) {
		t.Errorf("an empty spec has inputs: %v, %v", none.Inputs(), err)
	}
}
