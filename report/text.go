package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/prepare"
	"github.com/polydag/polydag/internal/sentence"
	"github.com/polydag/polydag/trust"
)

// maxListed is the number of edges that Text prints before it refers to the JSON.
const maxListed = 60

// fewUnlikely is the number of improbable edges that Text prints without Details.
const fewUnlikely = 5

// TextOptions are the options of TextWith. The zero value writes long lines and no details.
type TextOptions struct {
	Width   int  // line width in characters; 0 means no limit
	Details bool // also how the graph was learned, the figures of every check and the certificate
	Words   Words
	// Next are suggested commands, each with a short description.
	Next [][2]string
}

// Text writes the result with all details and without a limit on the width, for a file.
func Text(r *polydag.Result) func(io.Writer) error { return TextWith(r, TextOptions{Details: true}) }

// TextWith writes the result for a person: the table and the verdict in one line each, the edges by score gain, the legend, the
// assumption checks, with Details the details, and the next commands.
func TextWith(r *polydag.Result, opt TextOptions) func(io.Writer) error {
	return func(w io.Writer) error {
		t := &printer{w: Fold(w, opt.Width), words: opt.Words, width: opt.Width, full: opt.Details}
		if line := tableLine(r); line != "" {
			t.linef("%s", wrap(strings.Fields(line), " ", t.room(116, 2), "  "))
		}
		t.linef("%s", wrap(strings.Fields(headline(r)), " ", t.room(116, 2), "  "))
		if !r.Status.Finished() && r.Status != "" {
			t.linef("Stopped early (%s): this is the best graph found so far.", strings.ReplaceAll(string(r.Status), "_", " "))
		}
		if r.Cause != "" {
			t.linef("  %s", plain(r.Cause))
		}
		t.edges(r)
		t.directions(r)
		t.confidence(r)
		t.priors(r.Priors)
		for _, warning := range r.Warnings {
			t.linef("Warning: %s", plain(warning))
		}
		t.assumptions(r.Assumptions, opt.Details)
		t.regimes(r.Regimes)
		if opt.Details {
			t.linef("")
			t.linef("Details:")
			t.details(r)
		}
		t.next(opt.Next)
		return t.err
	}
}

// tableLine describes the table: its file, rows, columns by kind and excluded columns.
func tableLine(r *polydag.Result) string {
	if r.Rows == 0 {
		return ""
	}
	line := counted(r.Rows, "row")
	if c := r.Table.Clusters; c != nil && c.EffectiveRows < c.Rows {
		line += fmt.Sprintf(" (effective sample size: %d)", c.EffectiveRows)
	}
	line += ", " + counted(len(r.Names), "column")
	count := map[string]int{}
	for _, n := range r.Nodes {
		switch n.Kind {
		case kind.Continuous, kind.Count:
			count["numeric"]++
		case "":
		default:
			count[string(n.Kind)]++
		}
	}
	var kinds []string
	for _, k := range []string{"numeric", string(kind.Ordinal), string(kind.Binary), string(kind.Categorical)} {
		if count[k] > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", count[k], k))
		}
	}
	if len(kinds) > 0 {
		line += " (" + strings.Join(kinds, ", ") + ")"
	}
	if r.Table.Name != "" {
		line = plain(r.Table.Name) + ": " + line
	}
	if s := r.Time; s != nil {
		line += fmt.Sprintf(", %s (step %s)", counted(s.Lags, "lag"), plain(s.Step))
		if s.SeriesCount > 1 {
			line += fmt.Sprintf(", %d series", s.SeriesCount)
		}
	}
	if len(r.Table.Excluded) > 0 {
		line += ", " + plain(prepare.ExcludedNote(r.Table.Excluded))
	}
	if dropped := r.Table.Reading["drop"]; len(dropped) > 0 {
		line += ", without " + columnList(dropped) + " (dropped on request)"
	}
	return line
}

// next lists commands, with their descriptions next to them if the line has space.
func (t *printer) next(list [][2]string) {
	if len(list) == 0 {
		return
	}
	wide := 0
	for _, c := range list {
		wide = max(wide, utf8.RuneCountInString(c[0]))
	}
	t.linef("")
	for i, c := range list {
		label := "     "
		if i == 0 {
			label = "Next:"
		}
		line := label + "  " + pad(c[0], wide) + "  # " + c[1]
		if t.width > 0 && utf8.RuneCountInString(line) > t.width {
			line = label + "  " + plain(c[0])
		}
		t.linef("%s", line)
	}
}

type printer struct {
	w     io.Writer
	words Words
	width int // line width; 0 if unknown
	full  bool
	err   error
}

// room returns the number of characters of a line besides the given ones, or usual if the width is unknown.
func (t *printer) room(usual, beside int) int {
	if t.width == 0 {
		return usual
	}
	return max(t.width-beside, 20)
}

// names returns the number of characters for each of count names in a table line with the given other
// characters.
func (t *printer) names(beside, count int) int {
	if t.width == 0 {
		return longest
	}
	return min(longest, max(8, (t.width-beside)/count))
}

func (t *printer) linef(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format+"\n", args...)
	}
}

// headline summarizes the result: the number of edges by verdict, and the assumption checks.
func headline(r *polydag.Result) string {
	all := r.AllEdges()
	edges := counted(len(all), "edge")
	if len(all) == 0 {
		edges = "no edges"
	}
	line := "A graph with " + edges
	if r.Rows > 0 {
		line = "Learned " + edges
		if r.Timing.SolveSeconds > 0 {
			line += " in " + seconds(r.Timing.SolveSeconds)
		}
	}
	var parts []string
	for _, v := range []polydag.Verdict{polydag.Directed, polydag.Undirected, polydag.Weak} {
		n := 0
		for _, e := range all {
			if e.Verdict == v {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	line += "."
	checks := checked(r.Assumptions)
	if model := string(r.Model); model != "" {
		line += " " + strings.ToUpper(model[:1]) + model[1:] + " model"
		if checks != "" {
			return line + "; " + checks + "."
		}
		return line + "."
	}
	if checks != "" {
		line += " " + strings.ToUpper(checks[:1]) + checks[1:] + "."
	}
	return line
}

// checked summarizes the assumption checks and names what failed.
func checked(list []trust.Assumption) string {
	tested, failed := 0, 0
	var codes []string
	columns := map[string][]string{} // by code
	for _, a := range list {
		if a.Verdict == trust.Fails || a.Verdict == trust.HoldsUp {
			tested++
		}
		if a.Verdict != trust.Fails {
			continue
		}
		failed++
		for _, f := range a.Evidence {
			code := trust.CodeWords(f.Code)
			if !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
			for _, c := range f.Columns {
				if !slices.Contains(columns[code], c) {
					columns[code] = append(columns[code], c)
				}
			}
		}
	}
	switch {
	case len(list) == 0:
		return ""
	case tested == 0:
		return "assumptions not checked"
	case failed == 0 && tested == 1:
		return "the assumption check passed"
	case failed == 0:
		return fmt.Sprintf("all %d assumption checks passed", tested)
	}
	const most = 3
	var said []string
	for _, code := range codes[:min(len(codes), most)] {
		if len(columns[code]) > 0 {
			code += ": " + columnList(columns[code])
		}
		said = append(said, code)
	}
	if more := len(codes) - most; more > 0 {
		said = append(said, "and "+counted(more, "other reason"))
	}
	return fmt.Sprintf("%d of %s failed (%s)", failed, counted(tested, "assumption check"), strings.Join(said, "; "))
}

// columnList names the first columns of a list.
func columnList(names []string) string {
	const most = 3
	shown := make([]string, 0, most+1)
	for _, c := range names[:min(len(names), most)] {
		shown = append(shown, brief(c))
	}
	list := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

func seconds(s float64) string {
	switch {
	case s < 0.1:
		return fmt.Sprintf("%.2f s", max(s, 0.01))
	case s < 60:
		return fmt.Sprintf("%.1f s", s)
	}
	return time.Duration(math.Round(s) * float64(time.Second)).String()
}

func (t *printer) edges(r *polydag.Result) {
	byGain := r.AllEdges()
	if len(byGain) == 0 {
		return
	}
	t.linef("")
	slices.SortStableFunc(byGain, func(a, b polydag.Edge) int { return cmp.Compare(b.Bits(), a.Bits()) })
	listed, unlikely := byGain, 0
	if !t.full {
		listed = slices.DeleteFunc(slices.Clone(byGain), func(e polydag.Edge) bool { return e.Verdict == polydag.Weak && e.Confidence < 0.5 })
		if unlikely = len(byGain) - len(listed); unlikely <= fewUnlikely {
			listed, unlikely = byGain, 0
		}
	}
	shown := listed[:min(len(listed), maxListed)]
	has := func(f func(polydag.Edge) bool) bool { return slices.ContainsFunc(byGain, f) }
	narrow := t.width > 0 && t.width < 90
	beside, bits := 65, "gain (bits/row)"
	if narrow {
		beside, bits = 43, "gain"
	}
	most := t.names(beside, 2)
	columns := []column{
		{"from", false, func(e polydag.Edge) string { return shorten(e.From, most) }},
		{"", false, arrow},
		{"to", false, func(e polydag.Edge) string { return shorten(e.To, most) }},
	}
	if r.Time != nil {
		columns = append(columns, column{"lag", true, func(e polydag.Edge) string { return strconv.Itoa(e.Lag) }})
	}
	if has(func(e polydag.Edge) bool { return e.Verdict != "" }) {
		columns = append(columns, column{"confidence", true, func(e polydag.Edge) string { return probability(e.Confidence) }})
	}
	if has(func(e polydag.Edge) bool { return shownEffect(e).text != "" }) {
		columns = append(columns, column{"effect", false, func(e polydag.Edge) string {
			s := shownEffect(e)
			if narrow {
				return cmp.Or(s.short, shorten(s.text, 14))
			}
			return s.text
		}})
	}
	if !narrow && has(func(e polydag.Edge) bool { return standardized(e) != "" }) {
		columns = append(columns, column{"std. effect", true, standardized})
	}
	if has(func(e polydag.Edge) bool { return e.Bits() != 0 }) {
		columns = append(columns, column{bits, true, gain})
	}
	t.grid(columns, shown)
	if unlikely > 0 {
		t.linef("  … and %d weak edges with a confidence below 0.5; %s lists them", unlikely, t.setting(fault.Use("verbose")))
	}
	if more := len(listed) - len(shown); more > 0 {
		t.linef("  … and %s; write all of them with %s", counted(more, "more edge"), t.setting(fault.Use("output")))
	}
	t.legend(byGain, columns, narrow)
}

type column struct {
	header string
	right  bool // numbers are right-aligned
	cell   func(polydag.Edge) string
}

func (t *printer) grid(columns []column, edges []polydag.Edge) {
	rows, right := make([][]string, len(edges)+1), make([]bool, len(columns))
	for k, c := range columns {
		right[k] = c.right
		rows[0] = append(rows[0], c.header)
		for i, e := range edges {
			rows[i+1] = append(rows[i+1], c.cell(e))
		}
	}
	t.aligned(rows, right)
}

// aligned writes rows with aligned columns; the first row is the header. A cell longer than mostPad shifts only
// its own line.
func (t *printer) aligned(rows [][]string, right []bool) {
	wide := make([]int, len(right))
	for _, row := range rows {
		for k, cell := range row {
			wide[k] = min(mostPad, max(wide[k], utf8.RuneCountInString(cell)))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for k, cell := range row {
			space := strings.Repeat(" ", max(wide[k]-utf8.RuneCountInString(cell), 0))
			if right[k] {
				b.WriteString("  " + space + cell)
			} else {
				b.WriteString("  " + cell + space)
			}
		}
		t.linef("%s", strings.TrimRight(b.String(), " "))
	}
}

// probability formats a probability with two digits. A value below 1 is never shown as 1, and one below the level of a verdict never
// as that level.
func probability(p float64) string {
	switch {
	case p < 1 && p >= 0.995:
		return ">0.99"
	case p < trust.StatedLevel && p >= trust.StatedLevel-0.005:
		p -= 0.005
	}
	return fmt.Sprintf("%.2f", p)
}

func gain(e polydag.Edge) string {
	if e.Bits() == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", e.Bits())
}

// plain replaces control characters, which a terminal would interpret.
func plain(s string) string { return sentence.Plain(s) }

// A name of more than mostPad characters does not widen its column. A name longer than longest is shortened in the middle; the JSON
// has all names in full.
const (
	mostPad = 32
	longest = 48
)

func brief(name string) string { return shorten(name, longest) }

// shorten omits the middle of a name with more than most characters.
func shorten(name string, most int) string {
	r := []rune(plain(name))
	if len(r) <= most {
		return string(r)
	}
	end := most * 3 / 8
	return string(r[:most-end-1]) + "…" + string(r[len(r)-end:])
}

// ends omits the middle of a long list.
func ends(names []string) []string {
	const most, first, last = 200, 12, 8
	if len(names) <= most {
		return names
	}
	out := append(slices.Clone(names[:first]), fmt.Sprintf("… %s more …", thousands(len(names)-first-last)))
	return append(out, names[len(names)-last:]...)
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for k := len(s) - 3; k > 0; k -= 3 {
		s = s[:k] + "," + s[k:]
	}
	return s
}

func pad(s string, width int) string {
	s = plain(s)
	return s + strings.Repeat(" ", max(width-utf8.RuneCountInString(s), 0))
}

// wrap joins words and breaks lines at width; after 12 lines it writes the number of remaining words.
func wrap(words []string, sep string, width int, indent string) string {
	var b strings.Builder
	line, lines := 0, 1
	for i, word := range words {
		if i > 0 {
			b.WriteString(sep)
			line += utf8.RuneCountInString(sep)
		}
		n := utf8.RuneCountInString(word)
		if line > 0 && line+n > width {
			if lines == 12 {
				fmt.Fprintf(&b, "… and %d more", len(words)-i)
				return b.String()
			}
			broken := strings.TrimRight(b.String(), " ")
			b.Reset()
			b.WriteString(broken + "\n" + indent)
			line, lines = 0, lines+1
		}
		b.WriteString(plain(word))
		line += n
	}
	return b.String()
}
