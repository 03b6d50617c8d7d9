//go:build noasm || !amd64

package gemm

func (k Kernel) available() bool { return k == Portable }

func runTile[T Float](Kernel, *tile[T], int, int, bool) {
	panic("gemm: no assembly in this build")
}
