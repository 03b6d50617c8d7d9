package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/fault"
)

// Counts is a table with equal rows joined: its different rows and how often each comes. It is all that a table of few levels has to say,
// in memory that does not grow with its rows, and what the parts of a table say is merged into what the whole says. The order of the rows is
// lost.
//
// There is one way to write a table down as Counts: levels are sorted, and so are rows by their codes. A CountsMaker makes them.
type Counts struct {
	Columns []Column
	Levels  [][]Level // of each column, in the order of Level.Compare; each occurs
	Codes   []uint32  // row after row, the place of the value among the levels of its column; rows ascend
	Times   []uint64  // of each row, at least 1
}

// A Level is one value of a column as a source hands it out: a number, where NaN is a missing value, or a word.
type Level struct {
	Number float64
	Word   string
	IsWord bool
}

// Compare sorts numbers by size, a missing value after them, and then words by their bytes.
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

// Rows returns how many rows the table has.
func (c *Counts) Rows() (n uint64) {
	for _, t := range c.Times {
		n += t
	}
	return n
}

// MostCounted is the largest number of rows that counts may stand for: a score counts them in 32 bits, and whoever needs the rows one by one
// goes through them in minutes.
const MostCounted = math.MaxUint32

// tooMany is the fault of counts of more rows than MostCounted.
func tooMany() error {
	return fault.New(ErrDistinct, fmt.Sprintf("the counts represent more than %d rows", uint64(MostCounted)), "count a part of the rows, such as every tenth")
}

// Validate reports the first fault of counts that somebody else wrote.
func (c *Counts) Validate() error {
	d := len(c.Columns)
	names := make([]string, d)
	for j, col := range c.Columns {
		names[j] = col.Name
	}
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
