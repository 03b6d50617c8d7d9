// Package devicetest has devices for tests, which a function answers for.
package devicetest

import (
	"io"
	"testing"
	"unsafe"

	"github.com/polydag/polydag/gpu/device"
)

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
