// Command program is polydag with the method of docs/guides/add-a-method.md.
package main

import (
	"context"
	"os"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/cmd/wings"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/test/nearest"
)

func main() { os.Exit(command.Main(context.Background(), methods, wings.All...)) }

func methods() []method.Method { return append(polydag.Methods(), nearest.New()) }
