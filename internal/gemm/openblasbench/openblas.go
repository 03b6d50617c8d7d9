package main

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/polydag/polydag/internal/gemm"
)

// openBLAS holds the addresses of the library's functions. The Fortran entry points take
// only pointers, so that a call is one SyscallN of under 100 ns.
type openBLAS struct {
	dgemm, sgemm uintptr
	config       func() string
}

var usualNames = []string{"libopenblas.so.0", "libopenblas.so", "libopenblas.dylib", "/opt/homebrew/opt/openblas/lib/libopenblas.dylib"}

// openOpenBLAS loads the library and sets it to one thread.
func openOpenBLAS(path string) (*openBLAS, error) {
	names := usualNames
	if path != "" {
		names = []string{path}
	}
	var errs []error
	for _, name := range names {
		h, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		lib := &openBLAS{}
		if lib.dgemm, err = purego.Dlsym(h, "dgemm_"); err != nil {
			return nil, err
		}
		if lib.sgemm, err = purego.Dlsym(h, "sgemm_"); err != nil {
			return nil, err
		}
		var setThreads func(int32)
		purego.RegisterLibFunc(&setThreads, h, "openblas_set_num_threads")
		setThreads(1)
		purego.RegisterLibFunc(&lib.config, h, "openblas_get_config")
		return lib, nil
	}
	return nil, fmt.Errorf("not found, so not compared; install it or pass -lib: %w", errors.Join(errs...))
}

// product returns a call of the row-major C = op(A)·op(B), as the column-major
// Cᵀ = op(B)ᵀ·op(A)ᵀ. The scalars live on the heap, whose objects do not move, and the call
// keeps them and the matrices alive.
func product[T gemm.Float](lib *openBLAS, transA, transB bool, d int, a, b, c []T) func() {
	type scalars struct {
		n         int32
		opA, opB  byte
		one, zero T
	}
	s := &scalars{n: int32(d), opA: 'N', opB: 'N', one: 1}
	if transA {
		s.opA = 'T'
	}
	if transB {
		s.opB = 'T'
	}
	fn := lib.dgemm
	if unsafe.Sizeof(s.one) == 4 {
		fn = lib.sgemm
	}
	at := func(p unsafe.Pointer) uintptr { return uintptr(p) }
	n, one, zero := at(unsafe.Pointer(&s.n)), at(unsafe.Pointer(&s.one)), at(unsafe.Pointer(&s.zero))
	opA, opB := at(unsafe.Pointer(&s.opA)), at(unsafe.Pointer(&s.opB))
	pa, pb, pc := at(unsafe.Pointer(&a[0])), at(unsafe.Pointer(&b[0])), at(unsafe.Pointer(&c[0]))
	return func() {
		purego.SyscallN(fn, opB, opA, n, n, n, one, pb, n, pa, n, zero, pc, n, 1, 1)
		runtime.KeepAlive(s)
		runtime.KeepAlive(a)
		runtime.KeepAlive(b)
		runtime.KeepAlive(c)
	}
}
