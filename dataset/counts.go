package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/fault"
)

// Counts is a table as aggregated counts: its distinct rows and how often each occurs. For columns with few categories this is all
// the information in the table, in memory that does not grow with its rows. Counts of parts of a table can be merged. The order of
// the rows is lost.
//
// The representation is unique: categories are sorted, and so are rows by their codes. Use a CountsMaker to make one.
type Counts struct {
	Columns []Column
	Levels  [][]Level // categories of each column that occur, in the order of Level.Compare
	Codes   []uint32  // row after row, the index of each value in Levels; rows ascend
	Times   []uint64  // number of times each row occurs, at least 1
}

// A Level is one value of a column: a number, with NaN for a missing value, or a word.
type Level struct {
	Number float64
	Word   string
	IsWord bool
}

// Compare sorts numbers by size, then missing values, then words by their bytes.
func (l Level) Compare(o Level) int {
	switch {
	case l.IsWord != o.IsWord:
		if o.IsWord {
			return -1
		}
		return 1
	case l.IsWord:
		return cmp.Compare(l.Word, o.Word)
	case l.Number != l.Number || o.Number != o.Number:
		return cmp.Compare(math.Abs(o.Number), math.Abs(l.Number)) // cmp puts NaN first
	}
	return cmp.Compare(l.Number, o.Number)
}

// Rows returns the number of rows of the table.
func (c *Counts) Rows() (n uint64) {
	for _, t := range c.Times {
		n += t
	}
	return n
}

// MostCounted is the largest number of rows that counts may represent: scores count rows in 32 bits.
const MostCounted = math.MaxUint32

// tooMany is the error for counts of more than MostCounted rows.
func tooMany() error {
	return fault.New(ErrDistinct, fmt.Sprintf("the counts represent more than %d rows", uint64(MostCounted)), "count a part of the rows, such as every tenth")
}

// Validate reports the first error in counts, such as those read from a file.
func (c *Counts) Validate() error {
	d, names := len(c.Columns), ColumnNames(c.Columns)
	if err := CheckNames(names, ""); err != nil {
		return err
	}
	if d == 0 || len(c.Levels) != d || len(c.Codes) != d*len(c.Times) {
		return fmt.Errorf("%d columns, levels of %d, and %d codes of %d rows", d, len(c.Levels), len(c.Codes), len(c.Times))
	}
	occurs := make([][]bool, d)
	for j, list := range c.Levels {
		occurs[j] = make([]bool, len(list))
		for k := 1; k < len(list); k++ {
			if list[k-1].Compare(list[k]) >= 0 {
				return fmt.Errorf("the levels of column %s are not in order", names[j])
			}
		}
	}
	left := uint64(MostCounted)
	for i, times := range c.Times {
		if times < 1 {
			return fmt.Errorf("row %d comes %d times; want at least once", i+1, times)
		}
		if times > left {
			return tooMany()
		}
		left -= times
		row := c.Codes[i*d : (i+1)*d]
		for j, k := range row {
			if int64(k) >= int64(len(c.Levels[j])) {
				return fmt.Errorf("row %d has level %d of column %s, which has %d", i+1, k, names[j], len(c.Levels[j]))
			}
			occurs[j][k] = true
		}
		if i > 0 && slices.Compare(c.Codes[(i-1)*d:i*d], row) >= 0 {
			return fmt.Errorf("rows %d and %d are not in order", i, i+1)
		}
	}
	for j, seen := range occurs {
		if k := slices.Index(seen, false); k >= 0 {
			return fmt.Errorf("no row has level %d of column %s", k, names[j])
		}
	}
	return nil
}
