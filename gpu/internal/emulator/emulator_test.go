package emulator

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// bench runs a kernel with one parameter, the address of a zeroed page, which is in %rd1. %r1 is the thread,
// %rd2 its eight bytes of the page, %r2 its bytes in 1024 bytes of shared memory.
type bench struct {
	grid    uint32
	threads int
	order   func([]int)
}

const registers = `
.reg .b32 %r<20>;
.reg .b64 %rd<20>;
.reg .f32 %f<20>;
.reg .f64 %fd<20>;
.reg .pred %p<20>;
.shared .align 16 .b8 room[1024];
`

func (w bench) text(body string) string {
	return "\n.version 6.4\n.visible .entry k(.param .u64 k_0)\n.maxntid 256, 1, 1\n{" + registers + `
ld.param.u64 %rd1, [k_0];
mov.u32 %r1, %tid.x;
mad.wide.u32 %rd2, %r1, 8, %rd1;
mov.u32 %r2, room;
mad.lo.u32 %r2, %r1, 8, %r2;
` + body + "\nret;\n}\n"
}

func (w bench) run(t *testing.T, body string) ([]byte, error) {
	t.Helper()
	kernels := must.Get(parse(w.text(body)))
	e := New()
	e.Order = w.order
	at := e.memory.allocate(4096)
	page, _ := e.memory.slice(at, 4096)
	clear(page)
	return page, e.run(launch{kernel: kernels["k"], grid: [3]uint32{w.grid, 1, 1}, threads: w.threads, params: []uint64{at}})
}

var warp = bench{grid: 1, threads: 32}

func at32(page []byte, i int) uint32 { return binary.LittleEndian.Uint32(page[8*i:]) }

// TestFusedOnce compares fma32 with exact arithmetic, on numbers of all magnitudes and near midpoints.
func TestFusedOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	number := func() float32 {
		for {
			if x := math.Float32frombits(rng.Uint32()); x == x && !math.IsInf(float64(x), 0) {
				return x
			}
		}
	}
	exact := func(a, b, c float32) float32 {
		x := func(v float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(v)) }
		sum := x(a)
		sum.Mul(sum, x(b))
		sum.Add(sum, x(c))
		out, _ := sum.Float32()
		return out
	}
	check := func(a, b, c float32) {
		t.Helper()
		if got, want := fma32(a, b, c), exact(a, b, c); got != want {
			t.Fatalf("%g·%g + %g is %g, want %g", a, b, c, got, want)
		}
	}
	for range 100_000 {
		a, b := number(), number()
		check(a, b, number())
		p := float32(float64(a) * float64(b))
		check(a, b, p*float32(rng.NormFloat64()))
		check(a, b, -p)
		check(1+float32(rng.IntN(100))/(1<<23), 1+float32(rng.IntN(100))/(1<<23), number())
	}
	twice := 0 // rounding to double and then to single would be wrong
	for range 100_000 {
		a, b := math.Float32frombits(0x3f800000|rng.Uint32()&0x7fffff), math.Float32frombits(0x3f800000|rng.Uint32()&0x7fffff)
		c := math.Float32frombits(rng.Uint32()&0x807fffff | (127-uint32(rng.IntN(60)))<<23)
		if float32(float64(a)*float64(b)+float64(c)) != exact(a, b, c) {
			twice++
		}
		check(a, b, c)
	}
	half := float32(1) + 1.0/(1<<12) // its square is 1 + 2⁻¹¹ + 2⁻²⁴, halfway between two numbers
	for _, c := range []float32{0x1p-100, -0x1p-100, 0x1p-60, 0} {
		check(half, half, c)
		if float32(float64(half)*float64(half)+float64(c)) != exact(half, half, c) {
			twice++
		}
	}
	if twice == 0 {
		t.Error("no sum was tried that rounding twice gets wrong")
	}
	inf := float32(math.Inf(1))
	if fma32(inf, 1, 5) != inf || fma32(1, 1, -inf) != -inf || fma32(3e38, 3e38, 1) != inf {
		t.Error("infinities")
	}
	if x := fma32(inf, 1, -inf); x == x {
		t.Errorf("inf - inf is %g", x)
	}
}

// TestOperations writes what instructions make of immediates, against numbers from their definition.
func TestOperations(t *testing.T) {
	f := func(x float32) string { return fmt.Sprintf("0f%08X", math.Float32bits(x)) }
	d := func(x float64) string { return fmt.Sprintf("0d%016X", math.Float64bits(x)) }
	nan, zero := float32(math.NaN()), float32(0)
	for _, c := range []struct {
		body string
		want uint64
	}{
		{"add.u32 %r3, 4294967295, 3", 2},
		{"sub.u32 %r3, 1, 2", 0xffffffff},
		{"mul.lo.u32 %r3, 65536, 65537", 65536},
		{"div.u32 %r3, 17, 5", 3},
		{"rem.u32 %r3, 17, 5", 2},
		{"div.u32 %r3, 1, 0", 0xffffffff},
		{"shl.b32 %r3, 3, 31", 0x80000000},
		{"shl.b32 %r3, 3, 32", 0},
		{"shr.u32 %r3, -1, 28", 15},
		{"shr.s32 %r3, -16, 2", 0xfffffffc},
		{"shr.s32 %r3, -16, 40", 0xffffffff},
		{"cvt.rni.s32.f64 %r3, " + d(2.5), 2},
		{"cvt.rni.s32.f64 %r3, " + d(-3.5), 0xfffffffc},
		{"cvt.rni.s32.f64 %r3, " + d(1e30), math.MaxInt32},
		{"cvt.rni.s32.f64 %r3, " + d(-1e30), 0x80000000},
		{"cvt.rni.s32.f64 %r3, " + d(math.NaN()), 0},
		{"setp.eq.u32 %p1, 1, 1;\nselp.b32 %r3, 5, 6, %p1", 5},
		{"setp.lt.u32 %p1, -1, 1;\nselp.b32 %r3, 5, 6, %p1", 6},
		{"setp.ne.u32 %p1, 1, 1;\nnot.pred %p2, %p1;\nsetp.eq.and.u32 %p3, 2, 2, %p1;\nor.pred %p2, %p2, %p3;\nselp.b32 %r3, 5, 6, %p2", 5},
		{"setp.eq.u32 %p1, 1, 1;\nsetp.eq.and.u32 %p2, 2, 2, %p1;\nselp.b32 %r3, 5, 6, %p2", 5},
	} {
		page, err := warp.run(t, c.body+";\nst.global.u32 [%rd2], %r3;")
		if err != nil || uint64(at32(page, 5)) != c.want {
			t.Errorf("%s: %#x, want %#x, %v", c.body, at32(page, 5), c.want, err)
		}
	}
	for body, want := range map[string]float32{
		"add.rn.f32 %f1, " + f(1) + ", " + f(0x1p-24):         1,
		"div.rn.f32 %f1, " + f(1) + ", " + f(3):               1.0 / 3,
		"sqrt.rn.f32 %f1, " + f(2):                            float32(math.Sqrt2),
		"neg.f32 %f1, " + f(2):                                -2,
		"min.f32 %f1, " + f(nan) + ", " + f(2):                2,
		"min.f32 %f1, " + f(2) + ", " + f(nan):                2,
		"max.f32 %f1, " + f(nan) + ", " + f(-2):               -2,
		"max.f32 %f1, " + f(3) + ", " + f(-2):                 3,
		"min.f32 %f1, " + f(zero) + ", " + f(-zero):           -zero,
		"cvt.rn.f32.f64 %f1, " + d(1+0x1p-24+0x1p-50):         1 + 0x1p-23,
		"fma.rn.f32 %f1, " + f(3) + ", " + f(4) + ", " + f(5): 17,
	} {
		page, err := warp.run(t, body+";\nst.global.f32 [%rd2], %f1;")
		if got := at32(page, 3); err != nil || got != math.Float32bits(want) {
			t.Errorf("%s: %v, want %v, %v", body, math.Float32frombits(got), want, err)
		}
	}
}

// TestOrders checks every test of setp against less, equal, greater and no number.
func TestOrders(t *testing.T) {
	values := []float64{1, 2, math.NaN()}
	for name, want := range map[string]func(a, b float64) bool{
		"eq": func(a, b float64) bool { return a == b }, "lt": func(a, b float64) bool { return a < b }, "gt": func(a, b float64) bool { return a > b },
		"le": func(a, b float64) bool { return a <= b }, "ge": func(a, b float64) bool { return a >= b }, "ne": func(a, b float64) bool { return a < b || a > b },
		"equ": func(a, b float64) bool { return !(a < b || a > b) }, "neu": func(a, b float64) bool { return a != b },
		"ltu": func(a, b float64) bool { return !(a >= b) }, "gtu": func(a, b float64) bool { return !(a <= b) },
		"leu": func(a, b float64) bool { return !(a > b) }, "geu": func(a, b float64) bool { return !(a < b) },
		"num": func(a, b float64) bool { return a == a && b == b }, "nan": func(a, b float64) bool { return a != a || b != b },
	} {
		for _, a := range values {
			for _, b := range values {
				page, err := warp.run(t, fmt.Sprintf("setp.%s.f64 %%p1, 0d%016X, 0d%016X;\n@!%%p1 bra over;\nst.global.u32 [%%rd2], 1;\nover:", name, math.Float64bits(a), math.Float64bits(b)))
				if err != nil || (at32(page, 0) == 1) != want(a, b) {
					t.Errorf("setp.%s of %g and %g: %d, %v", name, a, b, at32(page, 0), err)
				}
			}
		}
	}
}

// TestThreadsPartAndMeet lets each thread run a loop as often as its index, and all converge at a shuffle and a
// barrier.
func TestThreadsPartAndMeet(t *testing.T) {
	page := must.Get(bench{grid: 1, threads: 64}.run(t, `
mov.u32 %r3, 0;
mov.u32 %r4, 0;
loop:
setp.ge.u32 %p1, %r3, %r1;
@%p1 bra done;
add.u32 %r3, %r3, 1;
and.b32 %r5, %r3, 1;
setp.eq.u32 %p2, %r5, 0;
@%p2 bra loop;
add.u32 %r4, %r4, %r3;
bra loop;
done:
shfl.sync.down.b32 %r6, %r4, 1, 31, 0xffffffff;
bar.sync 0;
st.global.u32 [%rd2], %r6;`))
	odd := func(n int) (sum uint32) { // 1 + 3 + … up to n
		for i := 1; i <= n; i += 2 {
			sum += uint32(i)
		}
		return sum
	}
	for i := range 64 {
		want := odd(i + 1)
		if i%32 == 31 {
			want = odd(i)
		}
		if at32(page, i) != want {
			t.Errorf("thread %d has %d, want %d", i, at32(page, i), want)
		}
	}
}

// TestShuffle checks which lane reads which.
func TestShuffle(t *testing.T) {
	page, err := warp.run(t, "shfl.sync.down.b32 %r3, %r1, 5, 31, 0xffffffff;\nst.global.u32 [%rd2], %r3;")
	for l := range 32 {
		want := l
		if l+5 < 32 {
			want = l + 5
		}
		if err != nil || at32(page, l) != uint32(want) {
			t.Fatalf("lane %d has %d, want %d, %v", l, at32(page, l), want, err)
		}
	}
}

// TestFaults runs kernels that do something wrong, and one next to each that does not.
func TestFaults(t *testing.T) {
	two := bench{grid: 2, threads: 32}
	all := bench{grid: 1, threads: 64}
	const neighbour = "xor.b32 %r3, %r2, 8;\n"
	const ticket = "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra over;\nmov.u32 %r5, %ctaid.x;\nmad.wide.u32 %rd3, %r5, 4, %rd1;\nst.global.u32 [%rd3], 7;\n"
	const took = "atom.global.inc.u32 %r6, [%rd1+64], 1;\nsetp.eq.u32 %p2, %r6, 0;\n@%p2 bra over;\n"
	for _, c := range []struct {
		name, want string // "" if there is no fault
		on         bench
		body       string
	}{
		{"inside", "", warp, "ld.global.u32 %r3, [%rd1+4092];"},
		{"outside", "in no allocation", warp, "ld.global.u32 %r3, [%rd1+4096];"},
		{"half outside", "in no allocation", warp, "ld.global.u64 %rd3, [%rd1+4092];"},
		{"before", "in no allocation", warp, "st.global.u32 [%rd1+-4], 1;"},
		{"one thread outside", "thread 9 of block [0 0 0]", warp, "mad.wide.u32 %rd3, %r1, 480, %rd1;\nld.global.u32 %r3, [%rd3];"},
		{"misaligned vector", "no multiple of 16", warp, "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+8];"},
		{"vector", "", warp, "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+16];"},
		{"shared outside", "of shared memory", bench{grid: 1, threads: 129}, "st.shared.u64 [%r2], 1;"},
		{"unset address", "in no allocation", warp, "and.b64 %rd3, %rd4, -8;\nld.global.u32 %r3, [%rd3];"},
		{"unset truth value", "never set", warp, "@%p1 mov.u32 %r3, 1;"},
		{"nobody wrote", "nobody wrote", warp, "ld.shared.u32 %r3, [%r2];"},
		{"own word", "", warp, "st.shared.u32 [%r2], 1;\nld.shared.u32 %r3, [%r2];"},
		{"write, read", "reads what thread", all, "st.shared.u32 [%r2], 1;\n" + neighbour + "ld.shared.u32 %r4, [%r3];"},
		{"write, barrier, read", "", all, "st.shared.u32 [%r2], 1;\n" + neighbour + "bar.sync 0;\nld.shared.u32 %r4, [%r3];"},
		{"read, write", "several threads read", all, "st.shared.u32 [%r2], 1;\n" + neighbour + "bar.sync 0;\nld.shared.u32 %r4, [%r3];\nld.shared.u32 %r4, [%r2];\nst.shared.u32 [%r2], 2;"},
		{"read of one, write", "it writes what thread 1 read", all, "st.shared.u32 [%r2], 1;\n" + neighbour + "bar.sync 0;\nld.shared.u32 %r4, [%r3];\nst.shared.u32 [%r2], 2;"},
		{"read, barrier, write", "", all, "st.shared.u32 [%r2], 1;\n" + neighbour + "bar.sync 0;\nld.shared.u32 %r4, [%r3];\nbar.sync 0;\nst.shared.u32 [%r2], 2;"},
		{"write, write", "wrote in line", all, "and.b32 %r3, %r2, 8;\nst.shared.u32 [%r3], 1;"},
		{"write, write of global", "wrote in line", warp, "st.global.u32 [%rd1], 1;"},
		{"blocks write the same", "another block wrote", two, "st.global.u32 [%rd2], 1;"},
		{"a block reads what another writes", "of another block", two, ticket + "ld.global.u32 %r7, [%rd1];\nover:"},
		{"a block writes what another read", "of another block", two, ticket + "ld.volatile.global.u32 %r7, [%rd1+4];\nover:"},
		{"last block", "", two, ticket + "membar.gl;\n" + took + "ld.volatile.global.u32 %r7, [%rd1];\nld.volatile.global.u32 %r8, [%rd1+4];\nadd.u32 %r7, %r7, %r8;\nst.global.u32 [%rd1], %r7;\nover:"},
		{"last block without a fence", "nothing orders", two, ticket + took + "ld.volatile.global.u32 %r7, [%rd1];\nld.volatile.global.u32 %r8, [%rd1+4];\nover:"},
		{"last block by its cache", "its cache", two, ticket + "membar.gl;\n" + took + "ld.global.u32 %r7, [%rd1];\nld.global.u32 %r8, [%rd1+4];\nover:"},
		{"some do not come to a barrier", "31 of 32 threads", warp, "setp.eq.u32 %p1, %r1, 3;\n@%p1 bra over;\nbar.sync 0;\nover:"},
		{"two barriers", "and thread", warp, "setp.eq.u32 %p1, %r1, 3;\n@%p1 bra over;\nbar.sync 0;\nbra end;\nover:\nbar.sync 0;\nend:"},
		{"part of a warp", "lanes fffffff7", warp, "setp.eq.u32 %p1, %r1, 3;\n@%p1 bra over;\nshfl.sync.down.b32 %r3, %r1, 1, 31, 0xffffffff;\nover:"},
		{"half a warp", "lanes 0000ffff", bench{grid: 1, threads: 16}, "shfl.sync.down.b32 %r3, %r1, 1, 31, 0xffffffff;"},
		{"no end", "no end", warp, "again:\nbra again;"},
		{"too many threads", "at most 256", bench{grid: 1, threads: 257}, ""},
	} {
		for _, order := range []func([]int){nil, Reverse} {
			c.on.order = order
			_, err := c.on.run(t, c.body)
			var fault *Fault
			if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &fault) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		}
	}
}

// TestModulesThatAreRefused checks that errors name the line and the problem.
func TestModulesThatAreRefused(t *testing.T) {
	for body, want := range map[string]string{
		"ex2.approx.f32 %f1, %f2;":                      "line 18: \"ex2.approx.f32 %f1, %f2\": the instruction ex2.approx.f32 is not known",
		"add.f32 %f1, %f2, %f3;":                        "add.f32 is not known",
		"atom.global.add.f64 %fd1, [%rd1], %fd2;":       "atom.global.add.f64 is not known",
		"add.u32 %r1, %r2, %rd3;":                       "%rd3 is a register of type b64, and is used as u32",
		"add.rn.f64 %fd1, %fd2, %f3;":                   "used as f64",
		"add.u32 %r1, %r2;":                             "takes 3 operands",
		"add.u32 %r1, %r2, %r20;":                       "\"%r20\" is no register",
		"add.u32 %r1, %r2, 4294967296;":                 "out of range",
		"mov.f32 %f1, 0d0000000000000000;":              "no number of type f32",
		"add.u32 5, %r1, %r2;":                          "no register",
		"bra nowhere;":                                  "no label nowhere",
		"@%r1 bra over;\nover:":                         "used as pred",
		"@%p1 bar.sync 0;":                              "the one barrier",
		"bar.sync 1;":                                   "the one barrier",
		"ld.global.f16 %f1, [%rd1];":                    "with .f16",
		"ld.global.v4.f64 {%fd1, %fd2}, [%rd1];":        "at most 16 bytes",
		"ld.global.v2.f64 {%fd1}, [%rd1];":              "a load of 2 into 1",
		"ld.global.f32 %f1, [%r1];":                     "used as u64",
		"ld.param.u32 %r1, [k_0];":                      "no parameter k_0",
		"ld.global.f32 %f1, %rd1;":                      "no address",
		"add.u32 %r1, %r2, %r3":                         "no directive, label or instruction",
		".shared .align 16 .b8 more[49000];":            "at most 49152",
		"shfl.sync.down.b64 %rd1, %rd2, 1, 31, 0xffff;": "not known",
		"shfl.sync.down.b32 %r1, %r2, 1, 7, 0xffff;":    "not known",
	} {
		if _, err := parse(bench{}.text(body)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
	for _, text := range []string{"", "ret;", ".visible .entry k", bench{}.text("")[:200]} {
		if _, err := parse(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
