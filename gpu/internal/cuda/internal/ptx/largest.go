package ptx

// largest writes the kernel that finds the largest of n nonnegative numbers:
//
//	parameters: numbers, address of the result (double), n
//
// Nonnegative doubles have the order of their bits, with NaN above all. The result does not depend on the order
// of the threads.
func largest(p precision) string {
	k := newKernel(p, "largest", "u64", "u64", "u32")
	numbers, to, n := k.param(0), k.param(1), k.param(2)
	most, bits := k.reg(address), k.reg(address)
	k.op("mov.u64 %s, 0", most)
	k.strides(n, func(index string) {
		k.op("mov.b64 %s, %s", bits, k.get(k.element(numbers, index)))
		k.op("max.u64 %s, %s, %s", most, most, bits)
	})
	k.op("red.global.max.u64 [%s], %s", to, most)
	return k.String()
}
