package knowledge

import (
	"reflect"
	"slices"
	"testing"
)

func TestParseOrder(t *testing.T) {
	for text, want := range map[string][][]string{
		"a,b < c":        {{"a", "b"}, {"c"}},
		" a <b , c,<d":   {{"a"}, {"b", "c"}, {"d"}},
		"body mass < bp": {{"body mass"}, {"bp"}},
		"a":              nil, "a < < b": nil, "": nil, "a <": nil,
	} {
		if got, err := ParseOrder(text); (err != nil) != (want == nil) || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
}

// Named has each column of required and forbidden edges once, without patterns and groups. Without changes the tiers alone.
func TestNamesOfASpec(t *testing.T) {
	s := Spec{Require: []string{"a -> b"}, Forbid: []string{"b->c", "x*->d", "@g->e", "*->a"}, Tiers: [][]string{{"a", "q"}, {"b"}}}
	if got := s.Named(); !slices.Equal(got, []string{"a", "b", "c", "d", "e"}) {
		t.Errorf("named: %v", got)
	}
	less := s.Without([]string{"q", "b"})
	if want := [][]string{{"a"}, {}}; !reflect.DeepEqual(less.Tiers, want) || len(s.Tiers[0]) != 2 || len(less.Forbid) != 4 {
		t.Errorf("tiers %v, want %v; before %v", less.Tiers, want, s.Tiers)
	}
	if (Spec{}).Without([]string{"a"}).Tiers != nil {
		t.Error("tiers where there were none")
	}
	for _, c := range []struct {
		spec  Spec
		empty bool
	}{{Spec{}, true}, {Spec{Groups: map[string][]string{"g": {"a"}}}, true}, {Spec{Tiers: [][]string{{}, {}}}, true}, {Spec{Tiers: [][]string{{}, {"a"}}}, false}, {s, false}, {Spec{Forbid: s.Forbid}, false}} {
		if c.spec.Empty() != c.empty {
			t.Errorf("%+v: empty is %v", c.spec, !c.empty)
		}
	}
}
