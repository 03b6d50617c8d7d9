package names

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

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
		if got := Match(pattern, name); got != want {
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
		got, want := Distance(p, q, wild), slowDistance(p, q, wild)
		if got != want {
			t.Fatalf("distance(%q, %q, %v) = %d, want %d", string(p), string(q), wild, got, want)
		}
		if wild && Match(p, q) != (want == 0) {
			t.Fatalf("distance(%q, %q) = %d, but match says %v", string(p), string(q), want, Match(p, q))
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
		got, ok := Nearest(c.in, c.wild, names)
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("nearest(%.20q) = %q, %v, want %q", c.in, got, ok, c.want)
		}
	}
}

func TestMatchCases(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"*", "", true}, {"a*", "a", true}, {"a*a", "a", false}, {"a*a", "aa", true}, {"*b*b*", "abab", true},
		{"*b*b*", "aba", false}, {"a*b*c", "abbc", true}, {"a*bc", "abcbc", true}, {"é*", "été", true}, {"a**b", "ab", true},
	} {
		must.Same(t, Match([]rune(c.pattern), []rune(c.name)), c.want, c.pattern, c.name)
	}
}
