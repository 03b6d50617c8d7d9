package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// wheels writes the wheels of the Python package beside the archives: a pure one, and one for each platform with the program that was
// compiled for it.
func (r *release) wheels(work string, programs map[platform]string) error {
	folder := filepath.Join(work, "wheels")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	only := []string{"pure"}
	for _, p := range r.platforms {
		name := "polydag_" + p.os + "_" + p.arch + filepath.Ext(programs[p])
		if err := os.Link(programs[p], filepath.Join(folder, name)); err != nil {
			return err
		}
		only = append(only, p.String())
	}
	cmd := exec.Command("go", "run", "./wheels", "-source", filepath.Join(r.root, "python"), "-out", r.out, "-binaries", folder, "-version", r.version, "-only", strings.Join(only, ","))
	cmd.Dir, cmd.Stderr = filepath.Join(r.root, "packaging"), os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("wheels: %w", err)
	}
	return nil
}
