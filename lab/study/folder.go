package study

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/images/provider"
	"github.com/polydag/polydag/internal/demo"
	"github.com/polydag/polydag/matrix"
)

// files are the names of the published data sets, each also with .gz, in the data folder and in common
// subfolders.
var files = map[string]struct{ names, folders []string }{
	"celeba":    {[]string{"list_attr_celeba.txt"}, []string{"", "celeba", "Anno", "celeba/Anno"}},
	"celeba-hq": {[]string{"CelebAMask-HQ-attribute-anno.txt"}, []string{"", "celeba_hq", "celeba-hq", "CelebAMask-HQ"}},
	"ffhq":      {[]string{"ffhq_features.csv"}, []string{"", "ffhq", "attributes"}},
	"sachs":     {[]string{"sachs_observational.csv", "sachs.csv", "1. cd3cd28.csv"}, []string{"", "sachs"}},
}

// downloads say where a CSV file of the paper's study is from.
var downloads = map[string]string{
	"sachs/sachs_interventional_discrete.txt": ", plain or .gz, from https://www.bnlearn.com/book-crc/code/sachs.interventional.txt.gz; " +
		"SHA-256 of the plain file with tabs 2823492b28b53599f4a6ef55f6f41336e3891994e6b3a2e3229af5479217f91f",
}

// need returns the file that a given data set needs in the data folder, for the report.
func need(p Point) string {
	if p.Dataset == "csv" {
		return p.File + downloads[p.File]
	}
	if f, ok := files[p.Dataset]; ok {
		text := f.names[0] + ", plain or .gz"
		if s, ok := provider.Lookup(p.Dataset); ok {
			text += ", from " + s.Page
			if s.Sum != "" {
				text += "; SHA-256 of the plain file " + s.Sum
			}
		}
		return text
	}
	return p.Dataset
}

// Folder returns a Loader of the published data sets of package provider and of CSV files (dataset: csv) in a
// folder, and of the embedded table (dataset: demo). Tables are cached. An empty dir means no files.
func Folder(dir string) Loader {
	var mu sync.Mutex
	type entry struct {
		once  sync.Once
		table *dataset.NamedRows
		notes []string
		err   error
	}
	cache := map[string]*entry{}
	return func(ctx context.Context, name, file string, columns []string) (*dataset.NamedRows, []string, error) {
		mu.Lock()
		key := strings.Join(append([]string{name, file}, columns...), "\x00")
		e := cache[key]
		if e == nil {
			e = &entry{}
			cache[key] = e
		}
		mu.Unlock()
		e.once.Do(func() { e.table, e.notes, e.err = load(ctx, dir, name, file, columns) })
		return e.table, e.notes, e.err
	}
}

func load(ctx context.Context, dir, name, file string, columns []string) (*dataset.NamedRows, []string, error) {
	switch name {
	case "demo":
		return readCSV(ctx, bytes.NewReader(demo.Data), "the embedded table", columns)
	case "csv":
		f, path, err := find(dir, []string{file}, []string{""})
		if err != nil {
			return nil, nil, needed(err, Point{Dataset: name, File: file})
		}
		defer f.Close()
		var r io.Reader = f
		if strings.HasSuffix(path, ".gz") {
			if r, err = gzip.NewReader(f); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		return readCSV(ctx, r, strings.TrimSuffix(path, ".gz"), columns)
	}
	src, ok := provider.Lookup(name)
	at, known := files[name]
	if !ok || !known {
		return nil, nil, fmt.Errorf("no dataset %q; there are celeba, celeba-hq, ffhq, sachs, demo, and csv with a file", name)
	}
	f, path, err := find(dir, at.names, at.folders)
	if err != nil {
		return nil, nil, needed(err, Point{Dataset: name})
	}
	defer f.Close()
	opt := provider.DefaultSettings()
	opt.File = filepath.Base(path)
	if len(columns) > 0 {
		opt.Attributes = columns
	}
	return src.Read(f, opt)
}

// needed adds to an error about missing data where the file comes from.
func needed(err error, p Point) error {
	if !errors.Is(err, ErrNoData) {
		return err
	}
	return fmt.Errorf("%w; download %s", err, need(p))
}

// find opens the first existing file.
func find(dir string, names, folders []string) (*os.File, string, error) {
	if dir != "" {
		for _, sub := range folders {
			for _, name := range names {
				for _, ext := range []string{"", ".gz"} {
					path := filepath.Join(dir, sub, name+ext)
					f, err := os.Open(path)
					if err == nil {
						return f, path, nil
					}
					if !errors.Is(err, fs.ErrNotExist) {
						return nil, "", fmt.Errorf("cannot read the data: %w", err)
					}
				}
			}
		}
	}
	return nil, "", fmt.Errorf("%w: %s is not in the data folder; pass it with --data", ErrNoData, names[0])
}

func readCSV(ctx context.Context, r io.Reader, name string, columns []string) (*dataset.NamedRows, []string, error) {
	opt := csv.DefaultSettings()
	opt.File = filepath.Base(name)
	t, err := csv.ReadTable(ctx, r, opt)
	if err != nil || len(columns) == 0 {
		return t, nil, err
	}
	at := make([]int, len(columns))
	for k, c := range columns {
		if at[k] = slices.Index(t.Names, c); at[k] < 0 {
			return nil, nil, fmt.Errorf("%s: no column %q; the table has %q", opt.File, c, t.Names)
		}
	}
	x := matrix.New[float64](t.Rows.Rows, len(at))
	for i := range t.Rows.Rows {
		from, to := t.Rows.Row(i), x.Row(i)
		for k, j := range at {
			to[k] = from[j]
		}
	}
	return &dataset.NamedRows{Names: slices.Clone(columns), Rows: x}, nil, nil
}
