package csv

import "bytes"

// delimiters are the delimiters that sniffDelimiter considers, those less frequent in text first.
var delimiters = [...]byte{'\t', ';', '|', ',', ' '}

// sniffDelimiter detects the delimiter from the records of run, starting with the header. It ignores bytes
// inside quotes.
//
//  1. A tab, semicolon, bar or comma qualifies if it is in the header.
//  2. Of these, it is the one with the same count in the header and in the largest number of rows.
//  3. A tie goes to the tab, then the semicolon, the bar and the comma, because a comma may be part of
//     names and numbers.
//  4. If none qualifies, it is a space if the header and every row have the same number of spaces. Otherwise it is
//     runs of spaces and tabs if they split all records alike. Otherwise it is a comma, and the table has one column.
//
// With a decimal comma, the comma does not qualify, and the default is a semicolon.
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

// sniffDecimal detects the decimal mark from the fields of run without the header. It is a comma if the
// delimiter is not a comma, some field is a number with a decimal comma, and no field has a decimal point or
// commas between groups of three digits. Otherwise it is a point.
//
// 1,234 is ambiguous. After a semicolon it counts for the comma, because programs use the semicolon when the
// comma is taken. After other delimiters it does not count: text can be corrected, but a value divided by 1000
// is not noticed. 1.234 is also ambiguous after a semicolon. With decimal commas elsewhere, the point groups
// thousands. If a column has both 1.234 and 567, no field decides, and sniffDecimal returns 0.
//
// If the delimiter is a comma, only quoted fields can contain another one: "1,5" shows a decimal comma, "1,234"
// shows nothing.
//
// example is a field that shows the comma.
func sniffDecimal(run []byte, delim byte) (point byte, example string) {
	point = '.'
	points := map[int]int{} // by column: 1 for 1.234, 2 for an integer of three digits
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
				return point, example // the parser will report the fault
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

// grouped reports whether s is an integer with a sign between groups of three digits.
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
