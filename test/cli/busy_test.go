//go:build unix

package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
)

// A busyCase is a command that is at work for longer than any test waits, and how to see that it is.
type busyCase struct {
	name  string
	args  string
	head  string // the first lines of an endless standard input
	more  string // the line that repeats after them; # is replaced by a counter
	ready func(t testing.TB, dir string, s *started)
	code  int
	says  string
	kept  []string // files that it may leave
}

const fed = 4 << 20 // bytes of an endless standard input that are taken before the signal

// growing waits for an unfinished file that has something in it.
func growing(least int64) func(t testing.TB, dir string, s *started) {
	return func(t testing.TB, dir string, s *started) {
		t.Helper()
		before := []string{filepath.Join(dir, "data.csv"), filepath.Join(dir, "truth.csv")}
		for start := time.Now(); time.Since(start) < patience; time.Sleep(2 * time.Millisecond) {
			if s.unfinished(t, dir, before) >= least {
				return
			}
		}
		t.Fatalf("nothing is being written: %s", s.stderr.String())
	}
}

func busyCases() []busyCase {
	const spaces = "                                                                "
	nothing := "interrupted; nothing was written"
	reading := "interrupted while standard input was being read; nothing was written"
	table := "a,b,c\n1.5,2,3\n2,1,7\n3,9,1\n"
	attributes := "1000000000\nMale Young Bald\n"
	return []busyCase{
		{name: "simulate", args: "simulate --nodes 300 --rows 1000000000 --output new", ready: growing(1 << 16), code: 1, says: nothing},
		{name: "simulate, curves", args: "simulate --model joint --nodes 300 --rows 1000000000 --output new", ready: growing(1 << 16), code: 1, says: nothing},
		{name: "simulate, scaling", args: "simulate --nodes 300 --rows 1000000000 --standardize --output new", ready: growing(0), code: 1, says: nothing},
		{name: "dataset celeba", args: "dataset celeba - --set force --output new", head: attributes, more: "#.jpg -1  1 -1\n", code: 1, says: nothing},
		{name: "dataset sachs", args: "dataset sachs - --set force --output new", head: "Raf,Mek,Plcg\n", more: "1.5,2.25,3.125\n", code: 1, says: nothing},
		{name: "check", args: "check - --output new", head: table, more: "4,1.25,6\n", code: 1, says: reading},
		{name: "moments", args: "moments - --output new", head: table, more: "4,1.25,6\n", code: 1, says: reading},
		{name: "counts", args: "counts - --output new", head: table, more: "4,1.25,6\n", code: 1, says: reading},
		{name: "learn, reading", args: "learn - --output new", head: table, more: "4,1.25,6\n", code: 1, says: reading},
		{name: "learn", args: strings.Join(endlessRun, " ") + " --progress-file p.json", code: 3, says: "interrupted; the best result so far is written", kept: []string{"result.json"},
			ready: func(t testing.TB, dir string, s *started) { appears(t, filepath.Join(dir, "p.json"), s) }},
		{name: "learn, calibrating", args: "learn data.csv --bootstrap 4 --calibrate=1000 --output result.json --progress-file p.json", code: 3, says: "the best result so far is written", kept: []string{"result.json"},
			ready: func(t testing.TB, dir string, s *started) {
				for begin := time.Now(); time.Since(begin) < patience; time.Sleep(2 * time.Millisecond) {
					if text, err := os.ReadFile(filepath.Join(dir, "p.json")); err == nil && bytes.Contains(text, []byte("calibration")) {
						return
					}
				}
				t.Fatalf("it does not calibrate: %s", s.stderr.String())
			}},
		{name: "convert", args: "convert - new.dot", head: "{", more: spaces, code: 1, says: nothing},
		{name: "draw", args: "draw - new.svg", head: "{", more: spaces, code: 1, says: nothing},
		{name: "report", args: "report - --output new", head: "{", more: spaces, code: 1, says: nothing},
		{name: "evaluate", args: "evaluate - --truth data.csv", head: "{", more: spaces, code: 1, says: nothing},
		{name: "explain", args: "explain - --from x0 --to x1", head: "{", more: spaces, code: 1, says: nothing},
		{name: "effect, reading", args: "effect - --of x0 --on x1", head: "{", more: spaces, code: 1, says: nothing},
		{name: "reproduce", args: "reproduce --quick --jobs 2 --out .", code: 3, says: "runs are on record; run the same command to go on", kept: []string{"records.jsonl", "graphs.jsonl"},
			ready: func(t testing.TB, dir string, s *started) {
				path := filepath.Join(dir, "records.jsonl")
				for start := time.Now(); time.Since(start) < patience; time.Sleep(2 * time.Millisecond) {
					if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte("\n")) {
						return
					}
				}
				t.Fatalf("no record: %s", s.stderr.String())
			}},
		{name: "serve", args: "serve --listen 127.0.0.1:0", code: 0,
			ready: func(t testing.TB, dir string, s *started) { s.says(t, &s.stdout, "Ctrl-C ends it") }},
	}
}

// begin starts the command and waits until it is at work.
func (c busyCase) begin(t testing.TB, dir string) *started {
	t.Helper()
	if c.more == "" {
		s := start(t, dir, nil, strings.Fields(c.args)...)
		c.ready(t, dir, s)
		return s
	}
	r, w, err := os.Pipe()
	must.Succeed(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	s := start(t, dir, r, strings.Fields(c.args)...)
	var passed atomic.Int64
	go func() {
		block := []byte(c.head)
		for row := 0; ; {
			n, err := w.Write(block)
			passed.Add(int64(n))
			if err != nil {
				return // the test is over
			}
			block = block[:0]
			for range 1 << 12 {
				block = append(block, strings.Replace(c.more, "#", strconv.Itoa(row), 1)...)
				row++
			}
		}
	}()
	for begin := time.Now(); passed.Load() < fed; time.Sleep(2 * time.Millisecond) {
		select {
		case <-s.done:
			t.Fatalf("polydag ended: %s", s.stderr.String())
		default:
		}
		if time.Since(begin) > patience {
			t.Fatalf("polydag took %d bytes: %s", passed.Load(), s.stderr.String())
		}
	}
	return s
}

// Commands that are at work, and not held up by a test, end after a signal in the same way.
func TestBusyCommandsStop(t *testing.T) {
	defaultSignals(t)
	for i, c := range busyCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := simulated(t, "6")
			before := listing(t, dir)
			s := c.begin(t, dir)
			s.Process.Signal([]syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT}[i%3])
			if code := s.end(t); code != c.code || !strings.Contains(s.stderr.String(), c.says) {
				t.Errorf("exit code %d, want %d and %q: %s", code, c.code, c.says, s.stderr.String())
			}
			for _, f := range listing(t, dir) {
				name := must.Get(filepath.Rel(dir, f))
				top, _, _ := strings.Cut(name, string(filepath.Separator))
				if !slices.Contains(before, f) && (!slices.Contains(c.kept, top) || strings.HasPrefix(filepath.Base(f), ".")) {
					t.Errorf("left behind: %s", name)
				}
			}
		})
	}
}

// BenchmarkStop measures the time from a signal to the end of a command that is at work.
//
//	go test ./command -run xxx -bench Stop -benchtime 5x
func BenchmarkStop(b *testing.B) {
	for _, c := range busyCases() {
		b.Run(strings.ReplaceAll(c.name, ", ", "-"), func(b *testing.B) {
			var times []time.Duration
			for range b.N {
				dir := simulated(b, "6")
				s := c.begin(b, dir)
				begin := time.Now()
				s.Process.Signal(syscall.SIGTERM)
				s.end(b)
				times = append(times, time.Since(begin))
			}
			slices.Sort(times)
			b.ReportMetric(0, "ns/op") // the time before the signal is not measured
			b.ReportMetric(float64(times[len(times)/2].Milliseconds()), "median-ms")
			b.ReportMetric(float64(times[len(times)-1].Milliseconds()), "most-ms")
		})
	}
}
