// Package inputtest makes inputs and devices for the tests of methods.
package inputtest

import (
	"fmt"
	"io"
	"testing"
	"unsafe"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/device"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/sim"
)

// Names returns x0, x1, and so on.
func Names(columns int) []string {
	names := make([]string, columns)
	for j := range names {
		names[j] = fmt.Sprint("x", j)
	}
	return names
}

// Moments returns the moments of the rows of x.
func Moments(t testing.TB, names []string, x *matrix.Dense[float64]) *dataset.Moments {
	t.Helper()
	m, err := dataset.MomentsOf(names, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Of returns the input of a table with the rows of x, read at once.
func Of(t testing.TB, names []string, x *matrix.Dense[float64]) *method.Input {
	t.Helper()
	return &method.Input{
		Moments: Moments(t, names, x), Seed: 1, Threads: 1,
		Rows: dataset.RowBatch{Values: x.Data}.Rows(x.Cols),
	}
}

// Simulated returns the input of a table drawn from a random model.
func Simulated(t testing.TB, rows int, change func(*sim.Settings)) (*method.Input, *sim.Model) {
	t.Helper()
	c := sim.Default()
	change(&c)
	m, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return Of(t, m.Names(), m.Sample(sim.Stream(c.Seed, sim.StreamNoise), rows)), m
}

// Known adds prior knowledge to an input, unless it is empty.
func Known(t testing.TB, in *method.Input, spec knowledge.Spec) *method.Input {
	t.Helper()
	if !spec.Empty() {
		var err error
		if in.Knowledge, err = spec.Resolve(in.Names()); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

// InEnvironments adds the environment of each row of x, and environments "", "a", "b" and so on with the given targets.
func InEnvironments(t testing.TB, in *method.Input, x *matrix.Dense[float64], of []int, targets [][]int) {
	t.Helper()
	in.Environments = &dataset.Environments{Column: "k", Targets: targets}
	for k := range targets {
		var own []float64
		for i, r := range of {
			if r == k {
				own = append(own, x.Row(i)...)
			}
		}
		name := ""
		if k > 0 {
			name = string(rune('a' + k - 1))
		}
		in.Environments.Names = append(in.Environments.Names, name)
		in.Environments.Moments = append(in.Environments.Moments, Moments(t, in.Names(), matrix.Of(len(own)/x.Cols, x.Cols, own)))
	}
	in.Rows = dataset.RowBatch{Values: x.Data, Environments: of}.Rows(x.Cols)
}

// Device returns a device that answers requests by a function. The sizes of the answer's blobs follow from them.
func Device(t testing.TB, answer func(q *device.Request, blobs [][]byte) *device.Reply) *device.Device {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() {
		for {
			var q device.Request
			blobs, err := device.Receive(inR, &q, func() []int { return q.Sizes })
			if err != nil {
				_ = outW.CloseWithError(err)
				return
			}
			reply := answer(&q, blobs)
			for _, b := range reply.Blobs {
				reply.Sizes = append(reply.Sizes, len(b))
			}
			_ = device.Send(outW, reply, reply.Blobs)
		}
	}()
	d, err := device.Over(inW, outR)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// Unreliable returns a device that opens a problem by open and evaluates it by values. It fails after the first most evaluations, and the
// value does not exist at every third one. asked counts the evaluations.
func Unreliable(t testing.TB, asked *int, most int, open func(*device.Request), values func(blobs [][]byte) *device.Reply) *device.Device {
	t.Helper()
	return Device(t, func(q *device.Request, blobs [][]byte) *device.Reply {
		switch q.Op {
		case device.OpOpen:
			open(q)
		case device.OpValues:
			switch *asked++; {
			case *asked > most:
				return &device.Reply{Error: "CUDA_ERROR_UNKNOWN (999)"}
			case *asked%3 == 0:
				return &device.Reply{Stuck: []bool{true}}
			}
			return values(blobs)
		}
		return &device.Reply{Session: 1}
	})
}

// Numbers returns the numbers of a blob.
func Numbers(b []byte) []float64 { return unsafe.Slice((*float64)(unsafe.Pointer(&b[0])), len(b)/8) }

// Blob returns the bytes of numbers.
func Blob(x []float64) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 8*len(x)) }
