package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/polydag/polydag/dataset"
)

// mtxFolder returns the matrix of a folder as 10x Genomics writes it, with matrix.mtx or matrix.mtx.gz, or "".
func mtxFolder(path string) string {
	if st, err := os.Stat(path); err != nil || !st.IsDir() {
		return ""
	}
	return firstFile(filepath.Join(path, "matrix.mtx"))
}

// firstFile returns the first of path, path.gz, path.zst and path.bz2 that is a regular file, or "".
func firstFile(path string) string {
	for _, ext := range []string{"", ".gz", ".zst", ".bz2"} {
		if st, err := os.Stat(path + ext); err == nil && st.Mode().IsRegular() {
			return path + ext
		}
	}
	return ""
}

// Beside returns the files that Open reads together with the file at path, by role. For a matrix PREFIXmatrix.mtx, features is
// PREFIXfeatures.tsv or PREFIXgenes.tsv, and barcodes is PREFIXbarcodes.tsv. For NAME.mtx it is the same with the prefix NAME_ or
// NAME. . Each may be compressed.
func Beside(path string) map[string]string {
	files := map[string]string{}
	folder, base := filepath.Split(path)
	stem, _, ok := strings.Cut(base, ".mtx")
	if path == "" || !ok {
		return files
	}
	prefixes := []string{stem + "_", stem + "."}
	if prefix, ok := strings.CutSuffix(stem, "matrix"); ok {
		prefixes = []string{prefix}
	}
	for role, names := range map[string][]string{"features": {"features.tsv", "genes.tsv"}, "barcodes": {"barcodes.tsv"}} {
		for _, prefix := range prefixes {
			for _, name := range names {
				if file := firstFile(filepath.Join(folder, prefix+name)); file != "" && files[role] == "" {
					files[role] = file
				}
			}
		}
	}
	return files
}

// nameLines reads a text file with one name per line, at most one line more than most, and passes on the fields of each line.
func nameLines(path string, most int64, opt Settings, each func(fields []string)) error {
	f, _, err := openPath(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := headOf(f)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", path, err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("cannot read %s: %w", path, err)
	}
	var r io.Reader = f
	if word := packing(head); word != "" {
		u, err := openPacked(path, word, f, opt)
		if err != nil {
			return err
		}
		defer u.Close()
		r = u
	}
	lines, n, bytes := bufio.NewScanner(r), int64(0), int64(0)
	lines.Buffer(make([]byte, 0, 1<<16), 1<<20)
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), "\r")
		if n++; n > most+1 {
			return located(path, ErrDamaged, "it has more lines than the matrix has rows or columns (%d)", most)
		}
		if bytes += int64(len(line)) + 48; bytes > opt.MaxMemory/4 {
			return located(path, ErrLimit, "the names take more than %d MB", opt.MaxMemory/4/1e6)
		}
		each(strings.Split(line, "\t"))
	}
	if err := lines.Err(); err != nil {
		return mtxError(path, fmt.Errorf("line %d: %w", n+1, err))
	}
	return nil
}

// firstFields reads the first field of each line.
func firstFields(path string, most int64, opt Settings) ([]string, error) {
	list := []string{}
	err := nameLines(path, most, opt, func(fields []string) { list = append(list, strings.TrimSpace(fields[0])) })
	return list, err
}

// featureNames reads the names of the features: the symbol in the second field, or the identifier in the first where the
// symbol is missing. A symbol of several features is followed by the identifier.
func featureNames(path string, most int64, opt Settings) ([]string, error) {
	names, ids, times := []string{}, []string{}, map[string]int{}
	err := nameLines(path, most, opt, func(fields []string) {
		id := strings.TrimSpace(fields[0])
		name := id
		if len(fields) > 1 && strings.TrimSpace(fields[1]) != "" {
			name = strings.TrimSpace(fields[1])
		}
		names, ids = append(names, name), append(ids, id)
		times[name]++
	})
	for i, name := range names {
		if times[name] > 1 && ids[i] != name {
			names[i] = name + "_" + ids[i]
		}
	}
	return names, err
}

// mtxCells has further columns of the cells of a matrix.
type mtxCells struct {
	columns []dataset.Column
	row     []int32 // row of the file for each cell, or -1
	values  [][]float64
	texts   []map[int32]string
	notes   []string
}

// readCells reads a table with one row per cell. Its first column has the barcodes; without barcodes, row i is cell i.
func readCells(path, matrix string, barcodes []string, cells int, opt Settings) (_ *mtxCells, err error) {
	opt.Cells, opt.Format = "", ""
	in, err := Open(path, nil, opt)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	ctx := context.Background()
	src, err := in.Source(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	c := &mtxCells{columns: src.Columns()}
	from := 0 // columns before the ones to add
	if barcodes != nil {
		from = 1
	}
	if len(c.columns) <= from {
		return nil, located(path, ErrNoTable, "it has %d column; want the barcodes and at least one more", len(c.columns))
	}
	c.columns = append([]dataset.Column(nil), c.columns[from:]...)
	c.values, c.texts = make([][]float64, len(c.columns)), make([]map[int32]string, len(c.columns))
	at, rows := map[string]int32{}, int32(0)
	room := budget{file: path, limit: opt.MaxMemory / 2}
	var b dataset.Batch
	for {
		if err := src.Next(ctx, &b); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if err := room.take(int64(b.Rows)*int64(64+8*len(c.columns))+2*int64(len(b.Text)), 0, "the columns of the cells"); err != nil {
			return nil, err
		}
		d := len(c.columns) + from
		barcode := make([]string, b.Rows)
		for _, cell := range b.Cells {
			text := string(b.Text[cell.Start:cell.End])
			if cell.Column < from {
				barcode[cell.Row] = text
				continue
			}
			j := cell.Column - from
			if c.texts[j] == nil {
				c.texts[j] = map[int32]string{}
			}
			c.texts[j][rows+int32(cell.Row)] = text
		}
		for i := range b.Rows {
			for j := range c.columns {
				c.values[j] = append(c.values[j], b.Values[i*d+from+j])
			}
			if from == 0 {
				continue
			}
			if x := b.Values[i*d]; barcode[i] == "" && !math.IsNaN(x) {
				barcode[i] = dataset.FormatFloat(x)
			}
			if _, twice := at[barcode[i]]; twice {
				return nil, located(path, ErrTwice, "the first column has the cell %q twice", barcode[i])
			}
			at[barcode[i]] = rows + int32(i)
		}
		rows += int32(b.Rows)
	}
	c.row = make([]int32, cells)
	if from == 0 {
		if int(rows) != cells {
			return nil, located(path, ErrParts, "it has %d rows, and %s, which has no file with barcodes, has %d cells", rows, matrix, cells)
		}
		for i := range c.row {
			c.row[i] = int32(i)
		}
		return c, nil
	}
	absent := 0
	for i, name := range barcodes {
		row, ok := at[name]
		if !ok {
			row = -1
			absent++
		}
		c.row[i] = row
	}
	if absent == cells && cells > 0 {
		return nil, located(path, ErrParts, "no cell of %s is in its first column, such as %q", matrix, barcodes[0])
	}
	if absent > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%d of %d cells have no row in %s and are left out.", absent, cells, path))
	}
	return c, nil
}

// fill sets the selected columns of a row of the batch from row from of the file.
func (c *mtxCells) fill(b *dataset.Batch, row int, from int32, chosen []int, features int) {
	d := len(chosen)
	for k, j := range chosen {
		if j -= features; j >= 0 {
			b.Values[row*d+k] = c.values[j][from]
			if text, ok := c.texts[j][from]; ok {
				b.AddText(row, k, 0, []byte(text))
			}
		}
	}
}

// besideContent returns the bytes of the files that are read together with a matrix.
func (in *Input) besideContent() (io.Reader, func(), error) {
	beside := Beside(in.path)
	var all []io.Reader
	var opened []io.Closer
	end := func() {
		for _, f := range opened {
			f.Close()
		}
	}
	for _, path := range []string{beside["features"], beside["barcodes"], in.opt.Cells} {
		if path == "" {
			continue
		}
		f, _, err := openPath(path)
		if err != nil {
			end()
			return nil, nil, err
		}
		all, opened = append(all, f), append(opened, f)
	}
	return io.MultiReader(all...), end, nil
}
