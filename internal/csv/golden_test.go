package csv

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files; read the diff before committing")

// TestGolden checks the moments of a small file, rounded to 12 digits to hide the order of additions.
func TestGolden(t *testing.T) {
	f, err := os.Open("testdata/small.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := Read(context.Background(), f, DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
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
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
