//go:build unix

package cli_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
)

// killRuns are runs of about a second that keep their state fifty times a second. Each goes through other stages.
var killRuns = [][]string{
	{"--method", "auto", "--set", "restarts=600"},
	{"--method", "polydag-geo", "--set", "steps=6000", "--set", "check-scale=always"},
	{"--method", "order", "--set", "restarts=4000", "--set", "variance=unequal"},
	{"--method", "polydag", "--set", "stages=40", "--set", "stage-steps=150"},
}

// A run that is killed with SIGKILL, at any moment and any number of times, and taken up with --resume, on whatever threads,
// writes the bytes of a run in peace. KILLS=50 in the environment makes fifty kills in place of five.
func TestKilledAndResumed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test kills runs and resumes them")
	}
	t.Parallel()
	kills, runs := 5, killRuns[:2]
	if v, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
		kills, runs = v, killRuns
	}
	dir := simulated(t, "30")
	rng := rand.New(rand.NewPCG(uint64(kills), 1))
	made, saved, early := 0, 0, 0
	type undisturbed struct {
		result string
		time   time.Duration
	}
	peace := map[int]undisturbed{}
	for trial := 0; made < kills; trial++ {
		if trial > 10*kills {
			t.Fatalf("%d of %d runs ended before their kill", early, trial)
		}
		k := trial % len(runs)
		learn := append([]string{"learn", "data.csv", "--set", "checkpoint-every=20ms", "--output", "result.json"}, runs[k]...)
		if _, ok := peace[k]; !ok {
			begin := time.Now()
			s := start(t, dir, nil, append(learn, "--checkpoint", fmt.Sprintf("peace%d", k))...)
			if code := s.end(t); code != 0 {
				t.Fatalf("%v: exit code %d: %s", runs[k], code, s.stderr.String())
			}
			peace[k] = undisturbed{takeResult(t, dir), time.Since(begin)}
		}
		state := fmt.Sprintf("state%d", trial)
		learn = append(learn, "--checkpoint", state)
		for round := 0; ; round++ {
			args := append(learn, "--threads", strconv.Itoa(1+round%2))
			if round > 0 {
				args = append(args, "--resume")
			}
			s := start(t, dir, nil, args...)
			if made < kills && round < 3 {
				wait := time.Duration((0.1 + 0.8*rng.Float64()) * float64(peace[k].time))
				if made == 0 && saved == 0 { // one at least has a state from on the way, however fast the machine has become
					wait = 0
					appears(t, filepath.Join(dir, state, "state-1"), s)
				}
				select {
				case <-s.done:
				case <-time.After(wait):
				}
				s.Process.Kill()
			}
			if s.end(t) == 0 {
				if round == 0 {
					early++
				}
				break
			}
			if s.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Fatalf("%v: %v: %s", runs[k], s.ProcessState, s.stderr.String())
			}
			made++
			if _, err := os.Stat(filepath.Join(dir, state, "state-1")); err == nil {
				saved++ // more than the state of the beginning
			}
			if _, err := os.Stat(filepath.Join(dir, "result.json")); err == nil { // killed after it, before the end
				if got := takeResult(t, dir); got != peace[k].result {
					t.Fatalf("%v: what was written before the kill differs:\n%s\n%s", runs[k], got, peace[k].result)
				}
			}
		}
		if got := takeResult(t, dir); got != peace[k].result {
			t.Fatalf("%v: killed and resumed, the result differs:\n%s\n%s", runs[k], got, peace[k].result)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, state, "state*")); len(left) > 0 {
			t.Errorf("%v: the run is over and its state still there: %v", runs[k], left)
		}
	}
	if saved == 0 {
		t.Error("no run was killed after it had saved a state on its way")
	}
	t.Logf("%d kills, %d of them with a state from on the way; %d runs ended before their kill; all results the same", made, saved, early)
}

// takeResult returns result.json without its times and removes it.
func takeResult(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "result.json")
	var v map[string]any
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	must.Succeed(t, err)
	delete(v, "timing")
	if b, err = json.Marshal(v); err != nil {
		t.Fatal(err)
	}
	must.Succeed(t, os.Remove(path))
	return string(b)
}

// A run that SIGTERM ended in order goes on with --resume and ends in the same bytes, too.
func TestStoppedAndResumed(t *testing.T) {
	t.Parallel()
	dir := simulated(t, "20")
	learn := append([]string{"learn", "data.csv", "--quiet", "--output", "result.json"}, killRuns[0]...)
	if s := start(t, dir, nil, learn...); s.end(t) != 0 {
		t.Fatal(s.stderr.String())
	}
	want := takeResult(t, dir)
	learn = append(learn, "--checkpoint", "state")
	for _, place := range []string{"progress *****", "progress **********"} { // held up there until the signal has come
		s := held(t, dir, place, learn...)
		s.Process.Signal(syscall.SIGTERM)
		if code := s.end(t); code != 3 {
			t.Fatalf("%s: exit code %d: %s", place, code, s.stderr.String())
		}
		takeResult(t, dir) // the best so far
		learn = append(learn, "--resume")
	}
	if s := start(t, dir, nil, learn...); s.end(t) != 0 {
		t.Fatal(s.stderr.String())
	}
	if got := takeResult(t, dir); got != want {
		t.Errorf("stopped twice, the result differs:\n%s\n%s", got, want)
	}
}

// Two runs cannot share a folder, and the second says so before it reads anything.
func TestOneRunAFolder(t *testing.T) {
	t.Parallel()
	dir := simulated(t, "15")
	first := start(t, dir, nil, append(endlessRun, "--checkpoint", "state", "--set", "checkpoint-every=10ms")...)
	appears(t, filepath.Join(dir, "state", "state-1"), first)
	second := start(t, dir, nil, "learn", "nosuch.csv", "--checkpoint", "state", "--resume")
	if code := second.end(t); code != 1 || !strings.Contains(second.stderr.String(), "state: another run uses this directory; wait for it to end, or choose another directory") {
		t.Errorf("exit code %d: %s", code, second.stderr.String())
	}
	first.Process.Kill()
	first.end(t)

	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 1, "state already contains a checkpoint; continue with --resume, choose another folder, or delete it"},
		{[]string{"--resume", "--set", "lambda=0.5"}, 1, "it belongs to a run with other settings: "},
		{[]string{"--resume", "--standardize"}, 1, "standardize is false there and true here"},
		{[]string{"--resume", "--rows", "300"}, 1, "it belongs to a run on other data"},
		{[]string{"--resume", "--drop", "x3"}, 1, "it belongs to a run on other data"},
	} {
		s := start(t, dir, nil, append(append(endlessRun, "--checkpoint", "state"), c.args...)...)
		if code := s.end(t); code != c.code || !strings.Contains(s.stderr.String(), c.want) {
			t.Errorf("%v: exit code %d: %s", c.args, code, s.stderr.String())
		}
	}
	s := held(t, dir, "progress", append(endlessRun, "--checkpoint", "state", "--resume", "--threads", "2")...)
	s.Process.Signal(syscall.SIGTERM)
	if code := s.end(t); code != 3 || !strings.Contains(s.stderr.String(), "resuming from the checkpoint in state") {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
}
