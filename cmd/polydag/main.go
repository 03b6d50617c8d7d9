// Command polydag learns which variables of a table drive which.
package main

import (
	"context"
	"os"

	"github.com/polydag/polydag/internal/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
