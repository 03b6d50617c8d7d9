//go:build unix

package cli_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
)

// A command that is killed with SIGKILL while it writes leaves each output as it was or as it should become, and nothing else on Linux. KILLS=50
// in the environment makes fifty kills in place of four.
func TestKilledWhileWriting(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test kills commands that write")
	}
	t.Parallel()
	kills := 4
	if v, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
		kills = v
	}
	dir := t.TempDir()
	outputs := []string{"table.csv", "truth.csv"}
	write := func(seed int) *started {
		return start(t, dir, nil, "simulate", "--nodes", "40", "--rows", "4000", "--seed", strconv.Itoa(seed), "--output", outputs[0], "--truth", outputs[1])
	}
	contents := func() (all [2]string) {
		for i, name := range outputs {
			all[i] = string(must.Get(os.ReadFile(filepath.Join(dir, name))))
		}
		return all
	}
	var wanted [2][2]string // by seed
	for seed := range wanted {
		if s := write(seed); s.end(t) != 0 {
			t.Fatal(s.stderr.String())
		}
		wanted[seed] = contents()
	}
	present := listing(t, dir)
	rng := rand.New(rand.NewPCG(uint64(kills), 2))
	made, early, halfway := 0, 0, 0
	for trial := 0; made < kills; trial++ {
		if trial > 20*kills {
			t.Fatalf("%d of %d commands ended before their kill", early, trial)
		}
		before := contents()
		s := write(trial % 2)
		for running := true; running && s.unfinished(t, dir, present) <= 0; {
			select {
			case <-s.done:
				running = false
			case <-time.After(time.Millisecond):
			}
		}
		time.Sleep(time.Duration(rng.IntN(20)) * time.Millisecond)
		s.Process.Kill()
		if s.end(t) == 0 {
			early++
		} else {
			made++
		}
		now := contents()
		for i, name := range outputs {
			if now[i] != before[i] && now[i] != wanted[trial%2][i] {
				t.Fatalf("trial %d: %s has %d bytes that are neither the old nor the new ones", trial, name, len(now[i]))
			}
		}
		if (now[0] == wanted[trial%2][0]) != (now[1] == wanted[trial%2][1]) {
			halfway++
		}
		if left := listing(t, dir); len(left) > len(present) {
			t.Logf("trial %d: an unfinished file is left: %v", trial, left)
		}
	}
	if s := write(1); s.end(t) != 0 || contents() != wanted[1] {
		t.Fatalf("after the kills the outputs are not those of a run in peace: %s", s.stderr.String())
	}
	t.Logf("%d kills, %d of them between the outputs; %d commands ended before their kill", made, halfway, early)
}
