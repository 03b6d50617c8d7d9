package knowledge

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

func mustResolve(t *testing.T, s Spec, names ...string) *Knowledge {
	t.Helper()
	return must.Get(s.Resolve(names))
}

// forbiddenEdges lists the forbidden edges other than self-loops, as "ab" for a → b.
func forbiddenEdges(k *Knowledge) string {
	var all []string
	for i := range k.N() {
		for j := range k.N() {
			if i != j && k.Forbidden(i, j) {
				all = append(all, k.names[i]+k.names[j])
			}
		}
	}
	return strings.Join(all, " ")
}

func TestResolve(t *testing.T) {
	abcd := []string{"a", "b", "c", "d"}
	for _, c := range []struct {
		name      string
		spec      Spec
		columns   []string
		required  []graph.Edge
		forbidden string
	}{
		{"nothing", Spec{}, abcd, nil, ""},
		{"no columns", Spec{}, nil, nil, ""},
		{"groups alone", Spec{Groups: map[string][]string{"g": {"a"}}}, abcd, nil, ""},
		{"edge", Spec{Forbid: []string{" b → a "}}, abcd, nil, "ba"},
		{"sink", Spec{Forbid: []string{"*->c"}}, abcd, nil, "ac bc dc"},
		{"both directions", Spec{Forbid: []string{"a->b", "b->a"}}, abcd, nil, "ab ba"},
		{"everything", Spec{Forbid: []string{"*->*"}}, abcd[:3], nil, "ab ac ba bc ca cb"},
		{"group of one with itself", Spec{Forbid: []string{"@g->@g"}, Groups: map[string][]string{"g": {"a"}}}, abcd, nil, ""},
		{"groups", Spec{Forbid: []string{"@g->@h"}, Groups: map[string][]string{"g": {"a", "b"}, "h": {"b", "d*"}}}, abcd, nil, "ab ad bd"},
		{"tiers", Spec{Tiers: [][]string{{"b"}, {"a", "d"}}}, abcd, nil, "ab db"},
		{"tiers of patterns and groups", Spec{Tiers: [][]string{{"@g"}, {"?c"}}, Groups: map[string][]string{"g": {"a", "b"}}},
			[]string{"a", "b", "xc", "d"}, nil, "xca xcb"},
		{"a tier twice over", Spec{Tiers: [][]string{{"a", "a", "a*"}, {"b"}}}, abcd, nil, "ba"},
		{"required", Spec{Require: []string{"c->a", "a->b", "c -> a"}}, abcd, []graph.Edge{{From: 0, To: 1}, {From: 2, To: 0}}, "ac ba bc"},
		{"pattern of one", Spec{Require: []string{"x*->y?"}}, []string{"x1", "y2"}, []graph.Edge{{From: 0, To: 1}}, "y2x1"},
		{"group of one", Spec{Require: []string{"@g->a"}, Groups: map[string][]string{"g": {"b", "b*"}}}, abcd, []graph.Edge{{From: 1, To: 0}}, "ab"},
		{"a name is no pattern", Spec{Require: []string{"x?->y"}}, []string{"x?", "xx", "y"}, []graph.Edge{{From: 0, To: 2}}, "yx?"},
		{"a name is no group", Spec{Require: []string{"@x->y"}}, []string{"@x", "y"}, []graph.Edge{{From: 0, To: 1}}, "y@x"},
		{"quotes", Spec{Forbid: []string{`"a->b"->" c "`}, Tiers: [][]string{{`" c "`}, {"d"}}}, []string{"a->b", " c ", "d"}, nil, "a->b c  d c "},
		{"entries as they stand", Spec{Tiers: [][]string{{"a->b"}, {" c "}}}, []string{"a->b", " c "}, nil, " c a->b"},
	} {
		k := mustResolve(t, c.spec, c.columns...)
		if got := k.Required(); !slices.Equal(got, c.required) {
			t.Errorf("%s: required %v, want %v", c.name, got, c.required)
		}
		if got := forbiddenEdges(k); got != c.forbidden {
			t.Errorf("%s: forbidden %q, want %q", c.name, got, c.forbidden)
		}
		for i := range k.N() {
			if !k.Forbidden(i, i) {
				t.Errorf("%s: the self-loop of %d is allowed", c.name, i)
			}
		}
	}
}

func TestResolveNamesEveryFault(t *testing.T) {
	columns := []string{"age", "male", "hair_black", "hair_brown", "dose"}
	for _, c := range []struct {
		name string
		spec Spec
		want []string // one message each, in this order
	}{
		{"cycle", Spec{Require: []string{"age->male", "male->dose", "dose->age"}},
			[]string{"the required edges close a cycle: age → male → dose → age; drop one of them"}},
		{"two cycles", Spec{Require: []string{"age->male", "male->age", "male->dose", "dose->hair_black", "hair_black->dose"}},
			[]string{"close a cycle: age → male → age;", "close a cycle: hair_black → dose → hair_black;"}},
		{"required and forbidden", Spec{Require: []string{"age -> dose"}, Forbid: []string{"age->male", "a*->d*", "*->dose"}},
			[]string{`require "age -> dose": forbidden by "a*->d*", "*->dose"; drop one of them`}},
		{"required against tiers", Spec{Require: []string{"dose->age"}, Tiers: [][]string{{"age"}, {}, {"dose"}}},
			[]string{`require "dose->age": leads from tiers[2] back to tiers[0]; drop it or move a column`}},
		{"two tiers", Spec{Tiers: [][]string{{"age", "hair_*"}, {"male"}, {"*"}}},
			[]string{`tiers[2]: "*" lists again what tiers[0] has, age, hair_black, hair_brown; a column has one tier`,
				`tiers[2]: "*" lists again what tiers[1] has, male; a column has one tier`}},
		{"unknown name", Spec{Require: []string{"Agee->male", "weight->dose"}, Tiers: [][]string{{"doze"}}},
			[]string{`require "Agee->male": no column is named "Agee"; did you mean "age"?`,
				`require "weight->dose": no column is named "weight"; the columns are age, male, hair_black, hair_brown, dose`,
				`tiers[0]: no column is named "doze"; did you mean "dose"?`}},
		{"unknown on both sides", Spec{Forbid: []string{"foo->bar", "qux->qux"}},
			[]string{`forbid "foo->bar": no column is named "foo"`, `forbid "foo->bar": no column is named "bar"`, `forbid "qux->qux": no column is named "qux"`}},
		{"pattern of nothing", Spec{Forbid: []string{"hiar_*->age"}},
			[]string{`forbid "hiar_*->age": no column matches "hiar_*"; did you mean "hair_black"?`}},
		{"a quoted pattern is a name", Spec{Forbid: []string{`"hair_*"->age`}},
			[]string{`no column is named "hair_*"; the columns are`}},
		{"several required at once", Spec{Require: []string{"hair_*->age"}},
			[]string{`require "hair_*->age": one end stands for 2 columns, hair_black, hair_brown; write one entry for each edge`}},
		{"unknown group", Spec{Forbid: []string{"@hare->age", "@x->age"}, Groups: map[string][]string{"hair": {"hair_*"}}},
			[]string{`forbid "@hare->age": there is no group @hare; did you mean @hair?`,
				`forbid "@x->age": there is no group @x; define it in groups, or write "@x" in double quotes if it is a column`}},
		{"no groups", Spec{Tiers: [][]string{{"@hair"}}}, []string{`tiers[0]: there is no group @hair; define it`}},
		{"a faulty group is reported once", Spec{Forbid: []string{"@g->age", "@h->@g"}, Tiers: [][]string{{"@g"}},
			Groups: map[string][]string{"g": {"agee", "nothing*"}, "h": {"@g"}}},
			[]string{`group "g": no column is named "agee"; did you mean "age"?`, `group "g": no column matches "nothing*"; the columns are`,
				`group "h": @g is a group, and a group holds names and patterns only`}},
		{"names of groups", Spec{Groups: map[string][]string{"": {"age"}, "@g": {"age"}, "a->b": {"age"}, " x": {"age"}, "e": {}}},
			[]string{`group "": cannot be used`, `group " x": cannot be used`, `group "@g": cannot be used`, `group "a->b": cannot be used`, `group "e": is empty`}},
		{"required self-loop", Spec{Require: []string{"age->age"}}, []string{`require "age->age": a self-loop, which no DAG has; drop it`}},
		{"forbidden self-loop", Spec{Forbid: []string{"age->age"}}, []string{`forbid "age->age": a self-loop, which no DAG has anyway`}},
		{"syntax", Spec{Require: []string{"age"}, Forbid: []string{"age->male->dose"}, Tiers: [][]string{{""}}},
			[]string{`require "age": no arrow`, `forbid "age->male->dose": more than one arrow`, `tiers[0]: an entry is empty`}},
		{"all at once", Spec{Require: []string{"age->male", "male->age", "dose->age"}, Forbid: []string{"*->age", "sex->dose"}, Tiers: [][]string{{"age"}, {"dose", "a*"}}},
			[]string{`forbid "sex->dose": no column`, `tiers[1]: "a*" lists again`, `require "male->age": forbidden by "*->age"`,
				`require "dose->age": forbidden by "*->age"`, `require "dose->age": leads from tiers[1]`, `close a cycle: age → male → age`}},
	} {
		k, err := c.spec.Resolve(columns)
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		if k != nil {
			t.Errorf("%s: knowledge beside an error", c.name)
		}
		var all []error
		if joint, ok := err.(interface{ Unwrap() []error }); ok {
			all = joint.Unwrap()
		}
		if len(all) != len(c.want) {
			t.Errorf("%s: got %d errors, want %d:\n%v", c.name, len(all), len(c.want), err)
			continue
		}
		for n, one := range all {
			if !strings.Contains(one.Error(), c.want[n]) {
				t.Errorf("%s:\ngot  %v\nwant %s", c.name, one, c.want[n])
			}
			if !errors.Is(one, ErrKnowledge) {
				t.Errorf("%s: %v does not match ErrKnowledge", c.name, one)
			}
		}
	}
}

func TestResolveRefusesEqualNames(t *testing.T) {
	names := []string{"x", "y", "x"}
	_, err := Spec{Forbid: []string{"x->y"}}.Resolve(names)
	if err == nil || !strings.Contains(err.Error(), `columns 1 and 3 are both named "x"; rename one`) {
		t.Errorf("got %v", err)
	}
	if _, err := (Spec{}).Resolve(names); err != nil {
		t.Errorf("no knowledge: %v", err)
	}
	_, err = Spec{Groups: map[string][]string{"g": {"@g"}}}.Resolve([]string{"@g"})
	if err == nil || !strings.Contains(err.Error(), `group "g": cannot be told from the column "@g"; rename the group`) {
		t.Errorf("got %v", err)
	}
}

func TestResolveKeepsNothing(t *testing.T) {
	names := []string{"a", "b", "c"}
	k := mustResolve(t, Spec{Require: []string{"a->b"}, Tiers: [][]string{{"a"}, {"c"}}}, names...)
	names[0] = "z"
	k.Required()[0] = graph.Edge{From: 2, To: 2}
	k.Tiers()[0] = 7
	if err := k.Check(graph.New(3)); err == nil || !strings.Contains(err.Error(), "a → b is required and missing") {
		t.Errorf("got %v", err)
	}
	if got := k.Tiers(); !slices.Equal(got, []int{0, -1, 1}) {
		t.Errorf("tiers %v", got)
	}
	if mustResolve(t, Spec{}, names...).Tiers() != nil {
		t.Error("no tiers, but Tiers is not nil")
	}
}

func TestMerge(t *testing.T) {
	s := Spec{Require: []string{"a->b"}, Forbid: []string{"@g->a", "x->y"}, Tiers: [][]string{{"a"}, {"b"}}, Sources: map[string][]string{"s": {"a->b"}, "t": {"x->y"}}}
	o := Spec{Require: []string{"a->b", "b->c"}, Forbid: []string{"x->y"}, Groups: map[string][]string{"g": {"c"}}, Sources: map[string][]string{"s": {"b->c", "a->b"}}}
	want := Spec{
		Require: []string{"a->b", "b->c"}, Forbid: []string{"@g->a", "x->y"},
		Tiers: [][]string{{"a"}, {"b"}}, Groups: map[string][]string{"g": {"c"}},
		Sources: map[string][]string{"s": {"a->b", "b->c"}, "t": {"x->y"}},
	}
	got, err := s.Merge(o)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, %v, want %v", got, err, want)
	}
	got.Tiers[0][0], got.Groups["g"][0] = "z", "z"
	if s.Tiers[0][0] != "a" || o.Groups["g"][0] != "c" {
		t.Error("the result shares its lists")
	}
	if again, err := want.Merge(want); err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("with itself: %v, %v", again, err)
	}
	for _, pair := range [][2]Spec{{want, {}}, {{}, want}} {
		if same, err := pair[0].Merge(pair[1]); err != nil || !reflect.DeepEqual(same, want) {
			t.Errorf("with nothing: %v, %v", same, err)
		}
	}
	_, err = want.Merge(Spec{Tiers: [][]string{{"b"}, {"a"}}, Groups: map[string][]string{"g": {"d"}}})
	for _, part := range []string{"tiers are given twice", `group "g" is given twice`} {
		if !errors.Is(err, ErrKnowledge) || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want %s", err, part)
		}
	}
}

func TestEmpty(t *testing.T) {
	for _, s := range []Spec{{}, {Tiers: [][]string{{}, {}}}, {Groups: map[string][]string{"g": {"a"}}}} {
		if !s.Empty() {
			t.Errorf("%v is not empty", s)
		}
	}
	for _, s := range []Spec{{Require: []string{"a->b"}}, {Forbid: []string{"a->b"}}, {Tiers: [][]string{{}, {"a"}}}} {
		if s.Empty() {
			t.Errorf("%v is empty", s)
		}
	}
}

// TestResolveLarge resolves ten thousand columns with a chain of required edges, forbidden products and tiers.
func TestResolveLarge(t *testing.T) {
	const d = 10000
	names := make([]string, d)
	for i := range names {
		names[i] = fmt.Sprintf("x%05d", i)
	}
	s := Spec{Forbid: []string{"x0?000->*"}, Tiers: [][]string{{"x0*"}}}
	for i := 9000; i < 9500; i++ {
		s.Require = append(s.Require, names[i]+"->"+names[i+1])
	}
	for i := range 3000 {
		s.Forbid = append(s.Forbid, "*->"+names[i])
	}
	// The required chain must not start where x0?000->* forbids it.
	s.Require = s.Require[1:]
	k := mustResolve(t, s, names...)
	for _, c := range []struct {
		i, j int
		want bool
	}{
		{1000, 5000, true}, {1001, 5000, false}, {5001, 2999, true}, {5001, 3001, false},
		{9500, 9001, true}, {9001, 9500, false}, {9500, 9000, false}, {9300, 9299, true}, {9501, 9500, false},
	} {
		if got := k.Forbidden(c.i, c.j); got != c.want {
			t.Errorf("Forbidden(%d, %d) = %v", c.i, c.j, got)
		}
	}
	if got := testing.AllocsPerRun(1, func() { k.Forbidden(1, 2) }); got != 0 {
		t.Errorf("Forbidden allocates %v times", got)
	}
	// A file for another table: every entry is unknown, and saying so must not take d² comparisons.
	wrong := Spec{}
	for i := range 10000 {
		wrong.Forbid = append(wrong.Forbid, fmt.Sprintf("y%d->x00000", i))
	}
	if _, err := wrong.Resolve(names); err == nil {
		t.Error("unknown columns were taken")
	}
}

// TestInputs checks that no edge leads to an input, by its exact name, and that other knowledge stays.
func TestInputs(t *testing.T) {
	spec := Spec{Inputs: []string{"a*", "b,(t-1)"}, Forbid: []string{"c->d"}}
	k := must.Get(spec.Resolve([]string{"a*", "ab", "b,(t-1)", "c", "d"}))
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
