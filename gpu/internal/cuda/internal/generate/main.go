// Command generate writes the kernels of package cuda as PTX into its folder.
package main

import (
	"fmt"
	"os"

	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
)

func main() {
	for _, bits := range []int{32, 64} {
		for name, text := range map[string]string{"kernels": ptx.Module(bits), "rows": ptx.Rows(bits)} {
			if err := os.WriteFile(fmt.Sprintf("%s%d.ptx", name, bits), []byte(text), 0o644); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
}
