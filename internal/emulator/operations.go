package emulator

import (
	"math"
	"math/bits"
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

// integers adds integer arithmetic and comparisons. Division by zero gives all ones, as on a GPU.
func (t table) integers() {
	t.two("add.u32 add.s32", "", func(a, b uint64) uint64 { return (a + b) & word })
	t.two("add.u64 add.s64", "", func(a, b uint64) uint64 { return a + b })
	t.two("sub.u32 sub.s32", "", func(a, b uint64) uint64 { return (a - b) & word })
	t.two("sub.u64 sub.s64", "", func(a, b uint64) uint64 { return a - b })
	t.two("mul.lo.u32 mul.lo.s32", "", func(a, b uint64) uint64 { return a * b & word })
	t.two("mul.lo.u64 mul.lo.s64", "", func(a, b uint64) uint64 { return a * b })
	t.two("mul.hi.u32", "", func(a, b uint64) uint64 { return a * b >> 32 })
	t.two("mul.hi.u64", "", func(a, b uint64) uint64 { h, _ := bits.Mul64(a, b); return h })
	t.two("mul.wide.u32", "u64 u32 u32", func(a, b uint64) uint64 { return a * b })
	t.two("mul.wide.s32", "s64 s32 s32", func(a, b uint64) uint64 { return uint64(signed(a) * signed(b)) })
	t.three("mad.lo.u32 mad.lo.s32", "", func(a, b, c uint64) uint64 { return (a*b + c) & word })
	t.three("mad.lo.u64 mad.lo.s64", "", func(a, b, c uint64) uint64 { return a*b + c })
	t.three("mad.wide.u32", "u64 u32 u32 u64", func(a, b, c uint64) uint64 { return a*b + c })
	t.three("mad.wide.s32", "s64 s32 s32 s64", func(a, b, c uint64) uint64 { return uint64(signed(a)*signed(b)) + c })
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
	t.two("min.u32 min.u64", "", func(a, b uint64) uint64 { return min(a, b) })
	t.two("max.u32 max.u64", "", func(a, b uint64) uint64 { return max(a, b) })
	t.two("min.s32", "", func(a, b uint64) uint64 { return uint64(min(signed(a), signed(b))) & word })
	t.two("max.s32", "", func(a, b uint64) uint64 { return uint64(max(signed(a), signed(b))) & word })
	t.two("min.s64", "", func(a, b uint64) uint64 { return uint64(min(int64(a), int64(b))) })
	t.two("max.s64", "", func(a, b uint64) uint64 { return uint64(max(int64(a), int64(b))) })
	t.one("neg.s32", "", func(a uint64) uint64 { return -a & word })
	t.one("neg.s64", "", func(a uint64) uint64 { return -a })
	t.one("abs.s32", "", func(a uint64) uint64 { return uint64(max(signed(a), -signed(a))) & word })
}

// words adds bit operations. A shift by the width or more leaves only the sign.
func (t table) words() {
	t.one("mov.u32 mov.s32 mov.b32 mov.u64 mov.s64 mov.b64 mov.f32 mov.f64 mov.pred", "", func(a uint64) uint64 { return a })
	t.two("and.b32 and.b64 and.pred", "", func(a, b uint64) uint64 { return a & b })
	t.two("or.b32 or.b64 or.pred", "", func(a, b uint64) uint64 { return a | b })
	t.two("xor.b32 xor.b64 xor.pred", "", func(a, b uint64) uint64 { return a ^ b })
	t.one("not.b32", "", func(a uint64) uint64 { return ^a & word })
	t.one("not.b64", "", func(a uint64) uint64 { return ^a })
	t.one("not.pred", "", func(a uint64) uint64 { return a ^ 1 })
	t.two("shl.b32", "b32 b32 u32", func(a, n uint64) uint64 { return a << n & word })
	t.two("shl.b64", "b64 b64 u32", func(a, n uint64) uint64 { return a << n })
	t.two("shr.u32 shr.b32", "b32 b32 u32", func(a, n uint64) uint64 { return a >> n })
	t.two("shr.u64 shr.b64", "b64 b64 u32", func(a, n uint64) uint64 { return a >> n })
	t.two("shr.s32", "s32 s32 u32", func(a, n uint64) uint64 { return uint64(signed(a)>>n) & word })
	t.two("shr.s64", "s64 s64 u32", func(a, n uint64) uint64 { return uint64(int64(a) >> n) })
	t.one("popc.b32", "u32 b32", func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) })
	t.one("clz.b32", "u32 b32", func(a uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(a))) })
	for _, kind := range []string{"b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"} {
		t.three("selp."+kind, strings.Repeat(kind+" ", 3)+"pred", func(a, b, p uint64) uint64 {
			if p != 0 {
				return a
			}
			return b
		})
	}
}

// conversions adds type conversions. A float becomes an integer by the given rounding, clamped to the range;
// NaN becomes zero.
func (t table) conversions() {
	t.one("cvt.u64.u32", "u64 u32", func(a uint64) uint64 { return a })
	t.one("cvt.s64.s32", "s64 s32", func(a uint64) uint64 { return uint64(signed(a)) })
	t.one("cvt.u32.u64 cvt.s32.s64", "b32 b64", func(a uint64) uint64 { return a & word })
	t.one("cvt.f64.f32", "f64 f32", func(a uint64) uint64 { return from64(float64(to32(a))) })
	t.one("cvt.rn.f32.f64", "f32 f64", func(a uint64) uint64 { return from32(float32(to64(a))) })
	t.one("cvt.rn.f64.u32", "f64 u32", func(a uint64) uint64 { return from64(float64(a)) })
	t.one("cvt.rn.f64.s32", "f64 s32", func(a uint64) uint64 { return from64(float64(signed(a))) })
	t.one("cvt.rn.f64.u64", "f64 u64", func(a uint64) uint64 { return from64(float64(a)) })
	t.one("cvt.rn.f64.s64", "f64 s64", func(a uint64) uint64 { return from64(float64(int64(a))) })
	t.one("cvt.rn.f32.u32", "f32 u32", func(a uint64) uint64 { return from32(float32(a)) })
	t.one("cvt.rn.f32.s32", "f32 s32", func(a uint64) uint64 { return from32(float32(signed(a))) })
	for mode, round := range map[string]func(float64) float64{"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil} {
		t.one("cvt."+mode+".f64.f64", "f64 f64", func(a uint64) uint64 { return from64(round(to64(a))) })
		t.one("cvt."+mode+".f32.f32", "f32 f32", func(a uint64) uint64 { return from32(float32(round(float64(to32(a))))) })
		t.one("cvt."+mode+".s32.f64", "s32 f64", func(a uint64) uint64 { return whole(round(to64(a)), math.MinInt32, math.MaxInt32) })
		t.one("cvt."+mode+".s32.f32", "s32 f32", func(a uint64) uint64 { return whole(round(float64(to32(a))), math.MinInt32, math.MaxInt32) })
		t.one("cvt."+mode+".u32.f64", "u32 f64", func(a uint64) uint64 { return whole(round(to64(a)), 0, math.MaxUint32) })
		t.one("cvt."+mode+".u32.f32", "u32 f32", func(a uint64) uint64 { return whole(round(float64(to32(a))), 0, math.MaxUint32) })
	}
}

// whole converts an integral float to an integer within a range.
func whole(x, least, most float64) uint64 {
	if x != x {
		return 0
	}
	return uint64(int64(min(max(x, least), most))) & word
}

// comparisons adds setp.test.type p, a, b and setp.test.bool.type p, a, b, c, which combines the predicate c.
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
	joined := map[string]func(a, b uint64) uint64{
		"and": func(a, b uint64) uint64 { return a & b }, "or": func(a, b uint64) uint64 { return a | b }, "xor": func(a, b uint64) uint64 { return a ^ b },
	}
	for _, kind := range []struct {
		names string
		order func(a, b uint64) int
		tests []test
	}{
		{"u32 u64", func(a, b uint64) int { return order(a, b) }, plain},
		{"b32 b64", func(a, b uint64) int { return order(a, b) }, plain[:2]},
		{"s32", func(a, b uint64) int { return order(signed(a), signed(b)) }, plain},
		{"s64", func(a, b uint64) int { return order(int64(a), int64(b)) }, plain},
		{"f32", func(a, b uint64) int { return order(to32(a), to32(b)) }, all},
		{"f64", func(a, b uint64) int { return order(to64(a), to64(b)) }, all},
	} {
		for name := range strings.FieldsSeq(kind.names) {
			for _, test := range kind.tests {
				var truth [4]uint64
				for o := range truth {
					if test.of(o - 1) {
						truth[o] = 1
					}
				}
				types := "pred " + name + " " + name
				t.two("setp."+test.name+"."+name, types, func(a, b uint64) uint64 { return truth[kind.order(a, b)+1] })
				for join, f := range joined {
					t.three("setp."+test.name+"."+join+"."+name, types+" pred", func(a, b, c uint64) uint64 { return f(truth[kind.order(a, b)+1], c) })
				}
			}
		}
	}
}

func order[T uint64 | int64 | float32 | float64](a, b T) int {
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
