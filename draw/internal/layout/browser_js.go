package layout

import (
	"context"
	"fmt"
	"sync"
	"syscall/js"
)

// compiled is the WebAssembly.Module of the program, created at first use. The browser runs it directly, which
// makes drawing in a page as fast as elsewhere.
var compiled = sync.OnceValues(func() (js.Value, error) {
	wasm, err := unpacked()
	if err != nil {
		return js.Value{}, fmt.Errorf("cannot load Graphviz: %w", err)
	}
	code := js.Global().Get("Uint8Array").New(len(wasm))
	js.CopyBytesToJS(code, wasm)
	var module js.Value
	err = thrown(func() { module = js.Global().Get("WebAssembly").Get("Module").New(code) })
	return module, err
})

// thrown converts a JavaScript exception to an error.
func thrown(call func()) (err error) {
	defer func() {
		if e, ok := recover().(js.Error); ok {
			err = e
		}
	}()
	call()
	return nil
}

// run calls dot on a graph. It cannot be interrupted; a page ends the worker instead.
func run(ctx context.Context, _ int, source string) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	module, err := compiled()
	if err != nil {
		return nil, err
	}
	s := &started{}
	nothing := js.FuncOf(func(_ js.Value, args []js.Value) any {
		for _, p := range args { // where the program stores the number of strings and of their bytes
			s.write(uint32(p.Int()), make([]byte, 4))
		}
		return 0
	})
	defer nothing.Release()
	err = thrown(func() {
		s.exports = js.Global().Get("WebAssembly").Get("Instance").New(module, imports(module, nothing)).Get("exports")
	})
	if err != nil {
		return nil, fmt.Errorf("cannot start Graphviz: %w", err)
	}
	return layOut(s, source)
}

// noFile is the result of each file call: EBADF of WASI.
var noFile = js.FuncOf(func(js.Value, []js.Value) any { return 8 })

// imports returns the imports of the program: a system without files and environment, and unused hooks.
func imports(module js.Value, nothing js.Func) js.Value {
	object := js.Global().Get("Object")
	groups := object.New()
	list := js.Global().Get("WebAssembly").Get("Module").Call("imports", module)
	for i := range list.Length() {
		group, name := list.Index(i).Get("module").String(), list.Index(i).Get("name").String()
		if groups.Get(group).IsUndefined() {
			groups.Set(group, object.New())
		}
		answer := noFile
		if name == "environ_sizes_get" {
			answer = nothing
		}
		groups.Get(group).Set(name, answer)
	}
	return groups
}

type started struct{ exports js.Value }

func (s *started) invoke(name string, args []uint64) (res uint64, err error) {
	list := make([]any, len(args))
	for i, a := range args {
		list[i] = uint32(a) // all its words have 32 bits
	}
	err = thrown(func() {
		if v := s.exports.Call(name, list...); v.Type() == js.TypeNumber {
			res = uint64(uint32(int64(v.Float())))
		}
	})
	return res, err
}

// view returns a part of the program's memory; ok is false outside of it.
func (s *started) view(p, n uint32) (js.Value, bool) {
	if uint64(p)+uint64(n) > uint64(s.size()) {
		return js.Value{}, false
	}
	return js.Global().Get("Uint8Array").New(s.exports.Get("memory").Get("buffer"), p, n), true
}

func (s *started) read(p, n uint32) ([]byte, bool) {
	v, ok := s.view(p, n)
	if !ok {
		return nil, false
	}
	b := make([]byte, n)
	js.CopyBytesToGo(b, v)
	return b, true
}

func (s *started) write(p uint32, b []byte) bool {
	v, ok := s.view(p, uint32(len(b)))
	if ok {
		js.CopyBytesToJS(v, b)
	}
	return ok
}

func (s *started) size() uint32 {
	return uint32(s.exports.Get("memory").Get("buffer").Get("byteLength").Int())
}
