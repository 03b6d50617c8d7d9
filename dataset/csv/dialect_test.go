package csv

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/polydag/polydag/internal/must"
)

// inUTF16 is text in UTF-16 with a byte order mark.
func inUTF16(text string, big bool) string {
	var b []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}

// TestDialects reads files as programs and people write them.
func TestDialects(t *testing.T) {
	headerless := func(o *Settings) { o.NoHeader = true }
	for _, c := range []struct {
		name, text string
		change     func(*Settings)
		want       string // names and rows
		note       string // part of the notes
	}{
		{name: "plain", text: "a,b\n1,2\n3,4\n", want: "[a b] [[1 2] [3 4]]"},
		{name: "no header", text: "1,2\n3,4\n", change: headerless, want: "[x0 x1] [[1 2] [3 4]]"},
		{name: "no header, the same number twice", text: "1,1\n3,4\n", change: headerless, want: "[x0 x1] [[1 1] [3 4]]"},
		{name: "no header, trailing delimiters", text: "1,2,\n3,4,\n", change: headerless, want: "[x0 x1] [[1 2] [3 4]]"},
		{name: "runs of spaces", text: "  a    b\n  1  2.5\n 33    4\n", want: "[a b] [[1 2.5] [33 4]]", note: "runs of spaces"},
		{name: "runs of spaces at the ends, CRLF", text: "a  b \r\n1   2\r\n 3 4  \r\n", want: "[a b] [[1 2] [3 4]]", note: "runs of spaces"},
		{name: "runs without header", text: "  1  2\n 33  4\n", change: headerless, want: "[x0 x1] [[1 2] [33 4]]"},
		{name: "runs, said", text: "a \t b\n1\t 2\n3  4\n", change: func(o *Settings) { o.Blanks = true }, want: "[a b] [[1 2] [3 4]]"},
		{name: "write.table", text: "\"a\" \"b\"\n\"1\" 1 2\n\"2\" 3 4\n", want: "[a b] [[1 2] [3 4]]", note: "row names"},
		{name: "write.table of words", text: "\"a b\" \"c\"\n\"Mazda RX4\" 1 2\n\"Datsun 710\" 3 4\n", want: "[a b c] [[1 2] [3 4]]", note: "row names"},
		{name: "write.table, one column", text: "\"a\",\"b\"\n\"r1\",1,2\n\"r2\",3,4\n", want: "[a b] [[1 2] [3 4]]", note: "row names"},
		{name: "trailing delimiters", text: "a,b,\n1,2,\n3,4,\n", want: "[a b] [[1 2] [3 4]]", note: "ends in a delimiter"},
		{name: "repeated and empty names", text: "a,,a,\"a\",a_2\n1,2,3,4,5\n", want: "[a column_2 a_3 a_4 a_2] [[1 2 3 4 5]]", note: "column 2 without a name is column_2"},
		{name: "trailing delimiters in the rows", text: "a;b\n1;2;\n3;4;\n", want: "[a b] [[1 2] [3 4]]", note: "ends in a delimiter"},
		{name: "a last column that is empty at first", text: "a,b,c\n1,2,\n3,4,5\n", want: "[a b c] [[1 2 NaN] [3 4 5]]"},
		{name: "comments", text: "# made by hand\n# on a day\na,b\n1,2\n# a remark, with a comma\n3,4\n", want: "[a b] [[1 2] [3 4]]"},
		{name: "header in a comment", text: "# a b c\n1 2 3\n4 5 6\n", want: "[a b c] [[1 2 3] [4 5 6]]", note: `"# a b c" is taken for the header`},
		{name: "header in a comment, savetxt", text: "# a,b\n1.0e+00,2.0e+00\n3,4\n", want: "[a b] [[1 2] [3 4]]", note: "taken for the header"},
		{name: "a first name with a sign", text: "#id,a\n1,2\n3,4\n", want: "[id a] [[1 2] [3 4]]", note: "taken for the header"},
		{name: "a title", text: "Sales report 2020\na,b\n1,2\n3,4\n", want: "[a b] [[1 2] [3 4]]", note: `The header is line 2, after the title "Sales report 2020".`},
		{name: "a title with delimiters", text: "\"Sales, by month\";;\r\n;;\r\n\r\nSource: x;;\r\na;b;c\r\n1,5;2;z\r\n3;4;y\r\n", want: "[a b c] [[1.5 2 NaN] [3 4 NaN]]", note: `The header is line 5, after the title "Sales, by month".`},
		{name: "ten lines of title", text: strings.Repeat("t\n", 10) + "a,b\n1,2\n3,4\n", want: "[a b] [[1 2] [3 4]]", note: "line 11"},
		{name: "a name and words after it", text: "a,,\nx,y,z\nx,y,z\n", want: "[a column_2 column_3] [[NaN NaN NaN] [NaN NaN NaN]]", note: "without a name"},
		{name: "a name and numbers after it", text: "a,,\nx,1,z\nx,2,z\n", want: "[a column_2 column_3] [[NaN 1 NaN] [NaN 2 NaN]]", note: "without a name"},
		{name: "a name and a gap after it", text: "a,,\nx,,z\n1,2,3\n1,2,3\n", want: "[a column_2 column_3] [[NaN NaN NaN] [1 2 3] [1 2 3]]", note: "without a name"},
		{name: "a name and one row", text: "a,\nx,y\n1,2\n", want: "[a column_2] [[NaN NaN] [1 2]]", note: "without a name"},
		{name: "a title without header", text: "a,\nx,y\n1,2\n3,4\n", change: headerless, want: "[x0 x1] [[NaN NaN] [NaN NaN] [1 2] [3 4]]"},
		{name: "a sign in a later row", text: "a,b\n1,2\n3,#4\n", want: "[a b] [[1 2] [3 NaN]]"},
		{name: "Excel", text: "sep=;\r\na;b\r\n1,5;2\r\n3;4\r\n", want: "[a b] [[1.5 2] [3 4]]", note: "as the first line says"},
		{name: "Excel against its own delimiter", text: "sep=;\na,x;b\n1;2\n3;4\n", want: "[a,x b] [[1 2] [3 4]]"},
		{name: "UTF-16", text: inUTF16("größe,𝛼\n1,2\n3,4\n", false), want: "[größe 𝛼] [[1 2] [3 4]]"},
		{name: "UTF-16, high byte first", text: inUTF16("a\tb\r\n1\t2\r\n3\t4\r\n", true), want: "[a b] [[1 2] [3 4]]"},
		{name: "quoted decimal commas", text: "a,b\n\"1,5\",\"2,25\"\n3,\"4,0\"\n", want: "[a b] [[1.5 2.25] [3 4]]", note: `as in "1,5"`},
		{name: "decimal comma, or thousands", text: "a;b\n1,671;42\n2,5;3\n", want: "[a b] [[1.671 42] [2.5 3]]", note: `as in "1,671"; decimal=. says`},
		{name: "semicolons", text: "a;b\n1;2\n3;4\n", want: "[a b] [[1 2] [3 4]]", note: "separated by semicolons"},
		{name: "semicolons, said", text: "a;b\n1;2\n3;4\n", change: func(o *Settings) { o.Delimiter = ';' }, want: "[a b] [[1 2] [3 4]]"},
	} {
		for _, size := range []int{12, runBytes} {
			opt := DefaultSettings()
			if c.change != nil {
				c.change(&opt)
			}
			if size == 12 && (opt.NoHeader || c.note != "" || strings.HasPrefix(c.text, "#")) {
				continue // a short run does not show the common form of the file
			}
			src := newRunReader(FromUTF16(iotest.OneByteReader(strings.NewReader(c.text))), opt.MaxLine)
			src.size = size
			s, err := openRecords(src, opt, false)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			notes := strings.Join(s.Notes(), " ")
			got := fmt.Sprint(columnNames(s))
			rows, _, err := collect(t, s)
			var values [][]float64
			for _, row := range rows {
				var list []float64
				for _, v := range row {
					list = append(list, v.value)
				}
				values = append(values, list)
			}
			if got = fmt.Sprint(got, " ", values); err != nil || got != c.want {
				t.Errorf("%s: %s, %v, want %s", c.name, got, err, c.want)
			}
			if !strings.Contains(notes, c.note) || c.note == "" && notes != "" && c.change == nil && !strings.Contains(c.text, "sep=") {
				t.Errorf("%s: the notes are %q, want %q", c.name, notes, c.note)
			}
		}
	}
}

// TestDialectSelect checks that unnamed row numbers are excluded in the same way with Select and in strict
// reading.
func TestDialectSelect(t *testing.T) {
	text := "\"a\" \"b\" \"c\"\n\"1\" 1 2 3\n\"2\" 4 5 6\n"
	s, err := Open(strings.NewReader(text), DefaultSettings())
	must.Succeed(t, err)
	must.Succeed(t, s.Select([]int{2, 0}))
	rows, _, err := collect(t, s)
	if err != nil || rows[0][0].value != 3 || rows[1][1].value != 4 {
		t.Errorf("%v, %v", rows, err)
	}
	table, err := ReadTable(context.Background(), strings.NewReader(text), DefaultSettings())
	if err != nil || !slices.Equal(table.Names, []string{"a", "b", "c"}) || !slices.Equal(table.Rows.Data, []float64{1, 2, 3, 4, 5, 6}) {
		t.Errorf("%+v, %v", table, err)
	}
}

// TestSameNumberInTheHeader checks that a first row with a repeated number is not a header, with an error that
// states it.
func TestSameNumberInTheHeader(t *testing.T) {
	_, err := Open(strings.NewReader("1,1\n2,3\n"), DefaultSettings())
	if err == nil || !strings.Contains(err.Error(), "no-header=true") {
		t.Error(err)
	}
}

// TestFromUTF16 checks that UTF-16 in pieces of any size gives the text, and that other text passes unchanged.
func TestFromUTF16(t *testing.T) {
	text := "aé€𝛼\n" + strings.Repeat("x𝛼", 700)
	for _, big := range []bool{false, true} {
		data := inUTF16(text, big)
		for _, r := range []io.Reader{strings.NewReader(data), iotest.OneByteReader(strings.NewReader(data)), iotest.DataErrReader(strings.NewReader(data))} {
			if got, err := io.ReadAll(FromUTF16(r)); err != nil || string(got) != text {
				t.Errorf("%d bytes, %v, want %d", len(got), err, len(text))
			}
		}
	}
	for _, plain := range []string{"", "a", "ab", "\xffabc", text} {
		if got, err := io.ReadAll(FromUTF16(iotest.HalfReader(strings.NewReader(plain)))); err != nil || string(got) != plain {
			t.Errorf("%q, %v", got, err)
		}
	}
	for _, broken := range []string{"\xff\xfea", "\xff\xfe\x00\xd8", "\xff\xfe\x00\xd8a\x00"} {
		if got, err := io.ReadAll(FromUTF16(strings.NewReader(broken))); err != nil || !bytes.Contains(got, []byte("\ufffd")) {
			t.Errorf("%q gives %q, %v", broken, got, err)
		}
	}
}
