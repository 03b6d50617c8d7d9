//go:build ignore

// Build puts the command polydag, as WebAssembly, into the page of package page, as one HTML file that needs no network:
//
//	go run packaging/generate/try.go -output out/try/index.html
//
// The file can be put anywhere, also on a disk.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	output := flag.String("output", "out/try/index.html", "file to write")
	flag.Parse()
	if err := build(*output); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func build(output string) error {
	wasm, err := compiled()
	if err != nil {
		return err
	}
	packed, err := pack(wasm)
	if err != nil {
		return err
	}
	page, err := assemble(packed)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(output), 0o755); err != nil {
		return err
	}
	fmt.Printf("%s: %.1f MB; the program in it %.1f MB, compressed %.1f MB\n", output, megabytes(page), megabytes(wasm), megabytes(packed))
	return os.WriteFile(output, page, 0o644)
}

func megabytes(b []byte) float64 { return float64(len(b)) / 1e6 }

// compiled is the command for a browser.
func compiled() ([]byte, error) {
	dir, err := os.MkdirTemp("", "polydag-try-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "polydag.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./cmd/polydag")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("the command does not build for js/wasm: %w", err)
	}
	return os.ReadFile(path)
}

// pack compresses with gzip, which browsers unpack themselves.
func pack(b []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(b); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// assemble fills the page.
func assemble(packed []byte) ([]byte, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	goroot := strings.TrimSpace(string(root))
	text := map[string]string{}
	for name, path := range map[string]string{
		"page": "internal/page/page.html", "worker": "web/try/worker.js", "exec": filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"), "license": filepath.Join(goroot, "LICENSE"),
	} {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("run this in the root of the repository: %w", err)
		}
		text[name] = string(b)
	}
	for _, name := range []string{"worker", "exec"} {
		if strings.Contains(text[name], "</script") {
			return nil, fmt.Errorf("%s would end the element that holds it", name)
		}
	}
	// The worker is told apart by its policy's name alone; wasm_exec.js takes the file system that is there before it.
	program := "<!--\npolydag licenses lists what is inside the program. wasm_exec.js is from Go:\n" + strings.TrimSpace(text["license"]) + "\n-->\n" +
		`<script type="text/plain" id="wasm">` + base64.StdEncoding.EncodeToString(packed) + "</script>\n" +
		`<script type="text/plain" id="worker">` + text["worker"] + text["exec"] + "</script>"
	page := text["page"]
	for _, part := range [][2]string{
		{"script-src ", "script-src 'wasm-unsafe-eval' "},
		{"img-src data:;", "img-src data: blob:; worker-src blob:;"},
		{"trusted-types 'none'", "trusted-types polydag-worker"},
		{`"polydag:data"`, `"polydag:tab"`},
		{"<!--PROGRAM-->", program},
	} {
		if strings.Count(page, part[0]) != 1 {
			return nil, fmt.Errorf("internal/page/page.html has %s %d times, want once", part[0], strings.Count(page, part[0]))
		}
		page = strings.Replace(page, part[0], part[1], 1)
	}
	return []byte(page), nil
}
