package files

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
)

// An xlsxHead says where the names of the columns of a sheet are.
type xlsxHead struct {
	titles int  // rows with one text before them
	two    bool // they are in two rows
	units  bool // the second of two rows has units
	wide   int  // number of columns of the first rows
}

// headRows is the number of rows after a title that are looked at.
const headRows = 5

// head finds the names of the columns in the first rows.
func (s *xlsxSource) head() (h xlsxHead) {
	var rows [][]xlsxCell
	for len(rows) < csv.MostTitles+headRows && s.next() == nil {
		rows = append(rows, slices.Clone(s.cells))
		h.wide = max(h.wide, s.cells[len(s.cells)-1].column+1)
	}
	if s.opt.CSV.NoHeader {
		return h
	}
	for h.titles < min(len(rows), csv.MostTitles) && len(rows[h.titles]) == 1 && rows[h.titles][0].isText {
		h.titles++
	}
	rows = rows[h.titles:]
	if h.two, h.units = twoHeaders(rows); !h.two && !titled(rows) {
		h.titles = 0
	}
	return h
}

// titled reports whether rows after a title begin with what can only be the header: at least two texts without a gap, above a row with a
// number and no cell beside them.
func titled(rows [][]xlsxCell) bool {
	if len(rows) < 2 || len(rows[0]) < 2 || slices.ContainsFunc(rows[0], isNumberCell) {
		return false
	}
	first, last := rows[0][0].column, rows[0][len(rows[0])-1].column
	below := rows[1]
	return last-first+1 == len(rows[0]) && below[0].column >= first && below[len(below)-1].column <= last && slices.ContainsFunc(below, isNumberCell)
}

func isNumberCell(c xlsxCell) bool { return !c.isText }

// twoHeaders reports whether rows begin with two rows of names: groups of columns above their names, or names above units. Both have texts
// only that are neither numbers nor missing values, above columns of numbers. Groups are fewer than the columns, such as merged cells;
// names above units are complete.
func twoHeaders(rows [][]xlsxCell) (two, units bool) {
	if len(rows) < 4 || len(rows[0]) < 2 || len(rows[1]) < 2 {
		return false, false
	}
	for _, c := range slices.Concat(rows[0], rows[1]) {
		if !c.isText || csv.LikeNumber(c.text) || csv.LikeMissing(c.text) {
			return false, false
		}
	}
	numbers := map[int]bool{} // by column: all cells below that are not missing are numbers
	for _, row := range rows[2:] {
		for _, c := range row {
			if c.isText && csv.LikeMissing(c.text) {
				continue
			}
			number := !c.isText || csv.LikeNumber(c.text)
			if all, seen := numbers[c.column]; !seen || all {
				numbers[c.column] = number
			}
		}
	}
	above := 0
	for _, c := range rows[1] {
		if numbers[c.column] {
			above++
		}
	}
	columns := map[int]bool{}
	for _, c := range slices.Concat(rows[0], rows[1]) {
		columns[c.column] = true
	}
	units = len(rows[0]) == len(columns)
	return above >= 2 && (!units || 2*above >= len(rows[1])), units
}

// names reads the names of the columns.
func (s *xlsxSource) names(head xlsxHead) error {
	words := ""
	for range head.titles {
		if err := s.next(); err != nil {
			return err
		}
		words = cmp.Or(words, s.cells[0].text)
	}
	switch err := s.next(); {
	case err == io.EOF:
		return located(s.file, ErrNoTable, "the sheet is empty")
	case err != nil:
		return err
	}
	upper := slices.Clone(s.cells)
	if head.two {
		s.notes = append(s.notes, fmt.Sprintf("The header is rows %d and %d.", s.row, s.row+1))
		if err := s.next(); err != nil {
			return err
		}
	} else if head.titles > 0 {
		s.notes = append(s.notes, fmt.Sprintf("The header is row %d, after the title %q.", s.row, dataset.Excerpt([]byte(words))))
	}
	s.wide = max(head.wide, s.cells[len(s.cells)-1].column+1, upper[len(upper)-1].column+1)
	if s.wide > s.opt.MaxColumns {
		return located(s.file, dataset.ErrTooWide, "%d, limit %d", s.wide, s.opt.MaxColumns)
	}
	names := make([]string, s.wide)
	if s.first = s.opt.CSV.NoHeader; s.first {
		for j := range names {
			names[j] = fmt.Sprintf("x%d", j)
		}
	} else {
		switch {
		case head.units:
			put(names, upper)
		case head.two:
			twoNames(names, upper, s.cells)
		default:
			put(names, s.cells)
		}
		if s.wide > 1 && names[0] == "" {
			names[0] = "unnamed" // column of row numbers written by pandas
		}
		if note := dataset.RepairNames(names); note != "" {
			s.notes = append(s.notes, fmt.Sprintf("Names of columns are empty or repeated: %s.", note))
		}
		// The first data row shows which columns are dates.
		if err := s.next(); err != nil && err != io.EOF {
			return err
		}
		s.first = len(s.cells) > 0
	}
	columns := make([]dataset.Column, s.wide)
	settings := csv.Settings{CSVSettings: s.opt.CSV, Forms: s.forms}
	read, err := csv.NewCells(names, settings)
	if err != nil {
		return &dataset.ParseError{File: s.file, Err: err}
	}
	s.read = read
	for j, name := range names {
		columns[j].Name, columns[j].Literal = name, read.Literal(j)
	}
	for _, c := range s.cells {
		if c.shown == xlsxDate && c.column < len(columns) {
			columns[c.column].Kind = dataset.Time
		}
	}
	s.frame, err = newFrame(s.file, columns, s.opt)
	return err
}

// put sets the names in a row.
func put(names []string, row []xlsxCell) {
	for _, c := range row {
		if names[c.column] = c.text; !c.isText {
			names[c.column] = dataset.FormatFloat(c.value)
		}
	}
}

// twoNames sets the names from a row of groups and a row of names. A name that occurs in two groups gets the name of its group in front.
func twoNames(names []string, groups, own []xlsxCell) {
	put(names, groups)
	group := slices.Clone(names)
	for j := 1; j < len(group); j++ {
		group[j] = cmp.Or(group[j], group[j-1])
	}
	put(names, own)
	count := map[string]int{}
	for _, name := range names {
		count[name]++
	}
	for j, name := range names {
		if name != "" && count[name] > 1 && group[j] != name {
			names[j] = strings.TrimSpace(group[j] + " " + name)
		}
	}
}
