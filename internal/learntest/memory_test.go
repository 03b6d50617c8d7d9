package learntest

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
)

// heapPeak returns the most bytes of heap that were in use while run ran, beyond those before it. It looks every millisecond and
// whenever run calls look, since on a loaded machine nobody may look between.
func heapPeak(run func(look func())) int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	var mu sync.Mutex
	inUse := func() int64 {
		metrics.Read(samples)
		return int64(samples[0].Value.Uint64() + samples[1].Value.Uint64())
	}
	runtime.GC()
	before := inUse()
	most := before
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		most = max(most, inUse())
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			look()
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	run(look)
	close(stop)
	<-done
	return most - before
}

// TestMemory checks that the estimate is at least the memory of a run. For a method with a known need it is at
// most twice the total allocations plus 16 MB, because the peak depends on the garbage collector. The memory of
// a search depends on the table.
func TestMemory(t *testing.T) {
	type table struct {
		d      int
		degree float64
	}
	tables := map[table]*dataset.Moments{} // a run leaves them as they are
	for _, c := range []struct {
		method  string
		d, bits int
		degree  float64
		kept    bool // with a checkpoint
	}{
		{"polydag", 200, 32, 4, false},
		{"polydag", 200, 64, 4, false},
		{"polydag-geo", 200, 32, 4, false},
		{"polydag-geo", 200, 64, 4, false},
		{"polydag-poly", 200, 32, 4, false},
		{"notears-exp", 200, 64, 4, false},
		{"notears", 200, 64, 4, false},
		{"tmpi", 200, 32, 4, false},
		{"golem-ev", 200, 32, 4, false},
		{"golem-nv", 200, 64, 4, false},
		{"nocurl", 200, 64, 4, false},
		{"dagma", 200, 32, 4, false},
		{"dagma", 200, 64, 4, true},
		{"auto", 60, 32, 8, false},
		{"order", 200, 64, 8, false}, // dense: the cache fills up
		{"continuous", 100, 32, 4, false},
		{"polydag", 1000, 32, 4, false}, // the garbage of a smaller one weighs more than its matrices
		{"order", 600, 64, 4, false},
		{"polydag-geo", 600, 64, 4, true},
	} {
		if c.d > 200 && testing.Short() {
			continue
		}
		t.Run(fmt.Sprintf("%s/d=%d/bits=%d/degree=%v/checkpoint=%v", c.method, c.d, c.bits, c.degree, c.kept), func(t *testing.T) {
			data := tables[table{c.d, c.degree}]
			if data == nil {
				m, x := sample(t, 1, c.d, 1000, func(s *sim.Settings) { s.Degree, s.Standardize = c.degree, true })
				data = moments(t, m.Names(), x)
				tables[table{c.d, c.degree}] = data
			}
			cfg := polydag.DefaultConfig()
			cfg.CheckScale = polydag.CheckScaleNever
			cfg.Method = using(t, c.method, "steps=3", "stages=3", "stage-steps=1", "last-steps=1", "rounds=1", "inner=12", "restarts=3", fmt.Sprintf("precision=%d", c.bits))
			checkMemory(t, data, cfg, c.kept, !slices.Contains([]string{"auto", "order", "continuous"}, c.method))
		})
	}
}

func checkMemory(t *testing.T, data *dataset.Moments, c polydag.Config, checkpointed, tight bool) {
	d := len(data.Names)
	run, said := polydag.Run{}, c.Memory(data.N, d)
	if checkpointed {
		store := must.Get(polydag.OpenCheckpoint(t.TempDir()))
		defer store.Close()
		run.Store, said = store, said+c.CheckpointMemory(data.N, d)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took := heapPeak(func(look func()) {
		run.Observe = func(polydag.Progress) { look() }
		if _, err := polydag.FromMoments(data).Learn(context.Background(), c, run); err != nil {
			t.Error(err)
		}
	}) + int64(8*d*d)
	runtime.ReadMemStats(&after)
	allocated := int64(after.TotalAlloc-before.TotalAlloc) + int64(8*d*d)
	t.Logf("took %.1f MB, said %.1f MB", float64(took)/1e6, float64(said)/1e6)
	if said < took {
		t.Errorf("took %d bytes, more than the %d of Memory", took, said)
	}
	if tight && said > 2*allocated+16<<20 {
		t.Errorf("allocated %d bytes in all, less than half of the %d of Memory", allocated, said)
	}
}
