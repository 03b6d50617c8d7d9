package names

import "testing"

func TestLagged(t *testing.T) {
	for _, c := range []struct {
		text, name string
		lag        int
		given      bool
	}{{"a", "a", 0, false}, {"a(t)", "a", 0, true}, {"a(t-2)", "a", 2, true}, {"a(t-1)(t-3)", "a(t-1)", 3, true}, {"a(t-0)", "a(t-0)", 0, false}, {"a(t-x)", "a(t-x)", 0, false}} {
		name, lag, given := CutLag(c.text)
		if name != c.name || lag != c.lag || given != c.given {
			t.Errorf("%s: %s, %d, %v", c.text, name, lag, given)
		}
		if lag > 0 && Lagged(name, lag) != c.text {
			t.Errorf("%s became %s", c.text, Lagged(name, lag))
		}
	}
}
