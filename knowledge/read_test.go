package knowledge

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/polydag/polydag/internal/must"
)

func TestReadSpec(t *testing.T) {
	full := Spec{
		Require: []string{"a->b"},
		Forbid:  []string{"*->a", "@g -> b"},
		Tiers:   [][]string{{"a", "b"}, {}, {"c*"}},
		Groups:  map[string][]string{"g": {"c", "d?"}},
	}
	for _, c := range []struct {
		in   string
		want Spec
	}{
		{`{}`, Spec{}},
		{"\ufeff {} \r\n", Spec{}},
		{`{"require":["a->b"],"forbid":["*->a","@g -> b"],"tiers":[["a","b"],[],["c*"]],"groups":{"g":["c","d?"]}}`, full},
		{`{"require":null,"forbid":[],"tiers":null,"groups":{}}`, Spec{}},
		{`{"groups":null,"tiers":[]}`, Spec{}},
		{`{"prior":["a->b=0.8"],"sources":{"a study":["a->b=0.8"]}}`, Spec{Prior: []string{"a->b=0.8"}, Sources: map[string][]string{"a study": {"a->b=0.8"}}}},
		{`[]`, Spec{}},
		{"[\n[\"a\",\"b\"],\n[\"c\"]]\n", Spec{Tiers: [][]string{{"a", "b"}, {"c"}}}},
		{`[["a \u2192 b"], null]`, Spec{Tiers: [][]string{{"a → b"}, {}}}},
	} {
		got, err := ReadSpec(strings.NewReader(c.in))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %#v, %v, want %#v", c.in, got, err, c.want)
		}
	}
}

func TestReadSpecRefuses(t *testing.T) {
	for _, c := range []struct {
		in   string
		want string // each line is part of the message
	}{
		{"", "the file is empty; write {"},
		{" \n", "the file is empty; write {"},
		{"\xff\xfe[\x00", "not UTF-8; save it as UTF-8"},
		{`"a->b"`, `the file holds "a->b"; write an object`},
		{`null`, `the file holds null; write an object`},
		{`{"forbid":["a->b"]} {}`, "line 1, column 21: {} follows the end of the JSON value"},
		{"[[\"a\"]]\n\n  x", "line 3, column 3: x follows the end"},
		{"{\n  \"forbid\": [\"a->b\",]\n}", "line 2, column 21: invalid character ']'"},
		{"{\n\"forbid\": [", "line 2, column 12: unexpected end of JSON input"},
		{`{"forbidden":["a->b"]}`, `unknown key "forbidden"; did you mean "forbid"?`},
		{`{"Require":["a->b"]}`, `unknown key "Require"; did you mean "require"?`},
		{`{"blacklist":["a->b"]}`, `unknown key "blacklist"; the keys are require, forbid, prior, tiers, tier_odds, groups, sources`},
		{`{"forbid":["a->b"],"forbid":["b->c"]}`, `key "forbid" occurs twice; join the two`},
		{`{"groups":{"g":["a"],"g":["b"]}}`, `group "g" occurs twice; join the two`},
		{`{"require":"a->b"}`, `require: want a list of edges, ["a->b"], got "a->b"`},
		{`{"forbid":["a->b",17,null]}`, "forbid[1]: want a string, got 17\nforbid[2]: want a string, got null"},
		{`["a","b"]`, "tiers[0]: want a list of names, [\"a\", \"b\"], got \"a\"\ntiers[1]: want a list"},
		{`{"tiers":{"a":1}}`, `tiers: want a list of lists of names, [["a", "b"], ["c"]], got {"a":1}`},
		{`{"tiers":[["a",["b"]]]}`, `tiers[0][1]: want a string, got ["b"]`},
		{`{"groups":["a"]}`, `groups: want an object of lists`},
		{`{"sources":["a"]}`, `sources: want an object of lists, {"a study"`},
		{`{"sources":{"s":[1]}}`, `source "s"[0]: want a string`},
		{`{"groups":{"g":"a"}}`, `group "g": want a list of names`},
		{`{"requires":1,"forbid":2}`, "did you mean \"require\"?\nforbid: want a list"},
	} {
		got, err := ReadSpec(strings.NewReader(c.in))
		if err == nil {
			t.Errorf("%q: no error, want %s", c.in, c.want)
			continue
		}
		if !errors.Is(err, ErrKnowledge) {
			t.Errorf("%q: %v does not match ErrKnowledge", c.in, err)
		}
		if !reflect.DeepEqual(got, Spec{}) {
			t.Errorf("%q: %v comes with %v", c.in, err, got)
		}
		for _, want := range strings.Split(c.want, "\n") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q:\ngot  %v\nwant %s", c.in, err, want)
			}
		}
	}
	broken := errors.New("broken pipe")
	if _, err := ReadSpec(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the reader", err)
	}
}

// FuzzReadSpec checks that accepted specs survive a round trip, and that resolved ones are consistent.
func FuzzReadSpec(f *testing.F) {
	var seeds [][]byte
	for _, s := range []string{
		`{}`, `[]`, `[["a"],["b","c*"]]`, `null`, `{"groups":null}`, `{"require":["a->b","b->c"],"forbid":["*->a"]}`,
		`{"require":["\"a->b\"->c"]}`, `{"require":["a → b"],"tiers":[["?"]],"groups":{"g":["*"]},"forbid":["@g->a"]}`,
		`{"forbid":["\"\"\"\"->*"]}`, `[[["a"]]]`, `{"forbid":[1]}`, `{"forbid":["a->b"]}x`, `{"tiers":[["@g"],["c"]],"groups":{"g":["a","b"]}}`,
		`{"require":["c->a->b","->","a","\"a","\"a\"x->b"]}`,
	} {
		seeds = append(seeds, []byte(s))
	}
	must.AddMutants(f, 1000, seeds...)
	names := []string{"a", "b", "c", "a->b", "*", ""}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadSpec(strings.NewReader(string(data)))
		if err != nil {
			if !errors.Is(err, ErrKnowledge) {
				t.Fatalf("%v does not match ErrKnowledge", err)
			}
			return
		}
		written := must.Get(json.Marshal(s))
		back, err := ReadSpec(strings.NewReader(string(written)))
		if err != nil || !reflect.DeepEqual(s, back) {
			t.Fatalf("%#v came back as %#v, %v", s, back, err)
		}
		k, err := s.Resolve(names)
		if err != nil {
			if !errors.Is(err, ErrKnowledge) {
				t.Fatalf("%v does not match ErrKnowledge", err)
			}
			return
		}
		for _, e := range k.Required() {
			if k.Forbidden(e.From, e.To) || !k.Forbidden(e.To, e.From) {
				t.Fatalf("%s: required %v: forbidden %v, reverse forbidden %v", written, e,
					k.Forbidden(e.From, e.To), k.Forbidden(e.To, e.From))
			}
		}
	})
}
