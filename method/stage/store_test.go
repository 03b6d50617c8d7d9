package stage

import "testing"

// TestDifferencesOfTwoRuns checks that every entry that differs is listed, also one that only one of the runs has.
func TestDifferencesOfTwoRuns(t *testing.T) {
	for _, c := range []struct{ there, here, want string }{
		{`{"a":1,"b":2}`, `{"a":1,"b":2}`, ""},
		{`{"a":1,"b":2}`, `{"a":1,"b":3}`, "b is 2 there and 3 here"},
		{`{"a":1}`, `{"a":1,"b":3}`, "b is nothing there and 3 here"},
		{`{"a":1,"b":2}`, `{"b":5}`, "a is 1 there and nothing here, b is 2 there and 5 here"},
		{``, `{"a":1}`, ""},
		{`{`, `{"a":1}`, "they cannot be compared"},
	} {
		if got := differ([]byte(c.there), []byte(c.here)); got != c.want {
			t.Errorf("%s and %s: %q, want %q", c.there, c.here, got, c.want)
		}
	}
}
