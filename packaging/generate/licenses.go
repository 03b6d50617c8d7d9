//go:build ignore

// Generate collects the licences of everything inside polydag and polydag-hub into licenses.json.gz. They come from the
// module cache for Go modules, from the page for its packages, from the module of Graphviz, and from the module
// of the fonts. Texts that a source lacks are in the folder texts.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"html"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

type work struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Texts   []text `json:"texts"`
}

type text struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// platforms are those that the command is built for: each links other modules.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// isLicense matches the files that a licence requires to be passed on.
var isLicense = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents|unlicense|third.?party)([-._].*)?$`)

func main() {
	works := modules()
	works = append(works, golang())
	works = append(works, graphviz()...)
	works = append(works, fonts())
	works = append(works, work{Name: "scikit-learn", Version: "1.2", Texts: []text{read("texts/scikit-learn.txt", "COPYING")}}) // internal/demo/diabetes.csv
	slices.SortFunc(works, func(a, b work) int { return strings.Compare(a.Name, b.Name) })
	for _, w := range works {
		if len(w.Texts) == 0 {
			log.Fatalf("%s %s has no licence", w.Name, w.Version)
		}
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	check(err)
	check(json.NewEncoder(z).Encode(works))
	check(z.Close())
	check(os.WriteFile("licenses.json.gz", b.Bytes(), 0o644))
}

// modules returns the modules whose packages are linked on any platform. The texts are those at the root of the module and in
// the folders of the packages and above them.
func modules() []work {
	type found struct {
		version, dir string
		folders      map[string]bool
	}
	all := map[string]*found{}
	for _, platform := range platforms {
		system, arch, _ := strings.Cut(platform, "/")
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}|{{.Version}}|{{.Dir}}{{end}}{{end}}|{{.Dir}}", "../../cmd/polydag", "../../cluster/polydag-hub")
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		check(err)
		for line := range strings.Lines(string(out)) {
			f := strings.Split(strings.TrimSpace(line), "|")
			if len(f) != 4 {
				continue // Go's own package, or ours
			}
			m := all[f[0]]
			if m == nil {
				m = &found{f[1], f[2], map[string]bool{".": true}}
				if st, err := os.Stat(filepath.Join(f[2], "licenses")); err == nil && st.IsDir() {
					m.folders["licenses"] = true // its file LICENSE points there
				}
				all[f[0]] = m
			}
			folder, err := filepath.Rel(f[2], f[3])
			check(err)
			for folder = filepath.ToSlash(folder); folder != "."; folder = path.Dir(folder) {
				m.folders[folder] = true
			}
		}
	}
	var works []work
	for name, m := range all {
		w := work{Name: name, Version: m.version}
		for folder := range m.folders {
			w.Texts = append(w.Texts, texts(m.dir, folder)...)
		}
		slices.SortFunc(w.Texts, func(a, b text) int { return strings.Compare(a.File, b.File) })
		works = append(works, w)
	}
	return works
}

// texts reads the licences in a folder of a module.
func texts(root, folder string) (out []text) {
	entries, err := os.ReadDir(filepath.Join(root, folder))
	check(err)
	for _, e := range entries {
		if e.Type().IsRegular() && (isLicense.MatchString(e.Name()) || folder == "licenses") && !strings.HasSuffix(e.Name(), ".go") {
			out = append(out, read(filepath.Join(root, folder, e.Name()), path.Join(folder, e.Name())))
		}
	}
	return out
}

func read(file, name string) text {
	b, err := os.ReadFile(file)
	check(err)
	return text{name, strings.ToValidUTF8(strings.ReplaceAll(string(b), "\r\n", "\n"), "\uFFFD")}
}

// golang is the language with its library and runtime. Its texts do not change with its releases, so that no version is written
// which would differ from machine to machine.
func golang() work {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	check(err)
	root := strings.TrimSpace(string(out))
	return work{Name: "Go", Texts: []text{read(filepath.Join(root, "LICENSE"), "LICENSE"), read(filepath.Join(root, "PATENTS"), "PATENTS")}}
}

// graphviz are the parts of graphviz.wasm: what compiled it, Graphviz itself, the parser of XML and the C library. Versions are
// those of its Dockerfile.
func graphviz() []work {
	binding := download("github.com/goccy/go-graphviz@v0.2.10")
	version, err := os.ReadFile(filepath.Join(binding, "graphviz.version"))
	check(err)
	eclipse := read(filepath.Join(download("github.com/google/licenseclassifier/v2@v2.0.0"), "assets", "License", "EPL-1.0", "license.txt"), "EPL-1.0")
	eclipse.Text = html.UnescapeString(eclipse.Text)
	source := text{"SOURCE", "The source of this version of Graphviz is at https://gitlab.com/graphviz/graphviz/-/tree/" + strings.TrimSpace(string(version)) + "\n"}
	return []work{
		{Name: "github.com/goccy/go-graphviz", Version: "v0.2.10", Texts: texts(binding, ".")},
		{Name: "Graphviz", Version: strings.TrimSpace(string(version)), Texts: []text{eclipse, source}},
		{Name: "Expat", Version: "2.6.3", Texts: []text{read("texts/expat.txt", "COPYING")}},
		{Name: "wasi-libc", Version: "wasi-sdk-24", Texts: []text{read("texts/wasi-libc.txt", "LICENSE"), read("texts/musl.txt", "libc-top-half/musl/COPYRIGHT")}},
	}
}

// fonts are those of package liberation, in the version that the fonts themselves name. The other text is that of the module they are
// taken from.
func fonts() work {
	return work{Name: "Liberation fonts", Version: "2.1.4", Texts: texts(download("codeberg.org/go-fonts/liberation@v0.5.0"), ".")}
}

// download returns the folder of a module that the command does not link.
func download(module string) string {
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	check(err)
	var m struct{ Dir string }
	check(json.Unmarshal(out, &m))
	return m.Dir
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
