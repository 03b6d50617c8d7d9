// Package must shortens tests: set-up without error handling, and comparisons with their messages.
package must

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

// Get returns v. It panics if there is an error, which ends the tests of the package: use it for calls that cannot fail unless the code
// under test is wrong.
func Get[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// Succeed ends the test if there is an error.
func Succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Near reports got, described by a format and its arguments, as an error unless it differs from want by at most tol. NaN is near
// nothing.
func Near(t testing.TB, got, want, tol float64, what string, args ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: %v, want %v", fmt.Sprintf(what, args...), got, want)
	}
}

// Same reports a value, described by about, as an error unless it is the wanted one.
func Same[T comparable](t testing.TB, got, want T, about ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%v: got\n%v\nwant\n%v", about, got, want)
	}
}

// Contain reports each part that is not in a text as an error.
func Contain(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
}

// Text returns what a function writes, and ends the test if there is an error.
func Text(t testing.TB, write func(io.Writer) error) string {
	t.Helper()
	var b strings.Builder
	Succeed(t, write(&b))
	return b.String()
}
