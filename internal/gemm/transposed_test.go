package gemm

import "testing"

// TestTranspose covers every kernel, every shape around its blocks, strides and the entries beyond them.
func TestTranspose(t *testing.T) {
	testTranspose[float32](t)
	testTranspose[float64](t)
}

func testTranspose[T Float](t *testing.T) {
	const gap, canary = 3, -1
	for _, k := range Kernels() {
		for rows := range 36 {
			for _, cols := range []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 50} {
				lds, ldd := cols+gap, rows+gap
				src, dst := make([]T, rows*lds+1), make([]T, cols*ldd+1)
				for i := range src {
					src[i] = T(i)
				}
				for i := range dst {
					dst[i] = canary
				}
				if rows > 0 && cols > 0 {
					transposeWith(k, rows, cols, dst, ldd, src, lds)
				}
				for j := range cols {
					for i := range ldd {
						want := T(canary)
						if i < rows {
							want = src[i*lds+j]
						}
						if dst[j*ldd+i] != want {
							t.Fatalf("%v, %d×%d: (%d, %d) is %v, want %v", k, rows, cols, j, i, dst[j*ldd+i], want)
						}
					}
				}
				Transpose(rows, cols, dst, ldd, src, lds)
			}
		}
	}
}
