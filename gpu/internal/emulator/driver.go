package emulator

import (
	"fmt"
	"unsafe"
)

// An Emulator is an emulated driver with one GPU. It executes the calls of package cuda synchronously on the
// calling thread.
type Emulator struct {
	Order    func(blocks []int) // orders the blocks of each launch; nil keeps the order
	Launches map[string]int     // successful launches by kernel
	Err      error              // the first fault, which every later call returns

	memory  *memory
	shared  *piece
	epoch   uint32
	handles []any // modules, kernels and graphs by handle
	record  *[]func() error
	name    []byte // name of the last error, kept for the reader
}

// New returns an emulator with empty memory.
func New() *Emulator {
	return &Emulator{Launches: map[string]int{}, memory: &memory{next: 1 << 20}, shared: newPiece(0, 0), handles: []any{nil}}
}

// These are codes of the driver.
const (
	invalidValue = 1
	notFound     = 500
	badModule    = 218
	launchFailed = 719
	total        = 1 << 34 // bytes of memory, allocated on demand
)

// attributes of the GPU by driver number: compute capability 7.0, for which the kernels are written.
var attributes = map[uintptr]uint64{16: 1, 13: 1_000_000, 75: 7, 76: 0, 36: 1_000_000, 37: 64}

// Call executes a function of the driver. A nonzero code has a name with a full description of the error.
func (e *Emulator) Call(function string, args ...uintptr) int {
	if function == "cuGetErrorName" {
		*(**byte)(pointer(args[1])) = &e.name[0]
		return 0
	}
	code, err := launchFailed, e.Err
	if err == nil {
		code, err = e.call(function, args)
	}
	if err != nil {
		if code == launchFailed {
			e.Err = err
		}
		e.name = append([]byte(err.Error()), 0)
		return code
	}
	return 0
}

func (e *Emulator) call(function string, args []uintptr) (int, error) {
	give := func(i int, v uint64) (int, error) {
		*(*uint64)(pointer(args[i])) = v
		return 0, nil
	}
	switch function {
	case "cuInit", "cuCtxSetCurrent", "cuDevicePrimaryCtxRetain", "cuStreamCreate", "cuStreamSynchronize", "cuDeviceGet":
		return 0, nil
	case "cuGraphDestroy", "cuGraphExecDestroy":
		return e.forget(args[0])
	case "cuDriverGetVersion":
		return give(0, 12000)
	case "cuDeviceGetCount":
		return give(0, 1)
	case "cuDeviceGetName":
		copy(host(args[0], args[1]), "Emulator\x00")
		return 0, nil
	case "cuDeviceTotalMem_v2":
		return give(0, total)
	case "cuDeviceGetAttribute":
		return give(0, attributes[args[1]])
	case "cuMemGetInfo_v2":
		_, _ = give(0, total)
		return give(1, total)
	case "cuMemAlloc_v2":
		return give(0, e.memory.allocate(int(args[1])))
	case "cuMemFree_v2":
		if !e.memory.release(uint64(args[0])) {
			return invalidValue, fmt.Errorf("nothing was allocated at %#x", args[0])
		}
		return 0, nil
	case "cuModuleLoadData":
		kernels, err := parse(text(args[1]))
		if err != nil {
			return badModule, err
		}
		return give(0, e.handle(kernels))
	case "cuModuleGetFunction":
		kernels, _ := e.held(args[1]).(map[string]*kernel)
		k := kernels[text(args[2])]
		if k == nil {
			return notFound, fmt.Errorf("there is no kernel %s", text(args[2]))
		}
		return give(0, e.handle(k))
	case "cuStreamBeginCapture_v2":
		e.record = &[]func() error{}
		return 0, nil
	case "cuStreamEndCapture":
		if e.record == nil {
			return invalidValue, fmt.Errorf("nothing is captured")
		}
		graph := *e.record
		e.record = nil
		return give(1, e.handle(graph))
	case "cuGraphInstantiateWithFlags":
		return give(0, e.handle(e.held(args[1])))
	}
	action, code, err := e.action(function, args)
	if err != nil {
		return code, err
	}
	if e.record != nil {
		*e.record = append(*e.record, action)
		return 0, nil
	}
	return launchFailed, action()
}

// action returns the action that a function puts on a stream or into a graph.
func (e *Emulator) action(function string, args []uintptr) (func() error, int, error) {
	m := e.memory
	switch function {
	case "cuMemsetD8Async":
		return func() error {
			b, err := m.slice(uint64(args[0]), uint64(args[2]))
			for i := range b {
				b[i] = byte(args[1])
			}
			return err
		}, 0, nil
	case "cuMemcpyHtoDAsync_v2":
		return func() error {
			b, err := m.slice(uint64(args[0]), uint64(args[2]))
			copy(b, host(args[1], args[2]))
			return err
		}, 0, nil
	case "cuMemcpyDtoHAsync_v2":
		return func() error {
			b, err := m.slice(uint64(args[1]), uint64(args[2]))
			copy(host(args[0], args[2]), b)
			return err
		}, 0, nil
	case "cuMemcpyDtoDAsync_v2":
		return func() error {
			to, err := m.slice(uint64(args[0]), uint64(args[2]))
			if err != nil {
				return err
			}
			from, err := m.slice(uint64(args[1]), uint64(args[2]))
			copy(to, from)
			return err
		}, 0, nil
	case "cuGraphLaunch":
		graph, ok := e.held(args[0]).([]func() error)
		if !ok {
			return nil, invalidValue, fmt.Errorf("%d is no graph", args[0])
		}
		return func() error {
			for _, action := range graph {
				if err := action(); err != nil {
					return err
				}
			}
			return nil
		}, 0, nil
	case "cuLaunchKernel":
		k, ok := e.held(args[0]).(*kernel)
		if !ok || args[5] != 1 || args[6] != 1 || args[7] != 0 {
			return nil, invalidValue, fmt.Errorf("a launch of %v with blocks of %d × %d threads and %d bytes of shared memory", ok, args[5], args[6], args[7])
		}
		if grid := args[1:4]; min(grid[0], grid[1], grid[2]) < 1 || grid[0] > 1<<31-1 || max(grid[1], grid[2]) > 65535 {
			return nil, invalidValue, fmt.Errorf("a grid of %d × %d × %d blocks: a card takes at most %d × 65535 × 65535, and none that is empty", grid[0], grid[1], grid[2], 1<<31-1)
		}
		l := launch{kernel: k, grid: [3]uint32{uint32(args[1]), uint32(args[2]), uint32(args[3])}, threads: int(args[4])}
		for i, p := range k.params {
			v := **(**uint64)(pointer(args[9] + 8*uintptr(i)))
			if size(p.kind) == 4 {
				v &= word
			}
			l.params = append(l.params, v)
		}
		return func() error { return e.run(l) }, 0, nil
	}
	return nil, notFound, fmt.Errorf("the function %s is not known here", function)
}

// handle stores a value and returns its handle.
func (e *Emulator) handle(x any) uint64 {
	e.handles = append(e.handles, x)
	return uint64(len(e.handles) - 1)
}

// held returns the value of a handle, or nil.
func (e *Emulator) held(handle uintptr) any {
	if handle >= uintptr(len(e.handles)) {
		return nil
	}
	return e.handles[handle]
}

func (e *Emulator) forget(handle uintptr) (int, error) {
	if _, ok := e.held(handle).([]func() error); !ok {
		return invalidValue, fmt.Errorf("%d is no graph", handle)
	}
	e.handles[handle] = nil
	return 0, nil
}

// Left returns the number of allocations and graphs that were not freed.
func (e *Emulator) Left() int {
	n := len(e.memory.pieces)
	for _, h := range e.handles {
		if _, ok := h.([]func() error); ok {
			n++
		}
	}
	return n
}

func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

func host(p, n uintptr) []byte { return unsafe.Slice((*byte)(pointer(p)), n) }

// text returns a zero-terminated string of the caller.
func text(p uintptr) string {
	n := 0
	for *(*byte)(unsafe.Add(pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(pointer(p)), n))
}
