package files

import (
	"errors"
	"fmt"

	"github.com/polydag/polydag/dataset"
)

// Physical types of a Parquet column.
const (
	pqBoolean = iota
	pqInt32
	pqInt64
	pqInt96
	pqFloat
	pqDouble
	pqBytes
	pqFixed
)

// pqMeaning is the logical type of a column.
type pqMeaning int

const (
	pqPlain     pqMeaning = iota
	pqUnsigned            // unsigned integer
	pqDecimal             // value·10^-scale
	pqDate                // days
	pqTimestamp           // units of 1/unit seconds since 1970
	pqTime                // units of 1/unit seconds
	pqHalf                // float16
	pqString
	pqOther // neither number nor text
)

// pqColumn is a top-level column of the schema.
type pqColumn struct {
	name     string
	leaf     int // index among the columns of a row group
	nested   bool
	optional bool
	physical int
	length   int // length of a fixed-length value
	meaning  pqMeaning
	scale    int
	unit     int64
	what     string // name of the type in errors
}

// kind returns the dataset.Kind of the column.
func (c *pqColumn) kind() dataset.Kind {
	switch {
	case c.nested, c.meaning == pqOther:
		return dataset.Unknown
	case c.meaning == pqDate, c.meaning == pqTimestamp, c.physical == pqInt96:
		return dataset.Time
	case c.meaning == pqDecimal, c.meaning == pqTime, c.meaning == pqHalf, c.physical == pqFloat, c.physical == pqDouble:
		return dataset.Number
	case c.physical == pqBoolean:
		return dataset.Bool
	case c.physical == pqBytes:
		return dataset.Text
	}
	return dataset.Integer
}

// fault returns why the column cannot be read, or nil.
func (c *pqColumn) fault(file string, j int) error {
	switch {
	case c.nested:
		return inColumn(file, j, c.name, ErrNested, "%s", c.what)
	case c.meaning == pqOther, c.physical < 0 || c.physical > pqFixed, c.physical == pqFixed && c.meaning != pqDecimal && c.meaning != pqHalf:
		return inColumn(file, j, c.name, ErrType, "%s", c.what)
	}
	return nil
}

// pqElement is a node of the schema, which is stored as a list in depth-first order.
type pqElement struct {
	pqColumn
	repeated bool
	children int64
	group    bool
}

// flatten finds the top-level columns of the schema and returns the number of leaves.
func (m *pqMeta) flatten(schema []pqElement) (int, error) {
	if len(schema) == 0 || !schema[0].group {
		return 0, errors.New("the schema is empty")
	}
	leaf, at := 0, 1
	for range schema[0].children {
		if at >= len(schema) {
			return 0, errors.New("the schema ends early")
		}
		e := schema[at]
		c := e.pqColumn
		c.leaf = leaf
		if e.repeated {
			c.nested, c.what = true, "a list"
		}
		if e.group {
			c.nested, c.what = true, "a list or a structure"
		}
		// Skip the descendants of the group.
		for left := int64(1); left > 0; at++ {
			if at >= len(schema) {
				return 0, errors.New("the schema ends early")
			}
			if left--; schema[at].group {
				left += schema[at].children
			} else {
				leaf++
			}
		}
		m.columns = append(m.columns, c)
	}
	if at != len(schema) {
		return 0, errors.New("the schema has columns outside its root")
	}
	return leaf, nil
}

func (r *thriftReader) schemaElement() pqElement {
	e := pqElement{group: true}
	e.physical = -1
	converted, logical := int64(-1), false
	r.structure(func(id int, typ byte) {
		switch {
		case id == 1:
			e.physical, e.group = int(r.int()), false
		case id == 2:
			e.length = int(r.int())
		case id == 3:
			rep := r.int()
			e.optional, e.repeated = rep == 1, rep == 2
		case id == 4 && typ == thriftBinary:
			e.name = string(r.bytes())
		case id == 5:
			e.children = r.int()
		case id == 6:
			converted = r.int()
		case id == 7:
			e.scale = int(r.int())
		case id == 10 && typ == thriftStruct:
			logical = true
			r.logicalType(&e.pqColumn)
		default:
			r.skip(typ)
		}
	})
	if e.children < 0 {
		r.fail()
	}
	if !logical {
		e.convert(converted)
	}
	if e.meaning == pqPlain && e.physical == pqBytes {
		e.meaning = pqString
	}
	if e.what == "" {
		if e.what = "physical type unknown"; e.physical >= 0 && e.physical <= pqFixed {
			e.what = [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}[e.physical]
		}
	}
	e.settle()
	return e
}

// settle resets a logical type that does not fit the physical type.
func (c *pqColumn) settle() {
	ok := true
	switch c.meaning {
	case pqUnsigned:
		ok = c.physical == pqInt32 || c.physical == pqInt64
	case pqDecimal:
		ok = c.physical == pqInt32 || c.physical == pqInt64 || c.physical == pqBytes || c.physical == pqFixed && c.length > 0 && c.length <= 64
		ok = ok && c.scale >= -400 && c.scale <= 400
	case pqDate:
		ok = c.physical == pqInt32
	case pqTimestamp, pqTime:
		ok = (c.physical == pqInt32 || c.physical == pqInt64) && c.unit > 0
	case pqHalf:
		ok = c.physical == pqFixed && c.length == 2
	case pqString:
		ok = c.physical == pqBytes
	}
	if !ok {
		c.meaning = pqOther
	}
}

// logicalType reads the union LogicalType.
func (r *thriftReader) logicalType(c *pqColumn) {
	r.structure(func(id int, typ byte) {
		if typ != thriftStruct {
			r.skip(typ)
			return
		}
		switch id {
		case 1, 4, 12: // STRING, ENUM, JSON
			c.meaning = pqString
		case 5:
			c.meaning, c.what = pqDecimal, "DECIMAL"
			r.structure(func(id int, typ byte) {
				if id == 1 {
					c.scale = int(r.int())
					return
				}
				r.skip(typ)
			})
			return
		case 6:
			c.meaning = pqDate
		case 7, 8:
			if c.meaning = pqTime; id == 8 {
				c.meaning = pqTimestamp
			}
			r.structure(func(id int, typ byte) {
				if id != 2 || typ != thriftStruct {
					r.skip(typ)
					return
				}
				r.structure(func(id int, typ byte) {
					if id >= 1 && id <= 3 {
						c.unit = [...]int64{1e3, 1e6, 1e9}[id-1]
					}
					r.skip(typ)
				})
			})
			return
		case 10:
			r.structure(func(id int, typ byte) {
				if id == 2 && typ == thriftFalse {
					c.meaning = pqUnsigned
				}
				r.skip(typ)
			})
			return
		case 11: // every value is null
		case 13:
			c.meaning, c.what = pqOther, "BSON"
		case 14:
			c.meaning, c.what = pqOther, "UUID"
		case 15:
			c.meaning = pqHalf
		case 2, 3: // MAP, LIST: see the schema
		default:
			c.meaning, c.what = pqOther, fmt.Sprintf("logical type %d", id)
		}
		r.skip(typ)
	})
}

// convert sets the logical type from ConvertedType, which older writers use.
func (c *pqColumn) convert(converted int64) {
	switch converted {
	case 0, 4, 19: // UTF8, ENUM, JSON
		c.meaning = pqString
	case 5:
		c.meaning, c.what = pqDecimal, "DECIMAL"
	case 6:
		c.meaning = pqDate
	case 7, 8:
		c.meaning, c.unit = pqTime, [...]int64{1e3, 1e6}[converted-7]
	case 9, 10:
		c.meaning, c.unit = pqTimestamp, [...]int64{1e3, 1e6}[converted-9]
	case 11, 12, 13, 14:
		c.meaning = pqUnsigned
	case 20, 21:
		c.meaning, c.what = pqOther, [...]string{"BSON", "INTERVAL"}[converted-20]
	}
}
