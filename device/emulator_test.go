package device_test

import (
	"errors"
	"io"
	"testing"

	"github.com/polydag/polydag/device"
	"github.com/polydag/polydag/device/cuda"
	"github.com/polydag/polydag/device/internal/emulator"
)

// emulated is a card that is none: its kernels are interpreted here.
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
	d, err := device.Over(inW, outR)
	if err != nil {
		t.Fatal(err)
	}
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

func TestEmulatorAgrees(t *testing.T) {
	on := emulated(t, nil)
	agree[float64](t, on, 9, 1, 1e-10)
	agree[float32](t, on, 9, 1, 3e-3)
}
