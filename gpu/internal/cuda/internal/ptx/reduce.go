package ptx

import (
	"fmt"
	"math"
)

// frame reads addresses of a record for the problem of ctaid.z.
func (k *kernel) frame(record, stride string) func(offset int) string {
	z := k.special("ctaid.z")
	problem, shift := k.reg(address), k.reg(address)
	k.op("cvt.u64.u32 %s, %s", problem, z)
	k.op("mul.lo.u64 %s, %s, %s", shift, problem, stride)
	return k.pointers(record, shift)
}

// pointers returns a function that reads an address of a record and adds shift.
func (k *kernel) pointers(record, shift string) func(offset int) string {
	return func(offset int) string {
		r := k.reg(address)
		k.op("ld.global.u64 %s, [%s+%d]", r, record, offset)
		k.op("add.u64 %s, %s, %s", r, r, shift)
		return r
	}
}

// when runs the code of body only if one of the bits is set.
func (k *kernel) when(flags string, bits int, body func()) { k.branch(flags, bits, "eq", body) }

// unless runs the code of body only if none of the bits is set.
func (k *kernel) unless(flags string, bits int, body func()) { k.branch(flags, bits, "ne", body) }

func (k *kernel) branch(flags string, bits int, skipIf string, body func()) {
	masked, p := k.reg(word), k.reg(truth)
	over := k.label("over")
	k.op("and.b32 %s, %s, %d", masked, flags, bits)
	k.op("setp.%s.u32 %s, %s, 0", skipIf, p, masked)
	k.op("@%s bra %s", p, over)
	body()
	k.at(over)
}

// reduce writes the kernel that computes the values of a step from its matrices, and the weight of h:
//
//	parameters: frame, stride, d, leading, flags
//
// Each block processes some tiles of 32 × 32.
func reduce(p precision) string {
	k := newKernel(p, "reduce", "u64", "u64", "u32", "u32", "u32")
	record, stride, d, leading, flags := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4)
	t := newTally(k, k.frame(record, stride), flags, d, leading)
	tid, block, blocks := k.special("tid.x"), k.special("ctaid.x"), k.special("nctaid.x")
	tx, ty := k.square(tid)
	across, tiles, tile := k.reg(word), k.reg(word), k.reg(word)
	k.op("add.u32 %s, %s, 31", across, d)
	k.op("shr.u32 %s, %s, 5", across, across)
	k.op("mul.lo.u32 %s, %s, %s", tiles, across, across)
	k.op("mov.u32 %s, %s", tile, block)
	k.loop(k.reg(truth), "loop", "done", tile, tiles, blocks, func() {
		tr, tc := k.divide(tile, across)
		col := k.mad(tc, "32", tx)
		t.add(k.entries(t.w, k.mad(tr, "32", ty), col, leading))
	})
	t.finish(k.sharedBase(tallyShared), tid, block, blocks)
	return k.String()
}

// entries loads the four entries of a thread in a tile of 32 × 32: rows 8 apart from the first, in one column.
func (k *kernel) entries(w, first, col, leading string) []entry {
	out := make([]entry, 4)
	for i := range out {
		row := k.plus(first, fmt.Sprint(8*i))
		index := k.mad(row, leading, col)
		out[i] = entry{k.load(k.element(w, index), 0), row, col, index}
	}
	return out
}

// further returns a 64-bit value of the thread that is the given number of lanes further in its warp.
func (k *kernel) further(class, value string, lanes int) string {
	low, high, other := k.reg(word), k.reg(word), k.reg(class)
	k.op("mov.b64 {%s, %s}, %s", low, high, value)
	for _, half := range []string{low, high} {
		k.op("shfl.sync.down.b32 %s, %s, %d, 31, 0xffffffff", half, half, lanes)
	}
	k.op("mov.b64 %s, {%s, %s}", other, low, high)
	return other
}

// tree sums each value over the threads of a block to thread 0: over the lanes of each warp as a tree, then
// over the warps in order. It needs 8 bytes of shared memory per value and warp.
func (k *kernel) tree(base, tid string, values []string) {
	const warps = Threads / 32
	for lanes := 16; lanes > 0; lanes /= 2 {
		for _, v := range values {
			k.op("add.rn.f64 %s, %s, %s", v, v, k.further(wide, v, lanes))
		}
	}
	lane, warp := k.square(tid)
	out := k.reg(truth)
	own := k.mad(warp, "8", base)
	k.op("setp.eq.u32 %s, %s, 0", out, lane)
	for i, v := range values {
		k.op("@%s st.shared.f64 [%s+%d], %s", out, own, 8*warps*i, v)
	}
	k.op("bar.sync 0")
	rest := k.label("tree")
	k.op("setp.ne.u32 %s, %s, 0", out, tid)
	k.op("@%s bra %s", out, rest)
	for i, v := range values {
		k.op("ld.shared.f64 %s, [%s+%d]", v, base, 8*warps*i)
		for w := 1; w < warps; w++ {
			other := k.reg(wide)
			k.op("ld.shared.f64 %s, [%s+%d]", other, base, 8*(warps*i+w))
			k.op("add.rn.f64 %s, %s, %s", v, v, other)
		}
	}
	k.at(rest)
	k.op("bar.sync 0")
}

// log returns the natural logarithm of a positive double to a few units in the last place. With x = 2ᵉm, √½ ≤ m
// < √2 and t = (m-1)/(m+1) it is e ln 2 + 2(t + t³/3 + t⁵/5 + …); |t| < 0.172, and the terms after the twelfth
// are below 1e-18.
func (k *kernel) log(x string) string {
	low, high, exponent, mantissa := k.reg(word), k.reg(word), k.reg(word), k.reg(word)
	k.op("mov.b64 {%s, %s}, %s", low, high, x)
	k.op("add.u32 %s, %s, %d", high, high, 0x3ff00000-0x3fe6a09e)
	k.op("shr.u32 %s, %s, 20", exponent, high)
	k.op("sub.u32 %s, %s, 1023", exponent, exponent)
	k.op("and.b32 %s, %s, %d", mantissa, high, 0x000fffff)
	k.op("add.u32 %s, %s, %d", mantissa, mantissa, 0x3fe6a09e)
	m, e := k.reg(wide), k.reg(wide)
	k.op("mov.b64 %s, {%s, %s}", m, low, mantissa)
	k.op("cvt.rn.f64.s32 %s, %s", e, exponent)
	t := k.calc("div.rn", k.calc("sub.rn", m, real(1)), k.calc("add.rn", m, real(1)))
	u, sum := k.calc("mul.rn", t, t), k.reg(wide)
	k.move(sum, real(2.0/23))
	for n := 21; n >= 1; n -= 2 {
		k.op("fma.rn.f64 %s, %s, %s, %s", sum, sum, u, real(2/float64(n)))
	}
	k.op("mul.rn.f64 %s, %s, %s", sum, sum, t)
	k.op("fma.rn.f64 %s, %s, %s, %s", sum, e, real(math.Ln2), sum)
	return sum
}
