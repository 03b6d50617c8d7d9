package csv

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// TestSniffDelimiter checks each rule of sniffDelimiter with a table that satisfies it and one that just does
// not.
func TestSniffDelimiter(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       byte
	}{
		{"comma", "a,b\n1,2\n", ','},
		{"semicolon", "a;b\n1;2\n", ';'},
		{"tab", "a\tb\n1\t2\n", '\t'},
		{"bar", "a|b\n1|2\n", '|'},
		{"space", "a b\n1 2\n3 4\n", ' '},
		{"header only", "a;b\n", ';'},
		{"CRLF and blank lines", "a;b\r\n\r\n1;2\r\n\n", ';'},

		{"not in the header", "a,b\n1;2,3;4\n5;6,7;8\n", ','},
		{"in the header too", "a;c,b;d\n1;2,3;4\n5;6,7;8\n", ';'},
		{"decimal commas", "a;b\n1,5;2,5\n1,5;2,5\n", ';'},
		{"in the header only in quotes", "\"a;c\",b\n\"1;2\",3\n", ','},
		{"in rows only in quotes", "a;c,b\n\"1;2\",3\n\"1;2\",3\n", ','},
		{"a line end in quotes", "a;\"b\n,c\"\n1;2\n", ';'},

		{"most rows agree", "a;b,c,d\n1,2,3\n1,2,3\n1;2,3,4\n", ','},
		{"most rows agree otherwise", "a;b,c,d\n1;2\n1;2,5\n1,2,3\n", ';'},
		{"a short row", "a,b,c\n1,2,3\n1,2\n", ','},
		{"no row agrees", "a,b\n1,2,3\n", ','},

		{"tie, tab first", "x, m\ty, m\n1,5\t2,5\n", '\t'},
		{"tie, semicolon before bar", "a;b|c\n1;2|3\n", ';'},
		{"tie, semicolon before comma", "height, m;weight, kg\n1,75;70,5\n", ';'},
		{"tie, bar before comma", "a,b|c\n1,2|3\n", '|'},
		{"one row breaks the tie", "height, m;weight, kg\n1,75;70\n", ';'},
		{"one row breaks the tie otherwise", "a;b,c\n1,2\n1;2,3\n", ','},

		{"space in a row too few", "a b\n1 2\n3\n", ','},
		{"space in a row too many", "a b\n1 2\n3 4 5\n", ','},
		{"space without rows", "my column\n", ','},
		{"space and another in the header", "a b,c\n1 2\n3 4\n", ','},
		{"one column", "a\n1\n2\n", ','},
	} {
		if got, _ := sniffDelimiter([]byte(c.text), 0); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got, _ := sniffDelimiter([]byte("a,b;c\n1,5;2\n1,5;2\n"), ','); got != ';' {
		t.Errorf("decimal comma: %q", got)
	}
	if got, _ := sniffDelimiter([]byte("a,b\n1,5\n"), ','); got != ';' {
		t.Errorf("decimal comma, nothing else: %q", got)
	}
}

func TestSniffDecimal(t *testing.T) {
	for _, c := range []struct {
		name, text string
		delim      byte
		want       byte
	}{
		{"comma", "a;b\n1,5;2\n", ';', ','},
		{"comma in quotes", "a;b\n\" 1,5\";2\n", ';', ','},
		{"comma after a tab", "a\tb\n1,5\t2\n", '\t', ','},
		{"exponent", "a;b\n1,5e3;2\n", ';', ','},
		{"delimiter is the comma", "a,b\n1,5\n", ',', '.'},
		{"quoted after a comma", "a,b\n\"1,5\",2\n", ',', ','},
		{"quoted thousands after a comma", "a,b\n\"1,500\",2\n", ',', '.'},
		{"quoted beside a point", "a,b\n\"1,5\",2.5\n", ',', '.'},
		{"neither", "a;b\n1;2\n", ';', '.'},
		{"point", "a;b\n1.5;2\n", ';', '.'},
		{"both", "a;b\n1,5;2\n1.5;2\n", ';', '.'},
		{"point in text only", "a;b\n1,5;v1.5\n", ';', ','},
		{"comma in text only", "a;b\nx, y;2\n", ';', '.'},
		{"comma in the header only", "1,5;b\n1;2\n", ';', '.'},
		{"point in the header only", "1.5;b\n1,5;2\n", ';', ','},
		{"CRLF and blank lines", "a;b\r\n\r\n1;1,5\r\n", ';', ','},

		{"three digits after a semicolon", "a;b\n1,234;2\n", ';', ','},
		{"three digits after a tab", "a\tb\n1,234\t2\n", '\t', '.'},
		{"four digits after a tab", "a\tb\n1,2345\t2\n", '\t', ','},
		{"zero and three digits after a tab", "a\tb\n0,234\t2\n", '\t', ','},
		{"four and three digits after a tab", "a\tb\n1234,567\t2\n", '\t', ','},
		{"one of them differs", "a\tb\n1,234\t2\n1,5\t2\n", '\t', ','},
		{"thousands", "a;b\n1,234,567;2\n1,5;2\n", ';', '.'},
		{"not quite thousands", "a;b\n1,234,56;2\n1,5;2\n", ';', ','},
		{"thousands with sign", "a\tb\n-12,345\t2\n", '\t', '.'},
		{"European thousands", "a;b\n1.234,56;2\n1,5;2\n", ';', ','},
		{"points between thousands, commas elsewhere", "a;b\n1.234;0,5\n567;1,5\n", ';', ','},
		{"1.234 and 567 in one column", "a;b\n1.234;2\n567;3\n", ';', 0},
		{"1.234 and 567 in two columns", "a;b\n1.234;567\n2.345;123\n", ';', '.'},
		{"1.234, 567 and 1.5", "a;b\n1.234;2\n567;3\n1.5;3\n", ';', '.'},
		{"1.234 and 67", "a;b\n1.234;2\n67;3\n", ';', '.'},
		{"1.234 and 056", "a;b\n1.234;2\n056;3\n", ';', '.'},
		{"0.234 and 567", "a;b\n0.234;2\n567;3\n", ';', '.'},
		{"1.234 and 567 after a tab", "a\tb\n1.234\t2\n567\t3\n", '\t', '.'},
		{"broken quote", "a;b\n1,5;\"2\n", ';', ','},
	} {
		if got, _ := sniffDecimal([]byte(c.text), c.delim); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestOpenCSVSniffs opens tables from European Excel, R and databases with the defaults.
func TestOpenCSVSniffs(t *testing.T) {
	long := strings.Repeat("x", runBytes)
	for _, c := range []struct {
		name, text string
		want       string // last row
	}{
		{"Excel in Europe", "\ufeffHöhe, m;Name\r\n1,75;Öl\r\n-0,5;x, y\r\n", `-0.5 "x, y"`},
		{"Excel in Europe, thousands", "a;b\r\n1,75;1.234,5\r\n", `1.75 1234.5`},
		{"tabs", "a\tb\n1\t\n1.5\tx\n", `1.5 "x"`},
		{"thousands after tabs", "a\tb\n1,234\t5\n", `"1,234" 5`},
		{"bars", "a|b\n1|NULL\n", `1 "NULL"`},
		{"spaces", "\"a b\" c\n1 2\n3 \"4\"\n", "3 4"},
		{"decimal comma in the first row only", "a;b\n1,5;2\n" + strings.Repeat("1;2\n", runBytes/2) + "2,5;3\n", "2.5 3"},
		{"header longer than a run", "a" + long + ";b\n1,5;2\n", "1.5 2"},
		{"blank lines longer than a run", strings.Repeat("\n", 2*runBytes) + "a;b\n" + strings.Repeat("\r\n", runBytes) + "1,5;2\n", "1.5 2"},
	} {
		s, err := Open(strings.NewReader(c.text), DefaultSettings())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		rows, _, err := collect(t, s)
		if got := sprintRow(rows); err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.name, got, err, c.want)
		}
	}
	opt := DefaultSettings()
	opt.Decimal = '.'
	s, err := Open(strings.NewReader("a;b\n1,5;2\n"), opt)
	must.Succeed(t, err)
	rows, _, err := collect(t, s)
	if got := sprintRow(rows); err != nil || got != `"1,5" 2` {
		t.Errorf("decimal point asked for: %s, %v", got, err)
	}
	// Lines before the header are counted.
	text := strings.Repeat("\n", 2*runBytes) + "a;b\n" + strings.Repeat("\r\n", runBytes) + "1,5;2\n1\n"
	s, err = Open(strings.NewReader(text), DefaultSettings())
	must.Succeed(t, err)
	_, _, err = collect(t, s)
	var e *dataset.ParseError
	if !errors.As(err, &e) || e.Line != 3*runBytes+3 || e.Row != 2 {
		t.Errorf("line %d expected: %v", 3*runBytes+3, err)
	}
}

func TestUngrouped(t *testing.T) {
	for in, want := range map[string]string{
		"1.234": "1234", "-1.234.567,8": "-1234567,8", "12.345,": "12345,", "1.23": "1.23", "1234.567": "1234.567", "1.234,5.6": "1.234,5.6",
		"0.123": "0.123", "1,5": "1,5", "1.234e5": "1.234e5", ".": ".",
	} {
		if got := string(ungrouped([]byte(in))); got != want {
			t.Errorf("ungrouped(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestDecimalThatNobodyCanTell checks that a column with ambiguous thousands or fractions is refused until a
// setting decides.
func TestDecimalThatNobodyCanTell(t *testing.T) {
	const text = "a;b\n1.234;2\n567;3\n2.500;4\n"
	if _, err := Open(strings.NewReader(text), DefaultSettings()); !errors.Is(err, dataset.ErrDecimal) {
		t.Errorf("got %v", err)
	}
	for point, want := range map[byte]float64{'.': (1.234 + 567 + 2.5) / 3, ',': (1234. + 567 + 2500) / 3} {
		opt := DefaultSettings()
		opt.Decimal = point
		m, err := Read(context.Background(), strings.NewReader(text), opt)
		if err != nil || m.Mean[0] != want {
			t.Errorf("%q: %v, %v", point, m, err)
		}
	}
}
