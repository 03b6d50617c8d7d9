package cuda

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/emulator"
	"github.com/polydag/polydag/internal/must"
)

// TestStuckSearchKeepsPairs checks that a stuck search returns the pairs it was given. No step along the
// quasi-Newton direction lowers the objective, because the curvature of h is huge. The step along the gradient
// then leaves the range of the exponential.
func TestStuckSearchKeepsPairs(t *testing.T) {
	s := newServer(emulator.New())
	ask := func(q device.Request) *device.Reply {
		t.Helper()
		q.Version, q.Session = device.Version, 1
		reply := must.Get(s.answer(&q))
		return reply
	}
	square := func(a, b float64) (out []byte) { // 2×2 with a zero diagonal
		for _, v := range []float64{0, a, b, 0} {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
		return out
	}
	ask(device.Request{Op: device.OpCard})
	ask(device.Request{Op: device.OpOpen, Problem: &device.Problem{D: 2, Bits: 64, Batch: 1, Score: device.LeastSquares, Constraint: device.Exponential, Search: true, Pairs: 3}})
	ask(device.Request{Op: device.OpData, Blobs: [][]byte{square(1000, 1000)}})
	state := [][]byte{square(25, 25), square(1e-9, 1e-9), square(1, 1)}
	ask(device.Request{Op: device.OpLoad, Blobs: state})
	if reply := ask(device.Request{Op: device.OpPoint}); reply.Stuck[0] {
		t.Fatal("the start is outside the range of the exponential")
	}
	if reply := ask(device.Request{Op: device.OpSearch, Now: [][3]float64{{1, 0}}, Bend: 1e300}); !reply.Stuck[0] {
		t.Fatalf("the search is not stuck: %+v", reply)
	}
	if got := ask(device.Request{Op: device.OpFetch}).Blobs; !slices.EqualFunc(got, state, slices.Equal) {
		t.Errorf("the state has changed, or has %d matrices and not %d", len(got), len(state))
	}
}
