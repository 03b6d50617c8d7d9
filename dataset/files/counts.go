package files

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// countsSchema marks a file written by WriteCounts.
const countsSchema = "polydag.counts/1"

// WriteCounts writes the distinct rows of a table and their counts as an NPZ file that numpy reads:
//
//	c = np.load("c.npz")
//	value = c["levels"][c["start"][j] + c["codes"][i, j]] # column j of distinct row i, which occurs c["times"][i] times
//
// Its arrays are schema (text), names and kinds (text, d), levels (text, the categories of all columns one after the other), number
// (one byte per level: 1 if the text is a number, where an empty text is a missing value), start (int64, d + 1), codes (k×d, in the
// smallest type that fits) and times (uint64, k). The bytes do not depend on the order of the rows. If ReadCounts would reject a
// value, WriteCounts writes nothing and returns an error that matches dataset.ErrDistinct.
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
	if err := readable(names, levels); err != nil {
		return err
	}
	size := codeSize(most)
	z := newNPZ(w)
	z.words("schema", []string{countsSchema})
	z.words("names", names, d)
	z.words("kinds", kinds, d)
	z.words("levels", levels, len(levels))
	z.array("number", "|u1", number, len(number))
	z.array("start", "<i8", start, len(start))
	z.add("codes", [...]string{1: "|u1", 2: "<u2", 4: "<u4"}[size], []int{len(c.Times), d}, func(w io.Writer) error {
		return writeCodes(w, c.Codes, size)
	})
	z.array("times", "<u8", c.Times, len(c.Times))
	return z.close()
}

// readable rejects texts that are too large for a reader as one array. Every text in an array is as wide as the longest.
func readable(lists ...[]string) error {
	for _, list := range lists {
		if width := textWidth(list); int64(len(list)) > mostText/4/int64(width) {
			return fault.New(dataset.ErrDistinct, fmt.Sprintf("%d distinct values of up to %d characters need %d MB, and the limit is %d MB",
				len(list), width, 4*int64(len(list))*int64(width)>>20, int64(mostText)>>20), "leave out columns of many values or long texts with %s, or learn from the table itself", fault.Use("drop"))
		}
	}
	return nil
}

// codeSize is the number of bytes of a code for this many levels.
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
