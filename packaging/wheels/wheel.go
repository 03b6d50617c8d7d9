package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/polydag/polydag/internal/atomicfile"
)

type entry struct {
	name    string
	text    []byte
	program bool // it may be executed
}

// epoch is the time of every entry: the first that a ZIP archive can hold.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// write writes the wheel of one platform tag, with more entries than the package has itself. Reference: PEP 427.
func (p *project) write(dir, tag string, more []entry) error {
	info := fmt.Sprintf("%s-%s.dist-info/", p.name, p.version)
	entries := append(slices.Clone(p.files), more...)
	entries = append(entries, p.about(info)...)
	entries = append(entries, entry{name: info + "WHEEL", text: wheelFile(tag)})
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	entries = append(entries, entry{name: info + "RECORD", text: record(entries, info+"RECORD")})

	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, e := range entries {
		mode := fs.FileMode(0o644)
		if e.program {
			mode = 0o755
		}
		head := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: epoch}
		head.SetMode(mode)
		w, err := z.CreateHeader(head)
		if err != nil {
			return err
		}
		if _, err := w.Write(e.text); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	path := filepath.Join(dir, fmt.Sprintf("%s-%s-py3-none-%s.whl", p.name, p.version, tag))
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := out.WriteTo(w)
		return err
	})
}

// wheelFile returns the WHEEL file with its tags, one line per platform.
func wheelFile(tag string) []byte {
	pure := tag == "any"
	text := fmt.Sprintf("Wheel-Version: 1.0\nGenerator: polydag wheels\nRoot-Is-Purelib: %t\n", pure)
	for one := range strings.SplitSeq(tag, ".") {
		text += "Tag: py3-none-" + one + "\n"
	}
	return []byte(text)
}

// record lists the entries with their hashes and sizes, and itself without.
func record(entries []entry, own string) []byte {
	var b bytes.Buffer
	for _, e := range entries {
		sum := sha256.Sum256(e.text)
		fmt.Fprintf(&b, "%s,sha256=%s,%d\n", e.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(e.text))
	}
	fmt.Fprintf(&b, "%s,,\n", own)
	return b.Bytes()
}
