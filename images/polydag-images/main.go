// Command polydag-images makes a table from a folder of images with a model in the ONNX format. It is a program of its own,
// so that polydag stays small.
package main

import (
	"context"
	"os"

	"github.com/polydag/polydag/images/classify/command"
)

func main() {
	os.Exit(command.Main(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}
