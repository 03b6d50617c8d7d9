package study

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/internal/timing"
	"github.com/polydag/polydag/metric"
)

func TestStatistics(t *testing.T) {
	s := statOf([]float64{0, 1, 2})
	if s.mean != 1 || !(math.Abs(s.sd-0.8165) <= 1e-4) {
		t.Errorf("%+v: the paper's 1.00 ± 0.82", s)
	}
	if statOf(nil).n != 0 {
		t.Error("no runs")
	}
	shd, f1, sec, dag, h := columnNamed("shd"), columnNamed("f1"), columnNamed("seconds"), columnNamed("dag_valid"), columnNamed("h_final")
	for _, c := range []struct {
		col  column
		s    stat
		want string
	}{
		{shd, stat{3, 114.6667, 15.5}, "114.7 ± 15.5"},
		{shd, stat{1, 19, 0}, "19"},
		{shd, stat{3, 0, 0}, "0"},
		{f1, stat{3, 0.74, 0.0155}, "0.740 ± 0.015"},
		{f1, stat{0, 0, 0}, "–"},
		{sec, stat{3, 0.0602, 0.0084}, "0.0602 ± 0.0084"},
		{sec, stat{3, 1234.5, 20.2}, "1234 ± 20"},
		{dag, stat{3, 2.0 / 3, 0.47}, "67%"},
		{h, stat{2, 3.2e-5, 4.9e-6}, "3.2e-05 ± 4.9e-06"},
		{h, stat{3, 0.4753, 0.0162}, "0.4753 ± 0.0162"},
	} {
		if got := c.col.text(c.s); got != c.want {
			t.Errorf("%s of %+v: %q, want %q", c.col.name, c.s, got, c.want)
		}
	}
	if _, b, ok := timing.PowerLaw([]float64{10, 100, 1000}, []float64{2e-3, 2, 2000}); !ok || !(math.Abs(b-3) <= 1e-12) {
		t.Errorf("slope %v", b)
	}
	if _, _, ok := timing.PowerLaw([]float64{10, 10}, []float64{1, 2}); ok {
		t.Error("a slope through one place")
	}
}

// TestMetricTable checks a table by hand: two seeds, one published number, one missing run, one failed run.
func TestMetricTable(t *testing.T) {
	st := read(t, `
name: hand
methods: {m: {label: Mine, method: order}}
experiments:
  - {name: e, title: E, data: [{nodes: [5], degree: [2], samples: 50, label: five}], methods: [m], seeds: [1, 2, 3, 4], columns: [shd, f1, dag_valid]}
references:
  - {experiment: e, source: paper, nodes: 5, method: m, values: {shd: 7.0 ± 1.0}}
  - {experiment: e, source: paper, nodes: 6, method: m, values: {f1: "0.5"}}
`)
	runs := must.Get(st.Expand(Select{}))
	rec := func(i, shd int, f1 float64, valid bool) *Record {
		return &Record{Key: runs[i].Key, Kind: KindLearn, Status: "converged", Columns: 5, DAGValid: valid, Thresholded: &metric.Report{SHD: shd, F1: f1}}
	}
	failed := &Record{Key: runs[2].Key, Kind: KindLearn, Status: StatusError, Error: "it broke", Columns: 5}
	recs := []*Record{rec(1, 4, 0.5, false), rec(0, 2, 1, true), failed}
	var b bytes.Buffer
	must.Succeed(t, Tables(st, Select{}, recs)[0].Markdown(&b))
	want := `**E**

| data | method | SHD, paper | **SHD, ours** | F1 | DAG-valid | runs |
|---|---|---|---|---|---|---|
| five | Mine | 7.0 ± 1.0 | **3.0 ± 1.0** | 0.750 ± 0.250 | 50% | 3, 1 failed, 1 not run |

Failed: five, raw, Mine: it broke.
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	// The order of the records, and a second one with the same key, change nothing.
	var again bytes.Buffer
	must.Succeed(t, Tables(st, Select{}, []*Record{recs[2], recs[1], recs[0], rec(0, 99, 0, false)})[0].Markdown(&again))
	if again.String() != want {
		t.Errorf("the order of the records shows:\n%s", again.String())
	}
}

// TestDesigns checks that a design and a graph of package sim reach the sample, and one that is not known is a
// fault with the choices.
func TestDesigns(t *testing.T) {
	const file = "methods: {m: {method: order}}\nexperiments: [{name: e, methods: [m], data: [{nodes: [30], samples: 200, graph: %GRAPH%, design: %DESIGN%}]}]\n"
	read := func(graph, design string) (*Study, error) {
		return Read(strings.NewReader(strings.NewReplacer("%GRAPH%", graph, "%DESIGN%", design).Replace(file)))
	}
	st := must.Get(read("sfin", "anti"))
	plain := must.Get(read("sfin", "plain"))
	a := must.Get(simulated(st.Experiments[0].Data[0].points()[0], 1))
	b := must.Get(simulated(plain.Experiments[0].Data[0].points()[0], 1))
	if !a.truth.Equal(b.truth) || a.table.Rows.At(0, 0) == b.table.Rows.At(0, 0) {
		t.Error("the design did not change the sample, or changed the graph")
	}
	if _, err := read("er", "steep"); err == nil || !strings.Contains(err.Error(), `design "steep", want one of plain, iscm, flat, hetero, anti`) {
		t.Errorf("got %v", err)
	}
}

// TestStrongestEdgesAreDrawn checks that a drawing has the 60 edges with the largest score gains, whatever their signs, and every column of the table.
func TestStrongestEdgesAreDrawn(t *testing.T) {
	st := read(t, "name: s\ntitle: S\nmethods: {order: {method: order}}\nexperiments:\n  - {name: a, title: A, data: [{dataset: demo}], methods: [order]}\n")
	runs := must.Get(st.Expand(Select{}))
	rec := &Record{Key: runs[0].Key, Names: []string{"A", "B", "alone"}}
	for i := range 70 {
		rec.Graph = append(rec.Graph, WeightedEdge{Link: graph.Link{From: "A", To: "B"}, Weight: float64(1 - i%2*2), Gain: 0.01 * float64(1+i)})
	}
	edges := strongest(rec.Graph)
	for k, e := range edges {
		if e.Gain != 0.01*float64(70-k) {
			t.Fatalf("edge %d has the gain %v", k, e.Gain)
		}
	}
	pictures := NewView(st, Select{}, []*Record{rec}).graphs(&st.Experiments[0])
	if len(edges) != 60 || len(pictures) != 1 || !strings.HasSuffix(pictures[0].title, ": 70 edges, the 60 strongest drawn") {
		t.Errorf("%d edges, %d pictures: %+v", len(edges), len(pictures), pictures)
	}
	rec.Graph = rec.Graph[69:]
	pictures = NewView(st, Select{}, []*Record{rec}).graphs(&st.Experiments[0])
	var svg, png, pdf bytes.Buffer
	must.Succeed(t, pictures[0].write(context.Background(), &svg, &png, &pdf))
	must.Contain(t, svg.String(), ">alone<", "score gain (bits per row)", "direction not stated")
	rec.Graph[0].Compelled = true
	pictures = NewView(st, Select{}, []*Record{rec}).graphs(&st.Experiments[0])
	must.Contain(t, pictures[0].title, "1 edges; arrows: the model determines the direction; assumptions were not checked")
}

// TestRatios checks that times are divided by those of the method to compare with, in all and per step.
func TestRatios(t *testing.T) {
	st := read(t, "name: s\ntitle: S\nmethods: {a: {method: golem-ev, against: a}, b: {method: golem-ev, set: {constraint: geo}, against: a}}\n"+
		"experiments:\n  - {name: x, title: X, data: [{nodes: [4]}], methods: [a, b], times: true}\n")
	runs := must.Get(st.Expand(Select{}))
	recs := []*Record{
		{Key: runs[0].Key, Kind: KindLearn, Columns: 4, Steps: 100, Seconds: map[string]float64{"solve": 2}},
		{Key: runs[1].Key, Kind: KindLearn, Columns: 4, Steps: 200, Seconds: map[string]float64{"solve": 3}},
	}
	tables := Tables(st, Select{}, recs)
	text := must.Text(t, tables[1].Markdown)
	must.Contain(t, text, "| ratio of times | steps | ratio per step |", "| a | 2.00 | 1 | 1.00 | 100 | 1.00 |", "| b | 3.00 | 1 | 1.50 | 200 | 0.750 |")
}

// TestTruths checks that the true graph is the one that the sample was drawn from, with its weights.
func TestTruths(t *testing.T) {
	st := read(t, "name: s\ntitle: S\nmethods: {a: {method: order}, b: {method: auto}}\nexperiments:\n"+
		"  - {name: x, title: X, data: [{generator: released, nodes: [8], samples: 100}, {nodes: [8], mechanism: joint}], methods: [a, b], seeds: [1, 2]}\n")
	truths := must.Get(Truths(context.Background(), st, Select{}))
	must.Same(t, len(truths), 4)
	s := must.Get(released(truths[1].Data, 2))
	must.Same(t, len(truths[1].From), s.truth.NumEdges())
	for k, from := range truths[1].From {
		must.Near(t, truths[1].Weight[k], s.weights.At(from, truths[1].To[k]), 1e-3, "edge %d", k)
		if w := math.Abs(truths[1].Weight[k]); !(w >= 0.5 && w <= 2) {
			t.Errorf("edge %d has the weight %g", k, w)
		}
	}
	if truths[2].Weight != nil || len(truths[2].From) == 0 {
		t.Errorf("a graph without linear effects: %+v", truths[2])
	}
}
