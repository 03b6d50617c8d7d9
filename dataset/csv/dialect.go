package csv

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/polydag/polydag/dataset"
)

// A dialect describes the format of a text table apart from its delimiter.
type dialect struct {
	blanks  bool // runs of spaces and tabs separate fields
	comment bool // lines that begin with # are ignored
}

// tidy rewrites a run, which begins at the start of a line outside quotes, in place. Comment lines become blank
// lines, which the parser skips and counts. Runs of blanks become one space, and none at the ends of a line.
// tidy is idempotent.
func (d dialect) tidy(run []byte) []byte {
	if !d.blanks && !d.comment {
		return run
	}
	out := run[:0]
	quoted, gap, start := false, false, true
	for i := 0; i < len(run); i++ {
		c := run[i]
		switch {
		case start && c == '#' && d.comment && !quoted:
			for run[i] != '\n' {
				i++
			}
			out = append(out, '\n')
		case c == '"':
			if gap && !start {
				out = append(out, ' ')
			}
			quoted, gap, start = !quoted, false, false
			out = append(out, c)
		case quoted || !d.blanks:
			out = append(out, c)
			start = c == '\n' && !quoted
		case c == ' ' || c == '\t' || c == '\r' && i+1 < len(run) && run[i+1] == '\n':
			gap = true
		case c == '\n':
			out = append(out, c)
			gap, start = false, true
		default:
			if gap && !start {
				out = append(out, ' ')
			}
			gap, start = false, false
			out = append(out, c)
		}
	}
	return out
}

// separatorLine returns the delimiter of a first line such as sep=;, which Excel writes, and the length of that
// line. It returns 0 and 0 if there is none.
func separatorLine(run []byte) (delim byte, length int) {
	end := bytes.IndexByte(run, '\n')
	if end < 0 {
		return 0, 0
	}
	line := bytes.Trim(bytes.TrimSuffix(run[:end], []byte{'\r'}), `"`)
	if len(line) != len("sep=;") || !strings.EqualFold(string(line[:4]), "sep=") || (dataset.CSVSettings{Delimiter: line[4], Threads: 1, MaxLine: 1, MaxColumns: 1}).Validate() != nil {
		return 0, 0
	}
	return line[4], end + 1
}

// leadingComments returns the lines at the start of run that begin with #, without line ends, and their length
// including blank lines between them. If nothing follows them, they are not comments.
func leadingComments(run []byte) (lines [][]byte, length int) {
	for length < len(run) {
		if n := blankLine(run[length:]); n > 0 && lines != nil {
			length += n
			continue
		}
		if run[length] != '#' {
			return lines, length
		}
		end := length + bytes.IndexByte(run[length:], '\n')
		lines = append(lines, bytes.TrimSuffix(run[length:end], []byte{'\r'}))
		length = end + 1
	}
	return nil, 0
}

// dialectRows is the number of records used to count the fields per row.
const dialectRows = 1000

// A census describes the common form of the first records of a table.
type census struct {
	rows      int
	fields    int  // fields per row, or -1 if they differ
	lastEmpty bool // the last field of every row is empty
	numbers   bool // the first row contains a number
}

// takeCensus counts the fields of up to dialectRows records of run.
func takeCensus(run []byte, delim, point byte) census {
	c := census{lastEmpty: true}
	for pos := 0; pos < len(run) && c.rows < dialectRows; {
		if n := blankLine(run[pos:]); n > 0 {
			pos += n
			continue
		}
		count := 0
		var field []byte
		for last, ok := false, false; !last; count++ {
			if field, pos, last, ok = cutField(run, pos, delim); !ok {
				c.fields = -1
				return c
			}
			if c.rows == 0 && len(field) > 0 {
				_, err := ParseNumber(trimBlanks(field), point)
				c.numbers = c.numbers || err == nil
			}
		}
		c.lastEmpty = c.lastEmpty && len(trimBlanks(field)) == 0
		if c.rows++; c.rows == 1 {
			c.fields = count
		} else if c.fields != count {
			c.fields = -1
		}
	}
	if c.rows == 0 {
		c.fields, c.lastEmpty = -1, false
	}
	return c
}

// commentNames returns the names in a comment such as "# a b c" that serves as a header. It must have as many
// names as the rows have fields, the first row must contain a number, and no name may be a number. Otherwise it
// returns nil.
func commentNames(line []byte, delim byte, rows census) []string {
	text := strings.TrimSpace(strings.TrimLeft(string(line), "#"))
	if rows.fields < 2 || !rows.numbers || text == "" {
		return nil
	}
	for _, list := range [][]string{strings.Split(text, string(rune(delim))), strings.Fields(text)} {
		if len(list) != rows.fields {
			continue
		}
		for j, name := range list {
			list[j] = strings.Trim(strings.TrimSpace(name), `"`)
			if _, err := ParseNumber([]byte(list[j]), '.'); err == nil || list[j] == "" {
				return nil
			}
		}
		return list
	}
	return nil
}

// blankFields reports whether runs of spaces and tabs separate the fields of run. The first record must have at
// least two fields. All others must have as many, or one more if the row names have no header.
func blankFields(run []byte) bool {
	tidied := dialect{blanks: true}.tidy(bytes.Clone(run))
	end := 0
	for last, ok := false, false; !last; {
		if _, end, last, ok = cutField(tidied, end, ' '); !ok {
			return false
		}
	}
	head, rows := takeCensus(tidied[:end], ' ', '.'), takeCensus(tidied[end:], ' ', '.')
	return head.fields >= 2 && (rows.fields == head.fields || rows.fields == head.fields+1) ||
		head.fields == 1 && rows.fields == 2 && rows.rows > 1
}

// delimiterName returns the name of a delimiter.
func delimiterName(delim byte) string {
	switch delim {
	case '\t':
		return "tabs"
	case ';':
		return "semicolons"
	case '|':
		return "bars"
	case ' ':
		return "spaces"
	}
	return fmt.Sprintf("%q", delim)
}
