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
	path, dir string
	files     []string // that this build takes, with their folder
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
	l := &loaded{path: p.ImportPath, dir: p.Dir}
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
	packages []*loaded
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
	for _, p := range t.packages {
		program := filepath.Join(dir, "package.test")
		out, err := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", program, p.path).CombinedOutput()
		if ctx.Err() != nil {
			return 0, out, ctx.Err()
		}
		if err != nil {
			return uncompiled, out, nil
		}
		if r, out, err := t.test(ctx, p, program); err != nil || r != survived {
			return r, out, err
		}
	}
	return survived, nil, nil
}

// test runs a compiled test program in the folder of its package.
func (t *tester) test(ctx context.Context, p *loaded, program string) (outcome, []byte, error) {
	args := []string{program, "-test.short", "-test.failfast", "-test.timeout=" + t.timeout.String(), "-test.run=" + t.run}
	if t.memory > 0 && runtime.GOOS != "windows" {
		args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, t.memory<<20)}, args...)
	}
	limited, cancel := context.WithTimeout(ctx, t.timeout+10*time.Second) // for a program that does not heed its own limit
	defer cancel()
	cmd := exec.CommandContext(limited, args[0], args[1:]...)
	cmd.Dir, cmd.WaitDelay = p.dir, time.Second
	out, err := cmd.CombinedOutput()
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

// overlay writes the changed file and the table that puts it in the place of the original, and returns the table's name.
func (t *tester) overlay(dir string, m *mutant) (string, error) {
	table := struct{ Replace map[string]string }{map[string]string{}}
	if m != nil {
		changed := filepath.Join(dir, filepath.Base(m.file))
		if err := os.WriteFile(changed, m.apply(), 0o600); err != nil {
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
