// Command generate writes the kernels of package cuda as PTX beside it.
package main

import (
	"fmt"
	"os"

	"github.com/polydag/polydag/device/cuda/internal/ptx"
)

func main() {
	for _, bits := range []int{32, 64} {
		if err := os.WriteFile(fmt.Sprintf("kernels%d.ptx", bits), []byte(ptx.Module(bits)), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
