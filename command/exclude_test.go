package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/checkpoint"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/solve"
)

// passengers is a table as people have it: an identifier, names, a constant, a column that is nearly empty, and gaps. Fields end in
// semicolons, and numbers have a decimal comma.
func passengers(t *testing.T) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	b.WriteString("PassengerId;Name;Class;Sex;Age;Fare;Cabin;Ship\n")
	for i := range 200 {
		class := 1 + i%3
		age, cabin := fmt.Sprint(20+rng.IntN(40)), "?"
		if i%25 == 3 {
			age = "?"
		}
		if i%9 == 0 {
			cabin = fmt.Sprintf("C%d", i)
		}
		fare := strings.Replace(fmt.Sprintf("%.2f", 190-25*float64(class)+8*rng.NormFloat64()), ".", ",", 1)
		fmt.Fprintf(&b, "%d;Person %d;%d;%s;%s;%s;%s;Titanic\n", 1001+i*7, i, class, []string{"male", "female"}[rng.IntN(2)], age, fare, cabin)
	}
	path := filepath.Join(t.TempDir(), "passengers.csv")
	must.Succeed(t, os.WriteFile(path, []byte(b.String()), 0o644))
	return path
}

// run runs a command and fails the test if its exit code differs.
func run(t *testing.T, code int, args ...string) (out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	if got := Run(context.Background(), lab.All, args, strings.NewReader(""), &o, &e, allWings...); got != code {
		t.Fatalf("polydag %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, o.String(), e.String())
	}
	return o.String(), e.String()
}

func readBack(t *testing.T, path string) *polydag.Result {
	t.Helper()
	text := must.Get(os.ReadFile(path))
	res := &polydag.Result{}
	must.Succeed(t, json.Unmarshal(text, res))
	return res
}

// TestLearnExcludes learns from a real table with only the word for missing values set. One line names the
// excluded columns, and the result lists them.
func TestLearnExcludes(t *testing.T) {
	data, result := passengers(t), filepath.Join(t.TempDir(), "r.json")
	out, errs := run(t, exitOK, "learn", data, "--set", "na=?", "-o", result)
	if want := "4 columns excluded (PassengerId, Name, Cabin: identifier; Ship: constant)"; !strings.Contains(strings.Join(strings.Fields(out), " "), want) || strings.Contains(errs, "excluded") {
		t.Errorf("want %q once, got\n%s\n%s", want, out, errs)
	}
	if !strings.Contains(errs, "8 values are missing (Age 8): the incomplete rows are used") {
		t.Errorf("the missing values are not noted:\n%s", errs)
	}
	res := readBack(t, result)
	var names []string
	for _, x := range res.Table.Excluded {
		names = append(names, x.Name+" "+x.Reason)
		if x.Detail == "" {
			t.Errorf("%+v", x)
		}
	}
	if want := []string{"PassengerId identifier", "Name identifier", "Cabin identifier", "Ship constant"}; !slices.Equal(names, want) || !slices.Equal(res.Names, []string{"Class", "Sex", "Age", "Fare"}) || res.Rows != 200 {
		t.Errorf("excluded %q, learned from %d rows of %q", names, res.Rows, res.Names)
	}
	run(t, exitOK, "learn", data, "--set", "na=?", "--keep", "PassengerId", "-o", result)
	if res := readBack(t, result); !slices.Contains(res.Names, "PassengerId") {
		t.Errorf("--keep: %q", res.Names)
	}
	if _, errs := run(t, exitUsage, "learn", data, "--set", "na=?", "--kind", "PassengerId=count"); !strings.Contains(errs, "--keep PassengerId") {
		t.Error(errs)
	}
	out, _ = run(t, exitOK, "check", data, "--set", "na=?")
	if !strings.Contains(out, "4 columns excluded:\n  PassengerId: identifier, ") {
		t.Error(out)
	}
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) > 2 && f[0] == "Sex" && f[1] == "text" && len(f) > 5 {
			t.Errorf("categories have no mean: %q", line)
		}
	}
}

// TestReadingIsRemembered checks that commands that read the table of a result read it as the run of the result
// did.
func TestReadingIsRemembered(t *testing.T) {
	data, result := passengers(t), filepath.Join(t.TempDir(), "r.json")
	run(t, exitOK, "learn", data, "--set", "na=?", "--set", "delimiter=;", "--set", "decimal=,", "--drop", "Name,Ship", "--keep", "PassengerId", "--set", "log=Fare",
		"--kind", "Class=categorical", "--rows", "2:180", "--missing", "drop", "--drop", "Cabin", "--set", "encode=levels", "-o", result)
	res := readBack(t, result)
	want := map[string][]string{"na": {"?"}, "delimiter": {";"}, "decimal": {","}, "drop": {"Name,Ship", "Cabin"}, "keep": {"PassengerId"}, "log": {"Fare"},
		"kind": {"Class=categorical"}, "rows": {"2:180"}, "missing": {"drop"}, "encode": {"levels"}}
	if fmt.Sprint(res.Table.Reading) != fmt.Sprint(want) {
		t.Errorf("the result has %v, want %v", res.Table.Reading, want)
	}
	sure := filepath.Join(t.TempDir(), "sure.json")
	run(t, exitOK, "confidence", result, "--data", data, "--bootstrap", "4", "-o", sure)
	if again := readBack(t, sure); again.Table.Moments != res.Table.Moments || fmt.Sprint(again.Table.Reading) != fmt.Sprint(want) {
		t.Errorf("confidence read %v", again.Table.Reading)
	}
	out, _ := run(t, exitOK, "effect", result, "--data", data, "--of", "Class", "--on", "Fare", "--set", "given-graph", "--set", "replicates=4")
	if strings.Contains(out, "differ from those") || !strings.Contains(out, fmt.Sprintf("%d rows", res.Rows)) || strings.Contains(out, "Identified") && !strings.Contains(out, "assuming no hidden confounders") {
		t.Error(out)
	}
	run(t, exitOK, "report", result, "--data", data, "-o", filepath.Join(t.TempDir(), "r.html"))
	run(t, exitOK, "explain", result, "--from", "Class", "--to", "Fare")
	out, _ = run(t, exitOK, "path", data, "--set", "result="+result, "--set", "values=0.1,1", "--set", "splits=2")
	if !strings.Contains(out, fmt.Sprintf("%d rows, %d columns", res.Rows, len(res.Names))) {
		t.Error(out)
	}
	// A flag that is given counts more.
	if _, errs := run(t, exitFailure, "confidence", result, "--data", data, "--rows", "100", "--bootstrap", "4"); !strings.Contains(errs, "rows") {
		t.Error(errs)
	}
}

// TestTextFitsTheWidth checks that text fits the terminal.
func TestTextFitsTheWidth(t *testing.T) {
	data, result := passengers(t), filepath.Join(t.TempDir(), "r.json")
	run(t, exitOK, "learn", data, "--set", "na=?", "--bootstrap", "4", "-o", result)
	for _, width := range []int{60, 80, 200} {
		t.Setenv("COLUMNS", fmt.Sprint(width))
		for _, args := range [][]string{
			{"learn", data, "--set", "na=?", "--bootstrap", "4"},
			{"check", data, "--set", "na=?"},
			{"effect", result, "--of", "Class", "--on", "Fare", "--data", data, "--set", "given-graph", "--set", "replicates=4"},
			{"explain", result, "--from", "Class", "--to", "Fare"},
			{"path", data, "--set", "result=" + result, "--set", "values=0.1,1", "--set", "splits=2"},
		} {
			out, errs := run(t, exitOK, args...)
			longest := 0
			for line := range strings.Lines(out + errs) {
				line = strings.TrimSuffix(line, "\n")
				longest = max(longest, utf8.RuneCountInString(line))
				if utf8.RuneCountInString(line) > width && !strings.Contains(line, data) {
					t.Errorf("%s at %d columns: %q", args[0], width, line)
				}
			}
			if width == 200 && args[0] == "check" && longest < 110 {
				t.Errorf("check uses %d of %d columns", longest, width)
			}
		}
	}
}

// TestDeadlineWithoutOutput checks that the message does not claim a result was written if none was.
func TestDeadlineWithoutOutput(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errDeadline)
	quiet, loud := &console{quiet: true}, &console{}
	for _, c := range []struct {
		out     outputs
		screen  *console
		written bool
	}{{outputs{}, quiet, false}, {outputs{json: "r.json"}, quiet, true}, {outputs{}, loud, true}} {
		err := finished(ctx, &polydag.Result{Status: solve.Canceled}, nil, nil, c.out.written(c.screen))
		if said := strings.Contains(err.Error(), "result so far is written"); said != c.written || !c.written && !strings.Contains(err.Error(), "no result was written") {
			t.Errorf("%+v: %v", c.out, err)
		}
	}
}

// The bootstrap needs rows, so it is not suggested for moments.
func TestNextCommandOfMoments(t *testing.T) {
	out := outputs{table: []string{"x"}, typed: []string{"learn", "x"}}
	for format, want := range map[string]bool{files.CSV: true, files.Moments: false} {
		commands := fmt.Sprint(out.next(&polydag.Result{Edges: make([]polydag.Edge, 1), Table: polydag.Provenance{Format: format}}, nil))
		if strings.Contains(commands, "--bootstrap") != want {
			t.Errorf("%s: %s, --bootstrap: want %v", format, commands, want)
		}
	}
}

// TestResumeNamesTheDifference checks that the state of another run is refused with the difference.
func TestResumeNamesTheDifference(t *testing.T) {
	data, state := passengers(t), filepath.Join(t.TempDir(), "state")
	in := must.Get(files.Open(data, nil, files.DefaultSettings()))
	defer in.Close()
	p := polydag.DefaultPreparation()
	p.Drop = []string{"Cabin"}
	table := must.Get(polydag.Prepare(t.Context(), in, p))
	dir := must.Get(checkpoint.Open(state))
	must.Get(table.Learn(t.Context(), polydag.DefaultConfig(), polydag.Run{Store: dir}))
	dir.Close()
	_, errs := run(t, exitFailure, "learn", data, "--checkpoint", state, "--resume", "--drop", "Age,Cabin")
	must.Contain(t, errs, "other data", `--drop is nothing there and ["Age,Cabin"] here`, `columns is [`)
	_, errs = run(t, exitFailure, "learn", data, "--drop", "Cabin", "--checkpoint", state, "--resume", "--seed", "9")
	if !strings.Contains(errs, "other settings: seed is 1 there and 9 here") {
		t.Error(errs)
	}
}
