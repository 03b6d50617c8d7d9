package report_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/trust"
)

// learned returns results of every kind: of each effect model, a CPDAG, a PAG, and one with lags.
func learned(t *testing.T) map[string]*polydag.Result {
	rng := rand.New(rand.NewPCG(3, 5))
	const rows = 400
	number := func(of func(i int) float64) (out []float64) {
		for i := range rows {
			out = append(out, of(i))
		}
		return out
	}
	words := func(of func(i int) int) (out []string) {
		for i := range rows {
			out = append(out, []string{"low", "mid", "high"}[min(max(of(i), 0), 2)])
		}
		return out
	}
	noise := func(int) float64 { return rng.NormFloat64() }
	skewed := func(int) float64 { return rng.ExpFloat64() }
	chain := func(noise func(int) float64, f func(float64) float64) []polydag.Column {
		a, b := number(noise), number(noise)
		c := number(func(i int) float64 { return f(a[i]) + f(b[i]) + noise(i)/2 })
		d := number(func(i int) float64 { return f(c[i]) + noise(i)/2 })
		e := number(func(i int) float64 { return a[i]/3 + noise(i) })
		return []polydag.Column{{Name: "a", Numbers: a}, {Name: "b", Numbers: b}, {Name: "c", Numbers: c}, {Name: "d", Numbers: d}, {Name: "e", Numbers: e}}
	}
	linear := func(x float64) float64 { return x }
	u := words(func(int) int { return rng.IntN(3) })
	at := func(w string) int { return slices.Index([]string{"low", "mid", "high"}, w) }
	near := func(v []string) func(int) int {
		return func(i int) int { return at(v[i]) + []int{0, 0, 0, 1, -1}[rng.IntN(5)] }
	}
	v := words(near(u))
	w := words(near(v))
	levels := []polydag.Column{{Name: "u", Text: u}, {Name: "v", Text: v}, {Name: "w", Text: w}, {Name: "z", Text: words(func(int) int { return rng.IntN(3) })}}
	mixed := append(slices.Clone(levels[:3]), polydag.Column{Name: "x", Numbers: number(func(i int) float64 { return float64(at(w[i])) + rng.NormFloat64() })})
	gaussian := chain(noise, linear)
	x := make([]float64, rows)
	y := make([]float64, rows)
	for i := 1; i < rows; i++ {
		x[i] = 0.7*x[i-1] + rng.NormFloat64()
		y[i] = 0.6*x[i-1] + 0.3*y[i-1] + rng.NormFloat64()
	}
	series := polydag.DefaultPreparation()
	series.Time.Column, series.Time.Lags = ".", 1
	out := map[string]*polydag.Result{}
	for _, c := range []struct {
		name, method string
		columns      polydag.Columns
		prepare      polydag.Preparation
	}{
		{"linear", "order", gaussian, polydag.Preparation{}},
		{"non-Gaussian", "auto", chain(skewed, linear), polydag.Preparation{}},
		{"curves", "auto", chain(noise, math.Sin), polydag.Preparation{}},
		{"discrete", "auto", levels, polydag.Preparation{}},
		{"mixed", "auto", mixed, polydag.Preparation{}},
		{"CPDAG", "pc", polydag.Columns{gaussian[0], gaussian[2], gaussian[3]}, polydag.Preparation{}},
		{"CPDAG of levels", "ges", levels, polydag.Preparation{}},
		{"PAG", "fci", gaussian, polydag.Preparation{}},
		{"PAG of levels", "fci", levels, polydag.Preparation{}},
		{"lags", "auto", polydag.Columns{{Name: "x", Numbers: x}, {Name: "y", Numbers: y}}, series},
	} {
		table := must.Get(polydag.Prepare(context.Background(), c.columns, c.prepare))
		out[c.name] = must.Get(table.Learn(context.Background(), polydag.Config{Method: must.Get(polydag.FindMethod(c.method))}, polydag.Run{}))
	}
	return out
}

// terminal reads the edges of the text that a person sees: from, mark and to, undirected ones with the smaller name first.
func terminal(t *testing.T, r *polydag.Result) (out []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z])(?: +(\d))? +(→|—|\?|o->|<->|o--|o-o) +([a-z]) `).FindAllStringSubmatch(string(render(t, "text", r)), -1) {
		out = append(out, shown(m[1], map[string]string{"→": "-->", "—": "---", "?": "---"}[m[3]], m[3], m[4]))
	}
	slices.Sort(out)
	return out
}

func shown(from, mark, other, to string) string {
	if mark == "" {
		mark = other
	}
	if from > to && slices.Contains([]string{"---", "<->", "o-o"}, mark) {
		from, to = to, from
	}
	return from + mark + to
}

// TestOneClaim checks that every format hands over the edges of the terminal, directed and undirected, and no weight that does not
// exist. Formats for DAGs get the complete DAG, as all do with DAG.
func TestOneClaim(t *testing.T) {
	open := 0
	for name, r := range learned(t) {
		lagged := len(r.Lagged) > 0
		want := terminal(t, r)
		if len(want) != len(r.Edges)+len(r.Lagged) || len(want) == 0 {
			t.Fatalf("%s: the terminal has %d edges, the result %d\n%s", name, len(want), len(r.Edges)+len(r.Lagged), render(t, "text", r))
		}
		claim := r.Claimed()
		if claim != r {
			open++
		}
		if err := claim.Marked.Check(); err != nil && claim.Kind != graph.KindPAG {
			t.Errorf("%s: the claim is not a %s: %v", name, claim.Kind, err)
		}
		if _, err := polydag.ReadResult(bytes.NewReader([]byte(must.Text(t, report.JSON(claim))))); err != nil {
			t.Errorf("%s: the claim as JSON: %v", name, err)
		}
		for _, f := range report.Formats() {
			if slices.Contains([]string{"json", "text", "methods"}, f.Name) {
				continue
			}
			var b bytes.Buffer
			err := f.Write(r)(&b)
			if holds := f.Marks || f.Undirected && !lagged && r.Kind != graph.KindPAG || r.Kind == graph.KindDAG && !lagged; !holds {
				if !errors.Is(err, report.ErrNotDAG) {
					t.Errorf("%s as %s: %v, want ErrNotDAG", name, f.Name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s as %s: %v", name, f.Name, err)
				continue
			}
			if lagged {
				if f.Name == "edges" {
					if n := strings.Count(b.String(), `"-->"`); n != len(r.Lagged)+claim.Graph.NumEdges() {
						t.Errorf("%s: %d arrows in\n%s", name, n, b.String())
					}
				}
				continue
			}
			got, err := readers[f.Name].read(b.Bytes(), handed(f.Name, r))
			if err != nil {
				t.Errorf("%s as %s: %v", name, f.Name, err)
				continue
			}
			got.pairs()
			var edges []string
			for _, e := range got.edges {
				edges = append(edges, shown(e.from, e.mark, "", e.to))
				if k := slices.IndexFunc(claim.Edges, func(c polydag.Edge) bool { return c.From == e.from && c.To == e.to }); k >= 0 && e.weight != nil && *e.weight == 0 && !claim.HasWeight(claim.Edges[k]) {
					t.Errorf("%s as %s: the weight of %s %s %s is 0", name, f.Name, e.from, e.mark, e.to)
				}
			}
			slices.Sort(edges)
			edges = slices.Compact(edges)
			expected := want
			if f.DAGOnly() {
				expected = nil
				for _, e := range r.Edges {
					expected = append(expected, e.From+"-->"+e.To)
				}
				slices.Sort(expected)
			}
			if !slices.Equal(edges, expected) {
				t.Errorf("%s as %s: %v, want %v\n%s", name, f.Name, edges, expected, b.String())
			}
		}
		for _, f := range report.Formats().DAG() {
			var b bytes.Buffer
			if err := f.Write(r)(&b); r.Kind == graph.KindDAG && f.Name == "edges" && (err != nil || strings.Contains(b.String(), "---")) {
				t.Errorf("%s, the DAG as edges: %v\n%s", name, err, b.String())
			} else if r.Kind != graph.KindDAG && f.Name == "edges" && !errors.Is(err, report.ErrNotDAG) {
				t.Errorf("%s has no DAG: %v", name, err)
			}
		}
	}
	if open < 3 {
		t.Errorf("%d results have directions that are not stated, want at least 3", open)
	}
}

// TestSelected checks that a selection keeps the edges and directions that meet it.
func TestSelected(t *testing.T) {
	edge := func(from, to string, v polydag.Verdict, p, q float64, basis trust.Basis) polydag.Edge {
		e := polydag.Edge{Link: polydag.Link{From: from, To: to}, Mark: "-->", Weight: 1}
		e.Verdict, e.PAdjacent, e.PDirection, e.Confidence = v, p, q, p
		if v == polydag.Directed {
			e.Confidence = p * q
		}
		e.Basis = basis
		return e
	}
	r := &polydag.Result{Names: []string{"a", "b", "c", "d"}, Kind: graph.KindDAG, Edges: []polydag.Edge{
		edge("a", "b", polydag.Directed, 0.99, 0.85, trust.ByModel), edge("b", "c", polydag.Directed, 1, 1, trust.ByKnowledge), edge("c", "d", polydag.Undirected, 0.9, 0.6, ""), edge("a", "d", polydag.Weak, 0.4, 0.9, ""),
	}}
	for _, c := range []struct {
		s    polydag.Selection
		want string
	}{
		{polydag.Selection{}, "a-->b b-->c c---d a---d"},
		{polydag.Selection{MinConfidence: 0.5}, "a-->b b-->c c---d"},
		{polydag.Selection{MinConfidence: 0.95}, "a---b b-->c"},
		{polydag.Selection{MinConfidence: 0.995}, "b-->c"},
		{polydag.Selection{Basis: []string{"you"}}, "a---b b-->c c---d a---d"},
		{polydag.Selection{Basis: []string{"time"}, MinConfidence: 0.95}, "a---b b---c"},
	} {
		got := []string{}
		claim := r.Selected(c.s).Claimed()
		for _, e := range claim.Edges {
			got = append(got, e.From+e.Mark+e.To)
			if (e.Mark == "---") != (e.Weight == 0) {
				t.Errorf("%+v: the weight of %s %s %s is %v", c.s, e.From, e.Mark, e.To, e.Weight)
			}
		}
		if strings.Join(got, " ") != c.want || claim.Marked.NumEdges() != len(got) {
			t.Errorf("%+v: %v, want %s", c.s, got, c.want)
		}
	}
	if fmt.Sprint(r.Edges[0].Mark, r.Edges[2].Mark, r.Edges[2].Weight) != "-->-->1" {
		t.Errorf("the result was changed: %+v", r.Edges)
	}
}
