// Command wheels writes the wheels of the Python package: one for each platform, which carries the program, and a pure one, which
// finds it on the PATH. The same sources and toolchain give the same bytes: entries are sorted, times fixed, nothing depends on the
// machine.
//
//	go run -C packaging ./wheels
//	go run -C packaging ./wheels -only pure,linux/amd64
//	go run -C packaging ./wheels -only here
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// A platform is what a wheel is for. The tags are those of PEP 425 and PEP 600; the program is static, so that the oldest Linux will do,
// with any C library. Go 1.26 needs macOS 12.
type platform struct{ os, arch, tag string }

var platforms = []platform{
	{"linux", "amd64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"},
	{"linux", "arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"},
	{"darwin", "amd64", "macosx_12_0_x86_64"},
	{"darwin", "arm64", "macosx_12_0_arm64"},
	{"windows", "amd64", "win_amd64"},
	{"windows", "arm64", "win_arm64"},
}

func main() {
	source := flag.String("source", "../python", "folder of the Python package")
	out := flag.String("out", "../dist/wheels", "folder to write to")
	binaries := flag.String("binaries", "", "folder of programs named polydag_OS_ARCH, with .exe for Windows; those that are not there are built")
	version := flag.String("version", "", "version of the wheels, such as 0.1.0 or 0.1.0-rc.1 (default: that of the package's sources)")
	only := flag.String("only", "", "wheels to write, such as pure,linux/amd64; here for the one of this machine (default all)")
	flag.Parse()
	if err := run(*source, *out, *binaries, *version, *only); err != nil {
		fmt.Fprintln(os.Stderr, "wheels:", err)
		os.Exit(1)
	}
}

func run(source, out, binaries, version, only string) error {
	p, err := readProject(source)
	if err != nil {
		return err
	}
	if version != "" {
		if err := p.release(version); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	chosen := map[string]bool{}
	for word := range strings.SplitSeq(only, ",") {
		if word == "here" {
			word = runtime.GOOS + "/" + runtime.GOARCH
		}
		chosen[word] = true
	}
	wanted := func(name string) bool { return only == "" || chosen[name] }
	if wanted("pure") {
		if err := p.write(out, "any", nil); err != nil {
			return err
		}
	}
	for _, to := range platforms {
		if !wanted(to.os + "/" + to.arch) {
			continue
		}
		name, text, err := program(to, source, binaries)
		if err != nil {
			return fmt.Errorf("the program for %s/%s: %w", to.os, to.arch, err)
		}
		if err := p.write(out, to.tag, []entry{{name: "polydag/_bin/" + name, text: text, program: true}}); err != nil {
			return err
		}
	}
	return nil
}

// program returns the program for a platform and its name there: an existing build, or a new one, stripped.
func program(to platform, source, binaries string) (name string, text []byte, err error) {
	name = "polydag"
	if to.os == "windows" {
		name += ".exe"
	}
	if binaries != "" {
		built := filepath.Join(binaries, "polydag_"+to.os+"_"+to.arch+strings.TrimPrefix(name, "polydag"))
		if text, err := os.ReadFile(built); !os.IsNotExist(err) {
			return name, text, err
		}
	}
	dir, err := os.MkdirTemp("", "wheels-*")
	if err != nil {
		return name, nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, name)
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./cmd/polydag")
	build.Dir = filepath.Dir(filepath.Clean(source)) // the repository
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+to.os, "GOARCH="+to.arch)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return name, nil, err
	}
	text, err = os.ReadFile(path)
	return name, text, err
}
