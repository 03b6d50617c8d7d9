package ptx

// largest writes the kernel that finds the largest of n numbers, none of which is negative:
//
//	parameters: numbers, where a double goes, n
//
// As doubles they have the order of their bits, in which what is no number is above all; the largest does not depend on who comes first.
func largest(p precision) string {
	k := newKernel(p, "largest", "u64", "u64", "u32")
	numbers, to, n := k.param(0), k.param(1), k.param(2)
	threads := k.special("ntid.x")
	index, stride := k.mad(k.special("ctaid.x"), threads, k.special("tid.x")), k.reg(word)
	k.op("mul.lo.u32 %s, %s, %s", stride, k.special("nctaid.x"), threads)
	most, bits, out := k.reg(address), k.reg(address), k.reg(truth)
	k.op("mov.u64 %s, 0", most)
	loop, done := k.label("loop"), k.label("done")
	k.at(loop)
	k.op("setp.ge.u32 %s, %s, %s", out, index, n)
	k.op("@%s bra %s", out, done)
	k.op("mov.b64 %s, %s", bits, k.widen(k.load(k.element(numbers, index), 0)))
	k.op("max.u64 %s, %s, %s", most, most, bits)
	k.op("add.u32 %s, %s, %s", index, index, stride)
	k.op("bra %s", loop)
	k.at(done)
	k.op("red.global.max.u64 [%s], %s", to, most)
	return k.String()
}
