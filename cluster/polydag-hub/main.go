// Command polydag-hub runs a NATS server that distributes the work of polydag over several machines.
package main

import (
	"context"
	"os"

	"github.com/polydag/polydag/cluster/hub/server"
	"github.com/polydag/polydag/cmd/wings"
	"github.com/polydag/polydag/command"
)

func main() {
	os.Exit(command.Hub(context.Background(), server.Serve, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, wings.Commands...))
}
