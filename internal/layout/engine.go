package layout

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

//go:generate go run fetch.go

// graphviz is Graphviz 12.1.2 as WebAssembly, from the module github.com/goccy/go-graphviz v0.2.10. That module itself is not
// imported: it compiles this code whenever a program that links it starts (1.1 s, or 30 ms from a cache of machine code in
// a folder of fixed name under the temporary folder, where anybody may have put it), and its calls share one memory.
//
//go:embed graphviz.wasm.gz
var graphviz []byte

// An engine is the program ready to run. Either kind computes the same bytes: WebAssembly leaves no rounding to the machine,
// and the program brings its own sin and cos. They differ in time: interpreting is ready at once and runs slowly.
type engine struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
}

// The engines are made at first use and kept for the life of the process; they hold code and no state of any drawing.
var (
	drawn       atomic.Int64 // by interpreting
	interpreted = sync.OnceValues(func() (*engine, error) { return load(wazero.NewRuntimeConfigInterpreter()) })
	compiled    = sync.OnceValues(func() (*engine, error) { return load(wazero.NewRuntimeConfig()) })
)

func load(cfg wazero.RuntimeConfig) (*engine, error) {
	fail := func(err error) (*engine, error) { return nil, fmt.Errorf("cannot load Graphviz: %w", err) }
	z, err := gzip.NewReader(bytes.NewReader(graphviz))
	if err != nil {
		return fail(err)
	}
	wasm, err := io.ReadAll(z)
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
	// The other imports call back into go-graphviz where a user sets hooks. Nobody does here.
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

// run calls dot on a graph of so many places and edges. Interpreting is ready in 0.16 s and takes about 4 ms for each of them;
// compiling is ready in 0.75 s (two cores) and takes a twentieth of that. So a process that draws one small graph interprets,
// and one that goes on drawing compiles.
//
// Compiled code cannot be halted: when ctx ends, run leaves it behind. Nor can the garbage collector of Go halt it, and so a
// collection waits until dot is done, and all else that runs waits for the collection. Hence one is made before: none is under
// way when dot begins, and those who wait for it allocate too little to begin another. Code with points to halt it at is
// five times slower.
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

// dot lays out a graph in the language of Graphviz and returns it in its JSON format. Each call has a memory of its own, no files, no
// clock and no output.
func (e *engine) dot(ctx context.Context, source string) ([]byte, error) {
	mod, err := e.runtime.InstantiateModule(ctx, e.code, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		return nil, fmt.Errorf("cannot start Graphviz: %w", err)
	}
	defer mod.Close(context.Background())
	m := memory{mod: mod, invoke: func(f api.Function, args []uint64) ([]uint64, error) { return f.Call(ctx, args...) }}
	m.call("agseterr", 3) // AGMAX: keep messages, print none
	// A null-terminated list of pairs (name, library): the first of the defaults is dot, the third the writers.
	slot := m.alloc(make([]byte, 4))
	m.call("wasm_bridge_SymList_default", slot)
	defaults := m.word(m.word(slot) + 4)
	var list []byte
	for _, i := range []uint64{0, 2} {
		list = append(list, m.bytes(m.word(defaults+8*i), 8)...)
	}
	gvc := m.call("gvContextPlugins", m.alloc(append(list, make([]byte, 8)...)), 0)
	g := m.call("agmemread", m.text(source))
	if m.err == nil && g == 0 {
		return nil, fmt.Errorf("the layout failed: Graphviz cannot read the graph: %s", m.lastError())
	}
	if rc := m.call("gvLayout", gvc, g, m.text("dot")); m.err == nil && rc != 0 {
		return nil, fmt.Errorf("the layout failed: Graphviz cannot lay out the graph: %s", m.lastError())
	}
	result := m.alloc(make([]byte, 8))
	if rc := m.call("gvRenderData", gvc, g, m.text("json0"), result, result+4); m.err == nil && rc != 0 {
		return nil, fmt.Errorf("the layout failed: Graphviz cannot write the layout: %s", m.lastError())
	}
	out := bytes.Clone(m.bytes(m.word(result), m.word(result+4)))
	return out, m.err
}

// memory calls functions of the program; after a first error it does nothing and keeps the error.
type memory struct {
	mod    api.Module
	invoke func(f api.Function, args []uint64) ([]uint64, error)
	err    error
}

func (m *memory) call(name string, args ...uint64) uint64 {
	if m.err != nil {
		return 0
	}
	f := m.mod.ExportedFunction(name)
	if f == nil {
		m.err = fmt.Errorf("the layout failed: Graphviz has no function %s", name)
		return 0
	}
	res, err := m.invoke(f, args)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n") // a trace of the program's stack follows
		m.err = fmt.Errorf("the layout failed: Graphviz failed in %s: %s", name, first)
		return 0
	}
	if len(res) == 0 {
		return 0
	}
	return res[0]
}

func (m *memory) alloc(b []byte) uint64 {
	p := m.call("malloc", uint64(len(b)))
	if m.err == nil && (p == 0 || !m.mod.Memory().Write(uint32(p), b)) {
		m.err = errors.New("the layout failed: Graphviz is out of memory")
	}
	return p
}

func (m *memory) text(s string) uint64 { return m.alloc(append([]byte(s), 0)) }

func (m *memory) bytes(p, n uint64) []byte {
	if m.err != nil {
		return nil
	}
	b, ok := m.mod.Memory().Read(uint32(p), uint32(n))
	if !ok {
		m.err = errors.New("the layout failed: Graphviz answered with a place outside of its memory")
	}
	return b
}

func (m *memory) word(p uint64) uint64 {
	b := m.bytes(p, 4)
	if m.err != nil {
		return 0
	}
	return uint64(binary.LittleEndian.Uint32(b))
}

func (m *memory) lastError() string {
	p := m.call("aglasterr")
	if p == 0 {
		return "no reason given"
	}
	b := m.bytes(p, min(400, uint64(m.mod.Memory().Size())-p))
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return strings.TrimSpace(string(b))
}
