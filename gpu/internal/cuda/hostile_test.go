package cuda

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/emulator"
	"github.com/polydag/polydag/internal/must"
)

// product returns a product that need not fit into a word.
func product(factors ...int) *big.Int {
	p := big.NewInt(1)
	for _, f := range factors {
		p.Mul(p, big.NewInt(int64(f)))
	}
	return p
}

// TestPlansBearAnySize draws shapes of all magnitudes. A plan is refused, or its sizes fit the indices of the
// kernels and its memory. Nothing may overflow.
func TestPlansBearAnySize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	entries := big.NewInt(1 << 31)
	pick := func(most int) int { return 1<<rng.IntN(most) + rng.IntN(5) }
	planned := 0
	for i := range 200_000 {
		most := 63
		if i%2 == 0 { // where some are planned
			most = 16
		}
		r := &device.Rows{N: pick(most), Inputs: pick(most), Hidden: pick(most), Deep: rng.IntN(2) == 0, Leak: 0.1}
		r.Outputs = r.Hidden * (r.Inputs - 1)
		if pl, err := newRowPlan(device.Problem{Bits: 64, Batch: 1, Rows: r}); err == nil {
			planned++
			for _, need := range []*big.Int{product(r.N, r.Inputs), product(r.N, r.Hidden, r.Inputs-1), product(r.Inputs, r.Hidden, r.Inputs-1)} {
				if need.Cmp(entries) > 0 || need.Mul(need, big.NewInt(8)).Cmp(big.NewInt(int64(pl.bytes))) > 0 {
					t.Fatalf("planned %+v as %d bytes", *r, pl.bytes)
				}
			}
		}
		c := &device.Coder{Rows: pick(most), Columns: pick(most), Hidden: pick(most), Noise: true}
		if pl, err := newCoderPlan(device.Problem{Bits: 64, Batch: 1, Coder: c}); err == nil {
			planned++
			for _, need := range []*big.Int{product(c.Rows, c.Columns), product(c.Columns, c.Columns), product(c.Hidden, 6)} {
				if need.Cmp(entries) > 0 || need.Mul(need, big.NewInt(8)).Cmp(big.NewInt(int64(pl.bytes))) > 0 {
					t.Fatalf("planned %+v as %d bytes", *c, pl.bytes)
				}
			}
		}
	}
	if planned < 1000 {
		t.Errorf("%d were planned", planned)
	}
}

// TestHostileShapes are refused when they are opened, and not by a fault of the program.
func TestHostileShapes(t *testing.T) {
	for _, p := range []device.Problem{
		{Rows: &device.Rows{N: 1 << 61, Inputs: 2, Outputs: 1, Hidden: 1}},
		{Rows: &device.Rows{N: 1<<60 + 1, Inputs: 2, Outputs: 1, Hidden: 1}},
		{Rows: &device.Rows{N: 1 << 52, Inputs: 257, Outputs: 256, Hidden: 1}},
		{Rows: &device.Rows{N: 1, Inputs: 1 << 40, Hidden: 1<<40 + 3, Outputs: 1<<41 - 3}},
		{Rows: &device.Rows{N: 1, Inputs: 2, Outputs: 1, Losses: []device.Loss{{Kind: device.SoftmaxLoss, Width: 1 << 62}}}},
		{Rows: &device.Rows{N: 1, Inputs: 3, Outputs: 2, Losses: []device.Loss{{Kind: device.SoftmaxLoss, Width: 1<<63 - 1}, {Kind: device.SoftmaxLoss, Width: 1<<63 - 1}, {Kind: device.SoftmaxLoss, Width: 4}}}},
		{Coder: &device.Coder{Rows: 1 << 60, Columns: 1, Hidden: 1}},
		{Coder: &device.Coder{Rows: 1 << 52, Columns: 256, Hidden: 1}},
		{Coder: &device.Coder{Rows: 1, Columns: 1, Hidden: 1 << 58}},
	} {
		p.Bits, p.Batch = 64, 1
		for _, driver := range []Driver{emulator.New(), newFake()} {
			s := newServer(driver)
			must.Get(s.answer(&device.Request{Version: device.Version, Op: device.OpCard}))
			if _, err := s.answer(&device.Request{Version: device.Version, Op: device.OpOpen, Problem: &p}); err == nil {
				t.Errorf("opened %+v %+v", p.Rows, p.Coder)
			}
		}
	}
}

// TestWideLossesTakeNoMemory checks that the widths of losses are validated before any allocation.
func TestWideLossesTakeNoMemory(t *testing.T) {
	r := &device.Rows{N: 1, Inputs: 3, Outputs: 2, Losses: []device.Loss{{Kind: device.SoftmaxLoss, Width: 1 << 28}}}
	if pieces := testing.AllocsPerRun(1, func() {
		if _, err := lossKinds(r); err == nil {
			t.Error("taken")
		}
	}); pieces > 12 { // growing to the width takes many more
		t.Errorf("%v pieces of memory were made", pieces)
	}
}

// TestGridsFit checks that every launch is within the limits of a GPU, 65535 blocks along y and z, also for
// tables with millions of rows.
func TestGridsFit(t *testing.T) {
	var all []start
	for _, p := range []device.Problem{rowProblem(64, 20_000_000, 3, 0), rowProblem(32, 20_000_000, 3, 0), rowProblem(64, 20_000_000, 3, 2), rowProblem(64, 2, 1000, 2)} {
		pl := must.Get(newRowPlan(p))
		all = append(all, pl.launches()...)
	}
	for _, c := range []device.Coder{{Rows: 10_000_000, Columns: 5, Hidden: 3}, {Rows: 10, Columns: 20_000, Hidden: 3}} {
		pl := must.Get(newCoderPlan(device.Problem{Bits: 64, Batch: 1, Coder: &c}))
		all = append(all, pl.launches()...)
	}
	for _, l := range all {
		if min(l.x, l.y, l.z) < 1 || l.x > 1<<31-1 || max(l.y, l.z) > 65535 {
			t.Errorf("%s has a grid of %d × %d × %d blocks", l.kernel, l.x, l.y, l.z)
		}
	}
}
