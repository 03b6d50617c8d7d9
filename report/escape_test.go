package report_test

import (
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/report"
)

// TestFormulasInNames checks that names that a spreadsheet would run are escaped, and Raw leaves them.
func TestFormulasInNames(t *testing.T) {
	r := result([]string{"=cmd|' /C calc'!A0", "-b", "c"}, 2)
	for _, name := range []string{"edges", "adjacency"} {
		for raw, formats := range map[bool]report.Registry{false: report.Formats(), true: report.Formats().Raw()} {
			f := must.Get(formats.ByName(name))
			text := must.Text(t, f.Write(r))
			if escaped := strings.Contains(text, `"'=cmd`); escaped == raw || strings.Contains(text, "'-0") {
				t.Errorf("%s, raw %v:\n%s", name, raw, text)
			}
		}
	}
}
