package dataset

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/fault"
)

// ErrDistinct is matched if a table has too many rows to count, or too many distinct rows or values.
var ErrDistinct = fault.Kind("too-many-rows", "there are too many distinct rows; drop columns, or learn from the table itself")

// A CountsMaker aggregates equal rows. Its memory grows only with the distinct rows and distinct values.
type CountsMaker struct {
	columns []Column
	most    int64 // approximate memory limit in bytes
	bytes   int64 // approximate bytes of rows and levels
	coders  []levelCoder
	place   map[string]int // index of a row by the bytes of its codes
	codes   []uint32
	times   []uint64
	rows    uint64

	key  []byte
	cell []int // cells[cell[j]] is the text in column j of the current row; -1 if none
}

// NewCountsMaker returns a maker for a table with these columns that uses about most bytes of memory; 0 means one gigabyte.
func NewCountsMaker(columns []Column, most int64) *CountsMaker {
	if most <= 0 {
		most = 1 << 30
	}
	m := &CountsMaker{columns: columns, most: most, coders: make([]levelCoder, len(columns)), place: map[string]int{},
		key: make([]byte, 4*len(columns)), cell: make([]int, len(columns))}
	for j := range m.coders {
		m.coders[j].bytes = &m.bytes
	}
	return m
}

// rowBytes estimates the memory of a distinct row of d columns: its codes as a key, in a growing list or later in two lists, and an
// entry in the map and the lists of places and times.
func rowBytes(d int) int64 { return 12*int64(d) + 100 }

// levelBytes estimates the memory of a distinct value: a Level in a growing list, a map entry, its place in the order, and the
// bytes of a word.
func levelBytes(word int) int64 { return 120 + int64(word) }

// Add adds rows as a source returns them: values, and text cells in row order. It does not keep its arguments.
func (m *CountsMaker) Add(values []float64, cells []Cell, text []byte) error {
	d := len(m.columns)
	for i := 0; i*d < len(values); i++ {
		row := values[i*d : (i+1)*d]
		for j := range m.cell {
			m.cell[j] = -1
		}
		k := 0
		for ; k < len(cells) && cells[k].Row == i; k++ {
			m.cell[cells[k].Column] = k
		}
		for j, x := range row {
			var code uint32
			if at := m.cell[j]; at >= 0 {
				code = m.coders[j].word(text[cells[at].Start:cells[at].End])
			} else {
				code = m.coders[j].number(x)
			}
			binary.LittleEndian.PutUint32(m.key[4*j:], code)
		}
		cells = cells[k:]
		if err := m.count(1); err != nil {
			return err
		}
	}
	return nil
}

// Merge adds all rows of other counts. chosen lists their columns in the order of this table's columns; nil means all. The names
// must be equal. If the kinds of a column differ, its kind is inferred from the values.
func (m *CountsMaker) Merge(c *Counts, chosen []int) error {
	if chosen == nil {
		chosen = ascending(len(c.Columns))
	}
	if len(chosen) != len(m.columns) {
		return fmt.Errorf("%d columns beside %d; give tables with the same columns", len(chosen), len(m.columns))
	}
	codes := make([][]uint32, len(chosen))
	for j, from := range chosen {
		if is, other := m.columns[j], c.Columns[from]; is.Name != other.Name {
			return fmt.Errorf("column %d is %q and %q; give tables with the same columns in the same order", j+1, other.Name, is.Name)
		} else if is.Kind != other.Kind {
			m.columns = slices.Clone(m.columns)
			m.columns[j].Kind = Unknown
		}
		codes[j] = make([]uint32, len(c.Levels[from]))
		for k, level := range c.Levels[from] {
			if level.IsWord {
				codes[j][k] = m.coders[j].word([]byte(level.Word))
			} else {
				codes[j][k] = m.coders[j].number(level.Number)
			}
			if m.bytes > m.most {
				return m.full()
			}
		}
	}
	d := len(c.Columns)
	for i, times := range c.Times {
		for j, from := range chosen {
			binary.LittleEndian.PutUint32(m.key[4*j:], codes[j][c.Codes[i*d+from]])
		}
		if err := m.count(times); err != nil {
			return err
		}
	}
	return nil
}

// count adds the row whose codes are in key.
func (m *CountsMaker) count(times uint64) error {
	if m.rows += times; m.rows > MostCounted {
		return tooMany()
	}
	if at, ok := m.place[string(m.key)]; ok {
		m.times[at] += times
		return nil
	}
	if m.bytes += rowBytes(len(m.columns)); m.bytes > m.most || len(m.times) >= math.MaxInt32 {
		m.rows -= times
		return m.full()
	}
	m.place[string(m.key)] = len(m.times)
	m.times = append(m.times, times)
	for j := range m.columns {
		m.codes = append(m.codes, binary.LittleEndian.Uint32(m.key[4*j:]))
	}
	return nil
}

// full is the error for a table that exceeds the memory limit.
func (m *CountsMaker) full() error {
	values := 0
	for j := range m.coders {
		values += len(m.coders[j].list)
	}
	what := fmt.Sprintf("%d of the first %d rows differ, by %d values", len(m.times), m.rows, values)
	if m.rows == 0 {
		what = fmt.Sprintf("there are %d different values", values)
	}
	return fault.New(ErrDistinct, fmt.Sprintf("%s, and more would exceed %d MB; counts are useful only if rows repeat", what, m.most>>20),
		"leave out columns of many values with %s, allow more with %s, or learn from the table itself", fault.Use("drop"), fault.Use("max-memory"))
}

// Counts returns the sorted counts. The maker cannot be used afterwards.
func (m *CountsMaker) Counts() *Counts {
	m.place = nil // free memory before copying the rows
	d := len(m.columns)
	out := &Counts{Columns: m.columns, Levels: make([][]Level, d), Codes: make([]uint32, 0, len(m.codes)), Times: make([]uint64, 0, len(m.times))}
	for j := range m.coders {
		var rank []uint32
		out.Levels[j], rank = m.coders[j].sorted()
		m.coders[j] = levelCoder{}
		for i := j; i < len(m.codes); i += d {
			m.codes[i] = rank[m.codes[i]]
		}
	}
	order := ascending(len(m.times))
	row := func(i int) []uint32 { return m.codes[i*d : (i+1)*d] }
	slices.SortFunc(order, func(a, b int) int { return slices.Compare(row(a), row(b)) })
	for _, i := range order {
		out.Codes, out.Times = append(out.Codes, row(i)...), append(out.Times, m.times[i])
	}
	return out
}

// A levelCoder assigns codes to the values of a column in order of appearance.
type levelCoder struct {
	numbers map[uint64]uint32 // codes by the bits of the number
	words   map[string]uint32
	list    []Level
	bytes   *int64 // running total, increased by levelBytes

	last uint64 // last number and its code
	at   uint32
}

// number returns the code of a number. -0 counts as 0, and every NaN as the missing value.
func (c *levelCoder) number(x float64) uint32 {
	if x != x {
		x = math.NaN()
	}
	bits := math.Float64bits(x + 0)
	if bits == c.last && c.numbers != nil {
		return c.at
	}
	k, ok := c.numbers[bits]
	if !ok {
		if c.numbers == nil {
			c.numbers = map[uint64]uint32{}
		}
		k = c.add(Level{Number: math.Float64frombits(bits)})
		c.numbers[bits] = k
	}
	c.last, c.at = bits, k
	return k
}

// word returns the code of a word.
func (c *levelCoder) word(text []byte) uint32 {
	k, ok := c.words[string(text)]
	if !ok {
		if c.words == nil {
			c.words = map[string]uint32{}
		}
		word := string(text)
		k = c.add(Level{Word: word, IsWord: true})
		c.words[word] = k
	}
	return k
}

// add returns the code of a new level.
func (c *levelCoder) add(l Level) uint32 {
	c.list = append(c.list, l)
	*c.bytes += levelBytes(len(l.Word))
	return uint32(len(c.list) - 1)
}

// sorted returns the sorted levels and the sorted place of each code.
func (c *levelCoder) sorted() (levels []Level, rank []uint32) {
	order := ascending(len(c.list))
	slices.SortFunc(order, func(a, b int) int { return c.list[a].Compare(c.list[b]) })
	rank = make([]uint32, len(c.list))
	for place, k := range order {
		rank[k] = uint32(place)
	}
	return pick(c.list, order), rank
}
