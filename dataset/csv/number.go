package csv

import (
	"bytes"
	"errors"
	"math"
	"strconv"

	"github.com/polydag/polydag/dataset"
)

// ParseNumber parses a field without surrounding spaces, with the decimal mark point. The error is
//
//	ErrMissing    for "", NA, N/A, #N/A, null, none, ?, - and . in any case; the value is NaN
//	ErrNotFinite  for NaN, inf and infinity in any case and with any sign, and for numbers
//	              beyond float64; the value is NaN or an infinity
//	ErrNotNumber  for all else; the value is NaN
func ParseNumber(field []byte, point byte) (float64, error) {
	if point == ',' {
		field = ungrouped(field)
	}
	if !decimal(field, point) {
		return notDecimal(field)
	}
	if point != '.' {
		field = bytes.Clone(field)
		if k := bytes.IndexByte(field, point); k >= 0 {
			field[k] = '.'
		}
	}
	v, err := strconv.ParseFloat(string(field), 64)
	if errors.Is(err, strconv.ErrRange) {
		return v, dataset.ErrNotFinite
	}
	return v, err
}

// ungrouped removes the points of a number with a decimal comma and points between groups of three digits:
// 1.234.567,8. With a decimal comma, a point has no other meaning. Other fields are returned unchanged.
func ungrouped(field []byte) []byte {
	if bytes.IndexByte(field, '.') < 0 {
		return field
	}
	whole, fraction, _ := bytes.Cut(field, []byte{','})
	if !grouped(whole, '.') || !digits(fraction) {
		return field
	}
	return bytes.ReplaceAll(field, []byte{'.'}, nil)
}

// notDecimal recognizes the words for missing values and infinities.
func notDecimal(field []byte) (float64, error) {
	var lower [len("-infinity")]byte
	if len(field) > len(lower) {
		return math.NaN(), dataset.ErrNotNumber
	}
	for i, c := range field {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	switch string(lower[:len(field)]) {
	case "", "na", "n/a", "#n/a", "null", "none", "?", "-", ".":
		return math.NaN(), dataset.ErrMissing
	case "nan", "+nan", "-nan":
		return math.NaN(), dataset.ErrNotFinite
	case "inf", "+inf", "infinity", "+infinity":
		return math.Inf(1), dataset.ErrNotFinite
	case "-inf", "-infinity":
		return math.Inf(-1), dataset.ErrNotFinite
	}
	return math.NaN(), dataset.ErrNotNumber
}

// decimal reports whether s is [+-] digits [point digits] [e [+-] digits] with a digit before the exponent. It
// excludes other forms that strconv.ParseFloat accepts (infinities, hexadecimal, underscores) and thousands
// separators.
func decimal(s []byte, point byte) bool {
	i := 0
	digits := func() int {
		start := i
		for i < len(s) && s[i]-'0' < 10 {
			i++
		}
		return i - start
	}
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	n := digits()
	if i < len(s) && s[i] == point {
		i++
		n += digits()
	}
	if n == 0 {
		return false
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if digits() == 0 {
			return false
		}
	}
	return i == len(s)
}
