package files

import (
	"archive/zip"
	"bufio"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A merge is a range of rows of one column whose cells are merged: only the first one has the value that all of them show.
type merge struct{ column, first, last int }

// Limits of the part of a sheet behind the rows, which lists the merged cells.
const mostMerges, mostAfterRows = 1 << 16, 1 << 24

// merged lists the merged ranges of one column each, by their first row. Ranges over several columns are left as they are, since their value
// may belong to any of the columns.
func merged(member *zip.File) (list []merge) {
	sheet, err := member.Open()
	if err != nil {
		return nil
	}
	defer sheet.Close()
	r, end := bufio.NewReaderSize(sheet, 1<<16), "/sheetData>"
	for {
		text, err := r.ReadSlice('>')
		if err != nil && err != bufio.ErrBufferFull {
			return nil
		}
		if strings.HasSuffix(string(text[max(0, len(text)-len(end)):]), end) {
			break
		}
	}
	for x := xml.NewDecoder(io.LimitReader(r, mostAfterRows)); len(list) < mostMerges; {
		token, err := x.RawToken()
		if err != nil {
			break
		}
		t, ok := token.(xml.StartElement)
		if !ok || t.Name.Local != "mergeCell" {
			continue
		}
		from, to, _ := strings.Cut(attribute(t, "ref"), ":")
		m := merge{column: columnOf(from), first: rowOf(from), last: rowOf(to)}
		if m.column >= 0 && m.column == columnOf(to) && 0 < m.first && m.first < m.last {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b merge) int { return cmp.Compare(a.first, b.first) })
	return list
}

// rowOf returns the row, from 1, of a cell reference such as BC17, or 0 if it is invalid.
func rowOf(ref string) int {
	row, err := strconv.Atoi(strings.TrimLeft(ref, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	if err != nil {
		return 0
	}
	return row
}

// keepMerged keeps the merged ranges of the rows of data, which begin at the row that was read last.
func (s *xlsxSource) keepMerged(list []merge) {
	s.merges = slices.DeleteFunc(list, func(m merge) bool { return m.first < s.row })
	s.open = map[int]openMerge{}
	if n := len(s.merges); n > 0 {
		s.notes = append(s.notes, fmt.Sprintf("Merged cells of one column (%d): each of their rows has the value.", n))
	}
}

// openMerge is a merged range with its value.
type openMerge struct {
	merge
	value xlsxCell
}

// fill gives merged cells of the last row read the value of the first cell of their range.
func (s *xlsxSource) fill() {
	for len(s.merges) > 0 && s.merges[0].first <= s.row {
		m := s.merges[0]
		s.merges = s.merges[1:]
		at, ok := slices.BinarySearchFunc(s.cells, m.column, byColumn)
		if ok && m.first == s.row {
			s.open[m.column] = openMerge{m, s.cells[at]}
		}
	}
	for column, m := range s.open {
		if at, ok := slices.BinarySearchFunc(s.cells, column, byColumn); s.row > m.last {
			delete(s.open, column)
		} else if !ok {
			s.cells = slices.Insert(s.cells, at, m.value)
		}
	}
}

func byColumn(c xlsxCell, column int) int { return cmp.Compare(c.column, column) }
