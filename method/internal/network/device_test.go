package network

import (
	"context"
	"io"
	"math"
	"testing"
	"unsafe"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/device"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// elsewhere is a device that computes the sum of squares here, of the rows and networks that were sent to it.
func elsewhere(t *testing.T, asked *int) *device.Device {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	numbers := func(b []byte) []float64 { return unsafe.Slice((*float64)(unsafe.Pointer(&b[0])), len(b)/8) }
	go func() {
		var of device.Rows
		var sum *Sum
		for {
			var q device.Request
			blobs, err := device.Receive(inR, &q, func() []int { return q.Sizes })
			if err != nil {
				_ = outW.CloseWithError(err)
				return
			}
			reply := &device.Reply{Session: 1}
			switch q.Op {
			case device.OpOpen:
				of = *q.Problem.Rows
			case device.OpData:
				table, rows := matrix.Of(of.N, of.Inputs, numbers(blobs[0])), &Rows{N: of.N, D: of.Inputs - 1}
				for i := range of.N { // without the ones
					rows.kept = append(rows.kept, table.Row(i)[:rows.D]...)
				}
				sum = NewSum(rows, func(n int) *Graph { return Perceptron{rows.D, of.Hidden}.Squares(n, 1) })
			case device.OpValues:
				*asked++
				grad := make([]float64, of.Parameters())
				v, err := sum.Eval(context.Background(), grad, numbers(blobs[0]))
				if err != nil {
					t.Error(err)
				}
				reply.Stuck, reply.Points = []bool{false}, [][][3]float64{{{v}}}
				reply.Blobs = [][]byte{unsafe.Slice((*byte)(unsafe.Pointer(&grad[0])), 8*len(grad))}
				reply.Sizes = []int{len(reply.Blobs[0])}
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

// TestFitElsewhere checks that a fit with squares from a device equals the local one, with line searches and
// with Adam. A fit whose rows are not in memory is computed locally with a reason.
func TestFitElsewhere(t *testing.T) {
	in, _ := table(300, 3, 1)
	falling := func() *Fit {
		f := chainFit(50)
		f.Logarithm, f.DecayAll, f.Constraint, f.Descent = true, true, &acyclic.LogDet[float64]{}, solve.NewAdam[float64](0.003)
		return f
	}
	for name, fit := range map[string]func() *Fit{"ascent": func() *Fit { return chainFit(50) }, "falling": falling} {
		for _, kept := range []bool{true, false} {
			most := keptValues
			if !kept {
				most = 30
			}
			run := func(ctx context.Context) *Found {
				rows, err := newRows(ctx, in, Unit, most)
				if err != nil {
					t.Fatal(err)
				}
				found, err := fit().Run(ctx, in, nil, rows)
				if err != nil {
					t.Fatal(err)
				}
				return found
			}
			asked := 0
			ctx := device.Use(context.Background(), elsewhere(t, &asked))
			here, there := run(context.Background()), run(ctx)
			for e, v := range here.W.Data {
				if !(math.Abs(v-there.W.Data[e]) <= 1e-9) {
					t.Errorf("%s, kept %v: edge %d weighs %v, want %v", name, kept, e, there.W.Data[e], v)
				}
			}
			if !(math.Abs(here.Score-there.Score) <= 1e-9) || here.Steps != there.Steps || here.Steps < 20 {
				t.Errorf("%s, kept %v: %+v, want %+v", name, kept, there, here)
			}
			if used, why := device.Used(ctx); used != kept || (why == "") != kept || kept && asked < here.Steps || !kept && asked > 0 {
				t.Errorf("%s, kept %v: used %v, %q, asked %d times", name, kept, used, why, asked)
			}
		}
	}
}
