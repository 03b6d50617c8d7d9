// Command asm writes the assembly kernels of package gemm, with their Go declarations.
//
//	go run . -dir ../..
//
// It is a separate module, so that avo is not a dependency of polydag. `go generate` in package gemm runs it.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/buildtags"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

const generator = "packaging/asm/gemm"

func main() {
	dir := flag.String("dir", ".", "directory of package gemm")
	flag.Parse()
	for _, s := range []isa{avx512, avx2} {
		write(*dir, "kernels_"+s.name+"_amd64.s", func(c *build.Context) {
			if s.name == avx2.name {
				masksAVX2(c)
			}
			for _, p := range precisions {
				s.eachTile(func(rows, vecs int, pack bool) { tile(c, s, p, rows, vecs, pack) })
				transpose(c, p, s)
			}
		})
	}
	if err := os.WriteFile(filepath.Join(*dir, "kernels_amd64.go"), declarations(), 0o644); err != nil {
		log.Fatal(err)
	}
}

// write builds one assembly file. avo's own main would put the command line, and with it
// the machine's paths, into the header.
func write(dir, name string, fill func(*build.Context)) {
	c := build.NewContext()
	c.Constraint(buildtags.Not("noasm"))
	fill(c)
	f, err := c.Result()
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	if err := pass.Compile.Execute(f); err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	out, err := printer.NewGoAsm(printer.Config{Name: generator}).Print(f)
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), out, 0o644); err != nil {
		log.Fatal(err)
	}
}

// precision names what differs between the float64 and the float32 kernels.
type precision struct {
	name  string // the name of the Go type
	short string // in function names
	size  int    // bytes
}

var precisions = []precision{{"float64", "f64", 8}, {"float32", "f32", 4}}
