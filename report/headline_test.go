package report

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/trust"
)

// TestSeconds checks the digits and units of durations.
func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{
		0.001: "0.01 s", 0.02: "0.02 s", 0.09: "0.09 s", 0.1: "0.1 s", 0.14: "0.1 s", 59.9: "59.9 s", 60: "1m0s", 61.4: "1m1s", 61.6: "1m2s", 3661: "1h1m1s",
	} {
		must.Same(t, seconds(s), want, s)
	}
}

// TestEndedEmpty checks that a run that ended before it had an edge names no model, checks no assumptions and claims no best graph.
func TestEndedEmpty(t *testing.T) {
	columns := []polydag.Column{{Name: "a"}, {Name: "b"}}
	for i := range 200 {
		columns[0].Numbers = append(columns[0].Numbers, float64(i*i%37))
		columns[1].Text = append(columns[1].Text, []string{"u", "v", "w"}[i*i%37%3])
	}
	table := must.Get(polydag.FromColumns(columns...))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out bytes.Buffer
	must.Succeed(t, Text(must.Get(polydag.BestSoFar(table.Learn(ctx, polydag.DefaultConfig(), polydag.Run{}))))(&out))
	text, _, _ := strings.Cut(out.String(), "Details:")
	for _, wrong := range []string{"model", "check", "best graph"} {
		if strings.Contains(text, wrong) {
			t.Errorf("%q in %q", wrong, text)
		}
	}
	if !strings.Contains(text, "Stopped early (canceled): no edge has been found so far.") {
		t.Errorf("%q", text)
	}
}

// TestColumnList checks that three names are listed and the others counted.
func TestColumnList(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	for n, want := range map[int]string{1: "a", 3: "a, b, c", 4: "a, b, c and 1 more", 5: "a, b, c and 2 more"} {
		must.Same(t, columnList(names[:n]), want, n)
	}
}

// TestChecked checks the summary of the assumption checks for each outcome.
func TestChecked(t *testing.T) {
	passed, untested := trust.Assumption{Outcome: trust.Passed}, trust.Assumption{Outcome: trust.NotChecked}
	untestable := trust.Assumption{Outcome: trust.Untestable}
	failed := func(codes ...string) (a trust.Assumption) {
		a.Outcome = trust.Failed
		for _, c := range codes {
			a.Evidence = append(a.Evidence, trust.Finding{Code: c, Columns: []string{"x"}})
		}
		return a
	}
	words := func(code string) string { return trust.CodeWords(code) }
	for _, c := range []struct {
		name string
		list []trust.Assumption
		want string
	}{
		{"no checks", nil, ""},
		{"nothing tested", []trust.Assumption{untested, untestable}, "assumptions not checked"},
		{"one passed", []trust.Assumption{passed, untested, untestable}, "the assumption check passed"},
		{"two passed", []trust.Assumption{passed, passed, untestable}, "all 2 assumption checks passed"},
		{"the only one failed", []trust.Assumption{failed(trust.Skewed)}, "1 of 1 assumption check failed (" + words(trust.Skewed) + ": x)"},
		{"one failed", []trust.Assumption{failed(trust.Skewed), passed, untested}, "1 of 2 assumption checks failed (" + words(trust.Skewed) + ": x)"},
		{"two failed for one reason", []trust.Assumption{failed(trust.Skewed), failed(trust.Skewed)}, "2 of 2 assumption checks failed (" + words(trust.Skewed) + ": x)"},
		{"three reasons", []trust.Assumption{failed(trust.Skewed, trust.Binary, trust.HeavyTails)}, "1 of 1 assumption check failed (" +
			words(trust.Skewed) + ": x; " + words(trust.Binary) + ": x; " + words(trust.HeavyTails) + ": x)"},
		{"four reasons", []trust.Assumption{failed(trust.Skewed, trust.Binary, trust.HeavyTails, trust.RepeatedRows)}, "1 of 1 assumption check failed (" +
			words(trust.Skewed) + ": x; " + words(trust.Binary) + ": x; " + words(trust.HeavyTails) + ": x; and 1 other reason)"},
	} {
		must.Same(t, Checks(c.list), c.want, c.name)
	}
}
