package knowledge

import (
	"math/rand/v2"
	"regexp"
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

func randomText(rng *rand.Rand, letters []rune, most int) []rune {
	s := make([]rune, rng.IntN(most+1))
	for i := range s {
		s[i] = letters[rng.IntN(len(letters))]
	}
	return s
}

func TestMatchIsTheRegularExpression(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	matched := 0
	for range 20000 {
		pattern := randomText(rng, []rune("ab*?[/é"), 7)
		name := randomText(rng, []rune("ab[/é"), 8)
		expr := regexp.QuoteMeta(string(pattern))
		expr = strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(expr)
		want := regexp.MustCompile(`(?s)\A` + expr + `\z`).MatchString(string(name))
		if got := match(pattern, name); got != want {
			t.Fatalf("match(%q, %q) = %v, want %v", string(pattern), string(name), got, want)
		}
		if want {
			matched++
		}
	}
	if matched < 500 {
		t.Errorf("only %d pairs matched: the test says little", matched)
	}
}

// slowDistance tries every edit.
func slowDistance(p, q []rune, wild bool) int {
	if len(p) > 0 && wild && p[0] == '*' {
		best := slowDistance(p[1:], q, wild)
		if len(q) > 0 {
			best = min(best, slowDistance(p, q[1:], wild))
		}
		return best
	}
	switch {
	case len(p) == 0:
		return len(q)
	case len(q) == 0:
		return 1 + slowDistance(p[1:], q, wild)
	}
	replace := slowDistance(p[1:], q[1:], wild)
	if p[0] != q[0] && !(wild && p[0] == '?') {
		replace++
	}
	return min(replace, 1+slowDistance(p[1:], q, wild), 1+slowDistance(p, q[1:], wild))
}

func TestDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		p := randomText(rng, []rune("abc*?"), 5)
		q := randomText(rng, []rune("abc*"), 5)
		wild := rng.IntN(2) == 0
		got, want := distance(p, q, wild), slowDistance(p, q, wild)
		if got != want {
			t.Fatalf("distance(%q, %q, %v) = %d, want %d", string(p), string(q), wild, got, want)
		}
		if wild && match(p, q) != (want == 0) {
			t.Fatalf("distance(%q, %q) = %d, but match says %v", string(p), string(q), want, match(p, q))
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"Male", "age", "hair_black", "hair_brown", "eyes"}
	for _, c := range []struct {
		in   string
		wild bool
		want string // empty: none
	}{
		{"male", false, "Male"},
		{"MAEL", false, "Male"},
		{"hair_blak", false, "hair_black"},
		{"hair_bron", false, "hair_brown"},
		{"hiar_*", true, "hair_black"},
		{"*_brwn", true, "hair_brown"},
		{"agee", false, "age"},
		{"weight", false, ""},
		{"x", false, ""},
		{"", false, ""},
		{"???????", true, ""},
		{strings.Repeat("x", 5000), false, ""},
	} {
		got, ok := nearest(c.in, c.wild, names)
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("nearest(%.20q) = %q, %v, want %q", c.in, got, ok, c.want)
		}
	}
}
