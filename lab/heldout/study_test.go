//go:build unix

package heldout_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/polydag/polydag/cmd/wings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/lab/heldout"
)

// These variables set the size of the study and its output.
var (
	page      = flag.String("write", "", "file with the lines <!-- study: begin --> and <!-- study: end -->, between which the study puts its tables")
	baselines = flag.String("baselines", "", "folder of polydag reproduce --set baselines, whose tables go into the page too")
	seeds     = flag.Int("seeds", 3, "seeds of each kind of table in the study")
	budget    = flag.String("budget", "60s", "longest time of one run in the study")
	jobs      = flag.Int("jobs", runtime.NumCPU(), "cells of the study at the same time, one thread each")
	chosen    = flag.String("methods", "", "methods of the study, comma-separated; empty for all that take tables without time")
	folder    = flag.String("cells", "", "folder that keeps the cells of the study; those that are there are not run again")
)

// kind is a kind of table: the flags of simulate and of compare.
type kind struct{ Name, About, Simulate, Compare string }

var kinds = []kind{
	{"raw", "linear effects, equal noise variances, raw units", "--nodes 13 --edges 26 --rows 400", ""},
	{"standardized", "the same, standardized", "--nodes 13 --edges 26 --rows 400 --standardize", ""},
	{"weak", "weights of 0.1 to 0.4", "--nodes 13 --edges 26 --rows 400 --standardize --set weight-low=0.1 --set weight-high=0.4", ""},
	{"dense", "8 neighbors per column", "--nodes 13 --edges 52 --rows 400 --standardize", ""},
	{"noise", "linear effects, exponential noise", "--nodes 13 --edges 26 --rows 400 --standardize --set noise=exponential", ""},
	{"curved", "nonlinear effects that add up", "--model additive --nodes 13 --edges 26 --rows 400 --standardize", ""},
	{"networks", "interacting effects, from a neural network", "--model mlp --nodes 13 --edges 26 --rows 400 --standardize", ""},
	{"discrete", "categories", "--model discrete --nodes 13 --edges 20 --rows 1000 --set levels=2,3 --set concentration=0.5", ""},
	{"mixed", "half categories, half numbers", "--model mixed --nodes 13 --edges 20 --rows 1000", ""},
	{"latent", "as standardized, three columns hidden", "--nodes 16 --edges 32 --rows 400 --standardize", "--drop x0 --drop x1 --drop x2"},
	{"targets", "each column intervened on in some rows", "--nodes 13 --edges 40 --rows 1300 --set weight-low=0.25 --set weight-high=1 --set interventions=13", "--targets target"},
}

// A cell of the study is one table and some methods, in a separate process. The default method comes first,
// because its model is the scale; its time and that of reading the table count for no other method.
type cell struct {
	Kind    kind
	Seed    int
	Methods []string // without the default one, unless First
	First   bool
	Budget  string
}

// outcome is the result of a cell: its entries and the CPU seconds of each.
type outcome struct {
	Entries []heldout.Entry
	Seconds map[string]float64
}

func (c cell) name() string {
	return fmt.Sprintf("%s-%d-%s-%s.json", c.Kind.Name, c.Seed, strings.Join(c.Methods, "+"), c.Budget)
}

// cells are the methods that take long, one by one on each table, and all others together. An empty choice has all methods but those for
// time series.
func cells(seeds int, budget, choice string) []cell {
	quick, slow := []string{}, [][]string{}
	flops := map[string]float64{}
	for _, m := range lab.All() {
		name := m.Info().Name
		if m.Info().Time || choice != "" && !slices.Contains(strings.Split(choice, ","), name) {
			continue
		}
		flops[name] = m.Cost(1000, 13, 1).Flops
		if flops[name] > 2e8 {
			slow = append(slow, []string{name})
		} else {
			quick = append(quick, name)
		}
	}
	var out []cell
	for _, k := range kinds {
		for seed := 1; seed <= seeds; seed++ {
			if len(quick) > 0 {
				out = append(out, cell{Kind: k, Seed: seed, Methods: quick, First: quick[0] == polydag.Methods()[0].Info().Name, Budget: budget})
			}
			for _, one := range slow {
				out = append(out, cell{Kind: k, Seed: seed, Methods: one, Budget: budget})
			}
		}
	}
	// What takes longest goes first, so that no process is left alone at the end.
	slices.SortStableFunc(out, func(a, b cell) int { return cmp.Compare(flops[b.Methods[0]], flops[a.Methods[0]]) })
	return out
}

// cellVariable is set in the process of a cell: its JSON.
const cellVariable = "POLYDAG_STUDY_CELL"

// TestMain also runs a cell of the study in the working folder.
func TestMain(m *testing.M) {
	text := os.Getenv(cellVariable)
	if text == "" {
		os.Exit(m.Run())
	}
	var c cell
	err := json.Unmarshal([]byte(text), &c)
	if err == nil {
		err = os.Unsetenv(cellVariable) // the command refuses variables that it does not know
	}
	if err == nil {
		err = c.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs the cell and writes its outcome to standard output.
func (c cell) run() error {
	clock := &stopwatch{last: processor(), seconds: map[string]float64{}}
	do := func(line string) error {
		var out bytes.Buffer
		if code := command.Run(context.Background(), lab.All, strings.Fields(line), strings.NewReader(""), &out, clock, wings.All...); code != 0 {
			return fmt.Errorf("polydag %s: exit code %d: %s%s", line, code, out.String(), clock.text)
		}
		return nil
	}
	methods := c.Methods
	if first := lab.All()[0].Info().Name; !c.First {
		methods = append([]string{first}, methods...)
	}
	if err := do(fmt.Sprintf("simulate %s --seed %d --output data.csv --truth truth.csv", c.Kind.Simulate, c.Seed)); err != nil {
		return err
	}
	if err := do(fmt.Sprintf("compare data.csv --methods %s --truth truth.csv --budget %s %s --threads 1 --output c.json", strings.Join(methods, ","), c.Budget, c.Kind.Compare)); err != nil {
		return err
	}
	text, err := os.ReadFile("c.json")
	if err != nil {
		return err
	}
	var all heldout.Comparison
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	out := outcome{Entries: all.Methods[len(methods)-len(c.Methods):], Seconds: clock.seconds}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// elsewhere runs the cell in a separate process, or reads its outcome from the folder.
func (c cell) elsewhere(folder string) (outcome, error) {
	var out outcome
	file := filepath.Join(folder, c.name())
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		if text, err = c.process(); err == nil {
			err = os.WriteFile(file, text, 0o644)
		}
	}
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(text, &out)
}

func (c cell) process() ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "polydag-cell")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	told, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var failed bytes.Buffer
	cmd := exec.Command(self)
	cmd.Dir, cmd.Stderr = dir, &failed
	cmd.Env = append(os.Environ(), cellVariable+"="+string(told), "GOMAXPROCS=1")
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", c.name(), err, failed.String())
	}
	return text, nil
}

// TestStudyWhichMethodWhere compares all methods on simulated tables of each kind and prints the tables of
// docs/evidence/methods.md with their commands. -args -write FILE updates the page after each cell, so that an
// interrupted study leaves results. -cells FOLDER keeps finished cells, -methods chooses methods, and -seeds and -budget shorten the
// study.
func TestStudyWhichMethodWhere(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it takes minutes: set POLYDAG_STUDY=1")
	}
	if *folder == "" {
		*folder = t.TempDir()
	}
	must.Succeed(t, os.MkdirAll(*folder, 0o755))
	list := cells(*seeds, *budget, *chosen)
	found, done := newStudy(*seeds, *budget), 0
	var mu sync.Mutex
	report := func(c cell, out outcome, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			t.Error(err)
			return
		}
		done++
		t.Logf("%d of %d: %s", done, len(list), c.name())
		found.add(c, out)
		if *page == "" {
			return
		}
		if err := replace(*page, "study", found.tables()); err != nil {
			t.Error(err)
		}
	}
	queue := make(chan cell)
	var wg sync.WaitGroup
	for range *jobs {
		wg.Go(func() {
			for c := range queue {
				out, err := c.elsewhere(*folder)
				report(c, out, err)
			}
		})
	}
	for _, c := range list {
		queue <- c
	}
	close(queue)
	wg.Wait()
	fmt.Print(found.tables())
}

// stopwatch reads the messages of the command and records the CPU time of each method between its lines, such
// as "3 of 15: order: 9 edges in 0.1 s".
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
