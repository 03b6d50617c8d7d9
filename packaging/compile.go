package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// compile builds polydag or polydag-hub for a platform, static, stripped and without paths of this machine.
func (r *release) compile(work string, p platform, hub bool) (string, error) {
	name, folder := "polydag", "./cmd/polydag"
	if hub {
		name, folder = "polydag-hub", "./cluster/polydag-hub"
	}
	path := filepath.Join(work, p.os+"_"+p.arch, name)
	if p.os == "windows" {
		path += ".exe"
	}
	stamp := fmt.Sprintf("-s -w -buildid= -funcalign=16 -X github.com/polydag/polydag/command.release=%s -X github.com/polydag/polydag/command.commit=%s", r.version, r.commit)
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags="+stamp, "-o", path, folder)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOWORK=off")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s for %s: %w", name, p, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	fmt.Printf("%-11s %-13s %.1f MB\n", name, p, float64(info.Size())/1e6)
	return path, nil
}
