package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/polydag/polydag/internal/licenses"
)

// documents are the files that travel with the program, by their names in an archive.
type documents map[string][]byte

// documents are made by the program itself, as built for this machine, and from the sources.
func (r *release) documents(work, program string) (documents, error) {
	d := documents{}
	for _, name := range []string{"LICENSE", "NOTICE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		d[name] = text
	}
	var err error
	if d["THIRD-PARTY-LICENSES.txt"], err = thirdParty(); err != nil {
		return nil, err
	}
	for shell, name := range map[string]string{"bash": "polydag.bash", "zsh": "_polydag", "fish": "polydag.fish", "powershell": "polydag.ps1"} {
		if d["completions/"+name], err = exec.Command(program, "completion", shell).Output(); err != nil {
			return nil, fmt.Errorf("polydag completion %s: %w", shell, err)
		}
	}
	man := filepath.Join(work, "man")
	if out, err := exec.Command(program, "man", "--dir", man).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("polydag man: %w: %s", err, out)
	}
	pages, err := filepath.Glob(filepath.Join(man, "*.1"))
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		if d["man/man1/"+filepath.Base(page)], err = os.ReadFile(page); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// thirdParty are the licences of what others made and the program contains, whole.
func thirdParty() ([]byte, error) {
	works, err := licenses.All()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, w := range works {
		for _, t := range w.Texts {
			fmt.Fprintf(&b, "==== %s, %s ====\n\n%s\n\n", strings.TrimSpace(w.Name+" "+w.Version), t.File, strings.TrimSpace(t.Text))
		}
	}
	return b.Bytes(), nil
}

// zipped compresses without a name and a time, so that the same bytes come out every day.
func zipped(text []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
