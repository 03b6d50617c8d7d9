package files

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// pqChunk locates a column of a row group.
type pqChunk struct {
	start, size int64 // from the dictionary, if any, to the end of the last page
	values      int64
	codec       int
	physical    int
	elsewhere   bool // in another file, or encrypted
}

// pqGroup is a row group.
type pqGroup struct {
	rows   int64
	chunks []pqChunk // one per leaf
}

// pqMeta is the content of the footer.
type pqMeta struct {
	columns []pqColumn
	groups  []pqGroup
	rows    int64
}

// readParquetMeta reads the footer. Its errors are the details of a ParseError.
func readParquetMeta(at io.ReaderAt, size, limit int64) (*pqMeta, error) {
	var tail [8]byte
	if size < 12 {
		return nil, fmt.Errorf("it has only %d bytes", size)
	}
	if _, err := at.ReadAt(tail[:], size-8); err != nil && err != io.EOF {
		return nil, err
	}
	if string(tail[4:]) != "PAR1" {
		if string(tail[4:]) == "PARE" {
			return nil, errors.New("its footer is encrypted")
		}
		return nil, errors.New("the Parquet mark is missing at its end")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-12 {
		return nil, fmt.Errorf("the footer claims %d bytes of %d", n, size)
	}
	if n > limit/4 {
		return nil, fmt.Errorf("the footer has %d bytes, which is more than the limit allows", n)
	}
	foot := make([]byte, n)
	if _, err := at.ReadAt(foot, size-8-n); err != nil && err != io.EOF {
		return nil, err
	}
	return parseParquetMeta(foot, size, limit/4)
}

func parseParquetMeta(foot []byte, size, room int64) (*pqMeta, error) {
	r := &thriftReader{b: foot, room: room}
	m := &pqMeta{}
	var schema []pqElement
	r.structure(func(id int, typ byte) {
		switch {
		case id == 2 && typ == thriftList:
			r.each(256, func() { schema = append(schema, r.schemaElement()) })
		case id == 3:
			m.rows = r.int()
		case id == 4 && typ == thriftList:
			r.each(64, func() { m.groups = append(m.groups, r.rowGroup()) })
		default:
			r.skip(typ)
		}
	})
	if r.err != nil {
		return nil, r.err
	}
	leaves, err := m.flatten(schema)
	if err != nil {
		return nil, err
	}
	var rows int64
	for i := range m.groups {
		g := &m.groups[i]
		if len(g.chunks) != leaves {
			return nil, fmt.Errorf("row group %d has %d columns, the schema %d", i+1, len(g.chunks), leaves)
		}
		if g.rows < 0 {
			return nil, fmt.Errorf("row group %d has %d rows", i+1, g.rows)
		}
		rows += g.rows
		for j := range g.chunks {
			if c := &g.chunks[j]; !c.elsewhere && (c.start < 4 || c.size < 0 || c.start > size || c.size > size-c.start) {
				return nil, fmt.Errorf("column %d of row group %d lies outside the file", j+1, i+1)
			}
		}
	}
	if rows != m.rows {
		return nil, fmt.Errorf("it claims %d rows, its row groups %d", m.rows, rows)
	}
	return m, nil
}

func (r *thriftReader) rowGroup() pqGroup {
	var g pqGroup
	r.structure(func(id int, typ byte) {
		switch {
		case id == 1 && typ == thriftList:
			r.each(96, func() { g.chunks = append(g.chunks, r.columnChunk()) })
		case id == 3:
			g.rows = r.int()
		default:
			r.skip(typ)
		}
	})
	return g
}

func (r *thriftReader) columnChunk() pqChunk {
	c := pqChunk{physical: -1}
	meta := false
	r.structure(func(id int, typ byte) {
		switch {
		case id == 1 && typ == thriftBinary:
			c.elsewhere = len(r.bytes()) > 0 || c.elsewhere
		case id == 3 && typ == thriftStruct:
			meta = true
			r.columnMeta(&c)
		case id == 8 || id == 9:
			c.elsewhere = true
			r.skip(typ)
		default:
			r.skip(typ)
		}
	})
	c.elsewhere = c.elsewhere || !meta
	return c
}

func (r *thriftReader) columnMeta(c *pqChunk) {
	var data, dict int64
	r.structure(func(id int, typ byte) {
		switch id {
		case 1:
			c.physical = int(r.int())
		case 4:
			c.codec = int(r.int())
		case 5:
			c.values = r.int()
		case 7:
			c.size = r.int()
		case 9:
			data = r.int()
		case 11:
			dict = r.int()
		default:
			r.skip(typ)
		}
	})
	// Some writers use 0 for "no dictionary".
	if c.start = data; dict > 0 && dict < data {
		c.start = dict
	}
}
