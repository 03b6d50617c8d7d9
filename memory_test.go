package polydag_test

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/checkpoint"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/sim"
)

// heapPeak returns the most bytes of heap that were in use while run ran, beyond those before it.
func heapPeak(run func()) int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	inUse := func() int64 {
		metrics.Read(samples)
		return int64(samples[0].Value.Uint64() + samples[1].Value.Uint64())
	}
	runtime.GC()
	before := inUse()
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		most := before
		for {
			most = max(most, inUse())
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	run()
	close(stop)
	return <-peak - before
}

// Memory is never less than what a run takes; for a continuous method, whose need is known, not more than twice as much, and
// 16 MB that weigh in small runs only.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		method  polydag.Method
		d, bits int
		degree  float64
		kept    bool // with a checkpoint
	}{
		{polydag.Polydag, 200, 32, 4, false},
		{polydag.Polydag, 200, 64, 4, false},
		{polydag.PolydagGeo, 200, 32, 4, false},
		{polydag.PolydagGeo, 200, 64, 4, false},
		{polydag.PolydagPoly, 200, 32, 4, false},
		{polydag.NotearsExp, 200, 64, 4, false},
		{polydag.Auto, 60, 32, 8, false},
		{polydag.Order, 200, 64, 8, false}, // dense: the cache fills up
		{polydag.Polydag, 1000, 32, 4, false},
		{polydag.PolydagGeo, 1000, 32, 4, false},
		{polydag.PolydagGeo, 1000, 64, 4, false},
		{polydag.NotearsExp, 1000, 32, 4, false},
		{polydag.Order, 1000, 64, 4, false},
		{polydag.PolydagGeo, 1000, 64, 4, true},
		{polydag.Polydag, 1000, 32, 4, true},
	} {
		if c.d > 200 && testing.Short() {
			continue
		}
		t.Run(fmt.Sprintf("%s/d=%d/bits=%d/degree=%v/checkpoint=%v", c.method, c.d, c.bits, c.degree, c.kept), func(t *testing.T) {
			m, x := sample(t, 1, c.d, 1000, func(s *sim.Config) { s.Degree, s.Standardize = c.degree, true })
			cfg := polydag.DefaultConfig()
			cfg.Method, cfg.CheckScale = c.method, polydag.CheckScaleNever
			cfg.Paper.Steps, cfg.Path.Stages, cfg.Path.StageSteps, cfg.Search.Restarts = 3, 3, 1, 3
			cfg.Paper.Precision, cfg.Path.Precision = c.bits, c.bits
			checkMemory(t, moments(t, m.Names(), x), cfg, c.kept, c.method != polydag.Auto && c.method != polydag.Order)
		})
	}
}

func checkMemory(t *testing.T, data *dataset.Moments, c polydag.Config, checkpointed, tight bool) {
	d := len(data.Names)
	run, said := polydag.Run{}, c.Memory(d)
	if checkpointed {
		store, err := checkpoint.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		run.Checkpoint, said = store, said+c.CheckpointMemory(d)
	}
	took := heapPeak(func() {
		if _, err := run.Learn(context.Background(), data, c); err != nil {
			t.Error(err)
		}
	}) + int64(8*d*d)
	t.Logf("took %.1f MB, said %.1f MB", float64(took)/1e6, float64(said)/1e6)
	if said < took {
		t.Errorf("took %d bytes, more than the %d of Memory", took, said)
	}
	if tight && said > 2*took+16<<20 {
		t.Errorf("took %d bytes, less than half of the %d of Memory", took, said)
	}
}
