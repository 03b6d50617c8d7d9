package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// released returns a release for two platforms, with texts that stand in for the programs.
func released(t *testing.T) (*release, map[platform]string) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	r := &release{version: "1.2.3", commit: "0123", time: time.Unix(0, 0).UTC(), root: root, out: t.TempDir(), platforms: all[:2]}
	programs := map[platform]string{}
	for _, p := range r.platforms {
		programs[p] = filepath.Join(t.TempDir(), "polydag")
		if err := os.WriteFile(programs[p], []byte("program for "+p.arch), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return r, programs
}

// An image has what docker load and podman load read: for each processor its configuration and layer, under names.
func TestImageHasDockersManifest(t *testing.T) {
	r, programs := released(t)
	if err := r.image("polydag", programs, documents{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(r.out, "polydag_1.2.3_image.tar"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for in := tar.NewReader(bytes.NewReader(text)); ; {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
	var images []dockerImage
	if err := json.Unmarshal(files["manifest.json"], &images); err != nil || len(images) != 2 {
		t.Fatalf("manifest.json %q: %v", files["manifest.json"], err)
	}
	for i, want := range []struct{ arch, tags string }{{"amd64", "polydag:1.2.3-amd64 polydag:1.2.3"}, {"arm64", "polydag:1.2.3-arm64"}} {
		var config imageConfig
		if err := json.Unmarshal(files[images[i].Config], &config); err != nil || config.Architecture != want.arch {
			t.Errorf("%s is for %q: %v", images[i].Config, config.Architecture, err)
		}
		if got := strings.Join(images[i].RepoTags, " "); got != want.tags {
			t.Errorf("tags %s, want %s", got, want.tags)
		}
		if len(images[i].Layers) != len(config.RootFS.DiffIDs) || len(files[images[i].Layers[0]]) == 0 {
			t.Errorf("layers %v of %v", images[i].Layers, config.RootFS.DiffIDs)
		}
	}
}

// A bill of materials states the licence of everything that package licenses knows.
func TestBillStatesLicences(t *testing.T) {
	r, _ := released(t)
	own, err := os.Executable() // a program with build information
	if err != nil {
		t.Fatal(err)
	}
	if err := r.bill(own, "polydag", all[0]); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(r.out, "polydag_1.2.3_linux_amd64.spdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc spdx
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"polydag": "Apache-2.0", "Go": "BSD-3-Clause", "Graphviz": "EPL-1.0", "Liberation fonts": "OFL-1.1"}
	for _, p := range doc.Packages {
		if licence, ok := want[p.Name]; ok {
			if p.License != licence || p.Concluded != licence {
				t.Errorf("%s: %s and %s, want %s", p.Name, p.License, p.Concluded, licence)
			}
			delete(want, p.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("the bill lacks %v", want)
	}
}

// The wheels of a release lie beside the archives under its version, and SHA256SUMS lists them.
func TestWheelsAreInTheSums(t *testing.T) {
	r, programs := released(t)
	work := filepath.Join(r.out, "work")
	here := map[platform]string{}
	for p, path := range programs { // a link does not go from one disk to another
		here[p] = filepath.Join(work, p.arch, "polydag")
		if err := os.MkdirAll(filepath.Dir(here[p]), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, here[p]); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.wheels(work, here); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(work); err != nil {
		t.Fatal(err)
	}
	if err := r.sums(); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(r.out, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"any", "manylinux_2_17_x86_64", "manylinux_2_17_aarch64"} {
		if !strings.Contains(string(sums), "  polydag-1.2.3-py3-none-"+name) {
			t.Errorf("no wheel for %s in\n%s", name, sums)
		}
	}
	if n := strings.Count(string(sums), ".whl\n"); n != 3 {
		t.Errorf("%d wheels", n)
	}
}
