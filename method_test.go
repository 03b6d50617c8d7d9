package polydag_test

import (
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
)

// using returns a method with settings as "name=value". A setting that the method does not have is passed over, so that one
// list serves all methods.
func using(t testing.TB, name string, settings ...string) method.Method {
	t.Helper()
	m, err := polydag.FindMethod(name)
	if err != nil {
		t.Fatal(err)
	}
	set := param.Of(m)
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		if set.Lookup(key) == nil {
			continue
		}
		if err := set.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := set.Finish(); err != nil {
		t.Fatal(err)
	}
	return m
}

func methodNames() (names []string) {
	for _, m := range polydag.Methods() {
		names = append(names, m.Info().Name)
	}
	return names
}

func TestFindMethod(t *testing.T) {
	for _, name := range methodNames() {
		if m, err := polydag.FindMethod(name); err != nil || m.Info().Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := polydag.FindMethod("oder"); err == nil || !strings.Contains(err.Error(), "did you mean order?") {
		t.Errorf("a typing error: %v", err)
	}
}
