package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/polydag/polydag/internal/must"
)

// A module with another path, which can import public packages only, adds a method to polydag without a fork. The script runs its program.
func TestMethodOfAnotherModule(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program, which -short leaves out")
	}
	const own = "example.com/forest"
	dir, root := t.TempDir(), must.Get(filepath.Abs("../.."))
	copied := func(from, to string, replace ...string) {
		must.Succeed(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o755))
		text := strings.NewReplacer(replace...).Replace(string(must.Get(os.ReadFile(from))))
		must.Succeed(t, os.WriteFile(filepath.Join(dir, to), []byte(text), 0o600))
	}
	copied("../../go.sum", "go.sum")
	copied("../../go.mod", "go.mod", "module github.com/polydag/polydag\n",
		"module "+own+"\n\nrequire github.com/polydag/polydag v0.0.0\n\nreplace github.com/polydag/polydag => "+root+"\n")
	copied("../nearest/method.go", "nearest/method.go")
	copied("../nearest/program/main.go", "main.go", "github.com/polydag/polydag/test/nearest", own+"/nearest")
	name := filepath.Join(dir, "bin", "forest")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	build := exec.Command("go", "build", "-o", name, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "GOWORK=off", "GOPROXY=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	testscript.Run(t, testscript.Params{
		Dir:  filepath.Join("testdata", "own"),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exit": exitCode, "untimed": untimed},
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(name)+string(filepath.ListSeparator)+env.Getenv("PATH"))
			return nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
