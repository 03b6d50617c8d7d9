package layout

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

//go:generate go run ../../../packaging/generate/graphviz.go

// graphviz is Graphviz 12.1.2 as WebAssembly, from the module github.com/goccy/go-graphviz v0.2.10. That module
// is not imported, because it compiles this code at every program start (1.1 s, or 30 ms from a cache in a
// shared temporary folder, which is not safe), and its calls share one memory.
//
//go:embed graphviz.wasm.gz
var graphviz []byte

// unpacked returns the decompressed WebAssembly program.
func unpacked() ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(graphviz))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// An instance is the program with its own memory, no files, no clock and no output. wazero runs it in a
// process, and the browser in a web page. Both compute the same bytes.
type instance interface {
	// invoke calls a function by name. A function without a result returns 0.
	invoke(name string, args []uint64) (uint64, error)
	read(p, n uint32) ([]byte, bool)
	write(p uint32, b []byte) bool
	size() uint32
}

// layOut lays out a graph in the DOT language and returns it as JSON.
func layOut(in instance, source string) ([]byte, error) {
	m := memory{in: in}
	m.call("agseterr", 3) // AGMAX: collect messages, print none
	// This is a null-terminated list of pairs (name, library). The first default is dot, the third the writers.
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

// memory calls functions of the program. After the first error it does nothing and keeps the error.
type memory struct {
	in  instance
	err error
}

func (m *memory) call(name string, args ...uint64) uint64 {
	if m.err != nil {
		return 0
	}
	res, err := m.in.invoke(name, args)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n") // a stack trace follows
		m.err = fmt.Errorf("the layout failed: Graphviz failed in %s: %s", name, first)
	}
	return res
}

func (m *memory) alloc(b []byte) uint64 {
	p := m.call("malloc", uint64(len(b)))
	if m.err == nil && (p == 0 || !m.in.write(uint32(p), b)) {
		m.err = errors.New("the layout failed: Graphviz is out of memory")
	}
	return p
}

func (m *memory) text(s string) uint64 { return m.alloc(append([]byte(s), 0)) }

func (m *memory) bytes(p, n uint64) []byte {
	if m.err != nil {
		return nil
	}
	b, ok := m.in.read(uint32(p), uint32(n))
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
	b := m.bytes(p, min(400, uint64(m.in.size())-p))
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return strings.TrimSpace(string(b))
}
