package csv

import "bytes"

// delimiters are those that sniffDelimiter tells apart, the rarer in text first.
var delimiters = [...]byte{'\t', ';', '|', ',', ' '}

// sniffDelimiter finds the delimiter from the records of run, the header first. Bytes inside
// quotes do not count.
//
//  1. A tab, semicolon, bar or comma qualifies if it is in the header.
//  2. Of these the one wins that the most rows have as often as the header has it.
//  3. A tie goes to the tab, then the semicolon, the bar, the comma: a comma may as well be
//     part of names and numbers.
//  4. Where none qualifies it is a space, if the header has one and every row, at least one,
//     has as many; else runs of spaces and tabs, if they part all records alike; else a comma, and the table has one
//     column.
//
// Where the fraction of numbers starts with a comma, the comma does not qualify, and the last
// resort is a semicolon.
func sniffDelimiter(run []byte, point byte) (delim byte, blanks bool) {
	var header, agree, count [len(delimiters)]int
	rows := -1
	quoted, blank := false, true
	for _, c := range run {
		k := -1
		switch c {
		case '"':
			quoted = !quoted
		case '\t':
			k = 0
		case ';':
			k = 1
		case '|':
			k = 2
		case ',':
			k = 3
		case ' ':
			k = 4
		case '\r':
			continue
		case '\n':
			if blank || quoted {
				continue
			}
			if rows < 0 {
				header = count
			} else {
				for k := range count {
					if count[k] == header[k] {
						agree[k]++
					}
				}
			}
			count, blank = [len(delimiters)]int{}, true
			rows++
			continue
		}
		blank = false
		if k >= 0 && !quoted {
			count[k]++
		}
	}
	const space = len(delimiters) - 1
	best := -1
	for k, d := range delimiters[:space] {
		if header[k] > 0 && d != point && (best < 0 || agree[k] > agree[best]) {
			best = k
		}
	}
	switch {
	case best >= 0:
		return delimiters[best], false
	case header[space] > 0 && rows > 0 && agree[space] == rows && !bytes.HasPrefix(run, []byte{' '}) && !bytes.Contains(run, []byte("  ")):
		return ' ', false
	case rows > 0 && blankFields(run):
		return ' ', true
	case point == ',':
		return ';', false
	}
	return ',', false
}

// sniffDecimal finds what starts the fraction of a number, from the fields of run but the
// header: a comma, if the delimiter is none, some field is a number with a comma for the
// point, and no field is a number with a point or has commas between groups of three
// digits; a point otherwise.
//
// 1,234 may be either. It counts for the comma after a semicolon, which programs write where
// the comma is taken, and for nothing after other delimiters: what is read as text can be
// put right, what is read as a thousandth of itself is not noticed. 1.234 may be either, too, after a semicolon: where a comma
// starts fractions elsewhere the point groups thousands, and where a column has both 1.234 and 567, no field says which, and
// sniffDecimal returns 0.
//
// Where the delimiter is a comma, only quoted fields can have another one: "1,5" says that it starts fractions, "1,234"
// says nothing.
//
// example is a field that shows the comma.
func sniffDecimal(run []byte, delim byte) (point byte, example string) {
	point = '.'
	points := map[int]int{} // of a column: 1 for 1.234, 2 for a whole number of three digits
	line := 0
	for pos := 0; pos < len(run); line++ {
		if n := blankLine(run[pos:]); n > 0 {
			pos += n
			line--
			continue
		}
		for last, column := false, 0; !last; column++ {
			var field []byte
			var ok bool
			quoted := run[pos] == '"'
			if field, pos, last, ok = cutField(run, pos, delim); !ok {
				return point, example // the parser says what is wrong
			}
			if line == 0 {
				continue
			}
			field = trimBlanks(field)
			decimalComma := func() {
				if point = ','; example == "" {
					example = string(field)
				}
			}
			switch comma := bytes.IndexByte(field, ',') >= 0; {
			case !comma && delim == ';' && grouped(field, '.'):
				points[column] |= 1
			case !comma && bytes.IndexByte(field, '.') >= 0 && decimal(field, '.'):
				return '.', ""
			case delim == ',' && !quoted:
			case !comma:
				if len(field) == 3 && field[0] != '0' && digits(field) {
					points[column] |= 2
				}
			case grouped(field, ','):
				if bytes.Count(field, []byte{','}) > 1 {
					return '.', ""
				}
				if delim == ';' {
					decimalComma()
				}
			case decimal(field, ','):
				decimalComma()
			}
		}
	}
	if point == '.' {
		for _, seen := range points {
			if seen == 3 {
				return 0, ""
			}
		}
	}
	return point, example
}

// grouped reports whether s is a whole number with a sign between groups of three digits.
func grouped(s []byte, sign byte) bool {
	if len(s) > 0 && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	first, rest, ok := bytes.Cut(s, []byte{sign})
	if !ok || len(first) == 0 || len(first) > 3 || first[0] == '0' || !digits(first) {
		return false
	}
	for ok {
		var group []byte
		group, rest, ok = bytes.Cut(rest, []byte{sign})
		if len(group) != 3 || !digits(group) {
			return false
		}
	}
	return true
}

func digits(s []byte) bool {
	for _, c := range s {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}
