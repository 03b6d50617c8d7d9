package cli_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/study"
)

// killedStudy has enough small runs to be killed in the middle of many times.
const killedStudy = `
name: killed
title: Killed
methods:
  geo: {method: polydag-geo, set: {steps: 400}}
  exp: {method: notears-exp, set: {steps: 400}}
  order: {method: order}
experiments:
  - name: main
    title: Main
    data: [{nodes: [20, 24], degree: [4], samples: 200}]
    protocols: [raw, standardize]
    methods: [geo, exp, order]
    seeds: [1, 2, 3, 4]
    columns: [shd, f1, h_final, dag_valid]
    aggregate: true
    times: true
    figures: [f1]
  - name: trace
    title: Trace
    data: [{nodes: [20], degree: [4], samples: 200}]
    methods: [geo, exp]
    trace: true
    figures: [trace]
`

// Killed (SIGKILL) at random moments and started again, the command does only what is missing and ends in the same tables, figures and
// graphs as undisturbed, times aside.
func TestReproduceSurvivesKills(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the command a dozen times")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "study.yaml")
	must.Succeed(t, os.WriteFile(file, []byte(killedStudy), 0o644))
	program := func(out string) *exec.Cmd {
		return exec.Command("polydag", "reproduce", "--set", "study="+file, "--jobs", "2", "--out", filepath.Join(dir, out))
	}
	if b, err := program("undisturbed").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	records := filepath.Join(dir, "killed", "records.jsonl")
	count := func() int {
		text, err := os.ReadFile(records)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return strings.Count(string(text), "\n")
	}

	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1)) // other moments every time: any of them must do
	kills, before := 0, 0
	for kills < 5 {
		cmd := program("killed")
		must.Succeed(t, cmd.Start())
		// A few runs more are on record, and then any moment: the study has 50, so that five kills come before its end.
		for want, start := before+1+rng.IntN(6), time.Now(); count() < want; time.Sleep(time.Millisecond) {
			if time.Since(start) > 2*time.Minute {
				t.Fatalf("%d records, and no more come", count())
			}
		}
		time.Sleep(time.Duration(rng.IntN(10)) * time.Millisecond)
		_ = cmd.Process.Kill() // fails where the command has ended
		var exit *exec.ExitError
		if err := cmd.Wait(); err == nil {
			break // nothing is left to kill
		} else if !errors.As(err, &exit) || exit.Exited() {
			t.Fatalf("not killed: %v", err)
		}
		kills++
		lines := count()
		if lines < before {
			t.Fatalf("%d whole records after a kill, %d before", lines, before)
		}
		before = lines
	}
	if kills < 3 {
		t.Errorf("killed %d times only; the study is too short", kills)
	}
	if b, err := program("killed").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	want, got := outputs(t, filepath.Join(dir, "undisturbed")), outputs(t, filepath.Join(dir, "killed"))
	if len(want) < 50 {
		t.Errorf("only %d files", len(want))
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s differs after %d kills", name, kills)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is there only after kills", name)
		}
	}
}

// outputs reads the tables without times, the figures and the graphs.
func outputs(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"tables/*.md", "figures/*"} {
		names := must.Get(filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern))))
		for _, n := range names {
			b, err := os.ReadFile(n)
			must.Succeed(t, err)
			rel := must.Get(filepath.Rel(dir, n))
			out[filepath.ToSlash(rel)] = string(b)
		}
	}
	graphs := must.Get(study.ReadGraphs(filepath.Join(dir, "graphs.jsonl")))
	for key, g := range graphs {
		out["graph "+key] = fmt.Sprint(g.Names, g.From, g.To, g.Weight)
	}
	return out
}
