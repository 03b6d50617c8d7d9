package confidence

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/lab"
)

// TestManyOnADevice checks the number of concurrent replicates: the capacity of the device for a method that
// runs there, and the number of workers if each replicate needs its rows. The settings decide, not the name.
func TestManyOnADevice(t *testing.T) {
	ctx := device.Use(context.Background(), &device.Device{})
	for settings, want := range map[string]int{`{}`: 40, `{"Loss":"by-column"}`: 2} {
		units := make([]Unit, 40)
		for i := range units {
			units[i].Plan = &Plan{Method: "notears", Methods: lab.All, Names: "off", Settings: json.RawMessage(settings)}
		}
		if got := (Pool{Workers: 2}).workers(ctx, units); got != want {
			t.Errorf("%s: %d at the same time, want %d", settings, got, want)
		}
	}
}
