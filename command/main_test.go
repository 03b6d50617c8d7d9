package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/lab"
)

// TestMain runs the command itself if the test binary is called polydag; a folder with that name comes first in
// PATH.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "polydag" {
		code := Run(context.Background(), lab.All, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, allWings...)
		writePeak()
		os.Exit(code)
	}
	if filepath.Base(os.Args[0]) == device.Program {
		refuseAll()
		os.Exit(0)
	}
	os.Exit(withCommand(m.Run))
}

func withCommand(run func() int) int {
	dir, err := os.MkdirTemp("", "polydag-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "polydag"))
	}
	if err == nil {
		err = os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "no command for the tests:", err)
		return 1
	}
	return run()
}
