package files

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// mtxTable writes files into a folder, compressed if their name ends in .gz.
func mtxTable(t testing.TB, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		b := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			z.Write(b)
			z.Close()
			b = packed.Bytes()
		}
		must.Succeed(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	return dir
}

// wholeTable reads a table and returns its names, and its rows as text.
func wholeTable(path string, opt Settings, columns ...int) (names []string, rows [][]string, notes []string, err error) {
	in, err := Open(path, nil, opt)
	if err != nil {
		return nil, nil, nil, err
	}
	defer in.Close()
	src, err := in.Source(context.Background())
	if err != nil {
		return nil, nil, nil, err
	}
	defer src.Close()
	if columns != nil {
		if err := src.Select(columns); err != nil {
			return nil, nil, nil, err
		}
	}
	names = dataset.ColumnNames(src.Columns())
	var b dataset.Batch
	for {
		if err = src.Next(context.Background(), &b); err != nil {
			break
		}
		d := len(names)
		from := len(rows)
		for i := range b.Rows {
			row := make([]string, d)
			for j, x := range b.Values[i*d : (i+1)*d] {
				row[j] = fmt.Sprint(x)
			}
			rows = append(rows, row)
		}
		for _, c := range b.Cells {
			rows[from+c.Row][c.Column] = string(b.Text[c.Start:c.End])
		}
	}
	if err == io.EOF {
		err = nil
	}
	return names, rows, notesOf(src), err
}

const (
	mtxSmall    = "%%MatrixMarket matrix coordinate integer general\n%metadata_json: {}\n3 4 5\n1 1 7\n3 1 2\n2 2 1\n3 4 9\n1 4 4\n"
	mtxFeatures = "ENSG1\tTP53\tGene Expression\nENSG2\tTBCE\tGene Expression\nENSG3\tTBCE\tGene Expression\n"
	mtxBarcodes = "AAA-1\nCCC-1\nGGG-1\nTTT-1\n"
)

// TestMTXFolder checks a folder as 10x Genomics writes it, with further columns of the cells, and a selection.
func TestMTXFolder(t *testing.T) {
	want := [][]string{{"7", "0", "2"}, {"0", "1", "0"}, {"0", "0", "0"}, {"4", "0", "9"}}
	wantNames := []string{"TP53", "TBCE_ENSG2", "TBCE_ENSG3"}
	for name, content := range map[string]map[string]string{
		"packed":  {"matrix.mtx.gz": mtxSmall, "features.tsv.gz": mtxFeatures, "barcodes.tsv.gz": mtxBarcodes},
		"plain":   {"matrix.mtx": mtxSmall, "genes.tsv": mtxFeatures, "barcodes.tsv": mtxBarcodes},
		"headers": {"matrix.mtx": mtxSmall, "genes.tsv": "id\tsymbol\n" + mtxFeatures, "barcodes.tsv": "barcode\n" + mtxBarcodes},
		"turned": {"matrix.mtx": "%%MatrixMarket matrix coordinate real general\n4 3 5\n1 1 7\n1 3 2\n2 2 1\n4 3 9\n4 1 4.0\n",
			"features.tsv": mtxFeatures, "barcodes.tsv": mtxBarcodes},
		"unsorted": {"matrix.mtx": "%%MatrixMarket matrix coordinate integer general\n3 4 5\n1 1 7\n1 4 4\n2 2 1\n3 1 2\n3 4 9\n",
			"features.tsv": mtxFeatures, "barcodes.tsv": mtxBarcodes},
		"dense": {"matrix.mtx": "%%MatrixMarket matrix array integer general\n3 4\n7\n0\n2\n0\n1\n0\n0\n0\n0\n4\n0\n9\n",
			"features.tsv": mtxFeatures, "barcodes.tsv": mtxBarcodes},
	} {
		names, rows, notes, err := wholeTable(mtxTable(t, content), DefaultSettings())
		if err != nil || !slices.Equal(names, wantNames) || fmt.Sprint(rows) != fmt.Sprint(want) || len(notes) > 0 {
			t.Errorf("%s: %v %v %v %v", name, err, names, rows, notes)
		}
	}
	dir := mtxTable(t, map[string]string{"a_matrix.mtx": mtxSmall, "a_features.tsv.gz": mtxFeatures, "a_barcodes.tsv": mtxBarcodes, "guides.csv": "cell,gene,umi\nTTT-1,TP53,3\nAAA-1,,1\nCCC-1,control,\n"})
	opt := DefaultSettings()
	opt.Cells = filepath.Join(dir, "guides.csv")
	names, rows, notes, err := wholeTable(filepath.Join(dir, "a_matrix.mtx"), opt, 3, 2, 4)
	if err != nil || fmt.Sprint(names, rows) != "[gene TBCE_ENSG3 umi] [[NaN 2 1] [control 0 NaN] [TP53 9 3]]" || len(notes) != 1 || !strings.HasPrefix(notes[0], "1 of 4 cells have no row") {
		t.Errorf("%v %v %v %v", err, names, rows, notes)
	}
	in, err := Open(filepath.Join(dir, "a_matrix.mtx"), nil, opt)
	must.Succeed(t, err)
	defer in.Close()
	before, _ := in.SHA256(t.Context())
	must.Succeed(t, os.WriteFile(opt.Cells, []byte("cell,gene\nAAA-1,TP53\n"), 0o600))
	if after, err := in.SHA256(t.Context()); err != nil || after == before || before == "" {
		t.Errorf("the hash does not depend on the columns of the cells: %v", err)
	}
	if parts, err := Parts([]string{mtxTable(t, map[string]string{"matrix.mtx": mtxSmall, "genes.tsv": mtxFeatures})}); err != nil || len(parts) != 1 || filepath.Base(parts[0]) != "matrix.mtx" {
		t.Errorf("%v %v", parts, err)
	}
}

// TestMTXAlone checks a matrix without names, whose rows are the observations.
func TestMTXAlone(t *testing.T) {
	dir := mtxTable(t, map[string]string{"x.mtx": "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 2\n2 3\n"})
	names, rows, notes, err := wholeTable(filepath.Join(dir, "x.mtx"), DefaultSettings())
	if err != nil || fmt.Sprint(names, rows) != "[x0 x1 x2] [[0 1 0] [0 0 1]]" || len(notes) != 1 {
		t.Errorf("%v %v %v %v", err, names, rows, notes)
	}
}

// TestMTXLogNormalize checks the values, also if only some columns are selected, and that cells without counts are left out.
func TestMTXLogNormalize(t *testing.T) {
	opt := DefaultSettings()
	opt.LogNormalize = true
	dir := mtxTable(t, map[string]string{"matrix.mtx": mtxSmall, "features.tsv": mtxFeatures, "barcodes.tsv": mtxBarcodes})
	_, rows, _, err := wholeTable(dir, opt, 0)
	want := fmt.Sprintf("[[%v] [0] [%v]]", math.Log1p(1e4*7/9), math.Log1p(1e4*4/13))
	if err != nil || fmt.Sprint(rows) != want {
		t.Errorf("%v %v, want %s", err, rows, want)
	}
	negative := mtxTable(t, map[string]string{"x.mtx": "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 -2\n"})
	if _, _, _, err := wholeTable(filepath.Join(negative, "x.mtx"), opt); err == nil || !strings.Contains(err.Error(), "is not a count") {
		t.Errorf("a negative count: %v", err)
	}
}

// TestMTXIsRefused checks the messages for files that claim too much, are damaged, or are not tables.
func TestMTXIsRefused(t *testing.T) {
	const head = "%%MatrixMarket matrix coordinate integer general\n"
	var lines strings.Builder
	for i := range 40000 {
		fmt.Fprintf(&lines, "%d 1 1\n%d 2 1\n", i+1, i+1)
	}
	long := head + "40000 2 80000\n" + lines.String()
	for text, want := range map[string]string{
		"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n": "the entries are complex",
		"%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1\n":    "a symmetric matrix is not a table",
		"%%MatrixMarket vector coordinate real general\n1 1 1\n1 1 1\n":      "want %%MatrixMarket matrix",
		head:                                            "EOF",
		head + "2 2\n":                                  "size of the matrix as 3 numbers",
		head + "2000000000 2000000000 1\n":              "claims 2000000000 rows",
		head + "900000000 2 1\n1 1 1\n":                 "claims 900000000 rows",
		head + "2 2 5\n":                                "claims 2 rows, 2 columns and 5 entries",
		head + "99999999999999999999 2 5\n":             "is not a number",
		head + "2 2 2\n1 1 3\n":                         "ends after 1 of 2 entries",
		head + "2 2 1\n1 1 3\n1 2 3\n":                  "more after the 1 entries",
		head + "2 2 1\n3 1 3\n":                         "outside of the matrix",
		head + "2 2 1\n1 1 x\n":                         "is not a number",
		head + "2 2 1\n1 1\n":                           "want one value, got 0",
		head + "2 2 2\n1 1 3\n1 1 4\n":                  "two entries in row 1 and column 1",
		long[:len(long)-len("40000 2 1\n")] + "3 2 1\n": "sort -s -n -k1,1",
		head + strings.Repeat("%", 1<<19):               "more than",
		"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e400\n":    "is not a count",
		"%%MatrixMarket matrix coordinate real general\n2 1 2\n1 1 1\n2 1 -\n": "is not a number",
	} {
		_, _, _, err := wholeTable(filepath.Join(mtxTable(t, map[string]string{"x.mtx": text}), "x.mtx"), DefaultSettings())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: %v, want %q", text, err, want)
		}
	}
	for want, content := range map[string]map[string]string{
		"name 3 features and 2 cells": {"matrix.mtx": mtxSmall, "features.tsv": mtxFeatures, "barcodes.tsv": "a\nb\n"},
		"more lines than":             {"matrix.mtx": mtxSmall, "features.tsv": strings.Repeat("a\n", 100)},
	} {
		if _, _, _, err := wholeTable(mtxTable(t, content), DefaultSettings()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	small := DefaultSettings()
	small.MaxMemory = 1 << 20
	lines.Reset()
	for j := range 2 {
		for i := range 50000 {
			fmt.Fprintf(&lines, "%d %d 1\n", i+1, j+1)
		}
	}
	dir := mtxTable(t, map[string]string{"x.mtx": head + "50000 2 100000\n" + lines.String()})
	if _, _, _, err := wholeTable(filepath.Join(dir, "x.mtx"), small); err == nil || !strings.Contains(err.Error(), "not ordered by cell") {
		t.Errorf("sorting beyond the memory limit: %v", err)
	}
	if _, rows, _, err := wholeTable(filepath.Join(dir, "x.mtx"), DefaultSettings()); err != nil || len(rows) != 50000 {
		t.Errorf("sorting in memory: %d rows, %v", len(rows), err)
	}
}

// TestMTXIsTheMatrix compares random sparse matrices, in any order of the entries, with the dense table.
func TestMTXIsTheMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		n, d := 1+rng.IntN(300), 1+rng.IntN(40)
		want := make([][]string, n)
		var lines []string
		for i := range want {
			want[i] = slices.Repeat([]string{"0"}, d)
			for j := range d {
				if rng.IntN(4) == 0 {
					want[i][j] = fmt.Sprint(1 + rng.IntN(1000))
					lines = append(lines, fmt.Sprintf("%d %d %s\n", i+1, j+1, want[i][j]))
				}
			}
		}
		if rng.IntN(2) == 0 {
			rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		}
		text := fmt.Sprintf("%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n%s", n, d, len(lines), strings.Join(lines, ""))
		_, rows, _, err := wholeTable(filepath.Join(mtxTable(t, map[string]string{"x.mtx.gz": text}), "x.mtx.gz"), DefaultSettings())
		if err != nil || fmt.Sprint(rows) != fmt.Sprint(want) {
			t.Fatalf("%d × %d: %v", n, d, err)
		}
	}
}

// TestHDF5OfCells checks that the error for files of single cells names a way to read them.
func TestHDF5OfCells(t *testing.T) {
	for name, want := range map[string]string{"a.h5ad": "anndata.read_h5ad", "filtered_feature_bc_matrix.h5": "matrix.mtx.gz", "a.h5": "pandas.read_hdf"} {
		dir := mtxTable(t, map[string]string{name: "\x89HDF\r\n\x1a\n\x00\x00"})
		if _, err := Open(filepath.Join(dir, name), nil, DefaultSettings()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkMTX(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const cells, genes = 4000, 1000
	var lines strings.Builder
	entries := 0
	for i := range cells {
		for j := range genes {
			if rng.IntN(5) == 0 {
				fmt.Fprintf(&lines, "%d %d %d\n", j+1, i+1, 1+rng.IntN(20))
				entries++
			}
		}
	}
	names := strings.Builder{}
	for j := range genes {
		fmt.Fprintf(&names, "g%d\n", j)
	}
	dir := mtxTable(b, map[string]string{"matrix.mtx": fmt.Sprintf("%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n%s", genes, cells, entries, lines.String()), "features.tsv": names.String()})
	b.SetBytes(int64(lines.Len()))
	for b.Loop() {
		in, err := Open(dir, nil, DefaultSettings())
		must.Succeed(b, err)
		src, err := in.Source(b.Context())
		must.Succeed(b, err)
		var batch dataset.Batch
		for err == nil {
			err = src.Next(b.Context(), &batch)
		}
		in.Close()
	}
}
