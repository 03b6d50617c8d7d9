// Command polydag learns causal graphs from tables.
package main

import (
	"context"
	"os"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command"
)

func main() {
	os.Exit(command.Main(context.Background(), polydag.Methods))
}
