package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/trust"
)

// maxListed is the number of edges that Text prints before it refers to the JSON.
const maxListed = 60

// fewUnlikely is the number of improbable edges that Text prints without Details.
const fewUnlikely = 5

// TextSettings are the settings of TextWith. The zero value writes long lines and no details.
type TextSettings struct {
	Width   int  // line width in characters; 0 means no limit
	Details bool // also how the graph was learned, the figures of every check and the certificate
	Words   Words
	// Written is the file that has all edges, "" if there is none.
	Written string
	// Next are suggested commands, each with a short description.
	Next [][2]string
}

// Text writes the result with all details and without a limit on the width, for a file.
func Text(r *polydag.Result) func(io.Writer) error { return TextWith(r, TextSettings{Details: true}) }

// TextWith writes the result for a person: the table and the verdict in one line each, the edges by score gain, the
// assumption checks, with Details the legend and the details, and the next commands.
func TextWith(r *polydag.Result, opt TextSettings) func(io.Writer) error {
	return func(w io.Writer) error {
		t := &printer{w: Fold(w, opt.Width), words: opt.Words, width: opt.Width, full: opt.Details, written: opt.Written}
		if line := tableLine(r); line != "" {
			t.linef("%s", wrap(strings.Fields(line), " ", t.room(116, 2), "  "))
		}
		t.linef("%s", wrap(strings.Fields(headline(r)), " ", t.room(116, 2), "  "))
		for _, f := range r.DataChecks {
			if f.Code == trust.Sentinel {
				text := "Edges of " + columnList(f.Columns) + " may be false: possible codes for missing values are used as numbers."
				t.linef("%s", wrap(strings.Fields(text), " ", t.room(116, 2), "  "))
			}
		}
		if !r.Status.Finished() && r.Status != "" {
			found := "this is the best graph found so far"
			if endedEmpty(r) {
				found = "no edge has been found so far"
			}
			t.linef("Stopped early (%s): %s.", strings.ReplaceAll(string(r.Status), "_", " "), found)
		}
		if r.Cause != "" {
			t.linef("  %s", plain(r.Cause))
		}
		t.edges(r)
		t.directions(r)
		t.confidence(r)
		t.acyclicity(r)
		t.priors(r.Priors)
		for _, warning := range r.Warnings {
			t.linef("Warning: %s", plain(warning))
		}
		t.assumptions(r.Assumptions, opt.Details)
		t.environments(r.Environments)
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
	if c := r.Table.Groups; c != nil && c.EffectiveRows < min(c.Rows, r.Rows) {
		line += fmt.Sprintf(" (effective sample size: %d)", c.EffectiveRows)
	}
	line += ", " + counted(len(r.Names), "column")
	count := map[string]int{}
	var nominal []string // numeric codes
	for _, n := range r.Nodes {
		switch {
		case n.Nominal:
			nominal = append(nominal, n.Name)
		case n.Kind == kind.Continuous || n.Kind == kind.Count:
			count["numeric"]++
		case n.Kind != "":
			count[string(n.Kind)]++
		}
	}
	var kinds []string
	for _, k := range []string{"numeric", string(kind.Ordinal), string(kind.Binary), string(kind.Categorical)} {
		if count[k] > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", count[k], k))
		}
	}
	if len(nominal) > 0 { // last, because of the names
		kinds = append(kinds, fmt.Sprintf("%d nominal: %s", len(nominal), columnList(nominal)))
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
	if dropped := r.Table.Reading["drop"]; len(dropped) > 0 { // as typed, such as a,b
		line += ", without " + columnList(strings.Split(strings.ReplaceAll(strings.Join(dropped, ","), ", ", ","), ",")) + " (dropped on request)"
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

	written string // the file that has all edges
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

func (t *printer) edges(r *polydag.Result) {
	byGain := r.AllEdges()
	if len(byGain) == 0 {
		return
	}
	t.linef("")
	slices.SortStableFunc(byGain, func(a, b polydag.Edge) int { return cmp.Compare(b.Gain, a.Gain) })
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
	beside, bits := 48, "gain (bits/row)"
	if narrow {
		beside, bits = 37, "gain"
	}
	if t.full {
		beside += len("  ") + len(bits)
	}
	rests := has(func(e polydag.Edge) bool { return e.RestsOn() != "" })
	if rests {
		beside += len("  basis")
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
	if rests {
		columns = append(columns, column{"basis", false, polydag.Edge.RestsOn})
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
	if t.full && has(func(e polydag.Edge) bool { return e.Gain != 0 }) {
		columns = append(columns, column{bits, true, gain})
	}
	t.grid(columns, shown)
	if unlikely > 0 {
		t.linef("  … and %d weak edges with a confidence below 0.5; %s lists them", unlikely, t.setting(fault.Use("verbose")))
	}
	if more := len(listed) - len(shown); more > 0 {
		where := "write all of them with " + t.setting(fault.Use("output"))
		if t.written != "" {
			where = "all of them are in " + plain(t.written)
		}
		t.linef("  … and %s; %s", counted(more, "more edge"), where)
	}
	if t.full {
		t.legend(byGain, columns, narrow)
	} else {
		t.linef("  Largest score gain first; %s explains the marks and columns.", t.setting(fault.Use("verbose")))
	}
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
