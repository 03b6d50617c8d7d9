package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/cluster/hub"
	"github.com/polydag/polydag/cluster/hub/server"
	"github.com/polydag/polydag/cluster/jetstream"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/checkpoint"
	"github.com/polydag/polydag/internal/must"
)

// machine starts a server and several workers that share a store, as on one machine, or have none. It returns a submitter and the
// bytes that all workers received.
func machine(t *testing.T, workers int, shared bool, handlers func() work.Handlers) (*jetstream.Submitter, func() uint64) {
	t.Helper()
	h := must.Get(server.Start(hub.Settings{Store: t.TempDir()}))
	t.Cleanup(h.Stop)
	connect := func() *jetstream.Client {
		c := must.Get(jetstream.Connect(t.Context(), jetstream.Connection{InProcess: h}))
		t.Cleanup(c.Close)
		return c
	}
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	var clients []*jetstream.Client
	parent := t.TempDir()
	for range workers {
		w := jetstream.Worker{Handlers: handlers(), Jobs: 1}
		if shared {
			store := must.Get(NewStore(parent))
			w.Store = store.Get
		}
		c := connect()
		clients = append(clients, c)
		ended.Go(func() {
			if err := c.Work(ctx, w); err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("worker: %v", err)
			}
		})
	}
	t.Cleanup(func() { cancel(); ended.Wait() })
	return &jetstream.Submitter{Client: connect()}, func() (sum uint64) {
		for _, c := range clients {
			sum += c.Received()
		}
		return sum
	}
}

// TestTableIsSentOncePerMachine counts the bytes that three workers of one machine receive for units of two kinds on one wide
// table: about one table with a store, and at least three without.
func TestTableIsSentOncePerMachine(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	var b bytes.Buffer
	const rows, columns = 40, 5000
	for j := range columns {
		fmt.Fprintf(&b, "%sg%d", strings.Repeat(",", min(j, 1)), j)
	}
	for range rows {
		for j := range columns {
			fmt.Fprintf(&b, "%s%.5f", map[bool]string{true: "\n", false: ","}[j == 0], rng.NormFloat64())
		}
	}
	path := filepath.Join(t.TempDir(), "wide.csv")
	must.Succeed(t, os.WriteFile(path, b.Bytes(), 0o600))
	size := uint64(b.Len())
	for _, shared := range []bool{true, false} {
		together := make(chan struct{})
		var begun atomic.Int32
		// count reads the whole table, as units that learn do, but returns only the number of its bytes. The first three units wait
		// for each other, so that every worker does one.
		count := work.Handler{Do: func(ctx context.Context, body json.RawMessage, in *work.Inputs) ([]byte, error) {
			var f Files
			if err := work.Strict(body, &f); err != nil {
				return nil, err
			}
			if begun.Add(1) == 3 {
				close(together)
			}
			select {
			case <-together:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
			var n int64
			err := f.open(ctx, in, 0, func(source *files.Input, _ polydag.Preparation) error {
				_, _, n = source.Describe()
				return nil
			})
			return []byte(fmt.Sprint(n)), err
		}}
		runner, received := machine(t, 3, shared, func() work.Handlers { return work.Handlers{"test.a/1": count, "test.b/1": count} })
		for _, kind := range []string{"test.a/1", "test.b/1"} {
			job := &work.Job{Title: kind}
			f := must.Get(Ship(job, []string{path}, Reading{Encode: "levels", Missing: "auto", MaxLevels: 9}))
			for i := range 6 {
				read := f
				read.Read.LastRow = i + 1
				u := must.Get(work.NewUnit(kind, read, f.Needs()...))
				job.Units = append(job.Units, u)
			}
			if err := runner.Run(t.Context(), job, func(_ int, out []byte) error {
				if string(out) != fmt.Sprint(size) {
					return fmt.Errorf("%s bytes, want %d", out, size)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		got := received()
		t.Logf("store %v: %d bytes for a table of %d", shared, got, size)
		if shared && got > size+size/4 || !shared && got < 3*size {
			t.Errorf("store %v: %d bytes for a table of %d", shared, got, size)
		}
	}
}

// TestStore checks that a damaged file is fetched again, that old inputs and the least recently used ones go, and that a name that is
// not a hash is never a file.
func TestStore(t *testing.T) {
	parent := t.TempDir()
	s := must.Get(NewStore(parent))
	fetched := 0
	get := func(text string) {
		t.Helper()
		b, err := s.Get(t.Context(), work.Hash([]byte(text)), func(context.Context) ([]byte, error) { fetched++; return []byte(text), nil })
		if err != nil || string(b) != text {
			t.Errorf("%q %v", b, err)
		}
	}
	get("one")
	get("one")
	one := filepath.Join(s.dir, work.Hash([]byte("one")))
	must.Succeed(t, os.WriteFile(one, []byte("other"), 0o600))
	get("one")
	if fetched != 2 {
		t.Errorf("fetched %d times, want 2", fetched)
	}
	s.most = 8
	get("three") // both fit
	get("two")   // the oldest must go
	if _, err := os.Stat(one); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the oldest input: %v", err)
	}
	two := filepath.Join(s.dir, work.Hash([]byte("two")))
	old := time.Now().Add(-2 * storeAge)
	must.Succeed(t, os.Chtimes(two, old, old))
	must.Get(NewStore(parent))
	if _, err := os.Stat(two); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an input that was not used for two days: %v", err)
	}
	other := must.Get(checkpoint.NewFolder(parent, WorkerRole))
	for _, left := range []bool{true, false} {
		must.Succeed(t, s.Close())
		if _, err := os.Stat(s.dir); (err == nil) != left {
			t.Errorf("after Close with another worker %v: %v", left, err)
		}
		other.Close()
	}
	if _, err := s.Get(t.Context(), "../../etc/passwd", func(context.Context) ([]byte, error) { return nil, errors.New("asked") }); err == nil || err.Error() != "asked" {
		t.Errorf("a name that is not a hash: %v", err)
	}
}

// TestLaggedReplicatesAreLocal checks that bootstrap samples of a time series on workers have the bytes of one process.
func TestLaggedReplicatesAreLocal(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	text, x := "t,a,b,c\n", [3]float64{}
	for i := range 300 {
		x = [3]float64{0.6*x[0] + rng.NormFloat64(), 0.5*x[0] + 0.4*x[1] + rng.NormFloat64(), 0.7*x[1] + rng.NormFloat64()}
		text += fmt.Sprintf("%d,%.4f,%.4f,%.4f\n", i, x[0], x[1], x[2])
	}
	path := filepath.Join(t.TempDir(), "series.csv")
	must.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
	p := polydag.DefaultPreparation()
	p.Time.Column, p.Time.Lags = "t", 2
	read := NewReading(files.DefaultSettings(), p, nil)
	learn := func(by confidence.Runner) string {
		in := must.Get(files.Open(path, nil, files.DefaultSettings()))
		defer in.Close()
		table := must.Get(polydag.Prepare(t.Context(), in, p))
		s := confidence.DefaultSettings()
		s.Replicates = 12
		do := confidence.Learn
		if by != nil {
			do = func(ctx context.Context, table *polydag.Table, cfg polydag.Config, s confidence.Settings, how polydag.Run) (*polydag.Result, error) {
				return confidence.LearnWith(ctx, table, cfg, s, how, by)
			}
		}
		res := must.Get(do(t.Context(), table, polydag.DefaultConfig(), s, polydag.Run{}))
		res.Timing = polydag.Timing{}
		b := must.Get(json.Marshal(res))
		return string(b)
	}
	runner, _ := machine(t, 2, true, func() work.Handlers { return work.Handlers{KindReplicate: ReplicateHandler(nil, 1<<30)} })
	if got, want := learn(confidence.Runner(Replicates{Runner: runner, Paths: []string{path}, Read: read})), learn(nil); got != want || !strings.Contains(got, "lag") {
		t.Errorf("%.300s\n%.300s", got, want)
	}
}

// TestUnkeptInputs checks that an input is kept if it has its hash and fits into the store, and not after an error.
func TestUnkeptInputs(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name, text, bytes string
		err               error
		kept              bool
	}{
		{"an input that fits", "12345678", "12345678", nil, true},
		{"an input that is too large", "123456789", "123456789", nil, false},
		{"other bytes", "1234", "4321", nil, false},
		{"an error", "1234", "1234", broken, false},
	} {
		s := must.Get(NewStore(t.TempDir()))
		s.most = 8
		hash := work.Hash([]byte(c.text))
		b, err := s.Get(t.Context(), hash, func(context.Context) ([]byte, error) { return []byte(c.bytes), c.err })
		if string(b) != c.bytes || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v; want what was fetched", c.name, b, err)
		}
		if _, err := os.Stat(filepath.Join(s.dir, hash)); (err == nil) != c.kept {
			t.Errorf("%s: %v, want it kept: %v", c.name, err, c.kept)
		}
	}
	s := must.Get(NewStore(t.TempDir()))
	for _, hash := range []string{strings.Repeat("a", 63), strings.Repeat("a", 65), strings.Repeat("g", 64), "../" + strings.Repeat("a", 61)} {
		if b, err := s.Get(t.Context(), hash, func(context.Context) ([]byte, error) { return []byte("fetched"), nil }); string(b) != "fetched" || err != nil {
			t.Errorf("%s: %q, %v", hash, b, err)
		}
		if entries, _ := os.ReadDir(s.dir); len(entries) > 0 {
			t.Errorf("%s, which is not a hash, has left %v", hash, entries)
		}
	}
}
