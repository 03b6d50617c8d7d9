package ptx

// items runs body for the items of this thread, with the row and the position of each; a row has width items.
func (k *kernel) items(count, width string, body func(row, place string)) {
	k.strides(count, func(item string) { body(k.divide(item, width)) })
}

// divide returns the quotient and the remainder of words.
func (k *kernel) divide(x, by string) (quotient, remainder string) {
	quotient, remainder = k.reg(word), k.reg(word)
	k.op("div.u32 %s, %s, %s", quotient, x, by)
	k.op("rem.u32 %s, %s, %s", remainder, x, by)
	return quotient, remainder
}

func (k *kernel) repeat(times string, body func(i string)) {
	i := k.reg(word)
	k.op("mov.u32 %s, 0", i)
	k.loop(k.reg(truth), "repeat", "repeated", i, times, "1", func() { body(i) })
}

// loop runs body while i is below end, and adds step to i after each turn. out is whether the loop has ended.
func (k *kernel) loop(out, stem, after, i, end, step string, body func()) {
	again, done := k.label(stem), k.label(after)
	k.at(again)
	k.op("setp.ge.u32 %s, %s, %s", out, i, end)
	k.op("@%s bra %s", out, done)
	body()
	k.op("add.u32 %s, %s, %s", i, i, step)
	k.op("bra %s", again)
	k.at(done)
}

// square returns the position of this thread in a tile of 32 columns: its lane, and the index of its warp.
func (k *kernel) square(tid string) (tx, ty string) {
	tx, ty = k.reg(word), k.reg(word)
	k.op("and.b32 %s, %s, 31", tx, tid)
	k.op("shr.u32 %s, %s, 5", ty, tid)
	return tx, ty
}

// mul returns a·b for words; b may be an immediate.
func (k *kernel) mul(a, b string) string {
	r := k.reg(word)
	k.op("mul.lo.u32 %s, %s, %s", r, a, b)
	return r
}

// put stores a double as a number.
func (k *kernel) put(addr, value string) {
	k.op("st.global.%s [%s], %s", k.precision.name, addr, k.narrow(value))
}

// get loads a number as a double.
func (k *kernel) get(addr string) string { return k.widen(k.load(addr, 0)) }

// move copies a double.
func (k *kernel) move(to, from string) { k.op("mov.f64 %s, %s", to, from) }

func (k *kernel) plus(x, y string) string {
	r := k.reg(word)
	k.op("add.u32 %s, %s, %s", r, x, y)
	return r
}
