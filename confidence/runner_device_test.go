package confidence

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/polydag/polydag/device"
)

// TestManyOnADevice runs as many replicates at the same time as a device takes of a method whose steps are taken there, and as many as there are workers
// where each replicate keeps its rows: the settings decide, not the name.
func TestManyOnADevice(t *testing.T) {
	ctx := device.Use(context.Background(), &device.Device{})
	for settings, want := range map[string]int{`{}`: 40, `{"Loss":"by-column"}`: 2} {
		units := make([]Unit, 40)
		for i := range units {
			units[i].Plan = &Plan{Method: "notears", Settings: json.RawMessage(settings)}
		}
		if got := (Pool{Workers: 2}).workers(ctx, units); got != want {
			t.Errorf("%s: %d at the same time, want %d", settings, got, want)
		}
	}
}
