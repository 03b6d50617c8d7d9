package files

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/polydag/polydag/dataset"
)

// Arrow types by their number in Schema.fbs.
const (
	arNull = iota + 1
	arInt
	arFloat
	arBinary
	arUtf8
	arBool
	arDecimal
	arDate
	arTime
	arTimestamp
	arInterval
	arList
	arStruct
	arUnion
	arFixedBinary
	arFixedList
	arMap
	arDuration
	arLargeBinary
	arLargeUtf8
	arLargeList
	arRunEnd
	arBinaryView
	arUtf8View
	arListView
	arLargeListView
)

var arNames = [...]string{"", "null", "int", "float", "binary", "utf8", "bool", "decimal", "date", "time", "timestamp", "interval", "list", "struct", "union",
	"fixed-size binary", "fixed-size list", "map", "duration", "large binary", "large utf8", "large list", "run-end encoded", "binary view",
	"utf8 view; in polars write it with compat_level=pl.CompatLevel.oldest()",
	"list view", "large list view"}

// arType is the type of the values of a column or dictionary.
type arType struct {
	id     int
	bits   int // bits per value
	signed bool
	scale  int
	unit   int64 // units per second; for dates, minus the seconds per unit
}

// arField is a column with the layout of its buffers.
type arField struct {
	name    string
	typ     arType
	index   arType // index type of a dictionary-encoded column
	dict    int64  // id of its dictionary
	encoded bool
	nested  bool
	// nodes, buffers and variadic count the column's entries in a record batch, including children.
	nodes, buffers, variadic int
	what                     string
	// category, written and order come from the field's metadata; see categories.
	category, written bool
	order             []string
}

func (c *arField) kind() dataset.Kind {
	if c.nested {
		return dataset.Unknown
	}
	switch c.typ.id {
	case arInt:
		return dataset.Integer
	case arFloat, arDecimal, arTime, arDuration, arNull:
		return dataset.Number
	case arBool:
		return dataset.Bool
	case arDate, arTimestamp:
		return dataset.Time
	case arUtf8, arLargeUtf8, arUtf8View:
		return dataset.Text
	}
	return dataset.Unknown
}

// fault returns why the column cannot be read, or nil.
func (c *arField) fault(file string, j int) error {
	if c.nested {
		return inColumn(file, j, c.name, ErrNested, "%s", c.what)
	}
	if !c.typ.readable() || c.encoded && (c.index.id != arInt || !c.index.readable()) {
		return inColumn(file, j, c.name, ErrType, "%s", c.what)
	}
	return nil
}

func (t arType) readable() bool {
	switch t.id {
	case arNull, arUtf8, arLargeUtf8, arUtf8View, arBool:
		return true
	case arInt:
		return t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64
	case arFloat:
		return t.bits == 16 || t.bits == 32 || t.bits == 64
	case arDecimal:
		return (t.bits == 32 || t.bits == 64 || t.bits == 128 || t.bits == 256) && t.scale >= -400 && t.scale <= 400
	case arDate, arTime, arTimestamp, arDuration:
		return (t.bits == 32 || t.bits == 64) && t.unit != 0
	}
	return false
}

// readArrowSchema reads the table Schema.
func readArrowSchema(f *flat, t table, most int) ([]arField, error) {
	if f.int16(t, 0, 0) != 0 {
		return nil, errors.New("its numbers are big-endian: write it on a little-endian machine")
	}
	pos, n := f.vector(t, 1, 4)
	if n > most {
		return nil, &dataset.ParseError{Detail: fmt.Sprintf("%d, limit %d", n, most), Err: dataset.ErrTooWide}
	}
	// A FlatBuffer may refer to one child many times, so the limit is on the total.
	walk := arWalk{f: f, left: 4*most + 64}
	fields := make([]arField, n)
	for j := range fields {
		t := table(f.follow(pos + 4*j))
		fields[j].name = f.text(t, 0)
		walk.field(&fields[j], t, 32)
		if err := fields[j].categories(f, t); err != nil {
			return nil, err
		}
		if f.bad || walk.left < 0 {
			break
		}
	}
	if f.bad {
		return nil, errFlat
	}
	if walk.left < 0 {
		return nil, errors.New("its columns nest too deep")
	}
	return fields, nil
}

// Metadata keys of a field, written by the Python and R packages. Arrow also uses dictionaries for plain text, so a dictionary
// alone does not make a column categorical.
const (
	arKindKey   = "polydag.kind"   // categorical, ordinal, or field for text that is read as in a text table
	arLevelsKey = "polydag.levels" // for ordinal: a JSON array of the labels from lowest to highest
)

// mostLevelsText limits the bytes of a column's labels in its metadata.
const mostLevelsText = 16 << 20

// categories reads whether the field is declared as categorical, and the order of the categories.
func (c *arField) categories(f *flat, t table) error {
	if c.nested || c.kind() != dataset.Text {
		return nil
	}
	pos, n := f.vector(t, 6, 4)
	for k := range n {
		pair := table(f.follow(pos + 4*k))
		key, value := f.bytes(pair, 0), f.bytes(pair, 1)
		switch {
		case f.bad:
			return errFlat
		case string(key) == arKindKey:
			c.category = string(value) == "categorical" || string(value) == "ordinal"
			c.written = string(value) == "field"
		case string(key) == arLevelsKey:
			if len(value) > mostLevelsText || c.order != nil {
				return fmt.Errorf("column %s: the metadata %s are there twice or have more than %d MB", c.name, arLevelsKey, mostLevelsText>>20)
			}
			if err := json.Unmarshal(value, &c.order); err != nil {
				return fmt.Errorf("column %s: the metadata %s are not a JSON array of texts: %w", c.name, arLevelsKey, err)
			}
		}
	}
	return nil
}

// arWalk counts the nodes and buffers of each column in a batch.
type arWalk struct {
	f    *flat
	left int // number of fields that may still follow
}

func (w *arWalk) field(c *arField, t table, depth int) {
	if w.left--; w.left < 0 || depth == 0 || w.f.bad {
		w.left = min(w.left, -1)
		return
	}
	f := w.f
	typ := readArrowType(f, f.int8(t, 2, 0), f.table(t, 3))
	if c.what == "" {
		c.typ = typ
		if c.what = fmt.Sprintf("type %d", typ.id); typ.id > 0 && typ.id < len(arNames) {
			c.what = arNames[typ.id]
		}
	}
	c.nodes++
	if d := f.table(t, 4); d != 0 {
		// The column stores indices; the values are in a separate dictionary.
		if !c.nested {
			c.encoded, c.dict = true, f.int64(d, 0)
			c.index = arType{id: arInt, bits: 32, signed: true}
			if i := f.table(d, 1); i != 0 {
				c.index = readArrowType(f, arInt, i)
			}
		}
		c.buffers += 2
		if pos, n := f.vector(t, 5, 4); pos != 0 && n > 0 {
			c.nested = true
		}
		return
	}
	switch typ.id {
	case arNull, arRunEnd:
	case arInt, arFloat, arBool, arDecimal, arDate, arTime, arTimestamp, arInterval, arDuration, arFixedBinary, arList, arLargeList, arMap:
		c.buffers += 2
	case arBinary, arUtf8, arLargeBinary, arLargeUtf8, arListView, arLargeListView:
		c.buffers += 3
	case arStruct, arFixedList:
		c.buffers++
	case arUnion:
		if c.buffers++; f.int16(f.table(t, 3), 0, 0) == 1 {
			c.buffers++
		}
	case arBinaryView, arUtf8View:
		c.buffers += 2
		c.variadic++
	default:
		f.bad = true
	}
	pos, n := f.vector(t, 5, 4)
	for k := range n {
		c.nested = true
		w.field(c, table(f.follow(pos+4*k)), depth-1)
		if f.bad || w.left < 0 {
			return
		}
	}
	switch typ.id {
	case arList, arLargeList, arMap, arStruct, arFixedList, arUnion, arRunEnd, arListView, arLargeListView:
		c.nested = true
	}
}

func readArrowType(f *flat, id int, t table) arType {
	typ := arType{id: id}
	units := [...]int64{1, 1e3, 1e6, 1e9}
	unit := func(or int) int64 {
		if u := f.int16(t, 0, or); u >= 0 && u < len(units) {
			return units[u]
		}
		return 0
	}
	switch id {
	case arInt:
		typ.bits, typ.signed = f.int32(t, 0, 0), f.int8(t, 1, 0) != 0
	case arFloat:
		if p := f.int16(t, 0, 0); p >= 0 && p <= 2 {
			typ.bits = 16 << p
		}
	case arBool:
		typ.bits = 1
	case arDecimal:
		typ.scale, typ.bits = f.int32(t, 1, 0), f.int32(t, 2, 128)
	case arDate:
		if typ.bits, typ.unit = 64, 1e3; f.int16(t, 0, 1) == 0 {
			typ.bits, typ.unit = 32, -86400
		}
	case arTime:
		typ.bits, typ.unit = f.int32(t, 1, 32), unit(1)
	case arTimestamp:
		typ.bits, typ.unit = 64, unit(0)
	case arDuration:
		typ.bits, typ.unit = 64, unit(1)
	}
	return typ
}
