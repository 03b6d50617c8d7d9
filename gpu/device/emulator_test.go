package device_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/cuda"
	"github.com/polydag/polydag/gpu/internal/emulator"
	"github.com/polydag/polydag/internal/must"
)

// emulated returns an emulated GPU whose kernels are interpreted.
func emulated(t *testing.T, order func(blocks []int)) *device.Device {
	t.Helper()
	e := emulator.New()
	e.Order = order
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan struct{})
	go func() {
		_ = outW.CloseWithError(errors.Join(cuda.Serve(e, inR, outW), io.EOF))
		close(done)
	}()
	d := must.Get(device.Over(inW, outR))
	t.Cleanup(func() {
		d.Close()
		<-done
		t.Logf("launches: %v", e.Launches)
		if n := e.Left(); n > 0 && e.Err == nil {
			t.Errorf("%d pieces of memory and graphs were not given back", n)
		}
	})
	return d
}

// The tests below check the kernels without a GPU, with small problems of the same kinds.

// TestKernelsAgree compares every kind of problem with the CPU, and two orders of the blocks with each other.
func TestKernelsAgree(t *testing.T) {
	for name, body := range map[string]func(t *testing.T){
		"one block, double": func(t *testing.T) { agree[float64](t, emulated(t, nil), nil, 9, 2, 1e-10) },
		"one block, single": func(t *testing.T) {
			agree[float32](t, emulated(t, nil), nil, 9, 2, 3e-3, "least squares, L1, exponential", "equal, none, exponential", "Gaussian, MCP, log-determinant", "least squares, MCP, geometric of 11")
		},
		"several blocks, double": func(t *testing.T) {
			agree[float64](t, emulated(t, nil), emulated(t, emulator.Reverse), 33, 1, 1e-10, "Gaussian, MCP, log-determinant")
		},
		"several blocks, single": func(t *testing.T) {
			agree[float32](t, emulated(t, nil), emulated(t, emulator.Reverse), 33, 1, 3e-3, "least squares, L1, geometric")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body(t)
		})
	}
}

// TestKernelsBearLargeSteps takes steps that an inverse cannot follow from the one before.
func TestKernelsBearLargeSteps(t *testing.T) {
	t.Parallel()
	bears(t, emulated(t, nil), 9, 6, 0.05)
}

// TestKernelsAmongOthers runs a problem alone and among others.
func TestKernelsAmongOthers(t *testing.T) {
	t.Parallel()
	company(t, emulated(t, nil), 5, 3, 4)
}

// TestKernelsTakeStates stops on the emulator and resumes on the CPU, and vice versa.
func TestKernelsTakeStates(t *testing.T) {
	t.Parallel()
	travel(t, emulated(t, nil), 5, 20)
}

// TestKernelsSearch has line searches evaluated.
func TestKernelsSearch(t *testing.T) {
	t.Parallel()
	on, other := device.Use(context.Background(), emulated(t, nil)), device.Use(context.Background(), emulated(t, emulator.Reverse))
	searches[float64](t, on, other, 9, 4, 1e-6)
	searches[float32](t, on, nil, 5, 4, 1e-3)
	searchesTravel(t, on, 9, 6)
}

// TestCardHasTheSameBytes runs kinds of problems on a card and on the interpreted kernels: every operation is rounded once and every sum
// has one order, so that the two have the same bytes.
func TestCardHasTheSameBytes(t *testing.T) {
	on := card(t)
	agree[float64](t, on, emulated(t, nil), 9, 2, 1e-10)
	agree[float32](t, on, emulated(t, nil), 33, 1, 3e-3)
	ctx, other := device.Use(context.Background(), on), device.Use(context.Background(), emulated(t, nil))
	searches[float64](t, ctx, other, 9, 4, 1e-6)
	searches[float32](t, ctx, other, 9, 4, 1e-3)
}
