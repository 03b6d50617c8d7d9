package cuda

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// fake is a driver without a GPU. It has memory and empty kernels, records every call, and fails with a code on
// request.
type fake struct {
	calls  []string
	fail   string // function
	after  int    // calls of it that succeed before
	code   int
	memory map[uintptr][]byte
	next   uintptr
	free   uint64
	major  uint64
	cards  uint64
}

func newFake() *fake {
	return &fake{memory: map[uintptr][]byte{}, next: 1 << 20, free: 1 << 34, major: 9, cards: 1}
}

func at(p uintptr) *uint64 { return *(**uint64)(unsafe.Pointer(&p)) }

func (f *fake) bytes(p, n uintptr) []byte {
	for start, m := range f.memory {
		if p >= start && p+n <= start+uintptr(len(m)) {
			return m[p-start:][:n]
		}
	}
	panic(fmt.Sprintf("%d bytes at %#x are not ours", n, p))
}

func host(p, n uintptr) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(at(p))), n) }

func (f *fake) Call(function string, args ...uintptr) int {
	f.calls = append(f.calls, function)
	if function == f.fail {
		if f.after == 0 {
			return f.code
		}
		f.after--
	}
	switch function {
	case "cuGetErrorName":
		name := append([]byte(fmt.Sprintf("CUDA_ERROR_%d", args[0])), 0)
		*(**byte)(unsafe.Pointer(at(args[1]))) = &name[0]
	case "cuDriverGetVersion":
		*at(args[0]) = 13000
	case "cuDeviceGetCount":
		*at(args[0]) = f.cards
	case "cuDeviceGetName":
		copy(host(args[0], args[1]), "Fake card\x00")
	case "cuDeviceTotalMem_v2":
		*at(args[0]) = 1 << 34
	case "cuDeviceGetAttribute":
		*at(args[0]) = f.major
	case "cuMemGetInfo_v2":
		*at(args[0]), *at(args[1]) = f.free, 1<<34
	case "cuMemAlloc_v2":
		*at(args[0]) = uint64(f.next)
		f.memory[f.next] = make([]byte, args[1])
		f.next += args[1] + 4096
	case "cuMemFree_v2":
		delete(f.memory, args[0])
	case "cuMemsetD8Async":
		clear(f.bytes(args[0], args[2]))
	case "cuMemcpyHtoDAsync_v2":
		copy(f.bytes(args[0], args[2]), host(args[1], args[2]))
	case "cuMemcpyDtoHAsync_v2":
		copy(host(args[0], args[2]), f.bytes(args[1], args[2]))
	case "cuMemcpyDtoDAsync_v2":
		copy(f.bytes(args[0], args[2]), f.bytes(args[1], args[2]))
	case "cuModuleLoadData", "cuModuleGetFunction", "cuDevicePrimaryCtxRetain", "cuStreamCreate", "cuGraphInstantiateWithFlags":
		*at(args[0]) = 77
	case "cuStreamEndCapture":
		*at(args[1]) = 78
	}
	return 0
}

// count returns how often each function was called.
func (f *fake) count() map[string]int {
	out := map[string]int{}
	for _, c := range f.calls {
		out[c]++
	}
	return out
}

// identity returns the identity matrix.
func identity(d int) *matrix.Dense[float64] {
	m := matrix.New[float64](d, d)
	for i := range d {
		m.Set(i, i, 1)
	}
	return m
}

// serve starts the server with the driver and returns a connected device.
func serve(t *testing.T, driver Driver) (*device.Device, error) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() {
		_ = outW.CloseWithError(errors.Join(Serve(driver, inR, outW), io.EOF))
	}()
	d, err := device.Over(inW, outR)
	if err == nil {
		t.Cleanup(d.Close)
	}
	return d, err
}

func descend(d *device.Device, columns int) (*solve.Result[float64], error) {
	p := solve.Problem[float64]{D: columns, Score: score.NewLeastSquares[float64](identity(columns), 1), Constraint: &acyclic.Geometric[float64]{K: 16}}
	return solve.RunAccelerated(device.Use(context.Background(), d), p, solve.NewReleased(1, 200), solve.NewAdam[float64](0.01), solve.Settings{Steps: 40}, nil)
}

// TestDriverCalls checks the calls of a whole run: the launches of a step are captured once and replayed, and
// everything is freed.
func TestDriverCalls(t *testing.T) {
	f := newFake()
	d := must.Get(serve(t, f))
	must.Get(descend(d, 10))
	d.Close()
	count := f.count()
	if len(f.memory) != 0 {
		t.Errorf("%d pieces of memory were not given back", len(f.memory))
	}
	if count["cuGraphInstantiateWithFlags"] != 5 || count["cuGraphExecDestroy"] != 5 || count["cuGraphDestroy"] != 5 {
		t.Errorf("graphs: %v", count)
	}
	// Four launches of products, values and Adam in a step, or one for both; captured for 1 + 8 steps of either kind, and one evaluation.
	if want := 9*6 + 9*5 + 5; count["cuLaunchKernel"] < want || count["cuLaunchKernel"] > want+40 {
		t.Errorf("%d launches", count["cuLaunchKernel"])
	}
	if count["cuGraphLaunch"] > 40 {
		t.Errorf("%d graphs were replayed for 40 steps", count["cuGraphLaunch"])
	}
}

// TestEveryKindRuns runs each kind of problem with the driver: its launches are captured, including careful
// ones with an inverse, and everything is freed.
func TestEveryKindRuns(t *testing.T) {
	const columns, steps = 9, 20
	s := identity(columns)
	scores := map[device.Score]solve.Score[float64]{
		device.LeastSquares:  score.NewLeastSquares[float64](s, 1),
		device.Gaussian:      score.NewGaussian[float64](s, false, 1),
		device.GaussianEqual: score.NewGaussian[float64](s, true, 1),
	}
	for name, f := range scores {
		for _, want := range constraints(columns) {
			p := solve.Problem[float64]{D: columns, Score: f, Constraint: constraint(want)}
			if want.Constraint == device.Unconstrained {
				p.Constraint = nil
			}
			fake := newFake()
			d, err := serve(t, fake)
			must.Succeed(t, err)
			adam := solve.NewAdam[float64](0.01)
			got, _, err := device.Describe(p, adam)
			if err != nil || got.Constraint != want.Constraint || got.Order != want.Order || got.S != want.S || got.Score != name {
				t.Fatalf("%+v was described as %+v, %v", want, got, err)
			}
			ctx := device.Use(context.Background(), d)
			if _, err := solve.RunAccelerated(ctx, p, solve.NewReleased(1, 200), adam, solve.Settings{Steps: steps}, nil); err != nil {
				t.Fatalf("%+v: %v", got, err)
			}
			if used, why := device.Used(ctx); !used {
				t.Errorf("%+v ran elsewhere: %s", got, why)
			}
			d.Close()
			pl := planned(t, got)
			captured := len(pl.launches)*19 + 1 + 9*2 + 9
			graphs := 5
			if pl.careful != nil {
				captured += len(pl.careful)*2 + 3
				graphs = 7
			}
			count := fake.count()
			if n := count["cuLaunchKernel"]; n < captured || n > captured+steps || count["cuGraphExecDestroy"] != graphs || len(fake.memory) != 0 {
				t.Errorf("%+v: %d launches, want %d and a few; %d graphs, want %d; %d pieces of memory left", got, n, captured, count["cuGraphExecDestroy"], graphs, len(fake.memory))
			}
		}
	}
}

// search runs a line search over the driver.
func search(d *device.Device, columns int, h solve.Constraint[float64]) error {
	s := identity(columns)
	for i := range columns {
		s.Set(i, (i+1)%columns, 0.5)
	}
	p := solve.Problem[float64]{D: columns, Score: score.NewLeastSquares[float64](s, 1), Constraint: h}
	ctx := device.Use(context.Background(), d)
	_, err := solve.RunAccelerated(ctx, p, optimize.NewSettling(1, 1, 0), optimize.NewOWLQN[float64](1e-5), solve.Settings{Steps: 3}, nil)
	if used, why := device.Used(ctx); !used {
		return fmt.Errorf("it ran elsewhere: %s", why)
	}
	return err
}

// TestSearchCalls checks the calls of line searches. An evaluation is captured once and replayed, and nothing
// else is captured. One in stages reads a number after each stage. Everything is freed. OWL-QN runs on the GPU,
// which copies its point and finds the largest entry of a gradient.
func TestSearchCalls(t *testing.T) {
	for _, c := range []struct {
		h      solve.Constraint[float64]
		graphs int
	}{
		{nil, 1},
		{&acyclic.Exp[float64]{}, 2},
		{&acyclic.Truncated[float64]{}, 0},
	} {
		f := newFake()
		d := must.Get(serve(t, f))
		if err := search(d, 9, c.h); err != nil {
			t.Fatalf("%T: %v", c.h, err)
		}
		d.Close()
		count := f.count()
		if count["cuGraphInstantiateWithFlags"] != c.graphs || count["cuGraphExecDestroy"] != c.graphs || (count["cuGraphLaunch"] > 0) != (c.graphs > 0) || len(f.memory) != 0 {
			t.Errorf("%T: %v, %d pieces of memory left", c.h, count, len(f.memory))
		}
		if count["cuMemcpyDtoDAsync_v2"] == 0 || count["cuMemsetD8Async"] < 2 {
			t.Errorf("%T: %v", c.h, count)
		}
	}
}

// TestImpossiblePlans checks that invalid problems are refused.
func TestImpossiblePlans(t *testing.T) {
	possible := device.Problem{D: 4, Bits: 64, Batch: 1, Score: device.LeastSquares, Search: true, Pairs: 10}
	must.Get(newPlan(possible))
	for _, change := range []func(p *device.Problem){
		func(p *device.Problem) { p.Batch = 2 },
		func(p *device.Problem) { p.Score = device.Gaussian },
		func(p *device.Problem) { p.Constraint, p.S = device.LogDeterminant, 1 },
		func(p *device.Problem) { p.Constraint = device.Truncated },
		func(p *device.Problem) { p.Constraint, p.Least, p.Search = device.Truncated, 1e-6, false },
		func(p *device.Problem) { p.Batch = 1 << 56 },
		func(p *device.Problem) { p.D = math.MaxInt },
		func(p *device.Problem) { p.D = 1 << 62 },
		func(p *device.Problem) { p.Score = "foo" },
		func(p *device.Problem) { p.Penalty = "foo" },
		func(p *device.Problem) { p.Pairs = 0 },
	} {
		p := possible
		change(&p)
		if _, err := newPlan(p); err == nil {
			t.Errorf("%+v was planned", p)
		}
	}
}

// TestEveryErrorIsNamed lets each function fail with each relevant code, at its first call and later. The error
// must name both, without a panic, a hang or a result.
func TestEveryErrorIsNamed(t *testing.T) {
	t.Parallel()
	errorsAreNamed(t, func(d *device.Device) error { _, err := descend(d, 6); return err })
	errorsAreNamed(t, func(d *device.Device) error { return search(d, 6, &acyclic.Exp[float64]{}) })
	errorsAreNamed(t, func(d *device.Device) error { return search(d, 6, &acyclic.Truncated[float64]{}) })
}

func errorsAreNamed(t *testing.T, run func(d *device.Device) error) {
	t.Helper()
	f := newFake()
	d := must.Get(serve(t, f))
	must.Succeed(t, run(d))
	d.Close()
	for function, calls := range f.count() {
		if strings.HasPrefix(function, "cuGet") {
			continue
		}
		for _, code := range []int{1, 2, 35, 46, 100, 214, 218, 222, 700, 702, 719, 803, 999} {
			for _, after := range []int{0, calls / 2, calls - 1} {
				f := newFake()
				f.fail, f.after, f.code = function, after, code
				d, err := serve(t, f)
				if err == nil {
					err = run(d)
				}
				if function == "cuMemGetInfo_v2" && after > 0 {
					continue // only a look ahead
				}
				if err == nil {
					t.Fatalf("%s failed with %d at call %d, and nothing was said", function, code, after)
				}
				if text := err.Error(); !strings.Contains(text, function) || !strings.Contains(text, fmt.Sprint(code)) {
					t.Fatalf("%s failed with %d at call %d: %q does not say so", function, code, after, text)
				}
			}
		}
	}
}

// TestMemoryIsAskedForFirst checks that a problem that does not fit is refused before anything is allocated.
func TestMemoryIsAskedForFirst(t *testing.T) {
	f := newFake()
	f.free = 1 << 20
	d := must.Get(serve(t, f))
	if _, err := descend(d, 200); err == nil || !strings.Contains(err.Error(), "MiB") {
		t.Errorf("got %v, want an error with the memory that is needed and free", err)
	}
	if f.count()["cuMemAlloc_v2"] > 0 {
		t.Error("memory was asked for all the same")
	}
}

// TestCardsThatCannotBeUsed are refused by name.
func TestCardsThatCannotBeUsed(t *testing.T) {
	f := newFake()
	f.major = 6
	if _, err := serve(t, f); err == nil || !strings.Contains(err.Error(), "compute capability") {
		t.Errorf("an old card: %v", err)
	}
	f = newFake()
	f.cards = 0
	if _, err := serve(t, f); err == nil || !strings.Contains(err.Error(), "no card 0") {
		t.Errorf("no card: %v", err)
	}
}

// TestFlagsReachTheKernels checks that each kind of problem sets the flags of its kernels, and that every flag
// is used.
func TestFlagsReachTheKernels(t *testing.T) {
	all := 0
	for _, p := range problems(20) {
		pl := planned(t, p)
		want := 0
		if p.Score != device.LeastSquares {
			want |= ptx.Likelihood
		}
		if p.Score == device.GaussianEqual {
			want |= ptx.Equal
		}
		switch p.Penalty {
		case device.L1:
			want |= ptx.PenaltyL1
		case device.MCP:
			want |= ptx.PenaltyMCP
		}
		switch p.Constraint {
		case device.Geometric:
			if p.Order > 1 {
				want |= ptx.Constrained
			}
			if p.Order == 16 {
				want |= ptx.TopTrace
			}
		case device.Binomial:
			want |= ptx.Constrained
		case device.Exponential:
			want |= ptx.Constrained | ptx.Guarded
		case device.LogDeterminant:
			want |= ptx.Constrained | ptx.Guarded | ptx.LogDet
		}
		if p.Masked {
			want |= ptx.Masked
		}
		if pl.flags != want {
			t.Errorf("%+v: flags %b, want %b", p, pl.flags, want)
		}
		all |= pl.flags
	}
	if want := 2*ptx.Masked - 1; all != want { // the last one and those before it
		t.Errorf("flags that some problem sets: %b, want %b", all, want)
	}
}
