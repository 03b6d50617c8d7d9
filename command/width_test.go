package command

import (
	"bytes"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/visible"
)

// TestWidthOfTheText checks that COLUMNS sets the width within 60 to 200, and that output that is not a terminal has no limit.
func TestWidthOfTheText(t *testing.T) {
	for set, want := range map[string]int{"": 0, "wide": 0, "-5": 0, "10": 60, "60": 60, "117": 117, "200": 200, "1000": 200} {
		t.Setenv("COLUMNS", set)
		must.Same(t, columns(visible.NewWriter(&bytes.Buffer{})), want, set)
	}
}
