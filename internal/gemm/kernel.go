package gemm

import "fmt"

// A Kernel is the code that computes the tiles of a product.
type Kernel uint8

// These are the kernels, slowest first.
const (
	Portable Kernel = iota // plain Go, all platforms
	AVX2                   // 256-bit vectors; needs AVX2 and FMA
	AVX512                 // 512-bit vectors; needs AVX-512 F
)

// String returns "portable", "avx2" or "avx512".
func (k Kernel) String() string {
	switch k {
	case Portable:
		return "portable"
	case AVX2:
		return "avx2"
	case AVX512:
		return "avx512"
	}
	return fmt.Sprintf("Kernel(%d)", uint8(k))
}

// Kernels returns the kernels that this build can run on this machine, fastest first.
func Kernels() []Kernel {
	var ks []Kernel
	for _, k := range []Kernel{AVX512, AVX2, Portable} {
		if k.available() {
			ks = append(ks, k)
		}
	}
	return ks
}

// Active returns the kernel that Gemm runs: the fastest of Kernels.
func Active() Kernel {
	switch {
	case AVX512.available():
		return AVX512
	case AVX2.available():
		return AVX2
	}
	return Portable
}
