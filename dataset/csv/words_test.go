package csv

import (
	"strings"
	"testing"
)

// Every byte counts, at the end of a text too, where there are fewer than eight.
func TestASCII(t *testing.T) {
	for n := range 20 {
		text := []byte(strings.Repeat("a", n))
		if !ascii(text) {
			t.Errorf("%q is not ASCII", text)
		}
		for i := range text {
			text[i] = 0x80
			if ascii(text) {
				t.Errorf("byte %d of %d is not seen", i, n)
			}
			text[i] = 'a'
		}
	}
}

func TestWordsThatStandForNumbers(t *testing.T) {
	for _, word := range []string{"2024-05-31", "2024-05-31T10:00:00Z", "23:59:59", "23:59:59.5", "true", "FALSE", "Yes", "no", "t", "F", "y", "N", "on", "off"} {
		if !standsForNumber([]byte(word)) {
			t.Errorf("%s stands for no number", word)
		}
	}
	for _, word := range []string{"2O24-05-31", "2024-O5-31", "2024-05-3x", "2024/05/31", "x3:59:59", "23:x9:59", "23:59:x9", "23:59", "nope", "truest", "", "2024-05-3"} {
		if standsForNumber([]byte(word)) {
			t.Errorf("%s stands for a number", word)
		}
	}
}

// fraction reads digits only, whether eight at a time or one by one.
func TestDigitsOfAFraction(t *testing.T) {
	for n := range 18 {
		for _, after := range []string{"", ":", "/", ";", "e", "A", "\xff", "\x00"} {
			text, want := strings.Repeat("1234567890", 2)[:n], uint64(7)
			for _, c := range text {
				want = want*10 + uint64(c-'0')
			}
			if got, end := fraction(7, []byte(text+after), 0); got != want || end != n {
				t.Errorf("%q: %d up to %d, want %d up to %d", text+after, got, end, want, n)
			}
		}
	}
}
