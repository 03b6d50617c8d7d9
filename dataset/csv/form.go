package csv

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/polydag/polydag/dataset"
)

// A Form describes how the cells of a column are written if they are not plain numbers. A Survey detects it
// from all cells of the column.
type Form struct {
	Kind FormKind
	// Missing means that markers, such as *, are missing values.
	Missing bool
	// Marks are the markers of one character that are missing values in a column of words, because they are in numeric columns.
	Marks string
	// Prefix and Suffix surround every Amount, and Decimal is its decimal mark.
	Prefix, Suffix string
	Decimal        byte
	// Order is the order of a Date: dmy, mdy or ymd.
	Order string
}

// FormKind is the kind of the cells of a column.
type FormKind int

// These are the kinds of forms.
const (
	Plain  FormKind = iota // numbers, or words
	Words                  // every cell is text, even if it looks like a number
	Amount                 // numbers with a currency, a unit or thousands separators
	Date                   // such as 31/12/2024
	Whole                  // numbers; integers above 2^53 are rounded
)

// number returns the number of a text cell in a column of this form.
func (f *Form) number(field []byte) (x float64, ok bool) {
	switch f.Kind {
	case Amount:
		a, ok := parseAmount(field)
		if !ok || a.prefix != f.Prefix || a.suffix != f.Suffix {
			return 0, false
		}
		return a.value(f.Decimal)
	case Date:
		d, ok := parseDate(field)
		if !ok {
			return 0, false
		}
		return d.seconds(f.Order)
	case Whole:
		x, err := strconv.ParseFloat(string(field), 64)
		return x, err == nil && wholeDigits(field)
	}
	return 0, false
}

// marks are the markers of one character.
const marks = "*-."

// oneOf reports whether a field is one of these characters.
func oneOf(field []byte, marks string) bool {
	return len(field) == 1 && strings.IndexByte(marks, field[0]) >= 0
}

// marker reports whether a field marks a missing value in a numeric column: *, -, ., null or none, or in quotes one of
// the other words of ParseNumber.
func marker(field []byte) bool {
	if len(field) == 0 {
		return false
	}
	if field[0] == '*' {
		return len(field) == 1
	}
	v, err := notDecimal(field)
	return err == dataset.ErrMissing || err == dataset.ErrNotFinite && v != v
}

// maxExact is the limit up to which every integer is exactly a float64.
const maxExact = 1 << 53

// beyondExact reports whether a field is an integer with an absolute value above maxExact.
func beyondExact(field []byte) bool {
	if !wholeDigits(field) {
		return false
	}
	field = bytes.TrimLeft(field, "+-0")
	const most = "9007199254740992"
	return len(field) > len(most) || len(field) == len(most) && string(field) > most
}

// wholeDigits reports whether a field consists of an optional sign and digits.
func wholeDigits(field []byte) bool {
	if len(field) > 0 && (field[0] == '-' || field[0] == '+') {
		field = field[1:]
	}
	return len(field) > 0 && digits(field)
}

// An amount is a number with its prefix and suffix.
type amount struct {
	prefix, suffix string
	negative       bool
	digits         []byte // digits, points, commas, and thousands separators
}

// currencies are currency signs; codes precede the amount with a blank.
var (
	currencies = []string{"US$", "A$", "C$", "R$", "$", "€", "£", "¥", "₹", "₩", "₽", "₺", "₪", "฿"}
	codes      = []string{"USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "AUD", "CAD", "SEK", "NOK", "DKK"}
)

// mostUnit is the largest length of a unit in bytes.
const mostUnit = 12

// parseAmount parses an amount. Most other fields are rejected at the first byte.
func parseAmount(field []byte) (a amount, ok bool) {
	s := field
	if n := len(s); n > 2 && s[0] == '(' && s[n-1] == ')' { // accounting notation for negative amounts
		a.negative, s = true, s[1:n-1]
	}
	sign := func() {
		if len(s) > 0 && (s[0] == '-' || s[0] == '+') && !a.negative {
			a.negative, s = s[0] == '-', s[1:]
		}
	}
	sign()
	if len(s) == 0 {
		return a, false
	}
	if s[0]-'0' > 9 && s[0] != '.' && s[0] != ',' {
		for _, p := range currencies {
			if bytes.HasPrefix(s, []byte(p)) {
				a.prefix, s = p, trimBlanks(s[len(p):])
				break
			}
		}
		for _, p := range codes {
			if a.prefix == "" && len(s) > 4 && s[3] == ' ' && string(s[:3]) == p {
				a.prefix, s = p, trimBlanks(s[4:])
			}
		}
		if a.prefix == "" {
			return a, false
		}
		sign()
	}
	end := 0
	for end < len(s) {
		n := numberByte(s[end:])
		if n == 0 {
			break
		}
		end += n
	}
	for end > 0 && s[end-1]-'0' > 9 && s[end-1] != '.' { // a blank before the unit
		_, n := utf8.DecodeLastRune(s[:end])
		end -= n
	}
	a.digits = s[:end]
	if len(a.digits) == 0 || bytes.IndexFunc(a.digits, unicode.IsDigit) < 0 {
		return a, false
	}
	if end < len(s) && s[end-1] == '.' && unicode.IsLetter(rune(s[end])) { // a file name such as 0001.jpg
		return a, false
	}
	unit := bytes.TrimFunc(s[end:], unicode.IsSpace)
	if len(unit) > mostUnit {
		return a, false
	}
	for _, r := range string(unit) {
		if !unicode.IsLetter(r) && !unicode.Is(unicode.Sc, r) && r != '%' && r != '‰' && r != '°' && r != '²' && r != '³' && r != '/' && r != '\'' {
			return a, false
		}
	}
	a.suffix = string(unit)
	return a, a.prefix == "" || a.suffix == ""
}

// numberByte returns the length of the character at the start of s if it may occur inside a number, or 0.
func numberByte(s []byte) int {
	switch c := s[0]; {
	case c-'0' < 10, c == '.', c == ',', c == '\'', c == ' ':
		return 1
	case c == 0xc2 && len(s) > 1 && s[1] == 0xa0: // a no-break space
		return 2
	case c == 0xe2 && len(s) > 2 && s[1] == 0x80 && (s[2] == 0xaf || s[2] == 0x89): // narrow no-break space and thin space
		return 3
	}
	return 0
}

// decimal returns the decimal mark if the amount shows it, or 0. ok is false if no mark fits.
func (a amount) decimal() (sign byte, ok bool) {
	if _, ok := a.value('.'); !ok {
		_, ok := a.value(',')
		return ',', ok
	}
	if _, ok := a.value(','); !ok {
		return '.', true
	}
	return 0, true
}

// value parses the amount; ok is false if the thousands separators do not separate groups of three digits.
func (a amount) value(point byte) (x float64, ok bool) {
	whole, fraction, _ := bytes.Cut(a.digits, []byte{point})
	if !digits(fraction) {
		return 0, false
	}
	text := make([]byte, 0, len(a.digits)+2)
	if a.negative {
		text = append(text, '-')
	}
	group, grouped := 0, false
	for i := 0; i < len(whole); {
		if c := whole[i]; c-'0' < 10 {
			text = append(text, c)
			group++
			i++
			continue
		}
		if group == 0 || group > 3 || grouped && group != 3 || whole[0] == '0' {
			return 0, false
		}
		group, grouped = 0, true
		i += max(numberByte(whole[i:]), 1)
	}
	if grouped && group != 3 {
		return 0, false
	}
	text = append(append(text, '.'), fraction...)
	x, err := strconv.ParseFloat(string(text), 64)
	return x, err == nil
}

// A day is a date of three numbers in their written order, with an optional time.
type day struct {
	parts [3]int
	year  int // the index of the year: 0 or 2
	sign  byte
	clock time.Duration
}

// parseDate parses three numbers separated by /, . or -, with four digits at one end, and an optional time
// after a blank or a T. It rejects ISO 8601 dates, which are handled as words.
func parseDate(field []byte) (d day, ok bool) {
	if len(field) < len("1/2/2006") || field[0]-'0' > 9 {
		return d, false
	}
	rest := field
	var long [3]int // number of digits of each number
	for k := range d.parts {
		for len(rest) > 0 && long[k] < 4 && rest[0]-'0' < 10 {
			d.parts[k] = 10*d.parts[k] + int(rest[0]-'0')
			long[k]++
			rest = rest[1:]
		}
		if k == 2 {
			break
		}
		if len(rest) == 0 || rest[0] != '/' && rest[0] != '.' && rest[0] != '-' || k == 1 && rest[0] != d.sign {
			return d, false
		}
		d.sign, rest = rest[0], rest[1:]
	}
	switch {
	case long[1] == 0 || long[1] > 2:
		return d, false
	case long[0] == 4 && long[2] > 0 && long[2] <= 2 && d.sign != '-':
	case long[0] <= 2 && long[2] == 4:
		d.year = 2
	default:
		return d, false
	}
	if len(rest) == 0 {
		return d, true
	}
	if rest[0] != ' ' && rest[0] != 'T' {
		return d, false
	}
	for _, form := range []string{"15:04", "15:04:05", "3:04 PM", "3:04:05 PM"} {
		if t, err := time.Parse(form, string(rest[1:])); err == nil {
			d.clock = t.Sub(t.Truncate(24 * time.Hour))
			return d, true
		}
	}
	return d, false
}

// seconds returns the date in the given order as seconds since 1970-01-01 UTC; ok is false for an invalid date.
func (d day) seconds(order string) (x float64, ok bool) {
	y, m, n := d.parts[2], d.parts[1], d.parts[0]
	switch {
	case order == "ymd" && d.year == 0:
		y, n = d.parts[0], d.parts[2]
	case d.year == 0 || order == "ymd":
		return 0, false
	case order == "mdy":
		m, n = n, m
	}
	t := time.Date(y, time.Month(m), n, 0, 0, 0, 0, time.UTC)
	if t.Year() != y || t.Month() != time.Month(m) || t.Day() != n {
		return 0, false
	}
	return dataset.Seconds(t.Add(d.clock)), true
}
