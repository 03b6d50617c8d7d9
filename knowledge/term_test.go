package knowledge

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParseEdge(t *testing.T) {
	plain := func(s string) term { return term{text: s} }
	quoted := func(s string) term { return term{text: s, quoted: true} }
	for _, c := range []struct {
		in       string
		from, to term
	}{
		{"a->b", plain("a"), plain("b")},
		{"  a  →\tb ", plain("a"), plain("b")},
		{"hair colour->age", plain("hair colour"), plain("age")},
		{"a-->b", plain("a-"), plain("b")},
		{"a>b->c-d", plain("a>b"), plain("c-d")},
		{`"a->b" -> c`, quoted("a->b"), plain("c")},
		{`a->"b → c"`, plain("a"), quoted("b → c")},
		{`" a "->"*"`, quoted(" a "), quoted("*")},
		{`"say ""hi"""->""`, quoted(`say "hi"`), quoted("")},
		{`5" disk->"5"""`, plain(`5" disk`), quoted(`5"`)},
		{"@hair->*", plain("@hair"), plain("*")},
	} {
		from, to, err := parseEdge(c.in)
		if err != nil || from != c.from || to != c.to {
			t.Errorf("%s: got %v, %v, %v, want %v, %v", c.in, from, to, err, c.from, c.to)
		}
	}
	for _, c := range []struct{ in, want string }{
		{"", "no arrow"},
		{"a b", "no arrow"},
		{"a<-b", "no arrow"},
		{`"a->b"`, "no arrow"},
		{"->b", "name is missing"},
		{"a->", "name is missing"},
		{" → ", "name is missing"},
		{"a->b->c", "more than one arrow"},
		{"a->b→", "more than one arrow"},
		{`"a->b`, "not closed"},
		{`a->"b""`, "not closed"},
		{`a->"""`, "not closed"},
		{`"a"x->b`, `"x" follows a closing quote`},
		{`a->"b" c`, `"c" follows a closing quote`},
	} {
		if _, _, err := parseEdge(c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %s", c.in, err, c.want)
		}
	}
}

func TestParseEntry(t *testing.T) {
	for _, c := range []struct {
		in   string
		want term
	}{
		{" a->b ", term{text: "a->b"}},
		{`"x "`, term{text: "x ", quoted: true}},
		{`x"y`, term{text: `x"y`}},
	} {
		if got, err := parseEntry(c.in); err != nil || got != c.want {
			t.Errorf("%q: got %v, %v, want %v", c.in, got, err, c.want)
		}
	}
	for in, want := range map[string]string{"": "empty", "  ": "empty", `"a`: "not closed", `"a"b`: "follows a closing quote"} {
		if _, err := parseEntry(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", in, err, want)
		}
	}
}

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
