//go:build unix

package compare_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/polydag/polydag/internal/cli"
	"github.com/polydag/polydag/internal/compare"
)

// How much the study does, and where its tables go.
var (
	page   = flag.String("write", "", "file with the lines <!-- study: begin --> and <!-- study: end -->, between which the study puts its tables")
	seeds  = flag.Int("seeds", 3, "seeds of each kind of table in the study")
	budget = flag.String("budget", "60s", "longest time of one run in the study")
)

// A kind of table: what simulates it, and what compare is told of it.
type kind struct{ name, about, simulate, compare string }

var kinds = []kind{
	{"raw", "straight lines, equal noise, raw units", "--nodes 13 --edges 26 --samples 400", ""},
	{"standardized", "the same, every column scaled", "--nodes 13 --edges 26 --samples 400 --standardize", ""},
	{"weak", "weights of 0.1 to 0.4", "--nodes 13 --edges 26 --samples 400 --standardize --weight-low 0.1 --weight-high 0.4", ""},
	{"dense", "8 neighbours a column", "--nodes 13 --edges 52 --samples 400 --standardize", ""},
	{"noise", "straight lines, exponential noise", "--nodes 13 --edges 26 --samples 400 --standardize --noise exponential", ""},
	{"curved", "a curve of each parent", "--model additive --nodes 13 --edges 26 --samples 400 --standardize", ""},
	{"networks", "a network of all parents", "--model mlp --nodes 13 --edges 26 --samples 400 --standardize", ""},
	{"discrete", "levels", "--model discrete --nodes 13 --edges 20 --samples 1000 --levels 2,3 --concentration 0.5", ""},
	{"mixed", "half levels, half numbers", "--model mixed --nodes 13 --edges 20 --samples 1000", ""},
	{"latent", "as standardized, three columns hidden", "--nodes 16 --edges 32 --samples 400 --standardize", "--drop x0 --drop x1 --drop x2"},
	{"targets", "each column set in some rows", "--nodes 13 --edges 40 --samples 1300 --weight-low 0.25 --weight-high 1 --interventions 13", "--targets target"},
}

// figures are what one method has on the tables of one kind.
type figures struct {
	direction, class, skeleton, seconds []float64
	refused, stopped                    int
}

// Which method suits which table: docs/choosing-a-method.md has what this prints. It draws tables of each kind and compares all methods on
// them, with the commands that it prints. -args -write FILE puts the tables into the page, -seeds and -budget make it shorter.
func TestStudyWhichMethodWhere(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it takes minutes: set POLYDAG_STUDY=1")
	}
	t.Chdir(t.TempDir())
	run := func(line string) map[string]float64 {
		t.Helper()
		var out bytes.Buffer
		clock := &stopwatch{last: processor(), seconds: map[string]float64{}}
		if code := cli.Main(context.Background(), strings.Fields(line), strings.NewReader(""), &out, clock); code != 0 {
			t.Fatalf("polydag %s: exit code %d: %s%s", line, code, out.String(), clock.text)
		}
		return clock.seconds
	}
	all := map[string]map[string]*figures{} // by kind and method
	var labels []string
	alike := map[string][2]int{} // how often the best on rows held out is about the best by the truth
	for _, k := range kinds {
		all[k.name] = map[string]*figures{}
	}
	for seed := 1; seed <= *seeds; seed++ {
		for _, k := range kinds {
			run(fmt.Sprintf("simulate %s --seed %d --output data.csv --truth truth.csv", k.simulate, seed))
			seconds := run(fmt.Sprintf("compare data.csv --methods all --truth truth.csv --budget %s %s --threads 1 --output c.json", *budget, k.compare))
			text, err := os.ReadFile("c.json")
			if err != nil {
				t.Fatal(err)
			}
			var c compare.Comparison
			if err := json.Unmarshal(text, &c); err != nil {
				t.Fatal(err)
			}
			labels = labels[:0]
			for _, e := range c.Methods {
				labels = append(labels, e.Label)
				if all[k.name][e.Label] == nil {
					all[k.name][e.Label] = &figures{}
				}
				all[k.name][e.Label].add(&e, seconds[e.Label])
			}
			if ok, some := agrees(c.Methods); some {
				n := alike[k.name]
				n[1]++
				if ok {
					n[0]++
				}
				alike[k.name] = n
			}
			t.Logf("%s, seed %d: done", k.name, seed)
		}
		text := tables(labels, all, alike, seed, *budget) // of all seeds so far: a study that is stopped has left something
		fmt.Print(text)
		if *page == "" {
			continue
		}
		if err := replace(*page, text); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *figures) add(e *compare.Entry, seconds float64) {
	switch {
	case e.State == compare.Refused:
		f.refused++
		return
	case e.State != compare.Done:
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

// stopwatch is told what the command says, and notes how much of the processor each method took: from the line before to its own. A line
// reads "3 of 15: order: 9 edges in 0.1 s".
type stopwatch struct {
	last    float64
	seconds map[string]float64
	text    string
}

func (w *stopwatch) Write(p []byte) (int, error) {
	w.text += string(p)
	for line := range strings.Lines(string(p)) {
		if parts := strings.Split(line, ": "); len(parts) > 2 && strings.Contains(parts[0], " of ") {
			now := processor()
			w.seconds[parts[1]], w.last = now-w.last, now
		}
	}
	return len(p), nil
}

// processor is how many seconds of the processor the process has had.
func processor() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// direction is F1 of directed edges of a DAG or, with hidden columns, of arrowheads.
func direction(e *compare.Entry) float64 {
	switch m := e.Metrics; {
	case m.Against == "dag" && m.F1 != nil:
		return *m.F1
	case m.ArrowheadF1 != nil:
		return *m.ArrowheadF1
	}
	return math.NaN()
}

// agrees says whether the graph that is best on rows held out is within 0.05 of the best F1 of classes; some says that both are known.
func agrees(entries []compare.Entry) (ok, some bool) {
	best, chosen, held := -1.0, -1.0, math.Inf(1)
	for k := range entries {
		e := &entries[k]
		if e.HeldOutBehind == nil || e.Metrics == nil || e.Metrics.ClassF1 == nil {
			continue
		}
		best, some = max(best, *e.Metrics.ClassF1), true
		if *e.HeldOutBehind < held {
			held, chosen = *e.HeldOutBehind, *e.Metrics.ClassF1
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

// cell writes a mean; bold where it is within 0.02 of the best of the column.
func cell(list []float64, best float64, format string) string {
	if len(list) == 0 {
		return "–"
	}
	text := fmt.Sprintf(format, mean(list))
	if mean(list) >= best-0.02 {
		text = "**" + text + "**"
	}
	return text
}

// tables writes what was found as Markdown.
func tables(labels []string, all map[string]map[string]*figures, alike map[string][2]int, seeds int, budget string) string {
	var b strings.Builder
	table := func(title string, write func(k kind, label string) string) {
		fmt.Fprintf(&b, "\n%s\n\n| method |", title)
		for _, k := range kinds {
			fmt.Fprintf(&b, " %s |", k.name)
		}
		b.WriteString("\n|---|" + strings.Repeat("---|", len(kinds)) + "\n")
		for _, label := range labels {
			fmt.Fprintf(&b, "| `%s` |", label)
			for _, k := range kinds {
				fmt.Fprintf(&b, " %s |", write(k, label))
			}
			b.WriteByte('\n')
		}
	}
	best := func(k kind, of func(*figures) []float64) float64 {
		most := math.Inf(-1)
		for _, f := range all[k.name] {
			if list := of(f); len(list) > 0 {
				most = max(most, mean(list))
			}
		}
		return most
	}
	directions := func(f *figures) []float64 { return f.direction }
	classes := func(f *figures) []float64 { return f.class }
	skeletons := func(f *figures) []float64 { return f.skeleton }
	marked := func(of func(*figures) []float64) func(kind, string) string {
		return func(k kind, label string) string {
			f := all[k.name][label]
			if f.refused > 0 && len(f.skeleton) == 0 {
				return "refused"
			}
			text := cell(of(f), best(k, of), "%.2f")
			if f.stopped > 0 {
				text += fmt.Sprintf(" (%d stopped)", f.stopped)
			}
			return text
		}
	}
	b.WriteString("\n| kind | what it is | `polydag simulate` | `polydag compare` | best held out is about the best |\n|---|---|---|---|---|\n")
	for _, k := range kinds {
		told := "–"
		if k.compare != "" {
			told = "`" + k.compare + "`"
		}
		same := "–"
		if n := alike[k.name]; n[1] > 0 {
			same = fmt.Sprintf("%d of %d", n[0], n[1])
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s | %s |\n", k.name, k.about, k.simulate, told, same)
	}
	table(fmt.Sprintf("F1 of directed edges against the true DAG; of arrowheads where the answer is a PAG or columns are hidden. Mean of seeds 1 to %d, at most %s a run, bold within 0.02 of the best. "+
		"A class of graphs is not held against a DAG.", seeds, budget), marked(directions))
	table("F1 of the equivalence class against that of the true DAG: what linear Gaussian data and levels can tell.", marked(classes))
	table("F1 of joined pairs.", marked(skeletons))
	table("Seconds of the processor for the whole table and its two halves together, mean, one thread.", func(k kind, label string) string {
		if list := all[k.name][label].seconds; len(list) > 0 {
			return fmt.Sprintf("%.2g", mean(list))
		}
		return "–"
	})
	return b.String()
}

// replace puts the tables into a page, between the two lines that are there for that.
func replace(path, text string) error {
	const begin, end = "<!-- study: begin -->\n", "\n<!-- study: end -->"
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

// The study's own arithmetic.
func TestStudyTables(t *testing.T) {
	one, two := 0.5, 0.9
	entries := []compare.Entry{
		{Label: "a", Kind: "dag", State: compare.Done, HeldOutBehind: new(float64), Metrics: &compare.Metrics{Against: "dag", F1: &one, ClassF1: &one}},
		{Label: "b", Kind: "dag", State: compare.Done, HeldOutBehind: &one, Metrics: &compare.Metrics{Against: "dag", F1: &two, ClassF1: &two}},
		{Label: "c", State: compare.Refused},
	}
	if ok, some := agrees(entries); ok || !some {
		t.Error("the best on rows held out is not the best, and it is said to be")
	}
	all := map[string]map[string]*figures{}
	for _, k := range kinds {
		all[k.name] = map[string]*figures{"a": {}, "b": {}, "c": {}}
		for i := range entries {
			all[k.name][entries[i].Label].add(&entries[i], 1)
		}
	}
	text := tables([]string{"a", "b", "c"}, all, map[string][2]int{"raw": {1, 2}}, 3, "1s")
	rows := strings.Split(text, "\n")
	for _, want := range []string{"| `a` | 0.50 |", "| `b` | **0.90** |", "| `c` | refused |", "| raw | straight lines, equal noise, raw units | `--nodes 13 --edges 26 --samples 400` | – | 1 of 2 |"} {
		if !slices.ContainsFunc(rows, func(r string) bool { return strings.HasPrefix(r, want) }) {
			t.Errorf("no row %q in\n%s", want, text)
		}
	}
	file := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(file, []byte("a\n<!-- study: begin -->\nold\n<!-- study: end -->\nb\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := replace(file, "\nnew\n"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(file); string(got) != "a\n<!-- study: begin -->\n\nnew\n\n<!-- study: end -->\nb\n" {
		t.Errorf("%q", got)
	}
}
