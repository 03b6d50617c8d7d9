package ptx

import "fmt"

// columns adds the residual variances r_j = Σ_i m_ij (s - sw)_ij, M = I - W, to the kernel of products. The
// blocks of the first row of tiles have Tile.Cols columns each, 32 at a time. Each column has eight partial
// sums in double, of the rows y, y + 8, …, added in order, so every tile gives the same bytes. Columns beyond d
// get 1.
func columns(k *kernel, t Tile, w, s, sw, r, d, leading string) {
	p := k.precision
	tid, bx, by := k.special("tid.x"), k.special("ctaid.x"), k.special("ctaid.y")
	out, end := k.reg(truth), k.label("end")
	k.op("setp.ne.u32 %s, %s, 0", out, by)
	k.op("@%s bra %s", out, end)
	tx, ty := k.square(tid)
	base := k.reg(word)
	k.op("mov.u32 %s, %s_shared", base, k.name)
	own := k.mad(tid, "8", base)
	rows := t.Threads() / 32 // partial sums at a time
	for part := range t.Cols / 32 {
		col := k.mad(bx, fmt.Sprint(t.Cols), tx)
		k.op("add.u32 %s, %s, %d", col, col, 32*part)
		sum := k.reg(wide)
		for y := 0; y < 8; y += rows {
			row := k.plus(ty, fmt.Sprint(y))
			k.move(sum, real(0))
			k.loop(out, "loop", "done", row, d, "8", func() {
				index := k.mad(row, leading, col)
				m := k.reg(number)
				k.op("neg.%s %s, %s", p.name, m, k.load(k.element(w, index), 0))
				on := k.reg(truth)
				k.op("setp.eq.u32 %s, %s, %s", on, row, col)
				k.op("@%s add.rn.%s %s, %s, %s", on, p.name, m, m, k.imm(1))
				g := k.arith("sub.rn", k.load(k.element(s, index), 0), k.load(k.element(sw, index), 0))
				k.op("fma.rn.f64 %s, %s, %s, %s", sum, k.widen(m), k.widen(g), sum)
			})
			k.op("st.shared.f64 [%s+%d], %s", own, y*32*8, sum)
		}
		over := k.label("over")
		k.op("bar.sync 0")
		k.op("setp.ne.u32 %s, %s, 0", out, ty)
		k.op("@%s bra %s", out, over)
		k.op("ld.shared.f64 %s, [%s]", sum, own)
		for y := 1; y < 8; y++ {
			other := k.reg(wide)
			k.op("ld.shared.f64 %s, [%s+%d]", other, own, y*32*8)
			k.op("add.rn.f64 %s, %s, %s", sum, sum, other)
		}
		beyond := k.reg(truth)
		k.op("setp.ge.u32 %s, %s, %s", beyond, col, d)
		k.op("@%s mov.f64 %s, 0d3FF0000000000000", beyond, sum)
		addr := k.reg(address)
		k.op("mad.wide.u32 %s, %s, 8, %s", addr, col, r)
		k.op("st.global.f64 [%s], %s", addr, sum)
		k.at(over)
		k.op("bar.sync 0")
	}
	k.at(end)
}
