package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

const (
	maintainer  = "The polydag authors <polydag@users.noreply.github.com>"
	homepage    = "https://github.com/polydag/polydag"
	description = `learns which variables of a table drive which
polydag learns a directed acyclic graph from a table of observations, certifies
that it is one, and says how sure each edge is. It reads CSV, Parquet, Arrow,
Excel and NPY, and shows results as pages that need no network.`
)

// packages writes the program and its documents as a package for Debian and as an rpm.
func (r *release) packages(program string, p platform, docs documents) error {
	for _, format := range []string{"deb", "rpm"} {
		if err := r.pack(format, program, p, docs); err != nil {
			return fmt.Errorf("%s for %s: %w", format, p, err)
		}
	}
	return nil
}

func (r *release) pack(format, program string, p platform, docs documents) error {
	contents, err := r.contents(format, program, docs)
	if err != nil {
		return err
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "polydag", Arch: p.arch, Platform: "linux", Version: r.version, Section: "science", Priority: "optional", Maintainer: maintainer,
		Description: description, Vendor: "polydag", Homepage: homepage, License: "Apache-2.0", MTime: r.time,
		Overridables: nfpm.Overridables{Contents: contents, RPM: nfpm.RPM{BuildHost: "localhost", Summary: strings.Split(description, "\n")[0]}},
	})
	if format == "deb" {
		info.License = "" // Debian has it in the file copyright
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(r.out, packager.ConventionalFileName(info)))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := packager.Package(info, file); err != nil {
		return err
	}
	return file.Close()
}

// contents says where each file is installed. The library reads files, so that documents are written down first.
func (r *release) contents(format, program string, docs documents) (files.Contents, error) {
	dir := filepath.Join(r.out, "work", format)
	var list files.Contents
	add := func(to string, body []byte, mode os.FileMode) error {
		from := filepath.Join(dir, filepath.FromSlash(to))
		if err := os.MkdirAll(filepath.Dir(from), 0o755); err != nil {
			return err
		}
		list = append(list, &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.time}})
		return os.WriteFile(from, body, 0o644)
	}
	body, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	placed := map[string][]byte{
		"/usr/share/bash-completion/completions/polydag":     docs["completions/polydag.bash"],
		"/usr/share/fish/vendor_completions.d/polydag.fish":  docs["completions/polydag.fish"],
		"/usr/share/zsh/vendor-completions/_polydag":         docs["completions/_polydag"],
		"/usr/share/doc/polydag/NOTICE":                      docs["NOTICE"],
		"/usr/share/doc/polydag/THIRD-PARTY-LICENSES.txt.gz": docs["THIRD-PARTY-LICENSES.txt"],
		"/usr/share/doc/polydag/CHANGELOG.md.gz":             docs["CHANGELOG.md"],
	}
	if format == "deb" {
		placed["/usr/share/doc/polydag/copyright"] = []byte(r.copyright())
		placed["/usr/share/doc/polydag/changelog.gz"] = []byte(r.changelog())
		placed["/usr/share/lintian/overrides/polydag"] = []byte("# one static program without libraries of the system is what this package is\npolydag: statically-linked-binary [usr/bin/polydag]\n")
	} else {
		placed["/usr/share/licenses/polydag/LICENSE"] = docs["LICENSE"]
		placed["/usr/share/zsh/site-functions/_polydag"] = docs["completions/_polydag"]
		delete(placed, "/usr/share/zsh/vendor-completions/_polydag")
		for _, folder := range []string{"/usr/share/doc/polydag", "/usr/share/licenses/polydag"} { // rpm removes those that a package names
			list = append(list, &files.Content{Destination: folder, Type: files.TypeDir, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: 0o755, MTime: r.time}})
		}
	}
	for name, text := range docs {
		if strings.HasPrefix(name, "man/") {
			placed["/usr/share/"+name+".gz"] = text
		}
	}
	if err := add("/usr/bin/polydag", body, 0o755); err != nil {
		return nil, err
	}
	for to, text := range placed {
		if strings.HasSuffix(to, ".gz") {
			if text, err = zipped(text); err != nil {
				return nil, err
			}
		}
		if err := add(to, text, 0o644); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b *files.Content) int { return strings.Compare(a.Destination, b.Destination) })
	return list, nil
}

// copyright is in the form of Debian's.
func (r *release) copyright() string {
	return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: polydag
Source: ` + homepage + `
Comment: The program contains works of others. Their licences are, whole, in
 THIRD-PARTY-LICENSES.txt.gz beside this file, and "polydag licenses" lists them.

Files: *
Copyright: ` + strconv.Itoa(r.time.Year()) + ` the polydag authors
License: Apache-2.0

License: Apache-2.0
 On Debian systems the full text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
`
}

// changelog is the entry of this version, as Debian writes them.
func (r *release) changelog() string {
	return fmt.Sprintf("polydag (%s) unstable; urgency=medium\n\n  * CHANGELOG.md.gz says what changed.\n\n -- %s  %s\n",
		strings.Replace(r.version, "-", "~", 1), maintainer, r.time.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
}
