package ptx

// items runs body for the items of this thread, with the row and the position of each; a row has width items.
func (k *kernel) items(count, width string, body func(row, place string)) {
	item, end := k.strides(count)
	row, place := k.reg(word), k.reg(word)
	k.op("div.u32 %s, %s, %s", row, item, width)
	k.op("rem.u32 %s, %s, %s", place, item, width)
	body(row, place)
	end()
}

func (k *kernel) repeat(times string, body func(i string)) {
	i, loop, done, out := k.reg(word), k.label("repeat"), k.label("repeated"), k.reg(truth)
	k.op("mov.u32 %s, 0", i)
	k.at(loop)
	k.op("setp.ge.u32 %s, %s, %s", out, i, times)
	k.op("@%s bra %s", out, done)
	body(i)
	k.op("add.u32 %s, %s, 1", i, i)
	k.op("bra %s", loop)
	k.at(done)
}

// put stores a double as a number.
func (k *kernel) put(addr, value string) {
	k.op("st.global.%s [%s], %s", k.precision.name, addr, k.narrow(value))
}

// get loads a number as a double.
func (k *kernel) get(addr string) string { return k.widen(k.load(addr, 0)) }

// move copies a double.
func (k *kernel) move(to, from string) { k.op("mov.f64 %s, %s", to, from) }

func (k *kernel) offset(x string, by int) string {
	r := k.reg(word)
	k.op("add.u32 %s, %s, %d", r, x, by)
	return r
}

func (k *kernel) plus(x, y string) string {
	r := k.reg(word)
	k.op("add.u32 %s, %s, %s", r, x, y)
	return r
}
