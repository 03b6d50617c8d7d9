package ptx

// items runs body for the items of this thread, of as many as there are: the first is the thread's own number, and the next as many further as there are threads. It hands out the row
// and place of an item where a row has width of them.
func (k *kernel) items(count, width string, body func(row, place string)) {
	threads := k.special("ntid.x")
	item, stride := k.mad(k.special("ctaid.x"), threads, k.special("tid.x")), k.reg(word)
	k.op("mul.lo.u32 %s, %s, %s", stride, k.special("nctaid.x"), threads)
	loop, done, out := k.label("loop"), k.label("done"), k.reg(truth)
	k.at(loop)
	k.op("setp.ge.u32 %s, %s, %s", out, item, count)
	k.op("@%s bra %s", out, done)
	row, place := k.reg(word), k.reg(word)
	k.op("div.u32 %s, %s, %s", row, item, width)
	k.op("rem.u32 %s, %s, %s", place, item, width)
	body(row, place)
	k.op("add.u32 %s, %s, %s", item, item, stride)
	k.op("bra %s", loop)
	k.at(done)
}

// repeat runs body for 0 … times-1.
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

// leaveSum sums a double over the threads of a block, and leaves it as the block's own of those at to.
func (k *kernel) leaveSum(sum, to string) {
	tid := k.special("tid.x")
	k.tree(k.sharedBase(8*Threads/32), tid, []string{sum})
	first, at := k.reg(truth), k.reg(address)
	k.op("setp.eq.u32 %s, %s, 0", first, tid)
	k.op("mad.wide.u32 %s, %s, 8, %s", at, k.special("ctaid.x"), to)
	k.op("@%s st.global.f64 [%s], %s", first, at, sum)
}

// put stores a double as a number.
func (k *kernel) put(addr, value string) {
	k.op("st.global.%s [%s], %s", k.precision.name, addr, k.narrow(value))
}

// get loads a number as a double.
func (k *kernel) get(addr string) string { return k.widen(k.load(addr, 0)) }

// zero returns a double that is zero and can be added to.
func (k *kernel) zero() string {
	r := k.reg(wide)
	k.op("mov.f64 %s, %s", r, real(0))
	return r
}

// move copies a double.
func (k *kernel) move(to, from string) { k.op("mov.f64 %s, %s", to, from) }

// offset returns a word plus a constant.
func (k *kernel) offset(x string, by int) string {
	r := k.reg(word)
	k.op("add.u32 %s, %s, %d", r, x, by)
	return r
}

// plus returns the sum of words.
func (k *kernel) plus(x, y string) string {
	r := k.reg(word)
	k.op("add.u32 %s, %s, %s", r, x, y)
	return r
}
