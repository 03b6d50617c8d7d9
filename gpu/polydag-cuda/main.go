// Command polydag-cuda runs continuous methods on an NVIDIA GPU. polydag starts it for --device and exchanges messages with it through
// pipes; it is not useful alone.
package main

import (
	"fmt"
	"os"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/cuda"
	"github.com/polydag/polydag/gpu/polydag-cuda/internal/libcuda"
)

func main() {
	device.Widen(os.Stdin)
	device.Widen(os.Stdout)
	library, err := libcuda.Load()
	if err == nil {
		err = cuda.Serve(library, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "polydag-cuda:", err)
		os.Exit(1)
	}
}
