package learntest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// killEnv names the directory of a child of TestKill; killsEnv says how many kills TestKill makes.
const (
	killEnv    = "POLYDAG_KILL_CHILD"
	threadsEnv = "POLYDAG_KILL_THREADS"
	killsEnv   = "POLYDAG_KILLS"
)

// killRun is a run of about a second that goes through every stage.
func killRun(t testing.TB) (*dataset.Moments, polydag.Config) {
	m, x := sample(t, 11, 90, 300, nil)
	c := polydag.DefaultConfig()
	c.Method = using(t, "auto", "restarts=15")
	return moments(t, m.Names(), x), c
}

// TestKill kills a process with SIGKILL at random moments of a run, starts it again, and compares the bytes of its result with
// those of a run in peace. POLYDAG_KILLS=50 makes fifty kills in place of five.
func TestKill(t *testing.T) {
	if os.Getenv(killEnv) != "" {
		t.Skip("this is the child")
	}
	kills := 5
	if v, err := strconv.Atoi(os.Getenv(killsEnv)); err == nil {
		kills = v
	}
	data, cfg := killRun(t)
	res := must.Get(polydag.FromMoments(data).Learn(context.Background(), cfg, polydag.Run{}))
	want := untimed(t, res)

	start := time.Now()
	if got := finishChild(t, child(t, t.TempDir(), 1)); got != want {
		t.Fatalf("undisturbed, the child has another result:\n%s\n%s", got, want)
	}
	whole := time.Since(start)

	rng := rand.New(rand.NewPCG(5, 0))
	made, trials, early := 0, 0, 0
	for ; made < kills; trials++ {
		dir := t.TempDir()
		for round := range 5 {
			begun := time.Now()
			c := child(t, dir, 1+(made+round)%3)
			if made == kills || round == 4 {
				if got := finishChild(t, c); got != want {
					t.Fatalf("trial %d: after %d kills the result differs:\n%s\n%s", trials, round, got, want)
				}
				break
			}
			select {
			case <-time.After(time.Duration(rng.Float64() * 0.8 * float64(whole))):
				if err := c.cmd.Process.Kill(); err != nil {
					t.Logf("kill: %v", err)
				}
				<-c.done
				if _, err := os.Stat(c.result); err == nil {
					early++ // it was at its end
				} else {
					made++
				}
			case <-c.done:
				early++
				whole = min(whole, time.Since(begun)) // the machine was busier when the first one was timed
			}
			if _, err := os.Stat(c.result); err == nil {
				if got := finishChild(t, c); got != want {
					t.Fatalf("trial %d: after %d kills the result differs:\n%s\n%s", trials, round, got, want)
				}
				break
			}
		}
		if trials > 20*kills {
			t.Fatal("the child is too fast to be killed")
		}
	}
	t.Logf("%d kills in %d runs of %.1f s, all results the same; %d runs ended before their kill", made, trials, whole.Seconds(), early)
}

// process is a running child.
type process struct {
	cmd    *exec.Cmd
	result string
	done   chan error
	output *os.File
}

// child starts a process that learns with a checkpoint in dir.
func child(t *testing.T, dir string, threads int) *process {
	t.Helper()
	out := must.Get(os.Create(filepath.Join(dir, "output")))
	cmd := exec.Command(os.Args[0], "-test.run=^TestKillChild$", "-test.count=1")
	cmd.Env = append(os.Environ(), killEnv+"="+dir, fmt.Sprint(threadsEnv, "=", threads))
	cmd.Stdout, cmd.Stderr = out, out
	must.Succeed(t, cmd.Start())
	p := &process{cmd: cmd, result: filepath.Join(dir, "result"), done: make(chan error, 1), output: out}
	go func() {
		err := cmd.Wait()
		out.Close()
		p.done <- err
		close(p.done)
	}()
	return p
}

// finishChild waits for the end and returns the result.
func finishChild(t *testing.T, p *process) string {
	t.Helper()
	err := <-p.done
	b, readErr := os.ReadFile(p.result)
	if readErr != nil {
		out, _ := os.ReadFile(p.output.Name())
		t.Fatalf("the child ended without a result (%v): %s", err, out)
	}
	return string(b)
}

// TestKillChild is the process that TestKill kills.
func TestKillChild(t *testing.T) {
	dir := os.Getenv(killEnv)
	if dir == "" {
		t.Skip("runs in a process of its own, started by TestKill")
	}
	store, err := polydag.OpenCheckpoint(filepath.Join(dir, "checkpoint"))
	must.Succeed(t, err)
	defer store.Close()
	data, cfg := killRun(t)
	cfg.Threads = must.Get(strconv.Atoi(os.Getenv(threadsEnv)))
	res := must.Get(kept{Store: store, Every: 3 * time.Millisecond}.Learn(context.Background(), data, cfg))
	temp := filepath.Join(dir, "result.tmp")
	must.Succeed(t, os.WriteFile(temp, []byte(untimed(t, res)), 0o644))
	must.Succeed(t, os.Rename(temp, filepath.Join(dir, "result")))
}
