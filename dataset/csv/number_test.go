package csv

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// TestParseNumberWords checks every word for a missing value or an infinity, and similar words.
func TestParseNumberWords(t *testing.T) {
	type word struct {
		field string
		value float64
		err   error
	}
	nan, inf := math.NaN(), math.Inf(1)
	var words []word
	for _, s := range []string{"", "NA", "N/A", "#N/A", "null", "NULL", "None", "?", "-", "."} {
		words = append(words, word{s, nan, dataset.ErrMissing}, word{strings.ToLower(s), nan, dataset.ErrMissing})
	}
	for _, s := range []string{"NaN", "nan", "NAN", "+nan", "-NaN"} {
		words = append(words, word{s, nan, dataset.ErrNotFinite})
	}
	for _, s := range []string{"Inf", "inf", "+INF", "Infinity", "+infinity", "1e309", "9e999999999"} {
		words = append(words, word{s, inf, dataset.ErrNotFinite})
	}
	for _, s := range []string{"-Inf", "-inf", "-INFINITY", "-1e309"} {
		words = append(words, word{s, -inf, dataset.ErrNotFinite})
	}
	for _, s := range []string{
		"nab", "n/", "#n/", "nul", "nulls", "non", "nones", "??", "--", "..", "+", "nano", "infi", "infinity1", "--inf", "+-inf", "true", "false",
		"0x10", "1_000", "1,000", "1 000", "1e", "1d5", "12:30", "2024-01-01", "\xe9", "ñan", "１",
	} {
		words = append(words, word{s, nan, dataset.ErrNotNumber})
	}
	for _, w := range words {
		v, err := ParseNumber([]byte(w.field), '.')
		if !errors.Is(err, w.err) || v != w.value && !(v != v && w.value != w.value) {
			t.Errorf("%q: %v, %v, want %v, %v", w.field, v, err, w.value, w.err)
		}
	}
}

func TestParseNumberComma(t *testing.T) {
	for s, want := range map[string]float64{"1,5": 1.5, "-,25": -.25, "3,": 3, "7": 7, "1,5e3": 1500, "0,1234567890123456789012": 0.1234567890123456789012} {
		field := []byte(s)
		if v, err := ParseNumber(field, ','); err != nil || v != want || string(field) != s {
			t.Errorf("%q: %v, %v, want %v; the field is now %q", s, v, err, want, field)
		}
		if v, next, ok := parseFloat([]byte(s+";12345678"), 0, ','); ok && (v != want || next != len(s)) {
			t.Errorf("%q: %v up to %d, want %v", s, v, next, want)
		} else if !ok && len(s) < 20 {
			t.Errorf("%q: slow", s)
		}
	}
	for _, s := range []string{"1.5", "1.5,2", "1,5,2", ",", "1,5.2"} {
		if v, err := ParseNumber([]byte(s), ','); err == nil {
			t.Errorf("%q: %v", s, v)
		}
	}
}
