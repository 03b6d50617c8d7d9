package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/trust"
)

// result makes one from edges a>b with weights 1, 2, …
func result(names string, edges ...string) *polydag.Result {
	r := &polydag.Result{Kind: "dag", Names: strings.Fields(names)}
	for k, e := range edges {
		from, to, _ := strings.Cut(e, ">")
		r.Edges = append(r.Edges, polydag.Edge{Link: polydag.Link{From: from, To: to}, Mark: "-->", Weight: float64(k + 1), Standardized: 1 / float64(k+1), EdgeFacts: polydag.EdgeFacts{Compelled: true}})
	}
	return r
}

func truth(edges ...string) *Truth {
	t := &Truth{}
	for _, e := range edges {
		from, to, _ := strings.Cut(e, ">")
		t.Edges = append(t.Edges, polydag.Link{From: from, To: to})
	}
	return t
}

func write(t *testing.T, in Input) string {
	t.Helper()
	var b bytes.Buffer
	must.Succeed(t, Write(context.Background(), &b, in))
	return b.String()
}

// built is the page as the build in web/ wrote it.
func built(t *testing.T) string {
	t.Helper()
	return string(must.Get(os.ReadFile("page.html")))
}

// TestEmbeddedPageIsTheBuiltOne compares the embedded page with the built one.
func TestEmbeddedPageIsTheBuiltOne(t *testing.T) {
	head, tail, err := template()
	must.Succeed(t, err)
	if string(head)+dataMark+string(tail) != built(t) {
		t.Error("page.html.gz is not page.html; go generate ./internal/page")
	}
}

// dataOf cuts the data out as a browser does: up to the next end of a script.
func dataOf(t *testing.T, page string) content {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<script type="application/json" id="data">`)
	blob, _, ends := strings.Cut(rest, "</script>")
	if !ok || !ends {
		t.Fatal("the page has no data")
	}
	var c content
	must.Succeed(t, json.Unmarshal(unpack(t, []byte(blob)), &c))
	return c
}

func TestNamesStayData(t *testing.T) {
	hostile := []string{`</script><script>alert(1)</script>`, `<!--<script>`, `<img src=x onerror=alert(1)>`, "a\u2028b\u2029c", `"quotes' \`, "\xff\xfe", "👩‍🔬", "عمر", strings.Repeat("x", 200), ""}
	r := &polydag.Result{Names: hostile, Edges: []polydag.Edge{{Link: polydag.Link{From: hostile[0], To: hostile[1]}, Mark: "-->", Weight: 1}}}
	page := write(t, Input{Results: []Labelled{{Label: hostile[0], Result: r}}, Sensitive: hostile[:1]})
	html := built(t)
	if n := strings.Count(page, "</script>"); n != strings.Count(html, "</script>") {
		t.Errorf("%d ends of scripts, the empty page has %d", n, strings.Count(html, "</script>"))
	}
	for _, bad := range []string{"<img", "alert(1)</", "<!--<script", "\u2028"} {
		if strings.Contains(page, bad) && !strings.Contains(html, bad) {
			t.Errorf("the page has %q as it stands", bad)
		}
	}
	c := dataOf(t, page)
	want := slices.Clone(hostile)
	want[5] = "\ufffd\ufffd" // not UTF-8
	if !slices.Equal(c.Names, want) || c.Results[0].Label != hostile[0] || c.Sensitive[0] != hostile[0] {
		t.Errorf("names %q", c.Names)
	}
}

// TestWorkbench checks that the page without a result may ask its own server, and nobody else.
func TestWorkbench(t *testing.T) {
	var b bytes.Buffer
	must.Succeed(t, Workbench(&b))
	must.Contain(t, b.String(), serveMark, "connect-src 'self';", "default-src 'none'")
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(b.String())[1]
	if strings.Contains(policy, "http") || strings.Contains(policy, "unsafe") {
		t.Error(policy)
	}
}

// TestPolicyNamesEveryScriptAndStyle checks that the policy allows the scripts and styles of the page by hash,
// and no request.
func TestPolicyNamesEveryScriptAndStyle(t *testing.T) {
	page := built(t)
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1]
	must.Contain(t, policy, "default-src 'none'", "connect-src 'none'", "form-action 'none'", "base-uri 'none'")
	for _, bad := range []string{"unsafe", "*", "http"} {
		if strings.Contains(policy, bad) {
			t.Errorf("the policy has %s: %s", bad, policy)
		}
	}
	for _, tag := range []string{"script", "style"} {
		found := regexp.MustCompile(`(?s)<`+tag+`([^>]*)>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1)
		if len(found) == 0 {
			t.Errorf("no %s", tag)
		}
		for _, m := range found {
			if strings.Contains(m[1], "application/json") {
				continue
			}
			if strings.Contains(m[1], "src=") {
				t.Errorf("a %s from elsewhere: %s", tag, m[1])
			}
			sum := sha256.Sum256([]byte(m[2]))
			if hash := "sha256-" + base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(policy, hash) {
				t.Errorf("the policy lacks %s of a %s; build the page again with make web", hash, tag)
			}
		}
	}
	if strings.Contains(page, "<link rel=\"stylesheet\"") || len(page) > 900_000 {
		t.Errorf("%d bytes, want one file under 900 kB", len(page))
	}
}

func TestTruthSortsEdgesAsTheMetricsCount(t *testing.T) {
	r := result("a b c d e", "a>b", "b>c", "d>c", "a>e")
	c := dataOf(t, write(t, Input{Results: []Labelled{{Label: "r", Result: r}}, Truth: truth("a>b", "c>b", "d>e", "a>d", "d>a")}))
	v := c.Truth.Verdicts[0]
	for _, k := range []struct {
		what      string
		got, want []pair
	}{
		{"right", v.Right, []pair{{0, 1}}}, {"reversed", v.Reversed, []pair{{1, 2}}},
		{"missing", v.Missing, []pair{{0, 3}, {3, 0}, {3, 4}}}, {"extra", v.Extra, []pair{{0, 4}, {3, 2}}},
	} {
		if !slices.Equal(k.got, k.want) {
			t.Errorf("%s %v, want %v", k.what, k.got, k.want)
		}
	}
	m := v.Metrics
	if m.Reversed != len(v.Reversed) || m.Missing != len(v.Missing) || m.Extra != len(v.Extra) || m.TP != len(v.Right) {
		t.Errorf("the metrics count otherwise: %+v", m)
	}
}

func TestComparison(t *testing.T) {
	a := result("a b c d", "a>b", "b>c", "a>d")
	b := result("d c b a x", "a>b", "c>b", "c>x")
	c := dataOf(t, write(t, Input{Results: []Labelled{{Label: "A", Result: a}, {Label: "B", Result: b}}}))
	want := &comparison{Both: []pair{{0, 1}}, Turned: []pair{{1, 2}}, OnlyFirst: []pair{{0, 3}}, OnlySecond: []pair{{2, 4}}}
	if !reflect.DeepEqual(c.Comparison, want) {
		t.Errorf("%+v, want %+v", c.Comparison, want)
	}
	if !slices.Equal(c.Names, []string{"a", "b", "c", "d", "x"}) {
		t.Errorf("names %q", c.Names)
	}
}

// TestComparisonOfUnstatedDirections checks that an edge is not reversed if neither result states its direction.
func TestComparisonOfUnstatedDirections(t *testing.T) {
	a := result("a b c d", "a>b", "b>c", "c>d")
	b := result("a b c d", "b>a", "c>b", "c>d")
	for k, v := range []polydag.Verdict{polydag.Undirected, polydag.Directed, polydag.Weak} {
		a.Edges[k].Verdict, b.Edges[k].Verdict = v, v
	}
	b.Edges[2].Verdict = polydag.Directed
	c := dataOf(t, write(t, Input{Results: []Labelled{{Label: "A", Result: a}, {Label: "B", Result: b}}}))
	want := &comparison{Both: []pair{{0, 1}}, Turned: []pair{{1, 2}, {2, 3}}, OnlyFirst: []pair{}, OnlySecond: []pair{}}
	if !reflect.DeepEqual(c.Comparison, want) {
		t.Errorf("%+v, want %+v", c.Comparison, want)
	}
}

func TestInputIsRefusedInWords(t *testing.T) {
	one := []Labelled{{Label: "r.json", Result: result("a b", "a>b")}}
	cyclic := []Labelled{{Label: "r.json", Result: result("a b", "a>b", "b>a")}}
	for _, k := range []struct {
		in   Input
		want string
		mine bool
	}{
		{Input{}, "0 results", true},
		{Input{Results: slices.Concat(one, one, one)}, "3 results", true},
		{Input{Results: one, Sensitive: []string{"z"}}, `"z" is not a column`, true},
		{Input{Results: one, Truth: truth("a>z")}, "a → z between columns that r.json does not have", true},
		{Input{Results: []Labelled{{Label: "r.json", Result: result("a b", "a>z")}}}, "a → z between names", false},
		{Input{Results: cyclic}, "r.json joins b and a twice", false},
		{Input{Results: []Labelled{{Label: "r.json", Result: result("a b c", "a>b", "b>c", "c>a")}}}, "r.json have a cycle", false},
		{Input{Results: []Labelled{{Label: "r.json", Result: &polydag.Result{Names: []string{"a", "b"}, Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}}}}}}}, "not a valid edge", false},
	} {
		err := Write(context.Background(), &bytes.Buffer{}, k.in)
		if err == nil || !strings.Contains(err.Error(), k.want) || errors.Is(err, ErrInput) != k.mine {
			t.Errorf("%v, want %q", err, k.want)
		}
	}
}

func TestSameInputSameBytesAndInputUntouched(t *testing.T) {
	r := result("a b c d", "a>b", "b>c", "a>c")
	r.Stages = []polydag.Stage{{Name: "order", Graph: []polydag.Link{{From: "a", To: "b"}}}}
	in := Input{Results: []Labelled{{Label: "r", Result: r}}, Truth: truth("a>b"), Sensitive: []string{"a"}}
	first := write(t, in)
	if write(t, in) != first {
		t.Error("two pages of one input differ")
	}
	if len(r.Stages[0].Graph) != 1 {
		t.Error("the caller's result was changed")
	}
	if c := dataOf(t, first); len(c.Results[0].Result.Stages[0].Graph) != 0 {
		t.Error("the graph of a stage is on the page")
	}
}

// marked makes a result from edges such as a o-> b.
func marked(kind graph.Kind, names string, edges ...string) *polydag.Result {
	r := &polydag.Result{Kind: kind, Names: strings.Fields(names)}
	for _, e := range edges {
		f := strings.Fields(e)
		edge := polydag.Edge{Link: polydag.Link{From: f[0], To: f[2]}, Mark: f[1]}
		if edge.Directed() {
			edge.Weight, edge.Standardized, edge.Compelled = 1, 0.5, true
		}
		r.Edges = append(r.Edges, edge)
	}
	return r
}

// TestMarks checks that a CPDAG, a PAG and an average, whose directed edges may have a cycle, have a page,
// alone, compared and against a truth.
func TestMarks(t *testing.T) {
	cpdag := marked("cpdag", "a b c d e", "a --> c", "b --> c", "d --- e")
	pag := marked("pag", "a b c d e", "a o-> c", "c <-> b", "d o-- e", "a o-o d")
	average := marked("average", "a b c", "a --> b", "b --> c", "c --> a")
	for _, r := range []*polydag.Result{cpdag, pag, average} {
		c := dataOf(t, write(t, Input{Results: []Labelled{{Label: "r", Result: r}}}))
		if got := c.Results[0].Result; !reflect.DeepEqual(got.Edges, r.Edges) || got.Kind != r.Kind {
			t.Errorf("%s: %+v", r.Kind, got)
		}
		for _, e := range r.Edges {
			if c.Marks[e.Mark] == "" {
				t.Errorf("no words for %s", e.Mark)
			}
		}
	}
	c := dataOf(t, write(t, Input{Results: []Labelled{{Label: "A", Result: cpdag}, {Label: "B", Result: pag}}, Truth: truth("a>c", "c>b", "d>e", "a>b")}))
	want := &comparison{Both: []pair{}, Turned: []pair{{0, 2}, {1, 2}, {3, 4}}, OnlyFirst: []pair{}, OnlySecond: []pair{{0, 3}}}
	if !reflect.DeepEqual(c.Comparison, want) {
		t.Errorf("%+v, want %+v", c.Comparison, want)
	}
	for k, want := range []verdict{
		{Right: []pair{{0, 2}}, Reversed: []pair{{1, 2}}, Missing: []pair{{0, 1}}, Extra: []pair{}, Unoriented: []pair{{3, 4}}},
		{Right: []pair{}, Reversed: []pair{}, Missing: []pair{{0, 1}}, Extra: []pair{{0, 3}}, Unoriented: []pair{{0, 2}, {2, 1}, {3, 4}}},
	} {
		got := c.Truth.Verdicts[k]
		got.Metrics = want.Metrics
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d: %+v, want %+v", k, got, want)
		}
	}
	same := dataOf(t, write(t, Input{Results: []Labelled{{Label: "A", Result: pag}, {Label: "B", Result: pag}}}))
	if len(same.Comparison.Both) != len(pag.Edges) {
		t.Errorf("%+v", same.Comparison)
	}
}

// TestBack checks that only a page on a server has a link to the list.
func TestBack(t *testing.T) {
	for _, back := range []bool{false, true} {
		if c := dataOf(t, write(t, Input{Results: []Labelled{{Label: "r", Result: result("a b", "a>b")}}, Back: back})); c.Back != back {
			t.Errorf("%v", c.Back)
		}
	}
}

// TestBasisWords checks that the page, Python and R have the word of each basis of a direction, that of the results.
func TestBasisWords(t *testing.T) {
	for file, format := range map[string]string{"web/src/terms.ts": "  %s: '%s',\n", "python/polydag/_result.py": `"%s": "%s"`, "r/R/result.R": `%s = "%s"`} {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Skipf("the sources are not here: %v", err)
		}
		for _, b := range []trust.Basis{trust.ByKnowledge, trust.ByPrior, trust.ByKnowledgeAndModel, trust.ByNames, trust.ByModel, trust.ByModelAndRule, trust.ByRule} {
			if want := fmt.Sprintf(format, b, b.Word()); !strings.Contains(string(text), want) {
				t.Errorf("%s does not contain %q", file, want)
			}
		}
	}
}

// TestStatedLevel checks that the page states adjacencies and directions from the same probability as the
// results do.
func TestStatedLevel(t *testing.T) {
	text, err := os.ReadFile("../../web/src/terms.ts")
	if err != nil {
		t.Skipf("the sources of the page are not here: %v", err)
	}
	if want := fmt.Sprintf("statedLevel = %v\n", trust.StatedLevel); !strings.Contains(string(text), want) {
		t.Errorf("web/src/terms.ts does not contain %q", want)
	}
}
