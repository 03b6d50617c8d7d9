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
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/cluster/hub"
	"github.com/polydag/polydag/cluster/hub/server"
	"github.com/polydag/polydag/cluster/jetstream"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/trust"
)

// shards writes parts of one categorical table, each without some categories, and the whole table.
func shards(t *testing.T, n int) (parts [][]string, whole string) {
	t.Helper()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(6, 1))
	const header = "who;a;b;c\n"
	all := header
	for k := range n {
		var b strings.Builder
		for range 100 + 50*k {
			x := rng.IntN(2)
			fmt.Fprintf(&b, "p%d;%d;%s;%d\n", k, x, []string{"low", "high", "level" + fmt.Sprint(k)}[min(2, x+rng.IntN(2))], rng.IntN(3))
		}
		path := filepath.Join(dir, fmt.Sprintf("shard-%d.csv", k))
		must.Succeed(t, os.WriteFile(path, []byte(header+b.String()), 0o600))
		parts, all = append(parts, []string{path}), all+b.String()
	}
	whole = filepath.Join(dir, "whole.csv")
	must.Succeed(t, os.WriteFile(whole, []byte(all), 0o600))
	return parts, whole
}

// countReading leaves out the column of names.
func countReading(t *testing.T) (Reading, polydag.Preparation) {
	t.Helper()
	p := polydag.DefaultPreparation()
	p.Drop, p.Profile = []string{"who"}, false
	read := NewReading(files.DefaultSettings(), p, nil)
	return read, p
}

// mergedCounts lets the runner count the parts and returns the bytes of all of them together.
func mergedCounts(ctx context.Context, runner work.Runner, parts [][]string, read Reading) ([]byte, error) {
	var all *dataset.CountsMaker
	err := Counts(ctx, runner, "shards", parts, read, func(_ int, c *dataset.Counts) error {
		if all == nil {
			all = dataset.NewCountsMaker(c.Columns, 0)
		}
		return all.Merge(c, nil)
	})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = files.WriteCounts(&b, all.Counts())
	return b.Bytes(), err
}

// server starts a local NATS server and a worker with these handlers, and returns a submitter.
func hubServer(t *testing.T, handlers work.Handlers) *jetstream.Submitter {
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
	worker := connect()
	ended.Go(func() {
		if err := worker.Work(ctx, jetstream.Worker{Handlers: handlers, Jobs: 2}); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("worker: %v", err)
		}
	})
	t.Cleanup(func() { cancel(); ended.Wait() })
	return &jetstream.Submitter{Client: connect()}
}

// TestCountsOfPartsAreLocal checks that counts of parts, computed locally and through a server, equal those of
// one pass over the whole table, also if some categories occur only in some parts.
func TestCountsOfPartsAreLocal(t *testing.T) {
	parts, whole := shards(t, 5)
	read, p := countReading(t)
	in := must.Get(files.Open(whole, nil, files.DefaultSettings()))
	defer in.Close()
	c := must.Get(prepare.Count(t.Context(), in.Source, p))
	var want bytes.Buffer
	must.Succeed(t, files.WriteCounts(&want, c))
	if c.Rows() != 1000 || len(c.Columns) != 3 || len(c.Levels[1]) != 7 {
		t.Fatalf("%d rows, %v", c.Rows(), c.Levels)
	}
	handlers := work.Handlers{KindCounts: CountsHandler(0)}
	for name, runner := range map[string]work.Runner{"one": work.Pool{Workers: 1, Handlers: handlers}, "three": work.Pool{Workers: 3, Handlers: handlers}, "server": hubServer(t, handlers)} {
		if got, err := mergedCounts(t.Context(), runner, parts, read); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s: %v; %d bytes, want %d", name, err, len(got), want.Len())
		}
	}
}

// TestHostileOutcomesOfCounts checks that invalid outcomes of a malicious worker are refused with the name of
// the part.
func TestHostileOutcomesOfCounts(t *testing.T) {
	parts, _ := shards(t, 1)
	read, _ := countReading(t)
	honest := CountsHandler(0)
	for name, spoil := range map[string]func([]byte) []byte{
		"bytes":   func([]byte) []byte { return []byte("no counts") },
		"nothing": func([]byte) []byte { return nil },
		"half":    func(b []byte) []byte { return b[:len(b)/2] },
		"moments": func([]byte) []byte {
			var b bytes.Buffer
			if err := files.WriteMoments(&b, dataset.NewMoments([]string{"a", "b"}), nil); err != nil {
				t.Error(err)
			}
			return b.Bytes()
		},
		"damaged": func(b []byte) []byte {
			c := must.Get(files.ReadCounts("", bytes.NewReader(b), int64(len(b))))
			c.Times[0] = 0
			var out bytes.Buffer
			if err := files.WriteCounts(&out, c); err != nil {
				t.Error(err)
			}
			return out.Bytes()
		},
	} {
		t.Run(name, func(t *testing.T) {
			runner := hubServer(t, work.Handlers{KindCounts: {Do: func(ctx context.Context, body json.RawMessage, in *work.Inputs) ([]byte, error) {
				b, err := honest.Do(ctx, body, in)
				return spoil(b), err
			}}})
			if _, err := mergedCounts(t.Context(), runner, parts, read); err == nil || !strings.Contains(err.Error(), "the counts of part 1") {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestCountsThatAreRefused checks that a part with too many distinct rows for a worker's memory is named, and
// that invalid units are refused.
func TestCountsThatAreRefused(t *testing.T) {
	parts, _ := shards(t, 2)
	read, _ := countReading(t)
	read.Drop = nil
	_, err := mergedCounts(t.Context(), work.Pool{Workers: 1, Handlers: work.Handlers{KindCounts: CountsHandler(1 << 10)}}, parts, read)
	if err == nil || !strings.Contains(err.Error(), "shard-0.csv") || !strings.Contains(err.Error(), "rows differ") {
		t.Errorf("%v", err)
	}
	for _, body := range []string{`{}`, `[]`, `{"files": [{"name": "/etc/passwd", "path": "/etc/passwd"}]}`, `{"files":[{"name":"x","sha256":"` + work.Hash([]byte("a,b\n")) + `"}],"read":{"encode":"error","missing":"error","max_levels":1}}`} {
		if _, err := CountsHandler(0).Do(t.Context(), json.RawMessage(body), work.NewInputs(func(context.Context, string) ([]byte, error) { return []byte("a,b\n"), nil })); err == nil {
			t.Errorf("%s is taken", body)
		}
	}
}

// TestLearnedFromCounts checks that learning from counts gives the same edges, gains, effects and score as the
// table. Only values that use some of the rows, or the last digits of a mean, may differ, because the order of
// the rows is lost.
func TestLearnedFromCounts(t *testing.T) {
	parts, whole := shards(t, 5)
	read, p := countReading(t)
	p.Profile = true
	text := must.Get(mergedCounts(t.Context(), work.Pool{Workers: 2, Handlers: work.Handlers{KindCounts: CountsHandler(0)}}, parts, read))
	joined := filepath.Join(t.TempDir(), "counts.npz")
	must.Succeed(t, os.WriteFile(joined, text, 0o600))
	learn := func(path string) *polydag.Result {
		in := must.Get(files.Open(path, nil, files.DefaultSettings()))
		defer in.Close()
		own := p
		if path == joined {
			own.Drop = nil
		}
		table := must.Get(polydag.Prepare(t.Context(), in, own))
		res := must.Get(table.Learn(t.Context(), polydag.DefaultConfig(), polydag.Run{}))
		return res
	}
	edges := func(res *polydag.Result) string {
		for k := range res.Edges {
			res.Edges[k].Turned, res.Edges[k].Judgement = false, trust.Judgement{}
		}
		b := must.Get(json.Marshal(res.Edges))
		return string(b)
	}
	a, b := learn(whole), learn(joined)
	if got, want := edges(b), edges(a); got != want || len(a.Edges) == 0 || a.Rows != b.Rows || b.Table.Format != files.Counts {
		t.Errorf("%s\n%s", got, want)
	}
}
