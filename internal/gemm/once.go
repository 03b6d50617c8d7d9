package gemm

import "unsafe"

// Variables, so that only this package compiles the products, and not every package that calls a generic function which multiplies.
var (
	gemm32, gemm64           = gemmWith[float32], gemmWith[float64]
	resize32, resize64       = resize[float32], resize[float64]
	pack32, pack64           = pack[float32], pack[float64]
	mul32, mul64             = mul[float32], mul[float64]
	transpose32, transpose64 = transpose[float32], transpose[float64]
)

// is32 reports whether T is float32.
func is32[T Float]() bool {
	var x T
	return unsafe.Sizeof(x) == 4
}

// as returns a slice as one of its own type, which the compiler does not know to be U.
func as[U, T Float](s []T) []U {
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}
