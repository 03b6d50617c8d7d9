package study

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/polydag/polydag/solve"
)

// A TextTable is text in rows and columns. Timed tables contain only times and labels.
type TextTable struct {
	Name   string // name of its file
	Title  string
	Header []string
	Rows   [][]string
	Notes  []string
	Timed  bool
}

// Markdown writes the table with its title.
func (t *TextTable) Markdown(w io.Writer) error {
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, "**%s**\n\n", t.Title)
	}
	line := func(cells []string) {
		b.WriteString("|")
		for _, c := range cells {
			b.WriteString(" " + strings.ReplaceAll(c, "|", `\|`) + " |")
		}
		b.WriteString("\n")
	}
	line(t.Header)
	b.WriteString("|" + strings.Repeat("---|", len(t.Header)) + "\n")
	for _, r := range t.Rows {
		line(r)
	}
	for _, n := range t.Notes {
		fmt.Fprintf(&b, "\n%s\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Tables lists the tables of the selected experiments: metrics, times, and others that an experiment requests.
func Tables(st *Study, sel Select, recs []*Record) []*TextTable {
	v := NewView(st, sel, recs)
	var out []*TextTable
	for _, e := range v.chosen() {
		out = append(out, v.tables(e)...)
	}
	return out
}

func (v *View) tables(e *Experiment) []*TextTable {
	switch e.kind() {
	case KindCost:
		return v.costTables(e)
	case KindCycle:
		return []*TextTable{v.cycleTable(e)}
	}
	groups := v.groups(e)
	out := []*TextTable{v.metricTable(e, groups, e.Name, e.Title)}
	if e.Aggregate {
		out = append(out, v.metricTable(e, aggregated(groups), e.Name+"-aggregate", e.Title+": over all data"))
	}
	if e.Times {
		out = append(out, v.timeTable(e, groups))
	}
	if e.Edges {
		out = append(out, v.edgeTables(e, groups)...)
	}
	return out
}

// metricTable has one row per group. Each published metric has a column per source before ours.
func (v *View) metricTable(e *Experiment, groups []*Group, name, title string) *TextTable {
	names := e.Columns
	if len(names) == 0 {
		names = []string{"shd", "f1", "dag_valid"}
	}
	return v.groupTable(e, groups, name, title, names, false)
}

func (v *View) timeTable(e *Experiment, groups []*Group) *TextTable {
	t := v.groupTable(e, groups, e.Name+"-time", "Time of the solver", []string{"seconds"}, true)
	t.Timed = true
	v.ratios(t, groups)
	return t
}

// ratios adds columns with the time of each group divided by that of the method that it is compared with, in all and
// per step, if the study compares any. Both groups have the same data and seeds.
func (v *View) ratios(t *TextTable, groups []*Group) {
	if !slices.ContainsFunc(groups, func(g *Group) bool { return v.st.Methods[g.Method].Against != "" }) {
		return
	}
	t.Header = append(t.Header, "ratio of times", "steps", "ratio per step")
	for k, g := range groups {
		all, step := "–", "–"
		base := slices.IndexFunc(groups, func(b *Group) bool {
			return b.Method == v.st.Methods[g.Method].Against && b.Protocol == g.Protocol && b.Point.same(g.Point)
		})
		if base >= 0 && len(g.Records) == len(groups[base].Records) {
			b := groups[base]
			if ratio := g.Mean("seconds") / b.Mean("seconds"); ratio-ratio == 0 {
				all = significant(ratio, 3)
				if ratio *= b.Mean("steps") / g.Mean("steps"); ratio-ratio == 0 {
					step = significant(ratio, 3)
				}
			}
		}
		t.Rows[k] = append(t.Rows[k], all, columnNamed("steps").text(g.stat("steps")), step)
	}
}

func (v *View) groupTable(e *Experiment, groups []*Group, name, title string, metrics []string, timed bool) *TextTable {
	t := &TextTable{Name: name, Title: title}
	lead := newLead(groups)
	t.Header = lead.header()
	type slot struct {
		c       column
		sources []string
	}
	var slots []slot
	for _, m := range metrics {
		s := slot{columnNamed(m), v.st.sources(e, groups, m)}
		slots = append(slots, s)
		for _, src := range s.sources {
			t.Header = append(t.Header, s.c.header+", "+src)
		}
		if len(s.sources) > 0 {
			t.Header = append(t.Header, "**"+s.c.header+", ours**")
		} else {
			t.Header = append(t.Header, s.c.header)
		}
	}
	t.Header = append(t.Header, "runs")
	for _, g := range groups {
		row := lead.cells(v.st, g)
		for _, s := range slots {
			for _, src := range s.sources {
				row = append(row, orDash(v.st.published(e, g, src, s.c.name)))
			}
			text := s.c.text(s.c.of(g.Records))
			if s.c.word != nil {
				text = s.c.words(g.Records)
			}
			if len(s.sources) > 0 && text != "–" {
				text = "**" + text + "**"
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, append(row, g.count()))
	}
	if !timed {
		t.Notes = v.failures(groups)
	}
	return t
}

// count formats the number of runs of a row and the status of the others.
func (g *Group) count() string {
	s := fmt.Sprint(len(g.Records))
	failed, unfinished, stopped, after := 0, 0, 0, 0.0
	for _, r := range g.Records {
		switch {
		case r.BudgetSeconds > 0:
			stopped, after = stopped+1, max(after, r.BudgetSeconds)
		case r.Status == StatusError:
			failed++
		case r.Status == string(solve.StepLimit):
			unfinished++
		}
	}
	if failed > 0 {
		s += fmt.Sprintf(", %d failed", failed)
	}
	if unfinished > 0 {
		s += fmt.Sprintf(", %d not converged", unfinished)
	}
	if stopped > 0 {
		s += fmt.Sprintf(", %d stopped after %.3g s", stopped, after)
	}
	if g.missing > 0 {
		s += fmt.Sprintf(", %d not run", g.missing)
	}
	return s
}

func (v *View) failures(groups []*Group) []string {
	seen := map[string]bool{}
	for _, g := range groups {
		for _, r := range g.Records {
			if r.Error != "" {
				seen[fmt.Sprintf("Failed: %s, %s, %s: %s.", g.Point.Label(), g.Protocol, v.st.Label(g.Method), r.Error)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

type lead struct{ data, protocol bool }

func newLead(groups []*Group) lead {
	var l lead
	for _, g := range groups {
		l.data = l.data || !g.aggregate
		l.protocol = l.protocol || g.Protocol != "raw"
	}
	return l
}

func (l lead) header() []string {
	var out []string
	if l.data {
		out = append(out, "data")
	}
	if l.protocol {
		out = append(out, "protocol")
	}
	return append(out, "method")
}

func (l lead) cells(st *Study, g *Group) []string {
	var out []string
	if l.data {
		out = append(out, g.Point.Label())
	}
	if l.protocol {
		out = append(out, g.Protocol)
	}
	return append(out, st.Label(g.Method))
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
