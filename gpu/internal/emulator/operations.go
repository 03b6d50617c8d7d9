package emulator

import (
	"math"
	"strings"
)

// known is an operation on rows with the types of its operands.
type known struct {
	types []string
	run   operation
}

// operations are all instructions that are functions of rows. A 32-bit value is in the lower half with zeros
// above, and a predicate is 0 or 1. To add one, add a line below: its names, its types if they differ from its
// name, and its function. Floating-point add and mul without .rn are omitted because a driver may fuse them.
// .approx and .ftz are omitted because their results differ between GPUs.
var operations = func() table {
	t := table{}
	t.integers()
	t.words()
	t.numbers()
	t.conversions()
	t.comparisons()
	return t
}()

type table map[string]known

// add adds an operation under several names. Its types are the given ones, or the suffix of its name for every
// operand.
func (t table) add(names, types string, operands int, run operation) {
	for _, name := range strings.Fields(names) {
		of := strings.Fields(types)
		if types == "" {
			last := name[strings.LastIndex(name, ".")+1:]
			for range operands {
				of = append(of, last)
			}
		}
		t[name] = known{of, run}
	}
}

func (t table) one(names, types string, f func(a uint64) uint64) {
	t.add(names, types, 2, func(b *block, in *instruction, on []int32) {
		d, x := in.at[0], in.at[1]
		for _, i := range on {
			d[i] = f(x[i])
		}
	})
}

func (t table) two(names, types string, f func(a, b uint64) uint64) {
	t.add(names, types, 3, func(b *block, in *instruction, on []int32) {
		d, x, y := in.at[0], in.at[1], in.at[2]
		for _, i := range on {
			d[i] = f(x[i], y[i])
		}
	})
}

func (t table) three(names, types string, f func(a, b, c uint64) uint64) {
	t.add(names, types, 4, func(b *block, in *instruction, on []int32) {
		d, x, y, z := in.at[0], in.at[1], in.at[2], in.at[3]
		for _, i := range on {
			d[i] = f(x[i], y[i], z[i])
		}
	})
}

const word = math.MaxUint32

func signed(a uint64) int64 { return int64(int32(a)) }

// integers adds integer arithmetic. Division by zero gives all ones, as on a GPU.
func (t table) integers() {
	t.two("add.u32 add.s32", "", func(a, b uint64) uint64 { return (a + b) & word })
	t.two("add.u64", "", func(a, b uint64) uint64 { return a + b })
	t.two("sub.u32 sub.s32", "", func(a, b uint64) uint64 { return (a - b) & word })
	t.two("mul.lo.u32", "", func(a, b uint64) uint64 { return a * b & word })
	t.two("mul.lo.u64", "", func(a, b uint64) uint64 { return a * b })
	t.two("mul.wide.u32", "u64 u32 u32", func(a, b uint64) uint64 { return a * b })
	t.three("mad.lo.u32", "", func(a, b, c uint64) uint64 { return (a*b + c) & word })
	t.three("mad.lo.u64", "", func(a, b, c uint64) uint64 { return a*b + c })
	t.three("mad.wide.u32", "u64 u32 u32 u64", func(a, b, c uint64) uint64 { return a*b + c })
	t.two("div.u32", "", func(a, b uint64) uint64 {
		if b == 0 {
			return word
		}
		return a / b
	})
	t.two("rem.u32", "", func(a, b uint64) uint64 {
		if b == 0 {
			return word
		}
		return a % b
	})
	t.two("max.u64", "", func(a, b uint64) uint64 { return max(a, b) })
}

// words adds bit operations. A shift by the width or more leaves only the sign.
func (t table) words() {
	t.one("mov.u32 mov.u64 mov.b64 mov.f32 mov.f64", "", func(a uint64) uint64 { return a })
	t.two("and.b32 and.b64", "", func(a, b uint64) uint64 { return a & b })
	t.two("or.pred", "", func(a, b uint64) uint64 { return a | b })
	t.two("xor.b32", "", func(a, b uint64) uint64 { return a ^ b })
	t.one("not.pred", "", func(a uint64) uint64 { return a ^ 1 })
	t.two("shl.b32", "b32 b32 u32", func(a, n uint64) uint64 { return a << n & word })
	t.two("shr.u32", "b32 b32 u32", func(a, n uint64) uint64 { return a >> n })
	t.two("shr.s32", "s32 s32 u32", func(a, n uint64) uint64 { return uint64(signed(a)>>n) & word })
	for _, kind := range []string{"b32", "f64"} {
		t.three("selp."+kind, strings.Repeat(kind+" ", 3)+"pred", func(a, b, p uint64) uint64 {
			if p != 0 {
				return a
			}
			return b
		})
	}
}

// conversions adds type conversions. A float becomes the nearest integer, clamped to the range; NaN becomes zero.
func (t table) conversions() {
	t.one("cvt.u64.u32", "u64 u32", func(a uint64) uint64 { return a })
	t.one("cvt.f64.f32", "f64 f32", func(a uint64) uint64 { return from64(float64(to32(a))) })
	t.one("cvt.rn.f32.f64", "f32 f64", func(a uint64) uint64 { return from32(float32(to64(a))) })
	t.one("cvt.rn.f64.u32", "f64 u32", func(a uint64) uint64 { return from64(float64(a)) })
	t.one("cvt.rn.f64.s32", "f64 s32", func(a uint64) uint64 { return from64(float64(signed(a))) })
	t.one("cvt.rni.s32.f64", "s32 f64", func(a uint64) uint64 {
		x := to64(a)
		if x != x {
			return 0
		}
		return uint64(int64(min(max(math.RoundToEven(x), math.MinInt32), math.MaxInt32))) & word
	})
}

// comparisons adds setp.test.type p, a, b and setp.test.and.type p, a, b, c, with the predicate c.
// With NaN, the tests that end in u are true and the others false.
func (t table) comparisons() {
	type test struct {
		name string
		of   func(order int) bool // -1, 0 or 1, and 2 if unordered
	}
	plain := []test{
		{"eq", func(o int) bool { return o == 0 }}, {"ne", func(o int) bool { return o == -1 || o == 1 }},
		{"lt", func(o int) bool { return o == -1 }}, {"le", func(o int) bool { return o == -1 || o == 0 }},
		{"gt", func(o int) bool { return o == 1 }}, {"ge", func(o int) bool { return o == 1 || o == 0 }},
	}
	all := append([]test{{"num", func(o int) bool { return o != 2 }}, {"nan", func(o int) bool { return o == 2 }}}, plain...)
	for _, p := range plain {
		all = append(all, test{p.name + "u", func(o int) bool { return o == 2 || p.of(o) }})
	}
	for _, kind := range []struct {
		name  string
		order func(a, b uint64) int
		tests []test
	}{
		{"u32", func(a, b uint64) int { return order(a, b) }, plain},
		{"f32", func(a, b uint64) int { return order(to32(a), to32(b)) }, all},
		{"f64", func(a, b uint64) int { return order(to64(a), to64(b)) }, all},
	} {
		for _, test := range kind.tests {
			var truth [4]uint64
			for o := range truth {
				if test.of(o - 1) {
					truth[o] = 1
				}
			}
			types := "pred " + kind.name + " " + kind.name
			t.two("setp."+test.name+"."+kind.name, types, func(a, b uint64) uint64 { return truth[kind.order(a, b)+1] })
			t.three("setp."+test.name+".and."+kind.name, types+" pred", func(a, b, c uint64) uint64 { return truth[kind.order(a, b)+1] & c })
		}
	}
}

func order[T uint64 | float32 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return 2
}
