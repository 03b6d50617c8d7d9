package heldout

import (
	"context"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/internal/must"
)

// idle is a device that cannot evaluate, so that every step is taken on the CPU. It records its batch sizes.
func idle(t *testing.T) (on *device.Device, batches func() []int) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var mu sync.Mutex
	var sizes []int
	go func() {
		type place struct{ session, index int }
		held := map[place][][]byte{}
		places := map[int]int{}
		for {
			var q device.Request
			blobs, err := device.Receive(inR, &q, func() []int { return q.Sizes })
			if err != nil {
				_ = outW.CloseWithError(err)
				return
			}
			reply := &device.Reply{Session: q.Session}
			at := place{q.Session, q.Index}
			switch q.Op {
			case device.OpOpen:
				mu.Lock()
				sizes = append(sizes, q.Problem.Batch)
				reply.Session = len(sizes)
				mu.Unlock()
				places[reply.Session] = q.Problem.Batch
			case device.OpLoad:
				held[at] = blobs
			case device.OpFetch:
				reply.Blobs = held[at]
			case device.OpPoint, device.OpValues:
				n := places[q.Session]
				reply.Points, reply.Stuck = make([][][3]float64, n), slices.Repeat([]bool{true}, n)
			}
			for _, b := range reply.Blobs {
				reply.Sizes = append(reply.Sizes, len(b))
			}
			if err := device.Send(outW, reply, reply.Blobs); err != nil {
				return
			}
		}
	}()
	on = must.Get(device.Over(inW, outR))
	t.Cleanup(func() { _ = inW.CloseWithError(io.EOF); on.Close() })
	return on, func() []int {
		mu.Lock()
		defer mu.Unlock()
		return sizes
	}
}

// TestHalvesGoTogether compares on a device and without: the whole table is learned alone, the halves as one batch, and the comparison is the same.
func TestHalvesGoTogether(t *testing.T) {
	_, table := simulated(t, 200, 3, scaled)
	s := DefaultCompareSettings()
	s.Splits = 2
	run := func(ctx context.Context) *Comparison {
		c := must.Get(Compare(ctx, table, chosen(t, "polydag-geo:steps=60", "nocurl", "ges"), nil, s, nil))
		return c
	}
	on, batches := idle(t)
	here, there := run(context.Background()), run(device.Use(context.Background(), on))
	for k, want := range here.Methods {
		got := there.Methods[k]
		if got.HeldOut == nil || *got.HeldOut != *want.HeldOut || *got.Score != *want.Score || len(got.Edges) != len(want.Edges) {
			t.Errorf("%s: held out %v, score %v, %d edges; without a device %v, %v, %d", got.Label, got.HeldOut, got.Score, len(got.Edges), *want.HeldOut, *want.Score, len(want.Edges))
		}
	}
	if got := batches(); !slices.Contains(got, 4) || slices.Contains(got, 2) || got[0] != 1 {
		t.Errorf("batches of %v, want 1 for the table and 4 for its halves", got)
	}
}
