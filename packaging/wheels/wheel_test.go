package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// written returns the folder of wheels made of placeholder programs.
func written(t *testing.T) string {
	t.Helper()
	programs, out := t.TempDir(), t.TempDir()
	for _, p := range platforms {
		name := "polydag_" + p.os + "_" + p.arch
		if p.os == "windows" {
			name += ".exe"
		}
		must.Succeed(t, os.WriteFile(filepath.Join(programs, name), []byte("program for "+p.os+"/"+p.arch), 0o755))
	}
	must.Succeed(t, run("../../python", out, programs, "", ""))
	return out
}

// contents returns the entries of a wheel by their names, and which of them may be executed.
func contents(t *testing.T, path string) (map[string]string, []string) {
	t.Helper()
	z := must.Get(zip.OpenReader(path))
	defer z.Close()
	texts, programs := map[string]string{}, []string{}
	for _, f := range z.File {
		r, err := f.Open()
		must.Succeed(t, err)
		text := must.Get(io.ReadAll(r))
		r.Close()
		texts[f.Name] = string(text)
		if f.Mode()&0o111 != 0 {
			programs = append(programs, f.Name)
		}
		if !f.Modified.Equal(epoch) {
			t.Errorf("%s: %s has the time %v", path, f.Name, f.Modified)
		}
	}
	return texts, programs
}

// TestOneWheelAPlatform checks that there is a wheel for each platform, with its program, and one without a
// program.
func TestOneWheelAPlatform(t *testing.T) {
	wheels, err := filepath.Glob(filepath.Join(written(t), "*.whl"))
	if err != nil || len(wheels) != 1+len(platforms) {
		t.Fatalf("wrote %v, %v", wheels, err)
	}
	for _, path := range wheels {
		texts, programs := contents(t, path)
		want := []string{}
		for _, p := range platforms {
			if strings.Contains(path, p.tag) {
				name := "polydag/_bin/polydag"
				if p.os == "windows" {
					name += ".exe"
				}
				if want = append(want, name); texts[name] != "program for "+p.os+"/"+p.arch {
					t.Errorf("%s has %q", path, texts[name])
				}
			}
		}
		if !slices.Equal(programs, want) {
			t.Errorf("%s has the programs %v, want %v", path, programs, want)
		}
		if _, typed := texts["polydag/py.typed"]; !typed || !strings.Contains(texts["polydag/__init__.py"], "__version__") || !strings.Contains(texts["polydag/_commands.pyi"], "bootstrap:") {
			t.Errorf("%s lacks the package", path)
		}
	}
}

// TestRecordAndMetadata checks that every entry is in RECORD with its hash and size, and the metadata are those
// of pyproject.toml.
func TestRecordAndMetadata(t *testing.T) {
	p, err := readProject("../../python")
	must.Succeed(t, err)
	dir := t.TempDir()
	must.Succeed(t, p.write(dir, "any", nil))
	texts, _ := contents(t, filepath.Join(dir, p.name+"-"+p.version+"-py3-none-any.whl"))
	info := p.name + "-" + p.version + ".dist-info/"
	rows, err := csv.NewReader(strings.NewReader(texts[info+"RECORD"])).ReadAll()
	if err != nil || len(rows) != len(texts) {
		t.Fatalf("%d rows for %d entries, %v", len(rows), len(texts), err)
	}
	for _, row := range rows {
		text, ok := texts[row[0]]
		sum := sha256.Sum256([]byte(text))
		if hash := "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]); !ok || row[0] != info+"RECORD" && row[1] != hash {
			t.Errorf("RECORD has %v, want %s", row, hash)
		}
	}
	for _, line := range []string{"Name: polydag", "Requires-Python: >=3.9", "Requires-Dist: numpy>=1.20", "Requires-Dist: pandas; extra == \"all\""} {
		if !strings.Contains(texts[info+"METADATA"], "\n"+line+"\n") {
			t.Errorf("METADATA lacks %s:\n%s", line, texts[info+"METADATA"])
		}
	}
	if want := "[console_scripts]\npolydag = polydag._binary:main\n"; texts[info+"entry_points.txt"] != want {
		t.Errorf("entry points %q", texts[info+"entry_points.txt"])
	}
}

// TestSameBytes checks that wheels are reproducible.
func TestSameBytes(t *testing.T) {
	first, second := written(t), written(t)
	files := must.Get(os.ReadDir(first))
	for _, f := range files {
		a, err := os.ReadFile(filepath.Join(first, f.Name()))
		must.Succeed(t, err)
		b, err := os.ReadFile(filepath.Join(second, f.Name()))
		if err != nil || string(a) != string(b) {
			t.Errorf("%s differs, %v", f.Name(), err)
		}
	}
}

// TestNoPackage checks that a folder without a package is refused.
func TestNoPackage(t *testing.T) {
	if err := run(t.TempDir(), t.TempDir(), "", "", "pure"); err == nil {
		t.Error("no fault")
	}
}

// TestVersionOfARelease checks that the version of a release is written as Python has it, in the name, the
// metadata and the package.
func TestVersionOfARelease(t *testing.T) {
	for given, want := range map[string]string{"0.1.0": "0.1.0", "1.2.3-dev": "1.2.3.dev0", "1.2.3-rc.2": "1.2.3rc2", "1.2.3-beta": "1.2.3b0"} {
		out := t.TempDir()
		must.Succeed(t, run("../../python", out, "", given, "pure"))
		texts, _ := contents(t, filepath.Join(out, "polydag-"+want+"-py3-none-any.whl"))
		if !strings.Contains(texts["polydag/__init__.py"], "\n__version__ = \""+want+"\"\n") || !strings.Contains(texts["polydag-"+want+".dist-info/METADATA"], "\nVersion: "+want+"\n") {
			t.Errorf("%s: the wheel has another version", given)
		}
	}
	if err := run("../../python", t.TempDir(), "", "1.2.3-nightly", "pure"); err == nil {
		t.Error("a version that Python cannot write is no fault")
	}
}
