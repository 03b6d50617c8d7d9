package device_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// refusing is a device that takes no problem, since it is full or for another reason.
func refusing(t *testing.T, full, optional bool) *device.Device {
	t.Helper()
	d := scripted(t, func(q device.Request) any {
		if q.Op == device.OpOpen {
			return &device.Reply{Error: "a matrix of 99 MiB", Full: full}
		}
		return &device.Reply{}
	})
	d.Optional = optional
	return d
}

// TestRefusedProblems checks that a problem refused by an optional device is solved on the CPU, with the same
// bytes and the reason. A required device gives an error. It covers rows, OWL-QN and Adam.
func TestRefusedProblems(t *testing.T) {
	rows, _ := counted(t)
	moments := searched[float64](t, 4)["exponential"]
	for name, c := range map[string]struct {
		p     solve.Problem[float64]
		sched func() solve.Schedule
		desc  func() solve.Descent[float64]
	}{
		"rows":      {rows, func() solve.Schedule { return optimize.NewSettling(1, 1, 0) }, func() solve.Descent[float64] { return optimize.NewOWLQN[float64](1e-5) }},
		"OWL-QN":    {moments, func() solve.Schedule { return optimize.NewSettling(1, 1, 0) }, func() solve.Descent[float64] { return optimize.NewOWLQN[float64](1e-5) }},
		"the steps": {moments, func() solve.Schedule { return solve.NewReleased(1, 10) }, func() solve.Descent[float64] { return solve.NewAdam[float64](0.01) }},
	} {
		run := func(ctx context.Context) (*solve.Result[float64], error) {
			return solve.RunAccelerated(ctx, c.p, c.sched(), c.desc(), solve.Settings{Steps: 5}, nil)
		}
		here := must.Get(run(context.Background()))
		for _, full := range []bool{false, true} {
			ctx := device.Use(context.Background(), refusing(t, full, true))
			out, err := run(ctx)
			if err != nil || !slices.Equal(out.W.Data, here.W.Data) {
				t.Errorf("%s, full %v: %v, or other bytes than here", name, full, err)
			}
			if used, why := device.Used(ctx); used || !strings.Contains(why, "99 MiB") {
				t.Errorf("%s, full %v: used %v, %q", name, full, used, why)
			}
			out, err = run(device.Use(context.Background(), refusing(t, full, false)))
			if out != nil || !errors.Is(err, device.ErrRefused) || errors.Is(err, device.ErrFull) != full || !strings.Contains(err.Error(), "99 MiB") {
				t.Errorf("%s, full %v: %v", name, full, err)
			}
		}
	}
}

// TestRefusedPlaces is the same for networks that are trained batch by batch.
func TestRefusedPlaces(t *testing.T) {
	for name, open := range map[string]func(ctx context.Context) (opened bool, err error){
		"an autoencoder": func(ctx context.Context) (bool, error) {
			c, err := device.OpenCoding(ctx, device.Coder{Rows: 3, Columns: 2, Hidden: 2})
			return c != nil, err
		},
		"two layers": func(ctx context.Context) (bool, error) {
			d, err := device.OpenDeep(ctx, 3, 2, 2, false, 0.01)
			return d != nil, err
		},
	} {
		ctx := device.Use(context.Background(), refusing(t, true, true))
		opened, err := open(ctx)
		if used, why := device.Used(ctx); opened || err != nil || used || !strings.Contains(why, "99 MiB") {
			t.Errorf("%s: opened %v, %v, used %v, %q", name, opened, err, used, why)
		}
		if opened, err := open(device.Use(context.Background(), refusing(t, true, false))); opened || !errors.Is(err, device.ErrRefused) {
			t.Errorf("%s: opened %v, %v", name, opened, err)
		}
	}
}

// TestLostIsNotRefused checks that a device that stops responding is always an error.
func TestLostIsNotRefused(t *testing.T) {
	d := scripted(t, func(q device.Request) any {
		if q.Op == device.OpOpen {
			return nil
		}
		return &device.Reply{}
	})
	d.Optional = true
	p, _ := counted(t)
	_, err := solve.RunAccelerated(device.Use(context.Background(), d), p, optimize.NewSettling(1, 1, 0), optimize.NewOWLQN[float64](1e-5), solve.Settings{Steps: 5}, nil)
	if !errors.Is(err, device.ErrLost) || errors.Is(err, device.ErrRefused) {
		t.Errorf("got %v", err)
	}
}

// TestOnesTakeTheirSize checks that the table with ones is allocated once with its final size.
func TestOnesTakeTheirSize(t *testing.T) {
	x := matrix.New[float64](1000, 37)
	for i := range x.Data {
		x.Data[i] = float64(i)
	}
	for _, before := range []bool{true, false} {
		var out []float64
		if n := testing.AllocsPerRun(5, func() { out = device.WithOnes(x, before) }); n > 9 { // growing takes 18, and others may run meanwhile
			t.Errorf("%v pieces of memory", n)
		}
		one, rest := 37, 0
		if before {
			one, rest = 0, 1
		}
		for i := range x.Rows {
			if row := out[38*i : 38*i+38]; row[one] != 1 || !slices.Equal(row[rest:rest+37], x.Row(i)) {
				t.Fatalf("row %d is %v", i, row)
			}
		}
		if len(out) != 38000 || cap(out) > 40000 {
			t.Errorf("%d numbers in the memory of %d", len(out), cap(out))
		}
	}
}
