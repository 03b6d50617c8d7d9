package csv

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

var update = flag.Bool("update", false, "rewrite the golden files; read the diff before committing")

// TestGolden checks the moments of a small file, rounded to 12 digits to hide the order of additions.
func TestGolden(t *testing.T) {
	f, err := os.Open("testdata/small.csv")
	must.Succeed(t, err)
	defer f.Close()
	m, err := Read(context.Background(), f, DefaultSettings())
	must.Succeed(t, err)
	var b strings.Builder
	fmt.Fprintf(&b, "names %q\nn %d\nmean %.12g\nmin %.12g\nmax %.12g\nstd %.12g\n", m.Names, m.N, m.Mean, m.Min, m.Max, m.Std())
	for _, s := range []struct {
		name string
		data []float64
	}{{"covariance", m.Covariance().Data}, {"correlation", m.Correlation().Data}} {
		for i := range m.Dim() {
			fmt.Fprintf(&b, "%s %.12g\n", s.name, s.data[i*m.Dim():(i+1)*m.Dim()])
		}
	}
	const path = "testdata/small.golden"
	if *update {
		must.Succeed(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	must.Succeed(t, err)
	if b.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
