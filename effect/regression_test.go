package effect

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// births returns the table of birth weights from R's package MASS, without the column low, which bwt gives.
func births(t *testing.T) *polydag.Table {
	folder := os.Getenv("POLYDAG_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(folder, "known-order", "MASS_birthwt.csv.gz"))
	if err != nil {
		t.Skip("the data are not part of the repository, and known-order/MASS_birthwt.csv.gz is not there: set POLYDAG_DATA to a folder that has it")
	}
	defer f.Close()
	all := must.Get(csv.NewReader(must.Get(gzip.NewReader(f))).ReadAll())
	x := matrix.New[float64](len(all)-1, len(all[0])-1)
	for i, row := range all[1:] {
		for j, cell := range row[1:] {
			x.Set(i, j, must.Get(strconv.ParseFloat(cell, 64)))
		}
	}
	return tableOf(t, all[0][1:], nil, x)
}

// TestRegression compares the coefficients with those of lm(bwt ~ age + lwt + race + smoke + ptl + ht + ui + ftv) of R 4.2, with race as a
// number, and checks what the ranking says of columns whose effects the graph does not state.
func TestRegression(t *testing.T) {
	table := births(t)
	g := graph.New(9)
	for j := range 8 {
		g.AddEdge(j, 8)
	}
	res := known(t, table, g, score.LinearEffects)
	for k := range res.Edges {
		res.Edges[k].Verdict = polydag.Undirected
	}
	q := NewQuestion("", "bwt")
	q.GivenGraph, q.Replicates, q.Threads = true, 0, 1
	d := must.Get(RankDrivers(context.Background(), res, table, q))
	want := map[string]float64{"ui": -511.25, "smoke": -358.46, "race": -188.49, "ht": -600.65}
	if len(d.Regression) != len(want) {
		t.Fatalf("%+v", d.Regression)
	}
	std := table.Moments.Std()
	for _, e := range d.Regression {
		value := want[e.Name]
		if e.Contrast.Deviation {
			value *= std[map[string]int{"race": 2}[e.Name]]
		}
		if math.Abs(e.Effect.Value-value) > 0.5 || !(*e.Effect.Low < value && value < *e.Effect.High) || !(e.P < 0.05) {
			t.Errorf("%+v, want %v", e, value)
		}
	}
	var text strings.Builder
	must.Succeed(t, d.WriteBrief(&text))
	for _, part := range []string{"bwt depends on ", "smoke (−)", "Regression of bwt on all other columns", "-358.5"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("no %q in:\n%s", part, text.String())
		}
	}
}
