package knowledge

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestReadTetrad checks that Tetrad files have the same meaning as in Tetrad.
func TestReadTetrad(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Spec
	}{
		{"as in its manual", "/knowledge\naddtemporal\n\n1 a b \n2 c\n3 \n\nforbiddirect\na b\n\nrequiredirect\nb c\n",
			Spec{Tiers: [][]string{{"a", "b"}, {"c"}, nil}, Forbid: []string{"a->b"}, Require: []string{"b->c"}}},
		{"as it saves", "/knowledge\naddtemporal\n\n0  a b\n1  c\n\nforbiddirect\n\nrequiredirect\n", Spec{Tiers: [][]string{{"a", "b"}, {"c"}}}},
		{"CRLF, comments, tabs, tiers in any order", "\ufeff\r\n/knowledge\r\n// from Tetrad\r\naddtemporal\r\n2\tb\r\n1\ta\r\n2 c\r\n",
			Spec{Tiers: [][]string{{"a"}, {"b", "c"}}}},
		{"edges inside a tier", "/knowledge\naddtemporal\n1* a b\n2* c\n",
			Spec{Tiers: [][]string{{"a", "b"}, {"c"}}, Forbid: []string{"@tier 1->@tier 1"}, Groups: map[string][]string{"tier 1": {"a", "b"}}}},
		{"the next tier only", "/knowledge\naddtemporal\n1*- a\n2- b\n3 c\n4 d\n",
			Spec{Tiers: [][]string{{"a"}, {"b"}, {"c"}, {"d"}}, Forbid: []string{"@tier 1->@tier 3", "@tier 1->@tier 4", "@tier 2->@tier 4"},
				Groups: map[string][]string{"tier 1": {"a"}, "tier 2": {"b"}, "tier 3": {"c"}, "tier 4": {"d"}}}},
		{"groups", "/knowledge\nforbiddengroup\na b\nc d*\n",
			Spec{Forbid: []string{"@causes 1->@effects 1"}, Groups: map[string][]string{"causes 1": {"a", "b"}, "effects 1": {"c", "d*"}}}},
		{"commas and quotes", "/knowledge comma\naddtemporal\n0 body mass, \"b,c\"\nrequireddirect\nbody mass, x->y\n",
			Spec{Tiers: [][]string{{"body mass", "b,c"}}, Require: []string{`body mass->"x->y"`}}},
		{"strange names", "/knowledge\nforbiddirect\n\"a b\" @c\n\"a\"\"b\" d?\n", Spec{Forbid: []string{`a b->"@c"`, `"a""b"->"d?"`}}},
		{"nothing", "/knowledge\n", Spec{}},
	} {
		got, err := ReadSpec(strings.NewReader(c.text))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v\nwant %+v", c.name, got, err, c.want)
		}
	}
}

// TestTetradResolves checks the forbidden edges of a text after its names are resolved to columns.
func TestTetradResolves(t *testing.T) {
	spec := must.Get(ReadSpec(strings.NewReader("/knowledge\naddtemporal\n1* a b\n2- c\n3 d\n4 e*\nforbiddirect\na d\nrequiredirect\na c\n")))
	names := []string{"a", "b", "c", "d", "e1", "e2"}
	k := must.Get(spec.Resolve(names))
	var allowed []string
	for i, from := range names {
		for j, to := range names {
			if !k.Forbidden(i, j) {
				allowed = append(allowed, from+to)
			}
		}
	}
	if got, want := strings.Join(allowed, " "), "ac ae1 ae2 bc bd be1 be2 cd de1 de2 e1e2 e2e1"; got != want {
		t.Errorf("allowed are %s, want %s", got, want)
	}
	if r := k.Required(); len(r) != 1 || r[0].From != 0 || r[0].To != 2 {
		t.Errorf("required are %v", r)
	}
}

func TestReadTetradFaults(t *testing.T) {
	for text, says := range map[string]string{
		"/knowledge tabs\n":                            `line 1: "tabs" follows /knowledge`,
		"/knowledge\na b\n":                            "line 2: want addtemporal, forbiddirect or requiredirect",
		"/knowledge\naddtemporal\na b\n":               `line 3: a line of addtemporal begins with "a"`,
		"/knowledge\naddtemporal\n-1 b\n":              `line 3: a line of addtemporal begins with "-1"`,
		"/knowledge\n\nforbiddirect\na b c\n":          "line 4: want two names under forbiddirect, cause and effect, got 3",
		"/knowledge\nrequiredirect\na\n":               "line 3: want two names under requiredirect",
		"/knowledge\nrequiredirect\n\"a b\n":           "line 3: a quote is not closed",
		"/knowledge\nrequiredgroup\na\nb\n":            "line 2: requiredgroup is not read; write its edges",
		"/knowledge\ntierstructure x\n0 a\n":           "line 2: tierstructure is not read",
		"/knowledge\nforbiddengroup\na\n":              "causes and no effects",
		"/knowledge\nforbiddengroup\na\naddtemporal\n": "line 4: a forbiddengroup has causes and no effects",
	} {
		if _, err := ReadSpec(strings.NewReader(text)); !errors.Is(err, ErrKnowledge) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %s", text, err, says)
		}
	}
}

// TestEdgeBetween checks that an entry matches exactly its two columns, whatever their names.
func TestEdgeBetween(t *testing.T) {
	names := []string{"a", "a b", "a->b", "→", `"`, "*", "?", "@g", " pad ", "b*"}
	for i, from := range names {
		for j, to := range names {
			if i == j {
				continue
			}
			k, err := Spec{Require: []string{EdgeBetween(from, to)}}.Resolve(names)
			if err != nil {
				t.Errorf("%q and %q: %v", from, to, err)
			} else if r := k.Required(); len(r) != 1 || r[0].From != i || r[0].To != j {
				t.Errorf("%q and %q: %v", from, to, r)
			}
		}
	}
	if got := EdgeBetween("age", "body mass"); got != "age->body mass" {
		t.Errorf("plain names are quoted: %s", got)
	}
}
