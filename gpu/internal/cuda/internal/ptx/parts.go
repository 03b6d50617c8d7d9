package ptx

// spread writes the kernel that copies a contiguous matrix to another layout: entry (i, j) goes to position
// i·down + j·right, which can also transpose it.
//
//	parameters: from, to, entries, columns, down, right
func spread(p precision) string {
	k := newKernel(p, "spread", "u64", "u64", "u32", "u32", "u32", "u32")
	from, to, count, width, down, right := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4), k.param(5)
	k.items(count, width, func(row, col string) {
		value, index := k.load(k.element(from, k.mad(row, width, col)), 0), k.mul(row, down)
		k.op("st.global.%s [%s], %s", p.name, k.element(to, k.mad(col, right, index)), value)
	})
	return k.String()
}

// gather writes the kernel that sums the parts of a matrix, in order and in double, to a contiguous matrix:
//
//	parameters: from, to, entries, columns, leading dimension, parts, entries from one part to the next
func gather(p precision) string {
	k := newKernel(p, "gather", "u64", "u64", "u32", "u32", "u32", "u32", "u32")
	from, to, count, width, leading, parts, further := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4), k.param(5), k.param(6)
	k.items(count, width, func(row, col string) {
		index, sum := k.mad(row, leading, col), k.zero()
		k.repeat(parts, func(i string) {
			k.op("add.rn.f64 %s, %s, %s", sum, sum, k.get(k.element(from, k.mad(i, further, index))))
		})
		k.put(k.element(to, k.mad(row, width, col)), sum)
	})
	return k.String()
}

// sumRows writes the kernel that sums the rows of a part of a matrix:
//
//	parameters: from, to, leading dimension, rows of a part
//
// Block (x, 0, z) has 32 columns of part z, whose sums become row z of the result. Each column has eight
// partial sums in double, of the rows y, y + 8, …, added in order.
func sumRows(p precision) string {
	k := newKernel(p, "sum_rows", "u64", "u64", "u32", "u32")
	from, to, leading, rows := k.param(0), k.param(1), k.param(2), k.param(3)
	tid, z := k.special("tid.x"), k.special("ctaid.z")
	tx, ty := k.square(tid)
	col := k.mad(k.special("ctaid.x"), "32", tx)
	row, first, sum := k.reg(word), k.reg(word), k.zero()
	k.op("mul.lo.u32 %s, %s, %s", first, z, rows)
	k.op("mov.u32 %s, %s", row, ty)
	out := k.reg(truth)
	k.loop(out, "loop", "done", row, rows, "8", func() {
		k.op("add.rn.f64 %s, %s, %s", sum, sum, k.get(k.element(from, k.mad(k.plus(first, row), leading, col))))
	})
	own := k.mad(tid, "8", k.sharedBase(8*Threads))
	k.op("st.shared.f64 [%s], %s", own, sum)
	k.op("bar.sync 0")
	end := k.label("end")
	k.op("setp.ne.u32 %s, %s, 0", out, ty)
	k.op("@%s bra %s", out, end)
	for y := 1; y < 8; y++ {
		other := k.reg(wide)
		k.op("ld.shared.f64 %s, [%s+%d]", other, own, 8*32*y)
		k.op("add.rn.f64 %s, %s, %s", sum, sum, other)
	}
	k.put(k.element(to, k.mad(z, leading, col)), sum)
	k.at(end)
	return k.String()
}
