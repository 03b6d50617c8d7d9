package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/trust"
)

// arrow draws the verdict on an edge: → directed, — undirected, ? weak. An edge of a PAG with other marks shows these.
func arrow(e polydag.Edge) string {
	switch {
	case !e.Directed() && e.Mark != "---":
		return e.Mark
	case e.Verdict == polydag.Weak:
		return "?"
	case e.Verdict == polydag.Undirected || !e.Directed():
		return "—"
	}
	return "→"
}

// legend explains the marks, the columns and the effects that occur, one per line.
func (t *printer) legend(edges []polydag.Edge, columns []column, narrow bool) {
	o := occurring(edges)
	lines := o.markLines()
	for _, c := range columns {
		switch name := strings.TrimSuffix(c.header, " (bits/row)"); name {
		case "effect":
			lines = append(lines, o.effectLines(narrow)...)
		default:
			if words := o.columnWords(name); words != "" {
				lines = append(lines, [2]string{name, words})
			}
		}
	}
	t.linef("Legend:")
	wide := 0
	for _, l := range lines {
		wide = max(wide, utf8.RuneCountInString(l[0]))
	}
	for _, l := range lines {
		t.linef("  %s  %s", pad(l[0], wide), wrap(strings.Fields(l[1]), " ", t.room(114, wide+4), strings.Repeat(" ", wide+4)))
	}
}

// occurrences say what a table of edges has, for its legend.
type occurrences struct {
	verdicts                                                       bool
	marks, bases                                                   map[string]bool
	categories, values, slopes, chances, curves, medians, noSingle bool // kinds of effects
}

func occurring(edges []polydag.Edge) occurrences {
	o := occurrences{marks: map[string]bool{}, bases: map[string]bool{}}
	for _, e := range edges {
		s := shownEffect(e)
		o.verdicts = o.verdicts || e.Verdict != ""
		o.marks[arrow(e)], o.bases[e.RestsOn()] = true, true
		o.categories, o.values, o.slopes = o.categories || s.categories, o.values || s.values, o.slopes || s.slope && s.text != ""
		o.chances = o.chances || strings.HasPrefix(s.text, "P(")
		o.curves = o.curves || s.slope && e.Effect != nil && e.Effect.Form == method.EffectCurve && len(e.Effect.X) > 4 // a line has 4 points
		o.medians = o.medians || s.text != "" && e.Effect != nil && e.Effect.Median
		o.noSingle = o.noSingle || standardized(e) == ""
	}
	return o
}

// markLines explain the marks.
func (o *occurrences) markLines() (lines [][2]string) {
	words := map[string]string{
		"→": fmt.Sprintf("directed: the probability of the edge and its direction together is at least %g", trust.StatedLevel),
		"—": fmt.Sprintf("undirected: an edge with a probability of at least %g; the direction is not stated", trust.StatedLevel),
		"?": fmt.Sprintf("weak: in the graph with the best score, but the probability of an edge is below %g", trust.StatedLevel),
	}
	if !o.verdicts {
		words["→"], words["—"] = "directed", "undirected"
	}
	for _, m := range append([]string{"→", "—", "?"}, graph.Symbols()...) {
		if o.marks[m] {
			lines = append(lines, [2]string{m, cmp.Or(words[m], graph.Words(m))})
		}
	}
	return lines
}

// columnWords explains a column, except that of effects; it is empty for a column that needs no words.
func (o *occurrences) columnWords(name string) string {
	switch name {
	case "lag":
		return "time steps from cause to effect"
	case "confidence":
		switch words := "probability of the edge and its direction for →"; {
		case !o.marks["→"]:
			return "probability of an edge in either direction"
		case o.marks["—"] && o.marks["?"]:
			return words + ", of an edge in either direction for — and ?"
		case o.marks["—"]:
			return words + ", of an edge in either direction for —"
		case o.marks["?"]:
			return words + ", of an edge in either direction for ?"
		default:
			return words
		}
	case "basis":
		var words []string
		for _, w := range basisLegend {
			if o.bases[w[0]] {
				words = append(words, w[0]+" = "+w[1])
			}
		}
		return "what the direction mainly rests on: " + strings.Join(words, ", ")
	case "std. effect":
		if o.noSingle {
			return "effect in standard deviations of both columns; blank if the effect is not a single slope"
		}
		return "effect in standard deviations of both columns"
	case "gain":
		return "log-likelihood lost without the edge, its penalty subtracted, in bits per row; the table is sorted by it"
	}
	return ""
}

// effectLines explain the column of effects. A narrow table has shorter effects.
func (o *occurrences) effectLines(narrow bool) [][2]string {
	words := `change of "to", with its other causes fixed`
	if o.slopes {
		words = `change of "to" per unit of "from", with the other causes of "to" fixed`
	}
	if o.marks["—"] || o.marks["?"] {
		words += `, if "from" acts on "to"`
	}
	lines := [][2]string{{"effect", words}}
	for _, l := range []struct {
		occurs bool
		words  string
	}{
		{o.categories, `(a): for category a of "from" against the other one, or against the most frequent of several`},
		{o.values && narrow, `probabilities: for the 95 % quantile of a numeric "from" instead of its 5 % quantile`},
		{o.values && !narrow, `(a against b): for "from" = a, its 95 % quantile, instead of b, its 5 % quantile`},
		{o.curves, `nonlinear effects: mean slope between the 5 % and the 95 % quantile of "from"`},
		{o.medians, `of the median if "to" is modelled on a log or rank scale (polydag effect has means)`},
		{o.chances, `P(c): probability of category c of "to", of several the one that changes most, in percentage points (pp)`},
	} {
		if l.occurs {
			lines = append(lines, [2]string{"", l.words})
		}
	}
	return lines
}

// basisLegend explains the words of the column basis.
var basisLegend = [][2]string{
	{"you", "prior knowledge"}, {"names", "names of the columns"}, {"model", "the model and the rows"}, {"rules", "rules about real tables"}, {"time", "the lag"},
}

// rules describes the rules about real tables.
const rules = "These are two rules: the cause usually has fewer distinct values, and usually predicts the effect with less error than the effect predicts it"

var basisWords = map[trust.Basis]string{
	trust.ByModel:             "by the model",
	trust.ByNames:             "by the names of the columns",
	trust.ByRule:              "mainly by rules about real tables",
	trust.ByModelAndRule:      "by rules about real tables together with the model",
	trust.ByKnowledge:         "by prior knowledge",
	trust.ByKnowledgeAndModel: "by prior knowledge and the other directions",
	trust.ByPrior:             "by prior probabilities",
}

// directions says in one sentence what the stated directions rest on.
func (t *printer) directions(r *polydag.Result) {
	count, examples := map[trust.Basis]int{}, map[trust.Basis][]string{}
	for _, e := range directed(r.Edges) {
		count[e.Basis]++
		switch e.Basis {
		case trust.ByRule:
			examples[e.Basis] = append(examples[e.Basis], brief(tight(e.From)+" → "+tight(e.To)))
		case trust.ByNames:
			for _, reason := range e.Evidence {
				if reason.Source == trust.FromNames && !slices.Contains(examples[e.Basis], reason.Text) {
					examples[e.Basis] = append(examples[e.Basis], reason.Text)
				}
			}
		}
	}
	var said []string
	if n := len(directed(r.Lagged)); n > 0 {
		said = append(said, fmt.Sprintf("%d by the order of time (edges with a lag)", n))
	}
	for _, b := range []trust.Basis{trust.ByKnowledge, trust.ByKnowledgeAndModel, trust.ByPrior, trust.ByNames, trust.ByModel, trust.ByModelAndRule, trust.ByRule} {
		if count[b] > 0 {
			said = append(said, fmt.Sprintf("%d %s", count[b], basisWords[b]))
			if len(examples[b]) > 0 {
				said[len(said)-1] += " (" + someOf(examples[b]) + ")"
			}
		}
	}
	if len(said) > 0 {
		line := "Directions (→): " + strings.Join(said, "; ") + "."
		if count[trust.ByRule]+count[trust.ByModelAndRule] > 0 {
			line += " " + rules + "."
		}
		t.linef("%s", wrap(strings.Fields(line), " ", t.room(114, 2), "  "))
	}
	t.opposite(r)
}

// directed returns the edges with a stated direction.
func directed(edges []polydag.Edge) []polydag.Edge {
	return slices.DeleteFunc(slices.Clone(edges), func(e polydag.Edge) bool { return e.Verdict != polydag.Directed })
}

// opposite names the undirected edges whose other direction has the probability of a statement. The graph with the best score has them
// as listed, so no direction is stated.
func (t *printer) opposite(r *polydag.Result) {
	var said []string
	for _, e := range r.Edges {
		if p := e.PAdjacent * e.PReverse(); e.Verdict == polydag.Undirected && len(e.Evidence) > 0 && p >= trust.StatedLevel {
			said = append(said, fmt.Sprintf("%s → %s %.2f", tight(e.To), tight(e.From), p))
		}
	}
	if len(said) > 0 {
		t.linef("%s", wrap(strings.Fields("Undirected, since the graph with the best score has the opposite of the probable direction (with the probability of edge and direction): "+strings.Join(said, ", ")+"."), " ", t.room(114, 2), "  "))
	}
}

// assumptions lists the assumption checks. A check that failed has a line on what failed and one with the remedy; full also gives the
// figures.
func (t *printer) assumptions(list []trust.Assumption, full bool) {
	if len(list) == 0 {
		return
	}
	t.linef("")
	t.linef("Assumption checks:")
	const indent = "               "
	said := map[string]bool{}
	for _, a := range list {
		if a.Outcome != trust.Failed {
			continue
		}
		for k, f := range a.Evidence {
			what := trust.CodeWords(f.Code)
			if full {
				what = f.Sentence
			} else if len(f.Columns) > 0 {
				what += " (" + columnList(f.Columns) + ")"
			}
			label := "failed"
			if k == 0 {
				what = a.Statement + ": " + what
			} else {
				label, what = "", "and "+what
			}
			t.linef("  %-11s  %s", label, wrap(strings.Fields(what), " ", t.room(96, len(indent)), indent))
			way := t.wayOut(f)
			if said[way] {
				way = "as above"
			}
			said[way] = true
			t.linef("%s%s", indent, wrap(strings.Fields("advice: "+way), " ", t.room(94, len(indent)+2), indent+"  "))
		}
	}
	for _, kind := range []struct {
		verdict trust.CheckOutcome
		words   string
	}{{trust.Passed, "passed"}, {trust.NotChecked, "not checked"}, {trust.Untestable, "untestable"}} {
		var said []string
		for _, a := range list {
			if a.Outcome != kind.verdict {
				continue
			}
			words := a.Statement
			if kind.verdict == trust.NotChecked {
				reason := " (" + a.Sentence + ")"
				if n := len(said); n > 0 { // the reason stands once, after the last check
					said[n-1] = strings.TrimSuffix(said[n-1], reason)
				}
				words += reason
			}
			if a.Name == trust.NoHiddenCauses {
				words += " (" + a.Sentence + ")"
			}
			said = append(said, words)
		}
		if len(said) > 0 {
			t.linef("  %-11s  %s", kind.words, wrap(strings.Fields(strings.Join(said, "; ")), " ", t.room(96, len(indent)), indent))
		}
	}
}
