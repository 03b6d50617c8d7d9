package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// project has the content of pyproject.toml and the sources of the package.
type project struct {
	name, version string
	files         []entry // files of the package
	settings      string  // the text of pyproject.toml
	readme        []byte
	legal         []entry // licence and notice, without a folder
}

func readProject(dir string) (*project, error) {
	settings, err := os.ReadFile(filepath.Join(dir, "pyproject.toml"))
	if err != nil {
		return nil, err
	}
	p := &project{settings: string(settings)}
	p.name = p.text("name")
	sources, err := filepath.Glob(filepath.Join(dir, p.name, "*.py*"))
	if err != nil {
		return nil, err
	}
	for _, path := range append(sources, filepath.Join(dir, p.name, "py.typed")) {
		if ext := filepath.Ext(path); ext != ".py" && ext != ".pyi" && ext != ".typed" {
			continue // such as .pyc
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, entry{name: p.name + "/" + filepath.Base(path), text: text})
		if m := versionLine.FindSubmatch(text); m != nil && filepath.Base(path) == "__init__.py" {
			p.version = string(m[1])
		}
	}
	for _, name := range []string{"LICENSE", "NOTICE"} {
		text, err := os.ReadFile(filepath.Join(dir, "..", name))
		if err != nil {
			return nil, err
		}
		p.legal = append(p.legal, entry{name: name, text: text})
	}
	if p.readme, err = os.ReadFile(filepath.Join(dir, "README.md")); err != nil {
		return nil, err
	}
	if p.name == "" || p.version == "" || p.text("requires-python") == "" {
		return nil, fmt.Errorf("%s: a name, a version in __init__.py and requires-python are needed", dir)
	}
	return p, nil
}

var (
	versionLine = regexp.MustCompile(`(?m)^__version__ = "([^"]+)"$`)
	semantic    = regexp.MustCompile(`^(\d+\.\d+\.\d+)(?:-(dev|alpha|beta|rc)(?:\.(\d+))?)?$`)
)

// release sets the version of the wheels, given as in the other files of a release, also in the source of the package. Python writes
// 0.1.0-rc.1 as 0.1.0rc1 and 0.1.0-dev as 0.1.0.dev0. Reference: PEP 440.
func (p *project) release(version string) error {
	m := semantic.FindStringSubmatch(version)
	if m == nil {
		return fmt.Errorf("-version %q has no form that Python knows; give one such as 0.1.0, 0.1.0-rc.1 or 0.1.0-dev", version)
	}
	p.version = m[1]
	if m[2] != "" {
		p.version += map[string]string{"dev": ".dev", "alpha": "a", "beta": "b", "rc": "rc"}[m[2]] + cmp.Or(m[3], "0")
	}
	for i := range p.files {
		if p.files[i].name == p.name+"/__init__.py" {
			p.files[i].text = versionLine.ReplaceAll(p.files[i].text, []byte(`__version__ = "`+p.version+`"`))
		}
	}
	return nil
}

// text returns the value of a line such as name = "polydag" of pyproject.toml, or nothing.
func (p *project) text(key string) string {
	if m := p.value(key, `"([^"]*)"`); m != nil {
		return m[1]
	}
	return ""
}

// list returns the values of a line such as dependencies = ["numpy"].
func (p *project) list(key string) (all []string) {
	if m := p.value(key, `\[([^\]]*)\]`); m != nil {
		for _, one := range regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(m[1], -1) {
			all = append(all, one[1])
		}
	}
	return all
}

func (p *project) value(key, form string) []string {
	return regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(key) + ` = ` + form + `$`).FindStringSubmatch(p.settings)
}

// about returns the metadata files of the wheel: METADATA (core metadata 2.1), the commands, and the licence.
func (p *project) about(info string) []entry {
	var b strings.Builder
	fmt.Fprintf(&b, "Metadata-Version: 2.1\nName: %s\nVersion: %s\nSummary: %s\nLicense: Apache-2.0\nRequires-Python: %s\n", p.name, p.version, p.text("description"), p.text("requires-python"))
	for _, need := range p.list("dependencies") {
		fmt.Fprintf(&b, "Requires-Dist: %s\n", need)
	}
	b.WriteString("Provides-Extra: all\n")
	for _, need := range p.list("all") {
		fmt.Fprintf(&b, "Requires-Dist: %s; extra == \"all\"\n", need)
	}
	fmt.Fprintf(&b, "Description-Content-Type: text/markdown\n\n%s", p.readme)
	entries := []entry{
		{name: info + "METADATA", text: []byte(b.String())},
		{name: info + "entry_points.txt", text: []byte("[console_scripts]\npolydag = " + p.text("polydag") + "\n")},
	}
	for _, e := range p.legal {
		entries = append(entries, entry{name: info + e.name, text: e.text})
	}
	return entries
}
