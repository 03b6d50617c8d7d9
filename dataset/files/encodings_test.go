package files_test

import (
	"bytes"
	"context"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
)

// TestEncodings checks that files of one table in many encodings have its values. parquet-go, arrow-go and npyio wrote the files: Parquet
// with plain, dictionary and delta encodings in both versions of pages, Arrow with and without dictionaries.
func TestEncodings(t *testing.T) {
	const folder = "testdata/encodings"
	names, rows := exported(t, filepath.Join(folder, "want.csv"))
	paths, err := filepath.Glob(filepath.Join(folder, "*"))
	must.Succeed(t, err)
	if len(paths) < 16 {
		t.Fatalf("%d files, want at least 16", len(paths))
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			for threads := 1; threads <= 2; threads++ {
				settings := files.DefaultSettings()
				settings.Threads = threads
				in, err := files.Open(path, nil, settings)
				must.Succeed(t, err)
				defer in.Close()
				src, err := in.Source(context.Background())
				must.Succeed(t, err)
				got, err := drain(t, src)
				must.Succeed(t, err)
				must.Succeed(t, src.Close())
				if strings.Join(got.names, " ") != strings.Join(names, " ") || got.rows != len(rows) {
					t.Fatalf("%d rows of %q, want %d of %q", got.rows, got.names, len(rows), names)
				}
				for i, row := range rows {
					for j, cell := range row {
						x, word, want := got.values[i*len(names)+j], got.texts[[2]int{i, j}], math.NaN()
						isText := strings.HasPrefix(names[j], "d_") || strings.HasPrefix(names[j], "f_")
						switch {
						case cell == "" || strings.HasSuffix(path, ".npz") && isText:
							cell = ""
						case names[j] == "c_bool":
							want = map[string]float64{"true": 1, "false": 0}[cell]
							if word == cell { // formats of text
								x, word = want, ""
							}
							cell = ""
						case !isText:
							want, err = strconv.ParseFloat(cell, 64)
							must.Succeed(t, err)
							cell = ""
						}
						if word != cell || x != want && !(math.IsNaN(x) && math.IsNaN(want)) {
							t.Fatalf("%d threads, row %d, %s: %v %q, want %v %q", threads, i+1, names[j], x, word, want, cell)
						}
					}
				}
			}
		})
	}
}

// TestDamagedFiles checks that files with changed bytes and files that end early give an error or a table, and that a Parquet or Arrow file
// without its second half gives an error.
func TestDamagedFiles(t *testing.T) {
	paths, err := filepath.Glob("testdata/encodings/*")
	must.Succeed(t, err)
	rng, folder := rand.New(rand.NewPCG(1, 81)), t.TempDir()
	read := func(name string, data []byte) (err error) {
		defer func() {
			if v := recover(); v != nil {
				t.Errorf("%s: %v", name, v)
			}
		}()
		settings := files.DefaultSettings()
		settings.MaxMemory = 16 << 20
		path := filepath.Join(folder, name)
		must.Succeed(t, os.WriteFile(path, data, 0o600))
		in, err := files.Open(path, nil, settings)
		if err != nil {
			return err
		}
		defer in.Close()
		src, err := in.Source(context.Background())
		if err != nil {
			return err
		}
		defer src.Close()
		var b dataset.Batch
		for err == nil {
			err = src.Next(context.Background(), &b)
		}
		if err == io.EOF {
			return nil
		}
		return err
	}
	for _, path := range paths {
		name := filepath.Base(path)
		whole, err := os.ReadFile(path)
		must.Succeed(t, err)
		if err := read(name, whole); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for k := range 60 {
			data := bytes.Clone(whole)
			at := rng.IntN(len(data))
			switch k % 3 {
			case 0: // headers of many formats are at an end
				at = min(rng.IntN(600), len(data)-1)
			case 1:
				at = max(0, len(data)-1-rng.IntN(600))
			}
			data[at] = []byte{0, 1, 0x7f, 0x80, 0xff, data[at] ^ 1, data[at] + 1}[rng.IntN(7)]
			_ = read(name, data)
		}
		for k := range 20 {
			if err := read(name, whole[:len(whole)*k/20]); err == nil && k <= 10 && strings.HasPrefix(filepath.Ext(name), ".arrow") || err == nil && strings.HasSuffix(name, ".parquet") {
				t.Errorf("%s: no error for %d of 20 parts", name, k)
			}
		}
	}
}
