package emulator

import (
	"encoding/binary"
	"strings"
	"testing"
	"unsafe"
)

// kept keeps memory alive at fixed addresses.
var kept []any

func address[T any](p *T) uintptr {
	kept = append(kept, p)
	return uintptr(unsafe.Pointer(p))
}

// TestDriver loads a module, captures launches as a graph and replays it, and gives everything back.
func TestDriver(t *testing.T) {
	e := New()
	call := func(want string, function string, args ...uintptr) {
		t.Helper()
		code := e.Call(function, args...)
		if (code != 0) != (want != "") {
			t.Fatalf("%s: %d, %s", function, code, e.name)
		}
		var name *byte
		if code != 0 && (e.Call("cuGetErrorName", uintptr(code), address(&name)) != 0 || !strings.Contains(text(uintptr(unsafe.Pointer(name))), want)) {
			t.Errorf("%s: %q, want %q", function, text(uintptr(unsafe.Pointer(name))), want)
		}
	}
	image := append([]byte(warp.text("ld.global.u32 %r3, [%rd2];\nadd.u32 %r3, %r3, %r1;\nst.global.u32 [%rd2], %r3;")), 0)
	broken := append([]byte(warp.text("nothing %r1;")), 0)
	var module, function, at, graph, exec uint64
	call("nothing is not known", "cuModuleLoadData", address(&module), address(&broken[0]))
	call("", "cuModuleLoadData", address(&module), address(&image[0]))
	name, none := []byte("k\x00"), []byte("q\x00")
	call("no kernel q", "cuModuleGetFunction", address(&function), uintptr(module), address(&none[0]))
	call("no kernel k", "cuModuleGetFunction", address(&function), 999, address(&name[0]))
	call("", "cuModuleGetFunction", address(&function), uintptr(module), address(&name[0]))
	call("", "cuMemAlloc_v2", address(&at), 256)
	call("", "cuMemsetD8Async", uintptr(at), 0, 256, 0)
	params := []uintptr{address(&at)}
	launch := func(want string, threads uintptr) {
		t.Helper()
		call(want, "cuLaunchKernel", uintptr(function), 1, 1, 1, threads, 1, 1, 0, 0, address(&params[0]), 0)
	}
	const most = 65535
	for _, grid := range [][3]uintptr{{1, most + 1, 1}, {1, 1, most + 1}, {1 << 31, 1, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {1, 1<<32 + 1, 1}} {
		call("a grid of", "cuLaunchKernel", uintptr(function), grid[0], grid[1], grid[2], 32, 1, 1, 0, 0, address(&params[0]), 0)
	}
	call("nothing is captured", "cuStreamEndCapture", 0, address(&graph))
	call("", "cuStreamBeginCapture_v2", 0, 1)
	launch("", 32)
	launch("", 32)
	call("", "cuStreamEndCapture", 0, address(&graph))
	if e.Launches["k"] != 0 {
		t.Error("what was captured ran")
	}
	call("", "cuGraphInstantiateWithFlags", address(&exec), uintptr(graph), 0)
	call("", "cuGraphDestroy", uintptr(graph))
	call("no graph", "cuGraphLaunch", uintptr(graph), 0)
	call("", "cuGraphLaunch", uintptr(exec), 0)
	launch("", 32)
	back := make([]byte, 256)
	call("", "cuMemcpyDtoHAsync_v2", address(&back[0]), uintptr(at), 256, 0)
	for i := range 32 {
		if got := binary.LittleEndian.Uint32(back[8*i:]); got != uint32(3*i) {
			t.Errorf("thread %d has %d", i, got)
		}
	}
	call("not known", "cuMagic")
	if e.Left() != 2 || e.Launches["k"] != 3 {
		t.Errorf("%d things are left, %v", e.Left(), e.Launches)
	}
	call("", "cuGraphExecDestroy", uintptr(exec))
	call("no graph", "cuGraphExecDestroy", uintptr(exec))
	call("nothing was allocated", "cuMemFree_v2", uintptr(at+8))
	launch("in no allocation", 64)
	call("in no allocation", "cuStreamSynchronize", 0) // nothing works after a fault
	if e.Err == nil {
		t.Error("the fault is not kept")
	}
}
