package sentence

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/visible"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// Methods describes how a graph was learned, as the methods section of a paper does: one paragraph with citations, and the list of
// references. Every number comes from the result. It is plain text that ends with a line end.
func Methods(r *polydag.Result) string {
	m := &account{r: r, told: map[string]bool{}}
	if r.Method == "" {
		return fmt.Sprintf("The graph has %s over %s. It was given and not learned from a table.\n", counted(len(r.AllEdges()), "edge"), counted(len(r.Names), "variable"))
	}
	m.table()
	m.model()
	m.score()
	m.search()
	m.knowledge()
	m.settings()
	m.confidence()
	m.answer()
	m.assumptions()
	m.end()
	if caution := trust.PeopleSentence(r.Warnings); caution != "" {
		m.add("%s", caution)
	}
	var b strings.Builder
	b.WriteString(strings.Join(m.said, " ") + "\n\nReferences\n\n")
	for k, ref := range m.cited {
		fmt.Fprintf(&b, "[%d] %s.\n", k+1, ref)
	}
	return b.String()
}

// An account is a methods paragraph in progress.
type account struct {
	r     *polydag.Result
	said  []string        // sentences
	cited []string        // references in the order of their first citation
	told  map[string]bool // settings of the method that a sentence covers
}

func (m *account) add(format string, args ...any) {
	text := visible.Name(fmt.Sprintf(format, args...))
	m.said = append(m.said, strings.TrimSuffix(text, ".")+".")
}

// cite returns the numbers of references in brackets, with a space before them.
func (m *account) cite(refs ...string) string {
	if len(refs) == 0 {
		return ""
	}
	var numbers []string
	for _, ref := range refs {
		k := slices.IndexFunc(m.cited, func(c string) bool { return sameWork(c, ref) })
		if k < 0 {
			k = len(m.cited)
			m.cited = append(m.cited, ref)
		}
		numbers = append(numbers, strconv.Itoa(k+1))
	}
	return " [" + strings.Join(numbers, ", ") + "]"
}

// sameWork reports whether one reference is the other with a journal added.
func sameWork(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// choice returns the value of a setting that the method chose itself, or "".
func (m *account) choice(setting string) (chosen, reason string) {
	for _, c := range m.r.Choices {
		if c.Setting == setting {
			return c.Chosen, c.Reason
		}
	}
	return "", ""
}

// setting returns the value of a setting as text, or "", and does not list it again.
func (m *account) setting(key string) string {
	m.told[key] = true
	if v := m.r.Settings.Get(key); v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

var kinds = map[graph.Kind]string{
	graph.KindDAG: "directed acyclic graph (DAG)", graph.KindCPDAG: "completed partially directed acyclic graph (CPDAG)",
	graph.KindPDAG: "partially directed acyclic graph (PDAG)", graph.KindPAG: "partial ancestral graph (PAG)", graph.KindAverage: "average of graphs",
}

// table says what was learned, from which table, with what, and how the table was prepared.
func (m *account) table() {
	r := m.r
	version := r.Program.Version
	if version == "" || version == "(devel)" {
		version = "(development version)"
	}
	if r.Program.Commit != "" && strings.HasPrefix(version, "(") {
		version += ", commit " + r.Program.Commit
	}
	from := counted(r.Rows, "row")
	if r.Table.Name != "" {
		from += " of " + r.Table.Name
	}
	program := m.cite(fmt.Sprintf("polydag %s, %s", version, homepage))
	title, refs := r.Method, []string(nil)
	for _, one := range r.Methods.All() {
		if info := one.Info(); info.Name == r.Method {
			title = fmt.Sprintf("%s (%s)", r.Method, strings.TrimPrefix(info.Title, "default: "))
			refs = strings.Split(info.Reference, "; ")
		}
	}
	by := ""
	if len(refs) > 0 {
		by = m.cite(refs...)
	}
	m.add("We learned a %s over %s from %s with polydag %s%s and its method %s%s", cmp.Or(kinds[r.Kind], "graph"), counted(len(r.Names), "variable"), from, version, program, title, by)
	if dropped := r.Table.Reading["drop"]; len(dropped) > 0 {
		m.add("Columns excluded by the analyst: %s", some(dropped))
	}
	for _, note := range r.Table.Notes {
		m.add("%s", note)
	}
	switch miss := r.Table.Missing; {
	case miss != nil && miss.Values > 0 && r.Model == score.LinearEffects:
		m.add("Under missing values%s, means and covariances were estimated by the EM algorithm%s; the effective number of rows is %d", m.cite(rubin1976), m.cite(dempster1977), miss.EffectiveRows)
	case miss != nil && miss.Values > 0:
		m.add("Missing values%s were drawn from a network fitted to the table; the effective number of rows is %d", m.cite(rubin1976), miss.EffectiveRows)
	case miss == nil && r.Table.SHA256 != "" && !strings.Contains(strings.Join(r.Table.Notes, " "), "missing"):
		m.add("No values were missing")
	}
	if m.setting("standardize") == "true" {
		m.add("All columns were standardized")
	}
	if s := r.Time; s != nil {
		m.add("The rows are a time series with a step of %s; edges may have a lag of up to %s", s.Step, counted(s.Lags, "time step"))
	}
	if m.setting("targets") != "" {
		m.add("Rows with an intervention on a variable were not used to learn about its causes%s", m.cite(hauser2012))
	}
	if m.setting("environments") != "" {
		m.add("Each environment was a context variable without causes%s", m.cite(mooij2020))
	}
	m.told["groups"], m.told["kind"] = true, true // the notes have them
}

var effects = map[score.Effects]string{
	score.LinearEffects: "linear effects", score.SmoothEffects: "additive smooth effects with Gaussian noise", score.TableEffects: "conditional probability tables",
	score.MixedEffects:    "linear effects of numeric columns and shifts by category (degenerate Gaussian score)",
	score.FlexibleEffects: "smooth effects between continuous columns, linear effects of counts, and shifts by category, each column on its own scale",
}

// model says what effects and noise were assumed.
func (m *account) model() {
	asked := m.setting("model")
	words := effects[m.r.Model]
	if words == "" {
		return
	}
	if m.r.Model == score.MixedEffects {
		words += m.cite(andrews2019)
	}
	switch v, _ := m.choice("variance"); {
	case m.r.Model == score.LinearEffects && v == "equal":
		words += " with equal noise variances" + m.cite(peters2014)
	case m.r.Model == score.LinearEffects && v == "unequal":
		words += " with unequal noise variances"
	}
	m.told["variance"], m.told["noise"] = true, true
	if noise, _ := m.choice("noise"); noise == "free" {
		words += ", and noise of any distribution" + m.cite(shimizu2006)
	}
	m.add("The model has %s", words)
	if _, reason := m.choice("model"); asked == "auto" && reason != "" {
		m.add("polydag chose the model from the data: %s", reason)
	}
	if slices.ContainsFunc(m.r.Edges, func(e polydag.Edge) bool { return e.DirectionP != nil }) {
		m.add("Directions were tested by the test of Vuong%s, corrected by the method of Holm%s", m.cite(vuong1989), m.cite(holm1979))
	}
}

// score says what was optimized or tested.
func (m *account) score() {
	criterion, ess := m.setting("criterion"), m.setting("ess")
	if test, _ := m.choice("test"); test != "" {
		level := m.setting("alpha")
		m.told["test"] = true
		m.add("Conditional independence was tested by %s at a significance level of %s", test, level)
	}
	gamma := m.setting("gamma")
	penalty := m.setting("penalty")
	if chosen, _ := m.choice("ess"); chosen != "" {
		ess = chosen
	}
	per, reason := m.choice("penalty")
	switch {
	case m.r.Model == score.TableEffects && criterion == "bdeu":
		m.add("The score was BDeu with an equivalent sample size of %s%s", ess, m.cite(heckerman1995))
	case penalty == "":
	case per != "":
		m.add("The score was the extended BIC (γ = %s)%s with a penalty per edge of %s on the scale of twice the log-likelihood, adapted to weak effects%s", gamma, m.cite(foygel2010), short(per), after(" (", reason, ")"))
	case gamma != "0" && gamma != "":
		m.add("The score was the extended BIC with γ = %s%s and a penalty factor of %s", gamma, m.cite(foygel2010), penalty)
	default:
		m.add("The score was BIC%s with a penalty factor of %s", m.cite(schwarz1978), penalty)
	}
	if _, reason := m.choice("false edges"); strings.Contains(reason, "false discovery rate") {
		m.add("False edges were controlled by %s%s", reason, m.cite(benjamini1995))
	}
}

// search says how the search ended.
func (m *account) search() {
	r := m.r
	if r.Optimal {
		m.add("The search was exhaustive: the graph is globally optimal under this model")
	}
	if !r.Status.Finished() && r.Status != "" {
		m.add("The run ended early (%s), with the best graph so far", strings.ReplaceAll(string(r.Status), "_", " "))
	}
	if b := r.Budget; b != nil && b.MaxEdges > 0 {
		m.add("The graph was limited to %s", counted(b.MaxEdges, "edge"))
	}
	m.told["max_edges"] = true
}

// knowledge lists the prior knowledge.
func (m *account) knowledge() {
	m.told["knowledge"] = true
	given := m.r.Settings.Get("knowledge")
	if given == nil {
		m.add("No prior knowledge was given")
		return
	}
	var spec knowledge.Spec
	text, err := json.Marshal(given)
	if err == nil {
		err = json.Unmarshal(text, &spec)
	}
	if err != nil {
		m.add("Prior knowledge was given")
		return
	}
	var parts []string
	tiers := make([]string, len(spec.Tiers))
	for k, tier := range spec.Tiers {
		tiers[k] = some(tier)
	}
	for _, p := range []struct {
		rules []string
		what  string
	}{{spec.Require, "required edge"}, {spec.Forbid, "rule of forbidden edges"}, {tiers, "tier"}, {spec.Prior, "prior probability"}} {
		between := ", "
		if p.what == "tier" {
			between = " before "
		}
		if len(p.rules) > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", counted(len(p.rules), p.what), strings.ReplaceAll(someWith(p.rules, between), "->", " → ")))
		}
	}
	if slices.ContainsFunc(spec.Forbid, func(rule string) bool { return strings.Contains(rule, "*") }) {
		parts = append(parts, "with * for any characters of a name")
	}
	by := ""
	if len(spec.Require)+len(spec.Forbid) > 0 || len(spec.Tiers) > 0 && spec.TierOdds == 0 {
		by = m.cite(meek1995)
	}
	m.add("Prior knowledge: %s%s", strings.Join(parts, ", "), by)
}

// settings lists the settings that no other sentence covers and that were not left to the method.
func (m *account) settings() {
	var list []string
	for _, e := range m.r.Settings {
		v := fmt.Sprint(e.Value)
		if m.told[e.Key] || v == "auto" || v == "false" {
			continue
		}
		list = append(list, e.Key+" = "+v)
	}
	if len(list) > 0 {
		m.add("Other settings: %s", strings.Join(list, ", "))
	}
}

// some lists the first five of many names or rules.
func some(list []string) string { return someWith(list, ", ") }

func someWith(list []string, between string) string {
	const most = 5
	if len(list) <= most {
		return strings.Join(list, between)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], between), len(list)-most)
}

func after(before, text, behind string) string {
	if text == "" {
		return ""
	}
	return before + text + behind
}

// short returns a number with three digits.
func short(number string) string {
	if x, err := strconv.ParseFloat(number, 64); err == nil {
		return fmt.Sprintf("%.3g", x)
	}
	return number
}

// counted returns a number and its noun, with thousands separated.
func counted(n int, noun string) string {
	digits := strconv.Itoa(n)
	for k := len(digits) - 3; k > 0; k -= 3 {
		digits = digits[:k] + "," + digits[k:]
	}
	switch {
	case n == 1:
	case strings.HasPrefix(noun, "rule of "):
		noun = "rules" + strings.TrimPrefix(noun, "rule")
	case strings.HasSuffix(noun, "y"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	default:
		noun += "s"
	}
	return digits + " " + noun
}
