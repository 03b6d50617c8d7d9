//go:build !js

package layout

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// An engine is the compiled or interpreted program. Both compute the same bytes: WebAssembly defines all
// rounding, and the program has its own sin and cos. An interpreter starts at once but runs slowly.
type engine struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
}

// The engines are created at first use and kept for the life of the process. They have code but no state.
var (
	drawn       atomic.Int64 // number of interpreted drawings
	interpreted = sync.OnceValues(func() (*engine, error) { return load(wazero.NewRuntimeConfigInterpreter()) })
	compiled    = sync.OnceValues(func() (*engine, error) { return load(wazero.NewRuntimeConfig()) })
)

func load(cfg wazero.RuntimeConfig) (*engine, error) {
	fail := func(err error) (*engine, error) { return nil, fmt.Errorf("cannot load Graphviz: %w", err) }
	wasm, err := unpacked()
	if err != nil {
		return fail(err)
	}
	ctx := experimental.WithCompilationWorkers(context.Background(), runtime.GOMAXPROCS(0))
	r := wazero.NewRuntimeWithConfig(ctx, cfg)
	code, err := r.CompileModule(ctx, wasm)
	if err != nil {
		return fail(err)
	}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r); err != nil {
		return fail(err)
	}
	// The other imports are hooks of go-graphviz, which are not used here.
	env := r.NewHostModuleBuilder("env")
	for _, f := range code.ImportedFunctions() {
		module, name, _ := f.Import()
		if module != "env" {
			continue
		}
		env.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(context.Context, []uint64) {
			panic("layout: Graphviz called " + name) // becomes an error of the call
		}), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	if _, err := env.Instantiate(ctx); err != nil {
		return fail(err)
	}
	return &engine{r, code}, nil
}

// run calls dot on a graph with the given number of places and edges. The interpreter starts in 0.16 s and
// takes about 4 ms for each of them. Compiling takes 0.75 s (two cores), and then a twentieth of that time. So
// a process interprets a few small graphs and otherwise compiles.
//
// Compiled code cannot be interrupted: when ctx ends, run abandons it. The garbage collector cannot interrupt
// it either, so a collection would wait for dot, and everything else for the collection. So run collects
// garbage before dot starts, and the waiting code allocates too little to start another collection.
// Interruptible code is five times slower.
func run(ctx context.Context, size int, source string) ([]byte, error) {
	load := compiled
	if size <= 120 && drawn.Add(1) <= 3 {
		load = interpreted
	}
	type answer struct {
		out []byte
		err error
	}
	done := make(chan answer, 1)
	go func() {
		e, err := load()
		if err != nil {
			done <- answer{nil, err}
			return
		}
		runtime.GC()
		out, err := e.dot(ctx, source)
		done <- answer{out, err}
	}()
	select {
	case a := <-done:
		return a.out, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (e *engine) dot(ctx context.Context, source string) ([]byte, error) {
	mod, err := e.runtime.InstantiateModule(ctx, e.code, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		return nil, fmt.Errorf("cannot start Graphviz: %w", err)
	}
	defer mod.Close(context.Background())
	return layOut(started{mod, func(f api.Function, args []uint64) ([]uint64, error) { return f.Call(ctx, args...) }}, source)
}

type started struct {
	mod  api.Module
	call func(f api.Function, args []uint64) ([]uint64, error)
}

func (s started) invoke(name string, args []uint64) (uint64, error) {
	f := s.mod.ExportedFunction(name)
	if f == nil {
		return 0, errors.New("there is no such function")
	}
	res, err := s.call(f, args)
	if err != nil || len(res) == 0 {
		return 0, err
	}
	return res[0], nil
}

func (s started) read(p, n uint32) ([]byte, bool) { return s.mod.Memory().Read(p, n) }
func (s started) write(p uint32, b []byte) bool   { return s.mod.Memory().Write(p, b) }
func (s started) size() uint32                    { return s.mod.Memory().Size() }
