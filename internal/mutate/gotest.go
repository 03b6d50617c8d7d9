package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// loaded is what go list says about a package.
type loaded struct {
	path  string
	files []string // that this build takes, with their folder
}

func load(ctx context.Context, pattern string) (*loaded, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Dir,GoFiles", pattern)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", pattern, err)
	}
	var p struct {
		ImportPath, Dir string
		GoFiles         []string
	}
	if err := json.Unmarshal(out, &p); err != nil {
		return nil, fmt.Errorf("go list %s: %w; name one package at a time", pattern, err)
	}
	l := &loaded{path: p.ImportPath}
	for _, name := range p.GoFiles {
		l.files = append(l.files, filepath.Join(p.Dir, name))
	}
	return l, nil
}

// outcome is what became of one change.
type outcome int

const (
	survived   outcome = iota // the tests pass
	noticed                   // a test fails
	slow                      // the tests take too long, or too much memory
	uncompiled                // no program
)

// tester runs the tests of some packages with one file of a package changed.
type tester struct {
	settings
	pkg      *loaded
	packages []string
}

// try runs the tests with m applied, or with nothing changed where m is nil.
func (t *tester) try(ctx context.Context, m *mutant) (outcome, []byte, error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return 0, nil, err
	}
	defer os.RemoveAll(dir)
	overlay, err := t.overlay(dir, m)
	if err != nil {
		return 0, nil, err
	}
	// Compiled first, so that a change that is no program is told from one that a test notices.
	build := t.command(ctx, "test", "-vet=off", "-overlay", overlay, "-run", "^$", "-exec", "true")
	if runtime.GOOS == "windows" {
		build = t.command(ctx, "test", "-vet=off", "-overlay", overlay, "-run", "^$")
	}
	if out, err := build.CombinedOutput(); err != nil {
		return uncompiled, out, ctx.Err()
	}
	args := []string{"test", "-vet=off", "-short", "-failfast", "-count=1", "-overlay", overlay, "-timeout", t.timeout.String()}
	if t.run != "" {
		args = append(args, "-run", t.run)
	}
	if t.memory > 0 && runtime.GOOS != "windows" {
		args = append(args, "-exec", fmt.Sprintf(`sh -c 'ulimit -v %d; exec "$0" "$@"'`, t.memory<<20))
	}
	limited, cancel := context.WithTimeout(ctx, t.timeout*time.Duration(len(t.packages))+time.Minute)
	defer cancel()
	out, err := t.command(limited, args...).CombinedOutput()
	switch exit := (*exec.ExitError)(nil); {
	case ctx.Err() != nil:
		return 0, out, ctx.Err()
	case err == nil:
		return survived, out, nil
	case limited.Err() != nil || bytes.Contains(out, []byte("panic: test timed out")) || bytes.Contains(out, []byte("out of memory")):
		return slow, out, nil
	case errors.As(err, &exit):
		return noticed, out, nil
	default:
		return 0, out, err
	}
}

func (t *tester) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", append(args, t.packages...)...)
	cmd.WaitDelay = time.Second
	return cmd
}

// overlay writes the changed file and the table that puts it in the place of the original, and returns the table's name.
func (t *tester) overlay(dir string, m *mutant) (string, error) {
	table := struct{ Replace map[string]string }{map[string]string{}}
	if m != nil {
		src, err := os.ReadFile(m.file)
		if err != nil {
			return "", err
		}
		changed := filepath.Join(dir, filepath.Base(m.file))
		if err := os.WriteFile(changed, m.apply(src), 0o600); err != nil {
			return "", err
		}
		table.Replace[m.file] = changed
	}
	b, err := json.Marshal(table)
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, b, 0o600)
}
