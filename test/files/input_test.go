package files_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/polydag/polydag/dataset"
	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
)

// The first bytes say what a file is, whatever it is called.
func TestContentCountsMoreThanTheName(t *testing.T) {
	s := numbers(50, 3, 81)
	for name, data := range allFormats(t, s) {
		if strings.HasSuffix(name, ".tsv") {
			continue // the delimiter is found anyway
		}
		for _, wrong := range []string{"t.csv", "t.parquet", "t", "t.xlsx"} {
			if wrong == "t.parquet" && (name == "t.csv" || strings.HasPrefix(name, "t.csv.")) {
				continue // text says nothing: the extension decides
			}
			if got := readBytes(t, wrong, data, options()); got.rows != 50 {
				t.Errorf("%s called %s: %d rows", name, wrong, got.rows)
			}
		}
	}
	in := openBytes(t, "t.csv", gzipped(t, s.jsonLines(t, false)), options())
	if in.Format != JSONLines || in.Compression != "gz" {
		t.Errorf("%s in %s", in.Format, in.Compression)
	}
}

func TestFormatsThatAreNotRead(t *testing.T) {
	for name, c := range map[string]struct{ data, way string }{
		"ods":            {string(zipOf(t, 0, "mimetype", []byte("x"), "content.xml", []byte("x"))), "OpenDocument"},
		"zip":            {string(zipOf(t, 0, "table.csv", []byte("a,b\n1,2\n"))), "unzip it"},
		"empty zip":      {string(zipOf(t, 0)), "empty zip"},
		"xls":            {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....", "old Excel"},
		"pdf":            {"%PDF-1.7", "PDF"},
		"html":           {"\n<!DOCTYPE html><html>", "web page"},
		"xml":            {"<?xml version=\"1.0\"?>", "XML"},
		"RData":          {string(gzipped(t, []byte("RDX3\nX\n\x00\x00\x00\x03"))), "write.csv"},
		"RDS":            {string(gzipped(t, []byte("X\n\x00\x00\x00\x03"))), "readRDS"},
		"pickle":         {"\x80\x04\x95\x00\x00", "pickle"},
		"HDF5":           {"\x89HDF\r\n\x1a\n", "HDF5"},
		"SQLite":         {"SQLite format 3\x00\x10\x00", "run sqlite3 -header -csv FILE 'select * from TABLE' > table.csv"},
		"packed SQLite":  {string(gzipped(t, []byte("SQLite format 3\x00\x10\x00"))), "SQLite database"},
		"xz":             {"\xfd7zXZ\x00", "xz -d"},
		"feather 1":      {"FEA1\x00\x00", "Feather 2"},
		"encrypted":      {"PARE\x15\x00..", "encryption"},
		"packed parquet": {string(gzipped(t, numbers(5, 2, 1).parquet(t, nil))), "unpack it"},
	} {
		err := firstFault(t, save(t, "t.csv", []byte(c.data)), options())
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.way) || !strings.Contains(err.Error(), "t.csv") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Text with the extension of another format is an error that says how to read it.
func TestTextNamedAsAnotherFormat(t *testing.T) {
	for _, name := range []string{"t.parquet", "t.arrow", "t.npy", "t.npz"} {
		path := save(t, name, []byte("a,b\n1,2\n3,4\n"))
		err := firstFault(t, path, options())
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "the content is text and not "+name[2:]+"; read it with format=csv, or rename it to end in .csv") {
			t.Errorf("%s: %v", name, err)
		}
		opt := options()
		opt.Format = CSV
		if got := readPath(t, path, opt); got.rows != 2 {
			t.Errorf("%s as CSV: %d rows", name, got.rows)
		}
	}
}

// A mark of letters may also be the first name of a header.
func TestHeadersThatLookLikeMarks(t *testing.T) {
	for _, name := range []string{"PAR1", "PARENT", "ORCID", "FEA1", "ARROW1", "Obj", "BZh9", "PK", "CDF", "RDX2", "SQLite format 3", "MATLAB 5.0"} {
		got := readBytes(t, "t.csv", []byte(name+",b\n1,2\n3,4\n"), options())
		if got.rows != 2 || got.names[0] != name {
			t.Errorf("%q: %d rows of %q", name, got.rows, got.names)
		}
	}
}

func TestPathsThatCannotBeRead(t *testing.T) {
	if _, err := Open(t.TempDir(), nil, options()); err == nil || !strings.Contains(err.Error(), "no file is there") {
		t.Errorf("directory: %v", err)
	}
	if _, err := Open("nosuch.csv", nil, options()); !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), "nosuch.csv") != 1 {
		t.Errorf("missing: %v", err)
	}
	if _, err := Open("nosuch.npz?array=x", nil, options()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing with an array: %v", err)
	}
	path := save(t, "t.csv", []byte("a,b\n1,2\n"))
	opt := options()
	opt.Format, opt.Threads, opt.MaxColumns, opt.MaxMemory, opt.MaxSpool = "xls", 0, 0, 0, 0
	err := opt.Validate()
	for _, word := range []string{"Format", "Threads", "MaxColumns", "MaxMemory", "MaxSpool"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("no fault of %s in %v", word, err)
		}
	}
	if _, err := Open(path, nil, opt); err == nil {
		t.Error("faulty options are accepted")
	}
	if err := firstFault(t, save(t, "empty.csv", nil), options()); !errors.Is(err, dataset.ErrEmpty) {
		t.Errorf("empty: %v", err)
	}
}

func TestAddressInPlaceOfAFile(t *testing.T) {
	if _, err := Open("https://example.com/table.csv", nil, options()); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "download it first") {
		t.Error(err)
	}
}

func TestFileWithoutPermission(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("this user may read every file")
	}
	path := save(t, "t.csv", []byte("a,b\n1,2\n"))
	must.Succeed(t, os.Chmod(path, 0))
	if _, err := Open(path, nil, options()); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "check the path and its permissions") {
		t.Error(err)
	}
}

// bzip2 of "a,b\n1,2\n3,4\n", by the bzip2 program.
const bzipped = "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x03\x0c\x1f\x1b\x00\x00\x05\x59\x00\x00\x10\x00\x04\x3c\x00\x30\x00\x20\x00\x22\x1e\xa1\x88\x43\x02\x27\x34\xe3\x80\x1e\x2e\xe4\x8a\x70\xa1\x20\x06\x18\x3e\x36"

func TestBzip2(t *testing.T) {
	got := readBytes(t, "t.csv.bz2", []byte(bzipped), options())
	if got.rows != 2 || got.values[3] != 4 {
		t.Errorf("%v", got.values)
	}
}

func TestCompressedFilesCutShort(t *testing.T) {
	s := numbers(3000, 5, 82)
	for name, data := range map[string][]byte{"t.csv.gz": gzipped(t, s.csv(t, ",")), "t.csv.zst": zstandard(t, s.csv(t, ",")), "t.jsonl.gz": gzipped(t, s.jsonLines(t, false)), "t.npy.gz": gzipped(t, s.npy(t))} {
		for k := 1; k < 20; k++ {
			err := firstFault(t, save(t, name, data[:len(data)*k/20]), options())
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "ends early") || strings.Count(err.Error(), name) > 1 {
				t.Errorf("%s cut at %d/20: %v", name, k, err)
			}
		}
		bad := bytes.Clone(data)
		bad[len(bad)/2] ^= 0x55
		if err := firstFault(t, save(t, name, bad), options()); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s damaged: %v", name, err)
		}
	}
}

// A gigabyte of one line in a megabyte of gzip ends at the limit of a line, in bounded memory.
func TestGzipBomb(t *testing.T) {
	// gzip takes members one after another for one stream.
	zeros := gzipped(t, bytes.Repeat([]byte{'0'}, 16<<20))
	bomb := append(gzipped(t, []byte("a,b\n1,2\n")), bytes.Repeat(zeros, 64)...)
	opt := options()
	opt.CSV.MaxLine = 8 << 20
	var err error
	if used := tabletest.Allocated(func() { err = firstFault(t, save(t, "t.csv.gz", bomb), opt) }); used > 200<<20 {
		t.Errorf("%d bytes were allocated on the way", used)
	}
	if !errors.Is(err, dataset.ErrLineTooLong) {
		t.Errorf("%v", err)
	}
	bomb = append(gzipped(t, []byte("{\"a\":1}\n{\"a\":\"")), bytes.Repeat(zeros, 64)...)
	if err := firstFault(t, save(t, "t.jsonl.gz", bomb), opt); !errors.Is(err, dataset.ErrLineTooLong) {
		t.Errorf("JSON: %v", err)
	}
}

// A zstd frame that asks for a window of a gigabyte.
func TestZstdWindow(t *testing.T) {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithWindowSize(zstd.MaxWindowSize))
	must.Succeed(t, err)
	w.Write(bytes.Repeat([]byte("a,b\n1,2\n3,4\n"), 1<<17))
	must.Succeed(t, w.Close())
	if err := firstFault(t, save(t, "t.csv.zst", b.Bytes()), options()); !errors.Is(err, ErrLimit) {
		t.Errorf("%v", err)
	}
}

// Where the temporary file cannot be written a stream still passes once, and says so when it is asked for again.
func TestStreamThatCannotBeKept(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nosuch"))
	s := numbers(60_000, 3, 83) // more than is kept in memory
	in, err := Open("-", bytes.NewReader(s.csv(t, ",")), options())
	if err == nil {
		defer in.Close()
		src, err2 := in.Source(context.Background())
		must.Succeed(t, err2)
		var got *content
		if got, err = drain(t, src); err == nil {
			same(t, got, s.want(false))
			_, err = in.Source(context.Background())
		}
	}
	if !errors.Is(err, ErrOnePass) {
		t.Errorf("%v", err)
	}
}

func TestTemporaryFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := numbers(500, 3, 84)
	for name, data := range allFormats(t, s) {
		in, err := Open("-", bytes.NewReader(data), options())
		must.Succeed(t, err)
		tableOf(t, in)
		must.Succeed(t, in.Close())
		if left, _ := filepath.Glob(filepath.Join(dir, "polydag-*")); len(left) > 0 {
			t.Errorf("%s leaves %q", name, left)
		}
	}
}

func TestReadingStopsWithTheContext(t *testing.T) {
	s := numbers(5000, 3, 85)
	all := allFormats(t, s)
	all["t.npy"] = s.npy(t)
	for name, data := range all {
		in := openBytes(t, name, data, options())
		src, err := in.Source(context.Background())
		must.Succeed(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := src.Next(ctx, &dataset.Batch{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		must.Succeed(t, src.Close())
		if _, err := in.Source(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: Source: %v", name, err)
		}
	}
}
