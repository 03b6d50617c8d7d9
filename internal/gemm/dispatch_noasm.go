//go:build noasm || !amd64

package gemm

import "unsafe"

func (k Kernel) available() bool { return k == Portable }

func runTile[T Float](Kernel, *tile[T], int, int, bool) {
	panic("gemm: no assembly in this build")
}

func transposeBlocks[T Float](Kernel, unsafe.Pointer, uintptr, unsafe.Pointer, uintptr, int) {
	panic("gemm: no assembly in this build")
}
