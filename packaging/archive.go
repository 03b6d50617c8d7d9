package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// An archive is the program for a platform with its documents.
type archive struct {
	platform
	file, sum string
}

// A member is a file of an archive.
type member struct {
	name string
	mode int64
	body []byte
}

// archive writes one: .zip for Windows, .tar.gz elsewhere.
func (r *release) archive(program, name string, p platform, docs documents) (archive, error) {
	body, err := os.ReadFile(program)
	if err != nil {
		return archive{}, err
	}
	stem := fmt.Sprintf("%s_%s_%s_%s", name, r.version, p.os, p.arch)
	list := []member{{path.Join(stem, filepath.Base(program)), 0o755, body}}
	for _, doc := range slices.Sorted(maps.Keys(docs)) {
		list = append(list, member{path.Join(stem, doc), 0o644, docs[doc]})
	}
	a := archive{platform: p, file: stem + ".tar.gz"}
	write := r.tarred
	if p.os == "windows" {
		a.file, write = stem+".zip", r.zip
	}
	text, err := write(list)
	if err != nil {
		return archive{}, fmt.Errorf("%s: %w", a.file, err)
	}
	a.sum = fmt.Sprintf("%x", sha256.Sum256(text))
	return a, os.WriteFile(filepath.Join(r.out, a.file), text, 0o644)
}

// tarred is a compressed tar whose files are nobody's.
func (r *release) tarred(list []member) ([]byte, error) {
	text, err := r.tar(list)
	if err != nil {
		return nil, err
	}
	return zipped(text)
}

// tar writes members; a name that ends in / is a folder.
func (r *release) tar(list []member) ([]byte, error) {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	for _, m := range list {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: m.name, Mode: m.mode, Size: int64(len(m.body)), ModTime: r.time, Format: tar.FormatPAX}
		if strings.HasSuffix(m.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(m.body); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (r *release) zip(list []member) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, m := range list {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate, Modified: r.time}
		h.SetMode(os.FileMode(m.mode))
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(m.body); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// sums writes SHA256SUMS, which sha256sum -c reads, over everything else.
func (r *release) sums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(text), e.Name())
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), b.Bytes(), 0o644)
}
