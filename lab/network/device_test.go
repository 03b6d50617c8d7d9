package network

import (
	"context"
	"math"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/devicetest"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// elsewhere is a device that computes the sum of squares here, of the rows and networks that were sent to it.
func elsewhere(t *testing.T, asked *int) *device.Device {
	t.Helper()
	var of device.Rows
	var sum *Sum
	return devicetest.Device(t, func(q *device.Request, blobs [][]byte) *device.Reply {
		reply := &device.Reply{Session: 1}
		switch q.Op {
		case device.OpOpen:
			of = *q.Problem.Rows
		case device.OpData:
			table, rows := matrix.Of(of.N, of.Inputs, devicetest.Numbers(blobs[0])), &Rows{N: of.N, D: of.Inputs - 1}
			for i := range of.N { // without the ones
				rows.kept = append(rows.kept, table.Row(i)[:rows.D]...)
			}
			sum = NewSum(rows, func(n int) *Graph { return Perceptron{rows.D, of.Hidden}.Squares(n, 1) })
		case device.OpValues:
			*asked++
			grad := make([]float64, of.Parameters())
			v, err := sum.Eval(context.Background(), grad, devicetest.Numbers(blobs[0]))
			if err != nil {
				t.Error(err)
			}
			reply.Stuck, reply.Points, reply.Blobs = []bool{false}, [][][3]float64{{{v}}}, [][]byte{devicetest.Blob(grad)}
		}
		return reply
	})
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
				must.Succeed(t, err)
				found := must.Get(fit().Run(ctx, in, nil, rows))
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
