//go:build ignore

// Generate takes the fonts that pictures use from the module that carries them and stores them compressed, for liberation.go to embed.
package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/andybalholm/brotli"
)

func main() {
	out, err := exec.Command("go", "mod", "download", "-json", "codeberg.org/go-fonts/liberation@v0.5.0").Output()
	check(err)
	var module struct{ Dir string }
	check(json.Unmarshal(out, &module))
	for _, family := range []string{"Sans", "Serif", "Mono"} {
		for _, weight := range []string{"Regular", "Bold"} {
			name := "Liberation" + family + "-" + weight + ".ttf"
			ttf, err := os.ReadFile(filepath.Join(module.Dir, strings.ToLower("liberation"+family+weight), name))
			check(err)
			if kept, err := os.Open(name + ".br"); err == nil {
				was, err := io.ReadAll(brotli.NewReader(kept))
				kept.Close()
				if err == nil && bytes.Equal(was, ttf) {
					continue // compressing takes seconds
				}
			}
			var b bytes.Buffer
			z := brotli.NewWriterLevel(&b, brotli.BestCompression)
			_, err = z.Write(ttf)
			check(err)
			check(z.Close())
			check(os.WriteFile(name+".br", b.Bytes(), 0o644))
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
