package files

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/polydag/polydag/dataset"
)

// countsSchema marks a file of WriteCounts.
const countsSchema = "polydag.counts/1"

// WriteCounts writes the different rows of a table and how often each comes as an NPZ file that numpy reads:
//
//	c = np.load("c.npz")
//	value = c["levels"][c["start"][j] + c["codes"][i, j]] # of column j in the i-th of the different rows, which comes c["times"][i] times
//
// Its arrays are schema (text), names and kinds (text, d), levels (text, those of all columns one after the other), number (one byte for each
// of these: 1 where the text is a number, and an empty one a missing value), start (int64, d + 1), codes (k×d, as wide as the most levels
// need) and times (uint64, k). The bytes depend on the rows of the table alone, not on their order.
func WriteCounts(w io.Writer, c *dataset.Counts) error {
	d := len(c.Columns)
	var names, kinds, levels []string
	var number []byte
	start, most := []int64{0}, 0
	for j, col := range c.Columns {
		names, kinds = append(names, col.Name), append(kinds, col.Kind.String())
		for _, l := range c.Levels[j] {
			text, is := l.Word, byte(0)
			if !l.IsWord {
				is = 1
				if text = ""; l.Number == l.Number {
					text = dataset.FormatFloat(l.Number)
				}
			} else if !utf8.ValidString(text) || strings.HasSuffix(text, "\x00") {
				return &dataset.ParseError{Column: j + 1, Name: col.Name, Value: dataset.Excerpt([]byte(text)), Err: dataset.ErrNotTable}
			}
			levels, number = append(levels, text), append(number, is)
		}
		start, most = append(start, int64(len(levels))), max(most, len(c.Levels[j]))
	}
	size := codeSize(most)
	z := zip.NewWriter(w)
	little := func(x any) func(io.Writer) error {
		return func(w io.Writer) error { return binary.Write(w, binary.LittleEndian, x) }
	}
	for _, step := range []func() error{
		func() error { return addWords(z, "schema", []string{countsSchema}) },
		func() error { return addWords(z, "names", names, d) },
		func() error { return addWords(z, "kinds", kinds, d) },
		func() error { return addWords(z, "levels", levels, len(levels)) },
		func() error { return addArray(z, "number", "|u1", []int{len(number)}, little(number)) },
		func() error { return addArray(z, "start", "<i8", []int{len(start)}, little(start)) },
		func() error {
			return addArray(z, "codes", [...]string{1: "|u1", 2: "<u2", 4: "<u4"}[size], []int{len(c.Times), d}, func(w io.Writer) error {
				return writeCodes(w, c.Codes, size)
			})
		},
		func() error { return addArray(z, "times", "<u8", []int{len(c.Times)}, little(c.Times)) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return z.Close()
}

// codeSize is how many bytes the codes of so many levels take.
func codeSize(levels int) int {
	switch {
	case levels <= 1<<8:
		return 1
	case levels <= 1<<16:
		return 2
	}
	return 4
}

func writeCodes(w io.Writer, codes []uint32, size int) error {
	var b []byte
	for part := range slices.Chunk(codes, 1<<14) {
		b = b[:0]
		for _, k := range part {
			b = append(b, byte(k), byte(k>>8), byte(k>>16), byte(k>>24))[:len(b)+size]
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// ReadCounts reads a file of WriteCounts and checks all of it. file is what errors call it.
func ReadCounts(file string, r io.ReaderAt, size int64) (*dataset.Counts, error) {
	z, err := openNPZ(file, r, size, DefaultOptions())
	if err != nil {
		return nil, err
	}
	return z.counts()
}

// holdsCounts reports whether the members are those of a file of counts.
func (f *npzFile) holdsCounts() bool {
	return f.member("schema") != nil && f.member("codes") != nil && f.member("times") != nil
}

func (f *npzFile) counts() (*dataset.Counts, error) {
	for _, name := range []string{"schema", "names", "kinds", "levels", "number", "start", "codes", "times"} {
		if f.member(name) == nil {
			return nil, located(f.file, ErrNoTable, "counts have an array %s; there are %s", name, f.list())
		}
	}
	word := map[string][]string{}
	for _, name := range []string{"schema", "names", "kinds", "levels"} {
		list, err := f.strings(f.member(name))
		if err != nil {
			return nil, err
		}
		word[name] = list
	}
	if s := word["schema"]; len(s) != 1 || s[0] != countsSchema {
		return nil, located(f.file, ErrFormat, "its schema is %q, this program reads %q", s, countsSchema)
	}
	whole := map[string][]uint64{}
	var shape []int64
	for _, name := range []string{"number", "start", "codes", "times"} {
		// The numbers must be in the file, give or take compression, so a claim alone takes no memory.
		h, data, err := f.load(f.member(name), max(f.opt.MaxMemory/4, 16*f.size))
		if err != nil {
			return nil, err
		}
		if whole[name], err = wholeNumbers(h, data); err != nil {
			return nil, located(f.file, ErrDamaged, "array %s: %v", name, err)
		}
		if name == "codes" {
			shape = h.shape
		}
	}
	d, k := len(word["names"]), len(whole["times"])
	if len(shape) != 2 || shape[0] != int64(k) || shape[1] != int64(d) || len(word["kinds"]) != d || len(whole["start"]) != d+1 || len(whole["number"]) != len(word["levels"]) {
		return nil, located(f.file, ErrDamaged, "the arrays of its counts do not belong together: %s", f.list())
	}
	c := &dataset.Counts{Columns: make([]dataset.Column, d), Levels: make([][]dataset.Level, d), Codes: make([]uint32, len(whole["codes"])), Times: whole["times"]}
	for i, code := range whole["codes"] {
		if c.Codes[i] = uint32(code); uint64(c.Codes[i]) != code {
			return nil, located(f.file, ErrDamaged, "a code of %d", code)
		}
	}
	for j := range d {
		c.Columns[j] = dataset.Column{Name: word["names"][j], Kind: -1}
		for kind := dataset.Unknown; kind <= dataset.Time; kind++ {
			if kind.String() == word["kinds"][j] {
				c.Columns[j].Kind = kind
			}
		}
		if c.Columns[j].Kind < 0 {
			return nil, inColumn(f.file, j, word["names"][j], ErrDamaged, "there is no kind %q", dataset.Excerpt([]byte(word["kinds"][j])))
		}
		lo, hi := whole["start"][j], whole["start"][j+1]
		if lo > hi || hi > uint64(len(word["levels"])) || j == 0 && lo != 0 || j == d-1 && hi != uint64(len(word["levels"])) {
			return nil, inColumn(f.file, j, word["names"][j], ErrDamaged, "its levels begin at %d and end at %d of %d", lo, hi, len(word["levels"]))
		}
		for at := lo; at < hi; at++ {
			level, err := levelOf(word["levels"][at], whole["number"][at])
			if err != nil {
				return nil, inColumn(f.file, j, word["names"][j], ErrDamaged, "%v", err)
			}
			c.Levels[j] = append(c.Levels[j], level)
		}
	}
	if err := c.Validate(); err != nil {
		return nil, located(f.file, ErrDamaged, "%v", err)
	}
	return c, nil
}

// levelOf is a level as it was written.
func levelOf(text string, number uint64) (dataset.Level, error) {
	if number == 0 {
		return dataset.Level{Word: text, IsWord: true}, nil
	}
	if text == "" {
		text = "NaN"
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || number != 1 {
		return dataset.Level{}, fmt.Errorf("the level %q is said to be a number", dataset.Excerpt([]byte(text)))
	}
	return dataset.Level{Number: x}, nil
}

// wholeNumbers reads an array of whole numbers that are not negative, in row order.
func wholeNumbers(h *npyHeader, data []byte) ([]uint64, error) {
	if h.kind != 'i' && h.kind != 'u' || h.big || h.fortran && len(h.shape) > 1 {
		return nil, fmt.Errorf("it holds %s; want whole numbers in row order, the lowest byte first", h.what())
	}
	x := make([]uint64, len(data)/h.size)
	for i := range x {
		for b := h.size - 1; b >= 0; b-- {
			x[i] = x[i]<<8 | uint64(data[i*h.size+b])
		}
		if h.kind == 'i' && x[i]>>(8*h.size-1) != 0 {
			return nil, fmt.Errorf("number %d is negative", i+1)
		}
	}
	return x, nil
}
