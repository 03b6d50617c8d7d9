package sentence

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/trust"
)

// learned returns a result with n rows and two edges, and changes it.
func learned(n int, change func(*polydag.Result)) *polydag.Result {
	one := polydag.Edge{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->"}
	two := polydag.Edge{Link: polydag.Link{From: "b", To: "c"}, Mark: "-->"}
	one.Verdict, two.Verdict = polydag.Directed, polydag.Weak
	r := &polydag.Result{
		Method: "order", Status: method.Converged, Kind: graph.KindDAG, Model: "linear", Names: []string{"a", "b", "c"}, Rows: n, Seed: uint64(n) + 1,
		Table: polydag.Provenance{Name: "table.csv", SHA256: "0123456789abcdef"}, Program: polydag.Program{Version: "1.2.3"},
		Edges:       []polydag.Edge{one, two},
		Settings:    param.Record{{Key: "model", Value: "linear"}, {Key: "penalty", Value: 1.5}, {Key: "gamma", Value: 0.25}, {Key: "criterion", Value: "bdeu"}, {Key: "ess", Value: 3.0}},
		Assumptions: []trust.Assumption{{Statement: "effects are linear", Outcome: trust.Failed}, {Statement: "no hidden common causes", Outcome: trust.Untestable}},
	}
	if change != nil {
		change(r)
	}
	return r
}

func set(r *polydag.Result, key string, value any) {
	for k := range r.Settings {
		if r.Settings[k].Key == key {
			r.Settings[k].Value = value
			return
		}
	}
	r.Settings = append(r.Settings, param.Entry{Key: key, Value: value})
}

// TestMethods checks that the paragraph has what was used, with its numbers and references, and nothing else.
func TestMethods(t *testing.T) {
	for name, c := range map[string]struct {
		change     func(*polydag.Result)
		want, none []string
	}{
		"plain": {nil,
			[]string{"(DAG) over 3 variables from 12,345 rows of table.csv with polydag 1.2.3 [1]", "No values were missing.", "The model has linear effects.", "extended BIC with γ = 0.25", "penalty factor of 1.5", "No prior knowledge",
				"The graph has 2 edges: 1 directed, 1 weak.", "at least 0.8", "Assumptions rejected by a check: effects are linear.", "Untestable assumptions: no hidden common causes.", "seed was 12346", "0123456789ab.", foygel2010},
			[]string{"BDeu", "bootstrap", "undirected", schwarz1978, "Other settings"}},
		"people": {func(r *polydag.Result) { r.Warnings = []string{trust.PeopleCaution} },
			[]string{"Attributes of people can reflect annotation practice", "to infer who somebody is.\n"}, nil},
		"bic":      {func(r *polydag.Result) { set(r, "gamma", 0.0) }, []string{"score was BIC", schwarz1978}, []string{foygel2010}},
		"adaptive": {func(r *polydag.Result) { r.Choices = []method.Choice{{Setting: "penalty", Chosen: "10.3735"}} }, []string{"penalty per edge of 10.4", "γ = 0.25"}, nil},
		"discrete": {func(r *polydag.Result) { r.Model = "discrete" }, []string{"BDeu with an equivalent sample size of 3", heckerman1995}, []string{foygel2010}},
		"few rows of interventions": {func(r *polydag.Result) {
			r.Model, r.Choices = "discrete", []method.Choice{{Setting: "ess", Chosen: "0.1"}}
			set(r, "targets", "target")
		}, []string{"equivalent sample size of 0.1", hauser2012}, []string{"target = "}},
		"chosen": {func(r *polydag.Result) {
			set(r, "model", "auto")
			r.Choices = []method.Choice{{Setting: "model", Chosen: "linear", Reason: "no nonlinear effect"}, {Setting: "variance", Chosen: "equal"}, {Setting: "noise", Chosen: "free"}, {Setting: "false edges", Reason: "rank tests over 3 pairs, false discovery rate 0.05"}}
		}, []string{"chose the model from the data: no nonlinear effect.", "equal noise variances", peters2014, shimizu2006, benjamini1995}, nil},
		"mixed":  {func(r *polydag.Result) { r.Model = "mixed" }, []string{"shifts by category", andrews2019}, nil},
		"tested": {func(r *polydag.Result) { p := 0.01; r.Edges[0].DirectionP = &p }, []string{vuong1989, holm1979}, nil},
		"by tests": {func(r *polydag.Result) {
			r.Method, r.Choices = "pc", []method.Choice{{Setting: "test", Chosen: "fisher-z"}}
			r.Settings = param.Record{{Key: "alpha", Value: 0.02}, {Key: "collider", Value: "majority"}}
		},
			[]string{"tested by fisher-z at a significance level of 0.02", "Other settings: collider = majority.", "Causation, prediction, and search"}, []string{"The score was"}},
		"missing, linear": {func(r *polydag.Result) {
			r.Table.Missing = &polydag.Missing{Values: 7, EffectiveRows: 99}
			r.Table.Notes = []string{"7 values are missing."}
		},
			[]string{"7 values are missing. Under missing values", "effective number of rows is 99", dempster1977, rubin1976}, []string{"No values were missing"}},
		"missing, others": {func(r *polydag.Result) {
			r.Model = "mixed"
			r.Table.Missing = &polydag.Missing{Values: 7, EffectiveRows: 98}
		}, []string{"drawn from a network", "98", rubin1976}, []string{dempster1977}},
		"dropped": {func(r *polydag.Result) { r.Table.Notes = []string{"2 rows with a missing value dropped"} }, []string{"2 rows with a missing value dropped."}, []string{"No values were missing"}},
		"time": {func(r *polydag.Result) {
			r.Time = &polydag.TimeSeries{Step: "1 h", Lags: 4}
			r.Confidence = &trust.Confidence{Resampling: polydag.Bootstrap, Unit: "blocks", Replicates: 17, Calibration: "none"}
		}, []string{"step of 1 h", "lag of up to 4 time steps", "17 bootstrap samples of blocks", carlstein1986}, []string{"calibrated"}},
		"environments": {func(r *polydag.Result) { set(r, "environments", "site") }, []string{mooij2020}, []string{"environments = "}},
		"knowledge": {func(r *polydag.Result) {
			set(r, "knowledge", knowledge.Spec{Require: []string{"a->b"}, Forbid: []string{"*->a", "c->a"}, Tiers: [][]string{{"a"}, {"b"}}, Prior: []string{"a->c=0.1"}})
		},
			[]string{"Prior knowledge: 1 required edge (a → b), 2 rules of forbidden edges (* → a, c → a), 2 tiers (a before b), 1 prior probability (a → c=0.1), with * for any characters of a name [", meek1995}, nil},
		"many rules": {func(r *polydag.Result) {
			set(r, "knowledge", knowledge.Spec{Forbid: strings.Fields("a->b a->c b->a b->c c->a c->b d->a")})
		}, []string{"Prior knowledge: 7 rules of forbidden edges (a → b, a → c, b → a, b → c, c → a and 2 more) ["}, []string{"any characters"}},
		"excluded columns": {func(r *polydag.Result) { r.Table.Reading = map[string][]string{"drop": {"G1", "G2"}} },
			[]string{"Columns excluded by the analyst: G1, G2."}, nil},
		"knowledge of a read result": {func(r *polydag.Result) { set(r, "knowledge", map[string]any{"prior": []any{"a->b=0.3", "b->c=0.2"}}) }, []string{"Prior knowledge: 2 prior probabilities (a → b=0.3, b → c=0.2)."}, []string{meek1995}},
		"bootstrap": {func(r *polydag.Result) {
			r.Confidence = &trust.Confidence{Resampling: polydag.Bootstrap, Unit: "rows", Replicates: 31, Calibration: "simulated-1"}
		}, []string{"31 bootstrap samples of rows", ", calibrated on simulated tables", friedman1999}, []string{carlstein1986}},
		"halves": {func(r *polydag.Result) {
			r.Confidence = &trust.Confidence{Resampling: polydag.Halves, Replicates: 40, Calibration: "none", Stability: &trust.Stability{Threshold: 0.9, Selected: 2, Bound: 1.25}}
		}, []string{"40 half samples", "2 pairs were adjacent in at least 0.9", "at most 1.25", shah2013}, nil},
		"posterior": {func(r *polydag.Result) {
			r.Confidence = &trust.Confidence{Posterior: &trust.PosteriorSummary{Score: "BGe", Chains: 4, Samples: 50, RHat: 1.01, ESS: 321}}
		}, []string{"200 graphs of 4 Markov chains (R-hat 1.010, effective sample size 321)", geiger2002, kuipers2014}, []string{heckerman1995}},
		"posterior of all": {func(r *polydag.Result) {
			r.Confidence = &trust.Confidence{Posterior: &trust.PosteriorSummary{Score: "BDeu", Exact: true}}
		}, []string{"from all graphs", heckerman1995}, []string{geiger2002}},
		"posterior of a method": {func(r *polydag.Result) {
			r.Confidence = &trust.Confidence{Posterior: &trust.PosteriorSummary{Score: "Gaussian, linear", Chains: 1, Samples: 50}}
		}, []string{"under the score Gaussian, linear, from 50 graphs of the method"}, []string{heckerman1995, geiger2002, "[]"}},
		"names":   {func(r *polydag.Result) { r.Edges[0].Basis = trust.ByNames }, []string{"For 1 of the directed edges the direction rests mainly on the names of the columns"}, nil},
		"rules":   {func(r *polydag.Result) { r.Edges[0].Basis = trust.ByRule }, []string{"For 1 of the directed edges", bloebaum2018}, nil},
		"stopped": {func(r *polydag.Result) { r.Status = method.Canceled }, []string{"ended early (canceled)"}, nil},
		"limited": {func(r *polydag.Result) {
			r.Budget, r.Optimal = &method.Budget{MaxEdges: 6}, true
			set(r, "max_edges", 6)
		}, []string{"limited to 6 edges", "globally optimal"}, []string{"max_edges"}},
		"development": {func(r *polydag.Result) { r.Program = polydag.Program{Version: "(devel)", Commit: "abc"} }, []string{"polydag (development version), commit abc [1]"}, nil},
		"released":    {func(r *polydag.Result) { r.Program = polydag.Program{Version: "1.2.3", Commit: "abc"} }, []string{"polydag 1.2.3 [1]"}, []string{"commit"}},
		"no version":  {func(r *polydag.Result) { r.Program = polydag.Program{} }, []string{"polydag (development version) [1]"}, []string{"commit"}},
		"no file":     {func(r *polydag.Result) { r.Table.SHA256 = "" }, nil, []string{"No values were missing"}},
		"told before": {func(r *polydag.Result) { r.Table.Notes = []string{"Rows with missing values were dropped"} }, []string{"missing values were dropped"}, []string{"No values were missing"}},
		"equal":       {func(r *polydag.Result) { r.Choices = []method.Choice{{Setting: "variance", Chosen: "equal"}} }, []string{"linear effects with equal noise variances"}, nil},
		"smooth": {func(r *polydag.Result) {
			r.Model, r.Choices = "smooth", []method.Choice{{Setting: "variance", Chosen: "equal"}}
		}, []string{"additive smooth effects with Gaussian noise"}, []string{"equal noise variances"}},
		"other model":  {func(r *polydag.Result) { r.Model = "" }, nil, []string{"The model has"}},
		"standardized": {func(r *polydag.Result) { set(r, "standardize", true) }, []string{"All columns were standardized"}, nil},
		"raw":          {func(r *polydag.Result) { set(r, "standardize", false) }, nil, []string{"standardize"}},
		"none missing": {func(r *polydag.Result) { r.Table.Missing = &polydag.Missing{EffectiveRows: 99} }, nil, []string{"effective number of rows"}},
		"chosen model": {func(r *polydag.Result) {
			set(r, "model", "auto")
			r.Choices = []method.Choice{{Setting: "model", Chosen: "linear", Reason: "no curve pays"}}
		}, []string{"chose the model from the data: no curve pays"}, nil},
		"given model": {func(r *polydag.Result) {
			r.Choices = []method.Choice{{Setting: "model", Chosen: "linear", Reason: "no curve pays"}}
		}, nil, []string{"from the data"}},
		"other settings": {func(r *polydag.Result) { set(r, "width", 3); set(r, "depth", "auto"); set(r, "deep", false) }, []string{"Other settings: width = 3."}, nil},
		"short checksum": {func(r *polydag.Result) { r.Table.SHA256 = "0123" }, []string{"begins with 0123."}, nil},
		"hostile":        {func(r *polydag.Result) { r.Table.Name = "a\x1b[31m\n.csv" }, []string{`of a\u001b[31m\u000a.csv`}, []string{"\x1b"}},
	} {
		text := Methods(learned(12345, c.change))
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
		for _, none := range c.none {
			if strings.Contains(text, none) {
				t.Errorf("%s: %q in\n%s", name, none, text)
			}
		}
		citations(t, name, text)
	}
	if text := Methods(&polydag.Result{Names: []string{"a", "b"}}); !strings.Contains(text, "0 edges over 2 variables") || !strings.Contains(text, "not learned") {
		t.Errorf("a graph that was not learned: %s", text)
	}
}

// citations checks that the numbers in brackets are those of the list, in the order of their first use.
func citations(t *testing.T, name, text string) {
	t.Helper()
	body, list, ok := strings.Cut(text, "\n\nReferences\n\n")
	if !ok || strings.Contains(body, "\n") {
		t.Fatalf("%s: no list of references after one paragraph:\n%s", name, text)
	}
	next := 1
	for _, group := range regexp.MustCompile(`\[([\d, ]+)\]`).FindAllStringSubmatch(body, -1) {
		for _, n := range strings.Split(group[1], ", ") {
			k, err := strconv.Atoi(n)
			if err != nil || k > next {
				t.Errorf("%s: citation %s before %d", name, n, next)
			}
			next = max(next, k+1)
		}
	}
	lines := strings.Split(strings.TrimSuffix(list, "\n"), "\n")
	for k, line := range lines {
		if !strings.HasPrefix(line, fmt.Sprintf("[%d] ", k+1)) || !strings.HasSuffix(line, ".") {
			t.Errorf("%s: reference %q", name, line)
		}
	}
	if len(lines) != next-1 {
		t.Errorf("%s: %d references, %d cited", name, len(lines), next-1)
	}
}

// TestReferencesOfMethods checks that every method names publications that a list of references can have.
func TestReferencesOfMethods(t *testing.T) {
	shape := regexp.MustCompile(`^[A-Z][^();]+( et al\.)? \((19|20)\d\d\), [A-Z].{15,}$`)
	for _, m := range lab.All() {
		for _, ref := range strings.Split(m.Info().Reference, "; ") {
			if !shape.MatchString(ref) && !strings.HasPrefix(ref, "Zhang, Ramezani, Han, Hwang and Guo, polyDAG: ") { // has no year so far
				t.Errorf("%s: %q, want authors (year), title", m.Info().Name, ref)
			}
		}
	}
}

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 pairs", 1: "1 pair", 999: "999 pairs", 1000: "1,000 pairs", 1234567: "1,234,567 pairs", 123456: "123,456 pairs"} {
		if got := counted(n, "pair"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := counted(2, "category"); got != "2 categories" {
		t.Errorf("%q", got)
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{{"A 1999", "A 1999, Journal", true}, {"A 1999, Journal", "A 1999", true}, {"A 1999", "B 1999", false}} {
		if sameWork(c.a, c.b) != c.want {
			t.Errorf("%q and %q are the same work: %v", c.a, c.b, !c.want)
		}
	}
}
