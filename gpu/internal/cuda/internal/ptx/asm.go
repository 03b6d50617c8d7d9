// Package ptx writes the kernels of gpu/internal/cuda in PTX, the assembly language that the driver compiles for
// the GPU. It needs no compiler and no toolkit: a kernel is a Go function that prints instructions, once for
// each precision. The text is stored in package cuda, and a test compares the two.
package ptx

import (
	"cmp"
	"fmt"
	"strings"
)

type precision struct {
	name  string // as in PTX
	bytes int
}

var (
	single = precision{"f32", 4}
	double = precision{"f64", 8}
)

// kernel is one entry point during its generation. Registers are virtual and numbered in the order of
// allocation; the driver assigns them.
type kernel struct {
	precision
	name    string
	params  []string
	shared  int // bytes of shared memory
	threads int // most threads of a block; 0 means Threads
	body    strings.Builder
	used    map[string]int // registers by class
	labels  int
}

func newKernel(p precision, name string, params ...string) *kernel {
	return &kernel{precision: p, name: name, params: params, used: map[string]int{}}
}

func (k *kernel) op(format string, args ...any) {
	fmt.Fprintf(&k.body, "\t"+format+";\n", args...)
}

func (k *kernel) note(text string) { fmt.Fprintf(&k.body, "\t// %s\n", text) }

// label returns a new jump label; at places it.
func (k *kernel) label(stem string) string {
	k.labels++
	return fmt.Sprintf("$%s_%s%d", k.name, stem, k.labels)
}

func (k *kernel) at(label string) { fmt.Fprintf(&k.body, "%s:\n", label) }

// These are the register classes: 32 and 64 bits, numbers in the kernel's precision and in double, and
// predicates.
const (
	word    = "r"
	address = "rd"
	number  = "f"
	wide    = "fd"
	truth   = "p"
)

func (k *kernel) reg(class string) string {
	k.used[class]++
	return fmt.Sprintf("%%%s%d", class, k.used[class])
}

func (k *kernel) regs(class string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = k.reg(class)
	}
	return out
}

func (k *kernel) param(i int) string {
	kind := k.params[i]
	class := map[string]string{"u64": address, "f64": wide, "u32": word}[kind]
	r := k.reg(class)
	k.op("ld.param.%s %s, [%s_%d]", kind, r, k.name, i)
	return r
}

// special returns a register with the value of a special register, such as tid.x.
func (k *kernel) special(name string) string {
	r := k.reg(word)
	k.op("mov.u32 %s, %%%s", r, name)
	return r
}

// element returns base + index·(size of an element), for an index in elements.
func (k *kernel) element(base, index string) string {
	r := k.reg(address)
	k.op("mad.wide.u32 %s, %s, %d, %s", r, index, k.bytes, base)
	return r
}

// mad returns a·b + c for words; b may be an immediate.
func (k *kernel) mad(a, b, c string) string {
	r := k.reg(word)
	k.op("mad.lo.u32 %s, %s, %s, %s", r, a, b, c)
	return r
}

// load reads a number of the kernel's precision.
func (k *kernel) load(addr string, offset int) string {
	r := k.reg(number)
	k.op("ld.global.%s %s, [%s+%d]", k.precision.name, r, addr, offset)
	return r
}

func (k *kernel) loadWide(addr string, offset int) string {
	r := k.reg(wide)
	k.op("ld.global.f64 %s, [%s+%d]", r, addr, offset)
	return r
}

// widen converts a number to double, and narrow a double to a number.
func (k *kernel) widen(x string) string {
	r := k.reg(wide)
	if k.bytes == 8 {
		k.op("mov.f64 %s, %s", r, x)
	} else {
		k.op("cvt.f64.f32 %s, %s", r, x)
	}
	return r
}

func (k *kernel) narrow(x string) string {
	r := k.reg(number)
	if k.bytes == 8 {
		k.op("mov.f64 %s, %s", r, x)
	} else {
		k.op("cvt.rn.f32.f64 %s, %s", r, x)
	}
	return r
}

// imm formats a number of the kernel's precision as an immediate.
func (k *kernel) imm(v float64) string { return immediate(k.precision, v) }

func (k *kernel) arith(op, a, b string) string {
	r := k.reg(number)
	k.op("%s.%s %s, %s, %s", op, k.precision.name, r, a, b)
	return r
}

func (k *kernel) fma(a, b, c string) string {
	r := k.reg(number)
	k.op("fma.rn.%s %s, %s, %s, %s", k.precision.name, r, a, b, c)
	return r
}

// String returns the text of the kernel.
func (k *kernel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".visible .entry %s(", k.name)
	for i, p := range k.params {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, ".param .%s %s_%d", p, k.name, i)
	}
	fmt.Fprintf(&b, ")\n.maxntid %d, 1, 1\n{\n", cmp.Or(k.threads, Threads))
	for _, c := range []struct{ class, kind string }{
		{word, "b32"}, {address, "b64"}, {number, k.precision.name}, {wide, "f64"}, {truth, "pred"},
	} {
		if n := k.used[c.class]; n > 0 {
			fmt.Fprintf(&b, "\t.reg .%s %%%s<%d>;\n", c.kind, c.class, n+1)
		}
	}
	if k.shared > 0 {
		fmt.Fprintf(&b, "\t.shared .align 16 .b8 %s_shared[%d];\n", k.name, k.shared)
	}
	b.WriteString(k.body.String())
	b.WriteString("\tret;\n}\n\n")
	return b.String()
}

// sharedBase returns a register with the address of the kernel's shared memory and sets its size.
func (k *kernel) sharedBase(bytes int) string {
	k.shared = bytes
	r := k.reg(word)
	k.op("mov.u32 %s, %s_shared", r, k.name)
	return r
}
