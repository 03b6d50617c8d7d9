package study

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/internal/must"
)

const cardStudy = `
name: card
title: Card
methods:
  geo: {method: polydag-geo, set: {steps: 30}}
  order: {method: order, set: {restarts: 0}}
experiments:
  - name: a
    title: A
    data: [{nodes: [5], degree: [2], samples: 80}]
    protocols: [raw]
    methods: [geo, order]
    seeds: [1, 2, 3, 4]
`

// stillCard is a device on which nothing moves: every point is zero. It counts the batches that were opened, by their places.
func stillCard(t *testing.T) (*device.Device, func() map[int]int) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var mu sync.Mutex
	opened := map[int]int{}
	go func() {
		var problem device.Problem
		for {
			var q device.Request
			if _, err := device.Receive(inR, &q, func() []int { return q.Sizes }); err != nil {
				_ = outW.CloseWithError(err)
				return
			}
			reply := &device.Reply{Cards: []device.Info{{Name: "still"}}, Session: 1}
			steps := 1
			switch q.Op {
			case device.OpOpen:
				problem = *q.Problem
				mu.Lock()
				opened[problem.Batch]++
				mu.Unlock()
			case device.OpAdvance:
				steps = q.Steps
				fallthrough
			case device.OpPoint:
				reply.Stuck = make([]bool, problem.Batch)
				for range problem.Batch {
					reply.Points = append(reply.Points, make([][3]float64, steps))
				}
			case device.OpFetch:
				for range 3 {
					reply.Blobs = append(reply.Blobs, make([]byte, problem.D*problem.D*problem.Bits/8))
					reply.Sizes = append(reply.Sizes, len(reply.Blobs[0]))
				}
			}
			_ = device.Send(outW, reply, reply.Blobs)
		}
	}()
	d := must.Get(device.Over(inW, outR))
	t.Cleanup(func() { _ = inW.CloseWithError(io.EOF); d.Close() })
	return d, func() map[int]int {
		mu.Lock()
		defer mu.Unlock()
		return opened
	}
}

// TestRunsOnADevice runs the seeds of a continuous method as one batch on the device of the context and records
// it; searches run on the CPU. A lost device ends the study without a record of the run.
func TestRunsOnADevice(t *testing.T) {
	st := read(t, cardStudy)
	runs := must.Get(st.Expand(Select{}))
	j := must.Get(OpenJournal(filepath.Join(t.TempDir(), "records.jsonl")))
	defer j.Close()
	on, opened := stillCard(t)
	on.Expect(4)
	must.Get(Execute(device.Use(context.Background(), on), runs, j, Execution{Jobs: 4}))
	for _, rec := range j.Records() {
		want := ""
		if rec.Method == "geo" {
			want = "still"
		}
		if rec.Machine.Device != want || rec.Status == StatusError {
			t.Errorf("%s, seed %d: device %q, status %s %s", rec.Method, rec.Seed, rec.Machine.Device, rec.Status, rec.Error)
		}
	}
	more := must.Get(read(t, strings.Replace(cardStudy, "seeds: [1, 2, 3, 4]", "seeds: [5]", 1)).Expand(Select{}))
	on.Close()
	known := len(j.Records())
	if _, err := Execute(device.Use(context.Background(), on), more, j, Execution{Jobs: 1}); !errors.Is(err, device.ErrLost) {
		t.Errorf("got %v, want the loss of the device", err)
	}
	for _, rec := range j.Records()[known:] {
		if rec.Method == "geo" {
			t.Errorf("a run on a device that was lost has a record: %s", rec.Error)
		}
	}
	if n := opened(); n[4] == 0 || len(n) != 1 {
		t.Errorf("batches by places: %v, want some of 4", n)
	}
}
