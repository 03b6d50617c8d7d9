package csv

import (
	"math"
	"strings"
	"testing"
)

// TestParseAmount checks prefix, suffix, sign and digits of amounts, and texts that are none.
func TestParseAmount(t *testing.T) {
	const none = "none"
	for field, want := range map[string]string{
		"5": "|5|", "+5": "|5|", "-5": "-|5|", "(5)": "-|5|", "5.": "|5.|", ".5": "|.5|", ",5": "|,5|",
		"$1,234.50": "$|1,234.50|", "-$5": "-$|5|", "$-5": "-$|5|", "($5)": "-$|5|", "$ 5": "$|5|", "US$5": "US$|5|",
		"USD 5": "USD|5|", "EUR  1.5": "EUR|1.5|", "5 €": "|5|€", "5€": "|5|€",
		"5 kg": "|5|kg", "5kg": "|5|kg", "5 %": "|5|%", "5 ‰": "|5|‰", "5°": "|5|°", "5 m²": "|5|m²", "5 m³": "|5|m³", "5 km/h": "|5|km/h", "5'": "|5|'",
		"1 234 kg": "|1 234|kg", "1\u00a0234\u00a0kg": "|1\u00a0234|kg", "1\u202f234": "|1\u202f234|", "1\u2009234": "|1\u2009234|",
		"5 abcdefghijkl": "|5|abcdefghijkl", "5µg": "|5|µg", "5à": "|5|à",

		"": none, "-": none, "()": none, "(-5)": none, "--5": none, "-$-5": none, "(5": none, "(55": none, "55)": none, ".": none, ",": none, ":5": none, "x5": none, "$": none, "-(5)": none,
		"USD5": none, "USDx5": none, "USD ": none, "XYZ 5": none, "$5 kg": none, "5 kg!": none, "5 a-b": none, "5 abcdefghijklm": none,
		"0001.jpg": none, "5\xc2": none, "5\xe2": none, "5\xe2\x80": none, "5\xe2\x80\xb0x!": none,
	} {
		a, ok := parseAmount([]byte(field))
		got := none
		if ok {
			got = a.prefix + "|" + string(a.digits) + "|" + a.suffix
			if a.negative {
				got = "-" + got
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", field, got, want)
		}
	}
}

// TestValueOfAnAmount checks the number for either decimal mark: separators of thousands stand before each group of three digits.
func TestValueOfAnAmount(t *testing.T) {
	nan := math.NaN() // not a number with this mark
	for digits, want := range map[string]struct {
		point, comma float64
		decimal      string // the mark, or 0 if both fit
	}{
		"5":            {5, 5, "0"},
		"1,234.5":      {1234.5, nan, "."},
		"1.234,5":      {nan, 1234.5, ","},
		"1,234":        {1234, 1.234, "0"},
		"1.234":        {1.234, 1234, "0"},
		"12,34":        {nan, 12.34, ","},
		"12,3456":      {nan, 12.3456, ","},
		"1234,567":     {nan, 1234.567, ","},
		"123,456":      {123456, 123.456, "0"},
		"1,23,456":     {nan, nan, ""},
		"1,234,56":     {nan, nan, ""},
		"1,234,567":    {1234567, nan, "."},
		"0,123":        {nan, 0.123, ","},
		",123":         {nan, 0.123, ","},
		"1,,234":       {nan, nan, ""},
		"1,234,":       {nan, nan, ""},
		"1'234'567":    {1234567, 1234567, "0"},
		"1 234.5":      {1234.5, nan, "."},
		"1\u00a0234,5": {nan, 1234.5, ","},
		"1\u202f234":   {1234, 1234, "0"},
		"1.5.2":        {nan, nan, ""},
	} {
		for _, negative := range []bool{false, true} {
			a := amount{digits: []byte(digits), negative: negative}
			for point, x := range map[byte]float64{'.': want.point, ',': want.comma} {
				if negative {
					x = -x
				}
				if got, ok := a.value(point); ok != (x == x) || ok && got != x {
					t.Errorf("%q with the mark %c: %v, %v, want %v", digits, point, got, ok, x)
				}
			}
			mark, ok := a.decimal()
			got := string(mark)
			if mark == 0 {
				got = "0"
			}
			if ok != (want.decimal != "") || ok && got != want.decimal {
				t.Errorf("%q has the mark %s, %v, want %q", digits, got, ok, want.decimal)
			}
		}
	}
}

// TestParseDate checks dates in each order, with times, and texts that are none. The seconds are those of the date command.
func TestParseDate(t *testing.T) {
	const day = 1735603200.0 // 2024-12-31
	for _, c := range []struct {
		field         string
		dmy, mdy, ymd float64 // 0 is not a date
	}{
		{"31/12/2024", day, 0, 0}, {"31.12.2024", day, 0, 0}, {"31-12-2024", day, 0, 0}, {"12/31/2024", 0, day, 0},
		{"2024/12/31", 0, 0, day}, {"2024.12.31", 0, 0, day}, {"2024/31/12", 0, 0, 0},
		{"1/2/2006", 1138752000, 1136160000, 0}, // the first of February and the second of January
		{"29/02/2024", 1709164800, 0, 0}, {"29/02/2023", 0, 0, 0}, {"31/04/2024", 0, 0, 0}, {"00/01/2024", 0, 0, 0}, {"01/13/2024", 0, 1705104000, 0},
		{"13/01/2024", 1705104000, 0, 0}, {"31.11.2024", 0, 0, 0}, {"00/05/2024", 0, 0, 0}, {"2024/13/01", 0, 0, 0}, {"2024/12/32", 0, 0, 0}, {"2024/12/00", 0, 0, 0},
		{"31/12/2024 15:04", day + 15*3600 + 4*60, 0, 0}, {"31/12/2024T15:04:05", day + 15*3600 + 4*60 + 5, 0, 0},
		{"31/12/2024 3:04 PM", day + 15*3600 + 4*60, 0, 0}, {"31/12/2024 3:04:05 AM", day + 3*3600 + 4*60 + 5, 0, 0},
	} {
		d, ok := parseDate([]byte(c.field))
		if !ok {
			t.Errorf("%q is not a date", c.field)
			continue
		}
		for order, want := range map[string]float64{"dmy": c.dmy, "mdy": c.mdy, "ymd": c.ymd} {
			if got, ok := d.seconds(order); ok != (want != 0) || ok && got != want {
				t.Errorf("%q in the order %s: %v, %v, want %v", c.field, order, got, ok, want)
			}
		}
	}
	for _, field := range []string{
		"", "1/2/06", "12/31/24", "2024-12-31", "/12/2024", "a1/12/2024", "123/1/2024", "2024/1/123", "2024/12/", "2024/123/1", "31//2024", "31/123/2024", "31/12.2024", "31 12 2024",
		"12312/1/2024", "12/31/20245", "31/12/2024x", "31/12/2024 25:00", "31/12/2024 ", "31/12/2024x15:04", "31/12/", "31122024",
	} {
		if d, ok := parseDate([]byte(field)); ok {
			t.Errorf("%q is read as %+v, want no date", field, d)
		}
	}
}

// TestLongIntegers checks the largest integer that is exact: 2⁵³.
func TestLongIntegers(t *testing.T) {
	for field, want := range map[string]bool{
		"9007199254740992": false, "9007199254740993": true, "-9007199254740993": true, "+9007199254740992": false, "00009007199254740992": false, "00009007199254740993": true,
		"10000000000000000": true, "999999999999999": false, "9007199254740993.0": false, "": false, "+": false, "9e99": false, "+9007199254740993": true, "x99999999999999999": false, "99999999999999999x": false,
	} {
		if got := beyondExact([]byte(field)); got != want {
			t.Errorf("%q is beyond 2⁵³: %v, want %v", field, got, want)
		}
	}
}

// TestNumbersOfAForm checks that a cell is a number only in its own form.
func TestNumbersOfAForm(t *testing.T) {
	for _, c := range []struct {
		form  Form
		field string
		want  float64
		ok    bool
	}{
		{Form{Kind: Amount, Prefix: "$", Decimal: '.'}, "$1,234", 1234, true},
		{Form{Kind: Amount, Prefix: "$", Decimal: ','}, "$1,234", 1.234, true},
		{Form{Kind: Amount, Prefix: "$", Decimal: '.'}, "€5", 0, false},
		{Form{Kind: Amount, Prefix: "$", Decimal: '.'}, "5", 0, false},
		{Form{Kind: Amount, Suffix: "kg", Decimal: '.'}, "5 kg", 5, true},
		{Form{Kind: Amount, Suffix: "kg", Decimal: '.'}, "5 g", 0, false},
		{Form{Kind: Amount, Decimal: '.'}, "1,234", 1234, true},
		{Form{Kind: Amount, Decimal: '.'}, "x", 0, false},
		{Form{Kind: Amount, Decimal: '.'}, "-(5)", 0, false},
		{Form{Kind: Date, Order: "dmy"}, "31/12/2024", 1735603200, true},
		{Form{Kind: Date, Order: "mdy"}, "31/12/2024", 0, false},
		{Form{Kind: Date, Order: "dmy"}, "01/01/2024x", 0, false},
		{Form{Kind: Whole}, "9007199254740993", 9007199254740992, true},
		{Form{Kind: Whole}, "-12", -12, true},
		{Form{Kind: Whole}, strings.Repeat("9", 400), 0, false}, // beyond the range of numbers
		{Form{Kind: Whole}, "1.5", 0, false},
		{Form{Kind: Whole}, "x", 0, false},
		{Form{Kind: Words}, "5", 0, false},
		{Form{Kind: Plain}, "5", 0, false},
	} {
		if got, ok := c.form.number([]byte(c.field)); ok != c.ok || ok && got != c.want {
			t.Errorf("%q in %+v: %v, %v, want %v, %v", c.field, c.form, got, ok, c.want, c.ok)
		}
	}
}

// TestMarkers checks which texts are missing values in a numeric column.
func TestMarkers(t *testing.T) {
	for field, want := range map[string]bool{"*": true, "-": true, ".": true, "NA": true, "NaN": true, "": false, "**": false, "*5": false, "5": false, "word": false, "Inf": false} {
		if got := marker([]byte(field)); got != want {
			t.Errorf("%q marks a missing value: %v, want %v", field, got, want)
		}
	}
	for _, c := range strings.Split("*|-|.", "|") {
		if !oneOf([]byte(c), marks) || oneOf([]byte(c+c), marks) || oneOf(nil, marks) || oneOf([]byte(c), "#") {
			t.Errorf("%q: only the single character is one of the markers", c)
		}
	}
}
