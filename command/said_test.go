package command

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

func TestReadingLineHasUnits(t *testing.T) {
	for _, c := range []struct {
		bytes int64
		want  string
	}{{300, "reading: 300B, 7 rows, 150B/s"}, {400 << 10, "reading: 400kB, 7 rows, 200kB/s"}, {3 << 30, "reading: 3GB, 7 rows, 1.50GB/s"}} {
		must.Same(t, readingLine(c.bytes, 7, 2*time.Second), c.want)
	}
	if got := readingLine(0, 0, 0); strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
		t.Error(got)
	}
}

// TestPrefixStandsOnce checks that several faults are one error, with the prefix once and aligned lines.
func TestPrefixStandsOnce(t *testing.T) {
	var out, errs bytes.Buffer
	code := newApp(lab.All, strings.NewReader(""), &out, &errs, allWings...).run(context.Background(), []string{"draw", "r.json", "p.svg", "--set", "width=3", "--set", "dpi=1"})
	lines := strings.Split(strings.TrimRight(errs.String(), "\n"), "\n")
	if code != exitUsage || len(lines) != 2 || !strings.HasPrefix(lines[0], "polydag: width") || !strings.HasPrefix(lines[1], "         1 dots") {
		t.Errorf("code %d:\n%s", code, errs.String())
	}
}

func TestEdgesOf(t *testing.T) {
	for word, want := range map[string]int{"auto": -1, "all": 0, "12": 12} {
		if got, err := edgesOf(word); err != nil || got != want {
			t.Errorf("%s: %d, %v", word, got, err)
		}
	}
	for _, word := range []string{"0", "-3", "many", ""} {
		if _, err := edgesOf(word); err == nil {
			t.Errorf("%q is taken", word)
		}
	}
}
