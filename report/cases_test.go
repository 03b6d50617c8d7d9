package report_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
	"github.com/polydag/polydag/trust"
)

// awkward are names that some format has trouble with.
var awkward = []string{
	"a", "A", "x1", "age (years)", "age.years.", "age [years]", `say "hi"`, `"`, `""`, "'", "`code`", "back\\slash", `ends\`, `two\\`, `three\\\`,
	`\N`, `\n`, `\"`, "line\nbreak", "\\\nbreak", "cr\rhere", "tab\there", " space around ", "two  spaces", "<b>&amp;</b>", "&", "a&b;", "&#65;", "]]>",
	"--", "-->", "<!--", "node", "edge", "graph", "digraph", "subgraph", "strict", "end", "if", "NA", "TRUE", "function", "...", "..1", ".5x", "_x", "efa", "efa.",
	"a:b", "a|b", "[a]", "a:b|c", "100%", "%5B", "%", "a+b", "a~b", "a*b", "a=b", "x,y", "x;y", "#", "#35;", "# not a comment", "!", "//", "/* */", "1", "1.5", "-1", "1. list", "- list", "+ list", "1e5",
	"größe", "年齢", "Δt", "x²", "e\u0301", "👩‍👩‍👧", "\u202eright to left", "\u00a0", "\u2028", "\u0085", "\ufeffbom", "\u200b", "control\x01\x1f\x7f", "null\x00", "\ufffe\uffff",
	"=1+2", "@sum", "'=quoted", "__proto__", "constructor", "null", "true", "{}", "${x}", "{{x}}", "id", "label", "_id_", "*bold*", "www.example.org",
	strings.Repeat("long ", 40), strings.Repeat("長", 200),
}

// result returns a result on these names with random edges and weights, always the same for a seed.
func result(names []string, seed uint64) *polydag.Result {
	rng := rand.New(rand.NewPCG(seed, 7))
	number := func() float64 {
		switch v := rng.NormFloat64(); rng.IntN(6) {
		case 0:
			return math.Round(10 * v)
		case 1:
			return v * 1e-300
		case 2:
			return v * 1e300
		case 3:
			return math.Float64frombits(1 + rng.Uint64N(1<<51)) // denormal
		default:
			return v
		}
	}
	r := &polydag.Result{Schema: polydag.Schema, Method: "order", Kind: graph.KindDAG, Status: solve.Converged, Names: names, Rows: 100, Edges: []polydag.Edge{}}
	bases := []trust.Basis{trust.ByKnowledge, trust.ByNames, trust.ByModel, trust.ByRule}
	order := rng.Perm(len(names))
	for j := range order {
		for i := range j {
			if rng.Float64()*float64(len(names)) > 2 {
				continue
			}
			e := polydag.Edge{Link: polydag.Link{From: names[order[i]], To: names[order[j]]}, Mark: "-->", Weight: number(), Standardized: number(), EdgeFacts: polydag.EdgeFacts{Compelled: rng.IntN(2) == 0}}
			if e.Weight == 0 {
				e.Weight = 1 // a matrix cannot represent it as an edge
			}
			if rng.IntN(3) > 0 {
				e.Judgement = trust.Judgement{}.Resampled(math.Sqrt(float64(rng.IntN(101))/100), math.Sqrt(float64(rng.IntN(101))/100), "", trust.Doubts{})
				e.Basis = bases[len(r.Edges)%len(bases)]
			}
			r.Edges = append(r.Edges, e)
		}
	}
	for i, name := range names {
		r.Nodes = append(r.Nodes, polydag.Node{Name: name, Mean: rng.NormFloat64() * 1e-5, Std: 1 + float64(i), ResidualVariance: rng.Float64(), R2: rng.Float64()})
	}
	r.Certificate = trust.Certificate{Kind: graph.KindDAG, Holds: true}
	for _, v := range order {
		r.Certificate.Order = append(r.Certificate.Order, names[v])
	}
	return r
}

// randomNames draws names made of pieces that mean something in some format.
func randomNames(rng *rand.Rand, n int) []string {
	pieces := append(slices.Clone(awkward), "\\", "\"", "\n", ".", "_", "-", "|", ":", "&", "<", ">", "#", ";", "%", "é", "🙂", "0", "9", "Z", "\t", "\x02")
	names := []string{"first"}
	for len(names) < n {
		var b strings.Builder
		for range 1 + rng.IntN(4) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		// encoding/csv, and our own reader, take CR LF inside a field for LF.
		if name := strings.ReplaceAll(b.String(), "\r\n", "\n"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// cases are results that every format must carry.
func cases() map[string]*polydag.Result {
	out := map[string]*polydag.Result{
		"plain":    result([]string{"a", "b", "c", "d", "e"}, 3),
		"awkward":  result(awkward, 1),
		"one node": result([]string{"only"}, 1),
		"no edges": {Schema: polydag.Schema, Kind: graph.KindDAG, Names: []string{"b", "a"}, Edges: []polydag.Edge{}},
		"no nodes": {Schema: polydag.Schema, Kind: graph.KindDAG, Names: []string{"b", "a"}, Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Weight: -1}}},
	}
	table := &polydag.Effect{Form: method.EffectTable, FromLevels: []string{"x", "y"}, ToLevels: []string{"u", "v", "w"}, P: [][]float64{{0.5, 0.5, 0}, {0, 0.5, 0.5}}, Rows: []int{5, 5}}
	out["categories"] = result([]string{"a", "b", "c", "d"}, 3)
	out["categories"].Model, out["categories"].Edges = score.MixedEffects, []polydag.Edge{
		{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Weight: 2, Standardized: 0.5},
		{Link: polydag.Link{From: "a", To: "c"}, Mark: "-->", Gain: 0.25, EdgeFacts: polydag.EdgeFacts{Effect: table}},
		{Link: polydag.Link{From: "c", To: "d"}, Mark: "-->", EdgeFacts: polydag.EdgeFacts{Effect: table}},
	}
	out["categories"].Certificate.Order = out["categories"].Names
	rng := rand.New(rand.NewPCG(17, 19))
	for i := range uint64(3) {
		out[fmt.Sprintf("random %d", i)] = result(randomNames(rng, 60), i)
	}
	// A DAG whose aliases run into names that fit.
	out["aliases"] = result([]string{"a b", "a.b", "a-b", "a.b.1", "a+b", "x\x01", "x_", `b\`, "b_", "b_.1"}, 5)
	out["line breaks"] = result([]string{"\n", "\n\n", "\n\"", "\"\n", "\"\n\"", "a\\\\\n", "\n\\a", "_", "a", " \n ", "\nb", "b\n"}, 6)
	return out
}

// markedCases are graphs other than DAGs: a CPDAG with directed and undirected edges and a PAG with every mark.
func markedCases() map[string]*polydag.Result {
	w := 0.5
	node := func(names ...string) (out []polydag.Node) {
		for i, name := range names {
			out = append(out, polydag.Node{Name: name, Mean: float64(i), Std: 1, ResidualVariance: 0.5, R2: 0.5})
		}
		return out
	}
	classes := map[string]*polydag.Result{
		"cpdag": {
			Kind: graph.KindCPDAG, Names: []string{"a", "b", "c", "d", "e"},
			Edges: []polydag.Edge{
				{Link: polydag.Link{From: "a", To: "c"}, Mark: "-->", Weight: -w, Standardized: -w, EdgeFacts: polydag.EdgeFacts{Compelled: true}},
				{Link: polydag.Link{From: "b", To: "c"}, Mark: "-->", Weight: w, Standardized: w, EdgeFacts: polydag.EdgeFacts{Compelled: true}, Judgement: trust.Judgement{Verdict: polydag.Weak, Confidence: w, PAdjacent: w}},
				{Link: polydag.Link{From: "d", To: "e"}, Mark: "---"},
			},
		},
		"pag": {
			Kind: graph.KindPAG, Names: []string{"a", "b", "c", "d", "e", "f"},
			Edges: []polydag.Edge{
				{Link: polydag.Link{From: "a", To: "b"}, Mark: "o->"}, {Link: polydag.Link{From: "b", To: "c"}, Mark: "-->", Weight: 2, Standardized: w, EdgeFacts: polydag.EdgeFacts{Compelled: true}},
				{Link: polydag.Link{From: "c", To: "d"}, Mark: "<->"}, {Link: polydag.Link{From: "e", To: "d"}, Mark: "o--"}, {Link: polydag.Link{From: "e", To: "f"}, Mark: "o-o", Judgement: trust.Judgement{Verdict: polydag.Weak, Confidence: w, PAdjacent: w}}, {Link: polydag.Link{From: "a", To: "f"}, Mark: "---"},
			},
		},
	}
	for _, r := range classes {
		r.Schema, r.Method, r.Status, r.Rows, r.Nodes = polydag.Schema, "some", solve.Completed, 100, node(r.Names...)
		r.Certificate = trust.Certificate{Kind: r.Kind, Holds: true, Order: r.Names}
	}
	return classes
}

func render(t *testing.T, format string, r *polydag.Result) []byte {
	t.Helper()
	f := must.Get(report.Formats().ByName(format))
	var once, twice bytes.Buffer
	if err := f.Write(r)(&once); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	must.Succeed(t, f.Write(r)(&twice))
	if !bytes.Equal(once.Bytes(), twice.Bytes()) {
		t.Fatalf("%s: the same result gives other bytes", format)
	}
	return once.Bytes()
}
