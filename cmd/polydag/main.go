// Command polydag learns causal graphs from tables.
package main

import (
	"context"
	"os"

	"github.com/polydag/polydag/cmd/wings"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/lab"
)

func main() {
	os.Exit(command.Main(context.Background(), lab.All, wings.All...))
}
