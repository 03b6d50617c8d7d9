package cuda

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
	"github.com/polydag/polydag/gpu/internal/emulator"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/solve"
)

// rowProblem returns a problem with numeric losses, or with networks if hidden is positive.
func rowProblem(bits, n, columns, hidden int) device.Problem {
	r := &device.Rows{N: n, Inputs: columns + 1, Outputs: columns, Hidden: hidden}
	if hidden > 0 {
		r.Outputs = columns * hidden
	} else {
		for range columns {
			r.Losses = append(r.Losses, device.Loss{Kind: device.SquaredLoss, Width: 1})
		}
	}
	return device.Problem{Bits: bits, Batch: 1, Rows: r}
}

// TestRowPlan checks the assumptions of the kernels: consecutive pieces of memory, aligned for vectors;
// matrices padded to whole tiles; parts that cover all rows exactly; and launches that cover their work.
func TestRowPlan(t *testing.T) {
	for _, n := range []int{1, 15, 64, 65, 1000, 100_000} {
		for _, columns := range []int{1, 2, 63, 64, 100, 300} {
			for _, hidden := range []int{0, 1, 10, -3} {
				p := rowProblem(64, n, columns, max(hidden, -hidden))
				if hidden < 0 { // two layers
					p.Rows.Deep, p.Rows.Leak, p.Rows.Constant = true, 0.01, n > 64
				}
				pl := must.Get(newRowPlan(p))
				for i, at := range pl.at {
					if at%256 != 0 || i > 0 && at < pl.at[i-1] || at > pl.bytes {
						t.Fatalf("%+v: piece %d begins at %d of %d", p.Rows, i, at, pl.bytes)
					}
				}
				size := func(piece int) int {
					if piece == rowPieces-1 {
						return pl.bytes - pl.at[piece]
					}
					return pl.at[piece+1] - pl.at[piece]
				}
				for piece, numbers := range map[int]int{
					rowTable: pl.rows * pl.inputs, rowSent: p.Rows.Parameters(), rowFound: p.Rows.Parameters(), rowSums: pl.sums(), rowFirst: pl.inputs * pl.outputs,
					rowPredictors: pl.rows * pl.outputs, rowBeside: pl.rows * pl.beside, rowSlopes: min(p.Rows.Middle(), 1) * pl.rows * pl.outputs, rowParts: pl.parts * pl.inputs * pl.outputs, rowTails: pl.parts * pl.beside,
				} {
					if size(piece) < 8*numbers {
						t.Errorf("%+v: piece %d has %d bytes for %d numbers", p.Rows, piece, size(piece), numbers)
					}
				}
				if pl.inputs < columns+1 || pl.outputs < p.Rows.Outputs || pl.inputs%ptx.Side+pl.outputs%ptx.Side+pl.rows%ptx.Side+pl.partRows%ptx.Slab+pl.beside%32 != 0 {
					t.Errorf("%+v: planned as %+v", p.Rows, pl)
				}
				if all := pl.parts * pl.partRows; all < n || all > pl.rows || pl.beside < p.Rows.Tail() {
					t.Errorf("%+v: %d parts of %d rows, %d columns beside", p.Rows, pl.parts, pl.partRows, pl.beside)
				}
				for _, l := range pl.launches() {
					switch l.kernel {
					case "by_row":
						if l.x*ptx.Side*ptx.Side != pl.outputs*pl.rows || l.z != 1 {
							t.Errorf("%+v: %+v", p.Rows, l)
						}
					case "by_column":
						if l.x*ptx.Side*ptx.Side != pl.outputs*pl.inputs || l.z != pl.parts {
							t.Errorf("%+v: %+v", p.Rows, l)
						}
					}
				}
			}
		}
	}
}

// TestRowsThatCannotBePlanned checks that invalid shapes are refused with a reason, before a GPU could access
// memory out of bounds.
func TestRowsThatCannotBePlanned(t *testing.T) {
	for name, change := range map[string]func(p *device.Problem){
		"no rows":                  func(p *device.Problem) { p.Rows.N = 0 },
		"a batch":                  func(p *device.Problem) { p.Batch = 2 },
		"16 bits":                  func(p *device.Problem) { p.Bits = 16 },
		"too many predictors":      func(p *device.Problem) { p.Rows.Outputs++ },
		"a loss too few":           func(p *device.Problem) { p.Rows.Losses = p.Rows.Losses[1:] },
		"a loss that is too wide":  func(p *device.Problem) { p.Rows.Losses[2] = device.Loss{Kind: device.SoftmaxLoss, Width: 2} },
		"a loss of no width":       func(p *device.Problem) { p.Rows.Losses[2].Width = 0 },
		"squares of two":           func(p *device.Problem) { p.Rows.Losses = []device.Loss{{Kind: device.SquaredLoss, Width: 3}} },
		"an unknown loss":          func(p *device.Problem) { p.Rows.Losses[0].Kind = "hinge" },
		"units that do not fit":    func(p *device.Problem) { p.Rows.Hidden = 2 },
		"two layers of nothing":    func(p *device.Problem) { p.Rows.Deep, p.Rows.Leak = true, 0.01 },
		"rectifiers that are flat": func(p *device.Problem) { *p = rowProblem(64, 5, 3, 2); p.Rows.Deep = true },
		"networks in single":       func(p *device.Problem) { *p = rowProblem(32, 5, 3, 2) },
		"a table beyond a message": func(p *device.Problem) { *p = rowProblem(64, 33_000_000, 33, 0) },
		"too large":                func(p *device.Problem) { *p = rowProblem(64, 1<<28, 64, 10) },
	} {
		p := rowProblem(64, 5, 3, 0)
		change(&p)
		if _, err := newRowPlan(p); err == nil {
			t.Errorf("%s: planned", name)
		}
	}
}

// TestRowKernelsAreGenerated checks that the stored text equals that of its generator.
func TestRowKernelsAreGenerated(t *testing.T) {
	for bits, text := range map[int]string{32: rows32, 64: rows64} {
		if text != ptx.Rows(bits) {
			t.Errorf("rows%d.ptx is not what its generator writes; run go generate ./gpu/internal/cuda", bits)
		}
		if i := strings.IndexFunc(text, func(r rune) bool { return r > 126 }); i >= 0 {
			t.Errorf("rows%d.ptx has %q at byte %d: newer drivers refuse anything but ASCII", bits, text[i], i)
		}
		for _, name := range ptx.RowNames(bits) {
			if !strings.Contains(text, ".entry "+name+"(") {
				t.Errorf("rows%d.ptx has no kernel %s", bits, name)
			}
		}
	}
}

// descendRows takes some steps over the driver.
func descendRows(d *device.Device) error {
	ctx := device.Use(context.Background(), d)
	_, err := solve.RunAccelerated(ctx, networks(20, 3, 2), optimize.NewSettling(1, 1, 0), solve.NewAdam[float64](0.01), solve.Settings{Steps: 3}, nil)
	return err
}

// TestRowCalls checks the calls of a run: an evaluation is captured once and replayed, and everything is given back; and each error of the
// driver is named.
func TestRowCalls(t *testing.T) {
	f := newFake()
	d, err := serve(t, f)
	must.Succeed(t, err)
	must.Succeed(t, descendRows(d))
	d.Close()
	count := f.count()
	if count["cuGraphInstantiateWithFlags"] != 1 || count["cuGraphExecDestroy"] != 1 || count["cuGraphLaunch"] != 4 || count["cuLaunchKernel"] != 7 || len(f.memory) != 0 {
		t.Errorf("%v, %d pieces of memory left", count, len(f.memory))
	}
	errorsAreNamed(t, descendRows)
	f = newFake()
	f.free = 1 << 10
	if d, err = serve(t, f); err != nil {
		t.Fatal(err)
	}
	if err := descendRows(d); err == nil || !strings.Contains(err.Error(), "MiB") {
		t.Errorf("got %v, want an error with the memory that is needed and free", err)
	}
}

// TestRowRequests checks that invalid requests are refused.
func TestRowRequests(t *testing.T) {
	s := newServer(newFake())
	ask := func(q device.Request) error {
		q.Version = device.Version
		_, err := s.answer(&q)
		return err
	}
	p := rowProblem(64, 5, 3, 0)
	for _, q := range []device.Request{{Op: device.OpCard}, {Op: device.OpOpen, Problem: &p}} {
		must.Succeed(t, ask(q))
	}
	for _, op := range []string{device.OpLoad, device.OpPoint, device.OpAdvance, device.OpFetch, device.OpProfile, "?"} {
		if err := ask(device.Request{Op: op, Session: 1}); err == nil {
			t.Errorf("a session of rows took %s", op)
		}
	}
	for _, op := range []string{device.OpData, device.OpValues} {
		for _, blobs := range [][][]byte{nil, {{1, 2, 3}}, {make([]byte, 160), make([]byte, 160)}} {
			if err := ask(device.Request{Op: op, Session: 1, Blobs: blobs}); err == nil {
				t.Errorf("%s took %d pieces", op, len(blobs))
			}
		}
	}
	if err := ask(device.Request{Op: device.OpClose, Session: 1}); err != nil {
		t.Error(err)
	}
	if err := ask(device.Request{Op: device.OpClose, Session: 1}); err == nil {
		t.Error("a session was closed twice")
	}
}

// TestRowBlocksInAnyOrder runs the blocks of each launch from the last to the first: sums have one order, whoever comes first.
func TestRowBlocksInAnyOrder(t *testing.T) {
	for _, p := range []device.Problem{rowProblem(64, 150, 4, 0), rowProblem(32, 150, 4, 0), rowProblem(64, 150, 4, 3)} {
		var got [2][]byte
		for k, order := range []func([]int){nil, emulator.Reverse} {
			s, err := newRowSession(emulated(t, order), p)
			must.Succeed(t, err)
			rng := rand.New(rand.NewPCG(5, 5))
			draw := func(n int) []byte {
				b := make([]byte, n*p.Bits/8)
				for i := range b { // exponents that make numbers of about 1
					if b[i] = byte(rng.UintN(256)); i%(p.Bits/8) == p.Bits/8-1 {
						b[i] = 0x3f
					}
				}
				return b
			}
			must.Succeed(t, s.data([][]byte{draw(p.Rows.N * p.Rows.Inputs)}))
			reply, err := s.values([][]byte{draw(p.Rows.Parameters())})
			if err != nil || reply.Stuck[0] {
				t.Fatal(reply, err)
			}
			got[k] = bytes.Clone(s.answer)
		}
		if !bytes.Equal(got[0], got[1]) || bytes.Count(got[0], []byte{0}) == len(got[0]) {
			t.Errorf("%+v: the order of blocks changes bytes", p.Rows)
		}
	}
}
