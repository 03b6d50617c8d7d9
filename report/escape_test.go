package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/polydag/polydag/report"
)

// TestFormulasInNames checks that names that a spreadsheet would run are escaped, and Raw leaves them.
func TestFormulasInNames(t *testing.T) {
	r := result([]string{"=cmd|' /C calc'!A0", "-b", "c"}, 2)
	for _, name := range []string{"edges", "adjacency"} {
		for raw, formats := range map[bool]report.Registry{false: report.Formats(), true: report.Formats().Raw()} {
			f, err := formats.ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := f.Write(r)(&b); err != nil {
				t.Fatal(err)
			}
			if escaped := strings.Contains(b.String(), `"'=cmd`); escaped == raw || strings.Contains(b.String(), "'-0") {
				t.Errorf("%s, raw %v:\n%s", name, raw, b.String())
			}
		}
	}
}
