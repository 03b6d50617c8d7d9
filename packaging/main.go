// Command packaging makes what a release consists of, from the sources around it and without a network: binaries for each
// platform with checksums, licences and a list of what is inside, packages for Debian and for rpm, container images, wheels for Python, a
// formula for Homebrew. Run twice it makes the same bytes: times are those of the commit, or of SOURCE_DATE_EPOCH.
//
//	go run -C packaging . -output ../dist -version 0.1.0
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A release is what is made, and from what.
type release struct {
	version   string
	commit    string
	time      time.Time
	root, out string // folders of the sources and of what is made
	platforms []platform
}

// A platform is a system and a processor that the program is built for.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

// all are the platforms of a release.
var all = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

func main() {
	output := flag.String("output", "../dist", "folder to write to; what is in it is removed")
	version := flag.String("version", "", "version, such as 0.1.0")
	chosen := flag.String("platforms", "", "platforms to build for, with commas, such as linux/amd64 (default: all six)")
	flag.Parse()
	r, err := newRelease(*output, *version, *chosen)
	if err == nil {
		err = r.make()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func newRelease(output, version, chosen string) (*release, error) {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`).MatchString(version) {
		return nil, fmt.Errorf("-version %q: want one such as 0.1.0 or 0.1.0-rc.1", version)
	}
	r := &release{version: version, platforms: all}
	if chosen != "" {
		r.platforms = nil
		for word := range strings.SplitSeq(chosen, ",") {
			i := slices.IndexFunc(all, func(p platform) bool { return p.String() == word })
			if i < 0 {
				return nil, fmt.Errorf("-platforms: %q is none of %v", word, all)
			}
			r.platforms = append(r.platforms, all[i])
		}
	}
	var err error
	if r.root, err = filepath.Abs(".."); err != nil {
		return nil, err
	}
	if r.out, err = filepath.Abs(output); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(r.root, "cmd", "polydag")); err != nil {
		return nil, errors.New("run this in the folder packaging of the repository")
	}
	if r.commit, err = r.git("rev-parse", "HEAD"); err != nil {
		return nil, err
	}
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" {
		if seconds, err = r.git("log", "-1", "--format=%ct"); err != nil {
			return nil, err
		}
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	r.time = time.Unix(n, 0).UTC()
	return r, nil
}

func (r *release) git(args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", r.root}, args...)...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// make makes everything, in a folder that is begun anew.
func (r *release) make() error {
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	work := filepath.Join(r.out, "work")
	defer os.RemoveAll(work)
	host := platform{runtime.GOOS, runtime.GOARCH}
	here, err := r.compile(work, host, false)
	if err != nil {
		return err
	}
	docs, err := r.documents(work, here)
	if err != nil {
		return err
	}
	var archives []archive
	programs := map[platform]string{host: here}
	hubs := map[platform]string{}
	for _, p := range r.platforms {
		if programs[p] == "" {
			if programs[p], err = r.compile(work, p, false); err != nil {
				return err
			}
		}
		if err := r.bill(programs[p], "polydag", p); err != nil {
			return err
		}
		a, err := r.archive(programs[p], "polydag", p, docs)
		if err != nil {
			return err
		}
		archives = append(archives, a)
		if p.os != "linux" {
			continue
		}
		if hubs[p], err = r.compile(work, p, true); err != nil {
			return err
		}
		if err := r.bill(hubs[p], "polydag-hub", p); err != nil {
			return err
		}
		if _, err := r.archive(hubs[p], "polydag-hub", p, docs); err != nil {
			return err
		}
		if err := r.packages(programs[p], p, docs); err != nil {
			return err
		}
	}
	if len(hubs) > 0 {
		if err := errors.Join(r.image("polydag", programs, docs), r.image("polydag-hub", hubs, docs)); err != nil {
			return err
		}
	}
	if err := errors.Join(r.formula(archives), r.wheels(work, programs)); err != nil {
		return err
	}
	os.RemoveAll(work)
	return r.sums()
}
