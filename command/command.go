// Package command is the polydag command: flags, files and what is printed; the packages below compute. Programs with methods of their own call Main.
//
//	func main() { os.Exit(command.Main(context.Background(), methods)) }
//
//	func methods() []method.Method { return append(polydag.Methods(), nearest.New()) }
//
// Every method of the list has its settings as flags, help, and a part in polydag methods, compare, bootstrap samples and work on other
// machines.
//
// Experimental: the API of this package may change before 1.0.
package command

import (
	"context"
	"os"

	"github.com/polydag/polydag"
)

// Main runs the command line of the process with these methods, and with these wings besides the core, and returns the exit code. Ctrl-C, SIGTERM and SIGHUP end it; a run in
// progress writes its best result so far.
func Main(ctx context.Context, methods polydag.MethodList, wings ...Wing) int {
	return Run(ctx, methods, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, wings...)
}
