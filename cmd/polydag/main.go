// Command polydag learns causal graphs from tables.
package main

import (
	"context"
	"os"

	"github.com/polydag/polydag/internal/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
