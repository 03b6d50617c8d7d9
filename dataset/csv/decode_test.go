package csv

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/polydag/polydag/dataset"
)

// TestEncodings checks that text in every encoding gives the same names and words, however its bytes come.
func TestEncodings(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	text := "größe,preis\n1,5€\n2,naïve\n"
	single := func(euro string) string {
		return strings.NewReplacer("ö", "\xf6", "ß", "\xdf", "ï", "\xef", "€", euro).Replace(text)
	}
	late := "groesse,preis\n" + strings.Repeat("1,x\n", 300_000) + "2,na\xefve\n"
	for _, c := range []struct{ name, encoding, bytes, last, note string }{
		{"UTF-8", "", text, "naïve", ""},
		{"UTF-8 said", "utf-8", text, "naïve", ""},
		{"Windows-1252 found", "auto", single("\x80"), "naïve", "Windows-1252"},
		{"Windows-1252 said", "windows-1252", single("\x80"), "naïve", ""},
		{"Latin-1 said", "latin-1", single(""), "naïve", ""},
		{"UTF-16 said", "utf-16", strings.TrimPrefix(inUTF16(text, false), "\xff\xfe"), "naïve", ""},
		{"UTF-16 found", "", inUTF16(text, false), "naïve", ""},
		{"found late", "", late, "naïve", "Windows-1252"},
		{"CR", "", strings.ReplaceAll(text, "\n", "\r"), "naïve", ""},
		{"CR in Windows-1252", "", strings.ReplaceAll(single("\x80"), "\n", "\r"), "naïve", "Windows-1252"},
		{"many CR", "", "größe,preis" + strings.Repeat("\r1,x", runBytes/4), "x", ""},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.bytes), iotest.OneByteReader(strings.NewReader(c.bytes)), iotest.DataErrReader(strings.NewReader(c.bytes))} {
			if _, slow := r.(*strings.Reader); !slow && len(c.bytes) > 10_000 {
				continue
			}
			opt := DefaultSettings()
			opt.Encoding = c.encoding
			s, err := Open(r, opt)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if name := s.Columns()[0].Name; name != "größe" && c.name != "found late" {
				t.Errorf("%s: the first name is %q", c.name, name)
			}
			rows, _, err := collect(t, s)
			want := map[string]int{"found late": 300_001, "many CR": runBytes / 4}[c.name]
			if err != nil || len(rows) != max(want, 2) || rows[len(rows)-1][1].text != c.last {
				t.Errorf("%s: %d rows, %v", c.name, len(rows), err)
			}
			notes := s.(dataset.Noter).Notes()
			if found := slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "Windows-1252") }); found != (c.note != "") {
				t.Errorf("%s: notes %q", c.name, notes)
			}
		}
	}
	if _, err := ReadTable(context.Background(), strings.NewReader("a,b\r1,2\r3,4\r"), DefaultSettings()); err != nil {
		t.Errorf("CR alone: %v", err)
	}
	opt := DefaultSettings()
	opt.Encoding = "ebcdic"
	if err := opt.Validate(); err == nil || !strings.Contains(err.Error(), "windows-1252") {
		t.Errorf("ebcdic: %v", err)
	}
}

// A record ends at the first line end outside of quotes, of which two in a row are a quote in the text.
func TestRecordEnd(t *testing.T) {
	for text, want := range map[string]int{"a,b\nc": 4, "a,\"x\ny\",b\nc": 10, "\"\"\"\n\",b\nc": 8, "a,b": 3, "\"a\nb": 4, "\n": 1} {
		if got := recordEnd([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
