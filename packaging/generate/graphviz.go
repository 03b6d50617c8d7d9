//go:build ignore

// Fetch stores the compressed WebAssembly of Graphviz from its module, for engine.go to embed.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	out, err := exec.Command("go", "mod", "download", "-json", "github.com/goccy/go-graphviz@v0.2.10").Output()
	check(err)
	var module struct{ Dir string }
	check(json.Unmarshal(out, &module))
	wasm, err := os.ReadFile(filepath.Join(module.Dir, "internal", "wasm", "graphviz.wasm"))
	check(err)
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	check(err)
	_, err = z.Write(wasm)
	check(err)
	check(z.Close())
	check(os.WriteFile("graphviz.wasm.gz", b.Bytes(), 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
