// Package cuda runs descents on an NVIDIA GPU with only the GPU's driver: no toolkit, compiler or matrix
// library. Its kernels are PTX files, which the driver compiles for the GPU.
package cuda

import (
	_ "embed" // for the kernels
	"errors"
	"fmt"
	"unsafe"
)

//go:generate go run ./internal/generate

//go:embed kernels32.ptx
var kernels32 string

//go:embed kernels64.ptx
var kernels64 string

//go:embed rows32.ptx
var rows32 string

//go:embed rows64.ptx
var rows64 string

// A Driver calls functions of the CUDA driver by name. The arguments are those of the C functions. A pointer to
// host memory is passed as a number, and the caller keeps the memory alive.
type Driver interface {
	Call(function string, args ...uintptr) int
}

// address returns the address of p for the driver. It moves the value to the heap, because the stack can move
// when it grows, and the number would then be wrong.
func address[T any](p *T) uintptr {
	keepAlive(p)
	return uintptr(unsafe.Pointer(p))
}

// keepAlive is a variable, so that the compiler must assume that it retains its argument.
var keepAlive = func(any) {}

type driverError struct {
	Function string
	Code     int
	Name     string // as in the driver
}

func (e *driverError) Error() string {
	text := fmt.Sprintf("%s: %s (%d)", e.Function, e.Name, e.Code)
	if way, ok := ways[e.Code]; ok {
		text += ": " + way
	}
	return text
}

// Is reports whether the error is a lack of device memory.
func (e *driverError) Is(target error) bool { return target == errMemory && e.Code == codeOutOfMemory }

var errMemory = errors.New("out of memory")

// These are codes that a user can react to.
const (
	codeOutOfMemory = 2
	codeNoDevice    = 100
)

var ways = map[int]string{
	codeOutOfMemory: "the memory of the card is full; another program may be using it (nvidia-smi lists them)",
	46:              "the card is held by another program alone (nvidia-smi lists them)",
	codeNoDevice:    "there is no card that the driver can use",
	35:              "the driver is older than the program needs; install a newer one",
	214:             "the card reported an error of its memory; it may need a reset",
	218:             "the driver cannot read the kernels; install a newer one",
	222:             "the kernels are newer than the driver; install a newer one",
	700:             "the card read or wrote where it must not; this is a fault of the program",
	702:             "a kernel took longer than the system allows; a card that also drives a screen has such a limit",
	719:             "the card failed while a kernel ran",
	803:             "driver and kernel module do not match; restart the machine after an update",
	999:             "the card is lost; the machine may have to be restarted",
}

// calls converts codes to errors.
type calls struct{ driver Driver }

func (c calls) do(function string, args ...uintptr) error {
	code := c.driver.Call(function, args...)
	if code == 0 {
		return nil
	}
	e := &driverError{Function: function, Code: code, Name: "unknown error"}
	var text *byte
	if c.driver.Call("cuGetErrorName", uintptr(code), address(&text)) == 0 && text != nil {
		e.Name = goString(text)
	}
	return e
}

func goString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
