//go:build unix

package heldout_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/lab/heldout"
	"github.com/polydag/polydag/method"
)

// figures are what one method has on the tables of one kind.
type figures struct {
	direction, class, skeleton, seconds []float64
	refused, stopped                    int
}

func (f *figures) add(e *heldout.Entry, seconds float64) {
	switch {
	case e.State == heldout.Refused:
		f.refused++
		return
	case e.State != heldout.Done:
		f.stopped++
	}
	if e.Metrics == nil {
		return
	}
	f.seconds = append(f.seconds, seconds)
	f.skeleton = append(f.skeleton, e.Metrics.SkeletonF1)
	if d := direction(e); !math.IsNaN(d) {
		f.direction = append(f.direction, d)
	}
	if e.Metrics.ClassF1 != nil {
		f.class = append(f.class, *e.Metrics.ClassF1)
	}
}

// direction is F1 of directed edges of a DAG or, with hidden columns, of arrowheads.
func direction(e *heldout.Entry) float64 {
	switch m := e.Metrics; {
	case m.Against == "dag" && m.F1 != nil:
		return *m.F1
	case m.ArrowheadF1 != nil:
		return *m.ArrowheadF1
	}
	return math.NaN()
}

// A study has the results so far.
type study struct {
	seeds   int
	budget  string
	figures map[string]map[string]*figures // by kind and method
	entries map[string][]heldout.Entry     // by table
}

func newStudy(seeds int, budget string) *study {
	s := &study{seeds: seeds, budget: budget, figures: map[string]map[string]*figures{}, entries: map[string][]heldout.Entry{}}
	for _, k := range kinds {
		s.figures[k.Name] = map[string]*figures{}
	}
	return s
}

func tableName(kind string, seed int) string { return fmt.Sprint(kind, " ", seed) }

// add adds the outcome of a cell.
func (s *study) add(c cell, out outcome) {
	of := s.figures[c.Kind.Name]
	for i := range out.Entries {
		e := &out.Entries[i]
		if of[e.Label] == nil {
			of[e.Label] = &figures{}
		}
		of[e.Label].add(e, out.Seconds[e.Label])
	}
	name := tableName(c.Kind.Name, c.Seed)
	s.entries[name] = append(s.entries[name], out.Entries...)
}

// agrees reports whether the best graph on held-out rows is within 0.05 of the best class F1; some reports
// whether both are known.
func agrees(entries []heldout.Entry) (ok, some bool) {
	best, chosen, held := -1.0, -1.0, math.Inf(-1)
	for k := range entries {
		e := &entries[k]
		if e.HeldOut == nil || e.Metrics == nil || e.Metrics.ClassF1 == nil {
			continue
		}
		best, some = max(best, *e.Metrics.ClassF1), true
		if *e.HeldOut > held {
			held, chosen = *e.HeldOut, *e.Metrics.ClassF1
		}
	}
	return chosen >= best-0.05, some
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// labels are the methods that something is known of, in the order of the program.
func (s *study) labels() []string {
	var out []string
	for _, m := range lab.All() {
		name := m.Info().Name
		if slices.ContainsFunc(kinds, func(k kind) bool { return s.figures[k.Name][name] != nil }) {
			out = append(out, name)
		}
	}
	return out
}

// marked formats the mean of a figure of a method on a kind, bold if it is within 0.02 of the best.
func (s *study) marked(of func(*figures) []float64) func(kind, string) string {
	return func(k kind, label string) string {
		f := s.figures[k.Name][label]
		if f == nil {
			return "not run"
		}
		if f.refused > 0 && len(f.skeleton) == 0 {
			return "refused"
		}
		best := math.Inf(-1)
		for _, other := range s.figures[k.Name] {
			if list := of(other); len(list) > 0 {
				best = max(best, mean(list))
			}
		}
		text := "–"
		if list := of(f); len(list) > 0 {
			text = fmt.Sprintf("%.2f", mean(list))
			if mean(list) >= best-0.02 {
				text = "**" + text + "**"
			}
		}
		if f.stopped > 0 {
			text += fmt.Sprintf(" (%d stopped)", f.stopped)
		}
		return text
	}
}

// tables formats the results as Markdown.
func (s *study) tables() string {
	var b strings.Builder
	table := func(title string, write func(k kind, label string) string) {
		fmt.Fprintf(&b, "\n%s\n\n| method |", title)
		for _, k := range kinds {
			fmt.Fprintf(&b, " %s |", k.Name)
		}
		b.WriteString("\n|---|" + strings.Repeat("---|", len(kinds)) + "\n")
		for _, label := range s.labels() {
			fmt.Fprintf(&b, "| `%s` |", label)
			for _, k := range kinds {
				fmt.Fprintf(&b, " %s |", write(k, label))
			}
			b.WriteByte('\n')
		}
	}
	b.WriteString("\n| kind | what it is | `polydag simulate` | `polydag compare` | best held out is about the best |\n|---|---|---|---|---|\n")
	for _, k := range kinds {
		told, same, right, known := "–", "–", 0, 0
		if k.Compare != "" {
			told = "`" + k.Compare + "`"
		}
		for seed := 1; seed <= s.seeds; seed++ {
			ok, some := agrees(s.entries[tableName(k.Name, seed)])
			if some {
				known++
			}
			if ok && some {
				right++
			}
		}
		if known > 0 {
			same = fmt.Sprintf("%d of %d", right, known)
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s | %s |\n", k.Name, k.About, k.Simulate, told, same)
	}
	table(fmt.Sprintf("F1 of directed edges against the true DAG; of arrowheads where the answer is a PAG or columns are hidden. Mean of seeds 1 to %d, at most %s a run, bold within 0.02 of the best. "+
		"A class of graphs is not compared with a DAG.", s.seeds, s.budget), s.marked(func(f *figures) []float64 { return f.direction }))
	table("F1 of the equivalence class against that of the true DAG: what linear Gaussian data and categories identify.", s.marked(func(f *figures) []float64 { return f.class }))
	table("F1 of adjacent pairs.", s.marked(func(f *figures) []float64 { return f.skeleton }))
	table("Processor seconds for the whole table and its two halves together, mean, one thread.", func(k kind, label string) string {
		if f := s.figures[k.Name][label]; f != nil && len(f.seconds) > 0 {
			return fmt.Sprintf("%.2g", mean(f.seconds))
		}
		return "–"
	})
	return b.String()
}

// replace puts text into a page, between the two lines that are there for the part of that name.
func replace(path, part, text string) error {
	begin, end := "<!-- "+part+": begin -->\n", "\n<!-- "+part+": end -->"
	old, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return err
	}
	before, rest, ok1 := strings.Cut(string(old), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		return fmt.Errorf("%s has no lines %q and %q", path, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return os.WriteFile(path, []byte(before+begin+text+end+after), 0o644)
}

// TestStudyTables checks the arithmetic of the study, with a method that has no cell on most kinds.
func TestStudyTables(t *testing.T) {
	one, two := 0.5, 0.9
	entries := []heldout.Entry{
		{Label: "auto", Kind: "dag", State: heldout.Done, HeldOut: &two, Metrics: &heldout.Metrics{Against: "dag", F1: &one, ClassF1: &one}},
		{Label: "order", Kind: "dag", State: heldout.Done, HeldOut: &one, Metrics: &heldout.Metrics{Against: "dag", F1: &two, ClassF1: &two}},
		{Label: "pc", State: heldout.Refused},
	}
	if ok, some := agrees(entries); ok || !some {
		t.Error("the best on rows held out is not the best, and it is said to be")
	}
	s := newStudy(2, "1s")
	for _, k := range kinds {
		s.add(cell{Kind: k, Seed: 1}, outcome{Entries: entries, Seconds: map[string]float64{"auto": 1, "order": 1}})
	}
	s.add(cell{Kind: kinds[0], Seed: 1}, outcome{Entries: []heldout.Entry{{Label: "ges", State: heldout.Stopped, Metrics: &heldout.Metrics{Against: "dag", F1: &one}}}})
	s.add(cell{Kind: kinds[0], Seed: 2}, outcome{Entries: []heldout.Entry{{Label: "auto", Kind: "dag", State: heldout.Done, HeldOut: &one, Metrics: &heldout.Metrics{Against: "dag", F1: &one, ClassF1: &one}}}})
	text := s.tables()
	rows := strings.Split(text, "\n")
	for _, want := range []string{
		"| `auto` | 0.50 |", "| `order` | **0.90** |", "| `pc` | refused |", "| `ges` | 0.50 (1 stopped) | not run |",
		"| raw | linear effects, equal noise variances, raw units | `--nodes 13 --edges 26 --rows 400` | – | 1 of 2 |",
	} {
		if !slices.ContainsFunc(rows, func(r string) bool { return strings.HasPrefix(r, want) }) {
			t.Errorf("no row %q in\n%s", want, text)
		}
	}
	file := filepath.Join(t.TempDir(), "page.md")
	must.Succeed(t, os.WriteFile(file, []byte("a\n<!-- study: begin -->\nold\n<!-- study: end -->\nb\n"), 0o644))
	must.Succeed(t, replace(file, "study", "\nnew\n"))
	if got, _ := os.ReadFile(file); string(got) != "a\n<!-- study: begin -->\n\nnew\n\n<!-- study: end -->\nb\n" {
		t.Errorf("%q", got)
	}
}

// TestPageOfBaselines writes the tables of polydag reproduce --set baselines --out FOLDER into the page, with -args
// -baselines FOLDER -write FILE.
func TestPageOfBaselines(t *testing.T) {
	if *baselines == "" || *page == "" {
		t.Skip("it writes a page: give -baselines FOLDER and -write FILE")
	}
	text := ""
	for _, name := range []string{"baselines.md", "time/baselines-time.md"} {
		table := must.Get(os.ReadFile(filepath.Join(*baselines, "tables", name)))
		text += "\n" + string(table)
	}
	must.Succeed(t, replace(*page, "baselines", text))
}

// TestStudyCells checks that every method for tables without time is in exactly one cell of every table, that -methods chooses, and that
// a cell in another process returns its entries.
func TestStudyCells(t *testing.T) {
	for _, c := range cells(1, "1s", "order,notears-mlp") {
		if !slices.Equal(c.Methods, []string{"order"}) && !slices.Equal(c.Methods, []string{"notears-mlp"}) || c.First {
			t.Errorf("%+v is a cell of two chosen methods", c)
		}
	}
	count := map[string]int{}
	for _, c := range cells(2, "1s", "") {
		for _, m := range c.Methods {
			count[fmt.Sprint(m, " ", c.Kind.Name, " ", c.Seed)]++
		}
	}
	without := slices.DeleteFunc(slices.Clone(lab.All()), func(m method.Method) bool { return m.Info().Time })
	if want := 2 * len(kinds) * len(without); len(count) != want {
		t.Errorf("%d methods and tables, want %d", len(count), want)
	}
	for name, n := range count {
		if n != 1 {
			t.Errorf("%s is in %d cells", name, n)
		}
	}
	small := kind{Name: "small", Simulate: "--nodes 4 --edges 3 --rows 60"}
	dir := t.TempDir()
	c := cell{Kind: small, Seed: 1, Methods: []string{"notears-exp"}, Budget: "10s"}
	out := must.Get(c.elsewhere(dir))
	if len(out.Entries) != 1 || out.Entries[0].Label != "notears-exp" || out.Entries[0].HeldOut == nil || !(out.Seconds["notears-exp"] > 0) {
		t.Errorf("%+v", out)
	}
	must.Succeed(t, os.WriteFile(filepath.Join(dir, c.name()), []byte(`{"Entries":[{"label":"kept"}]}`), 0o644))
	if out, err := c.elsewhere(dir); err != nil || out.Entries[0].Label != "kept" {
		t.Errorf("%+v, %v: the cell was run again", out, err)
	}
}
