// Command polydag-hub runs a NATS server that distributes the work of polydag over several machines.
package main

import (
	"context"
	"os"

	"github.com/polydag/polydag/cluster/commands"
	"github.com/polydag/polydag/cluster/hub/server"
	"github.com/polydag/polydag/cmd/wings"
	"github.com/polydag/polydag/lab"
)

func main() {
	os.Exit(commands.Hub(context.Background(), server.Serve, lab.All, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, wings.All...))
}
