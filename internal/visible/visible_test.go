package visible

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/polydag/polydag/internal/must"
)

// hostile has every control character, every bidirectional mark, the separators, and text that must stay.
func hostile() string {
	var b strings.Builder
	for r := rune(0); r < 0xa0; r++ {
		b.WriteRune(r)
	}
	return b.String() + "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029 größe 👩\u200d🔬 نام\u200cها €"
}

func TestName(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "age": "age", "größe €": "größe €", "👩\u200d🔬": "👩\u200d🔬", `a\b`: `a\b`, "a\x1b[31m": `a\u001b[31m`, "a\nb\tc\r": `a\u000ab\u0009c\u000d`,
		"\u009b2J": `\u009b2J`, "\x7f": `\u007f`, "a\u202eb": `a\u202eb`, "\u2066\u2069": `\u2066\u2069`, "\x9b2J": "\ufffd2J", "\u2028": `\u2028`,
	} {
		must.Same(t, Name(text), want, text)
	}
	var out bytes.Buffer
	must.Get(Fprintf(&out, "%s → %d\n%q", "a\nb", 3, "c"))
	must.Same(t, out.String(), "a\\u000ab → 3\n\"c\"", "Fprintf")
}

// TestWriter checks the stream against Name, whatever the parts in which the text arrives, also within characters.
func TestWriter(t *testing.T) {
	text := hostile()
	parts := strings.SplitAfter(text, "\n")
	for k := range parts {
		line, end := strings.CutSuffix(parts[k], "\n")
		cells := strings.Split(line, "\t")
		for j := range cells {
			cells[j] = Name(cells[j])
		}
		if parts[k] = strings.Join(cells, "\t"); end {
			parts[k] += "\n"
		}
	}
	want := strings.Join(parts, "")
	for size := 1; size < 9; size++ {
		var out bytes.Buffer
		w := NewWriter(NewWriter(&out))
		for rest := []byte(text); len(rest) > 0; {
			n := min(size, len(rest))
			if got, err := w.Write(rest[:n]); got != n || err != nil {
				t.Fatal(got, err)
			}
			rest = rest[n:]
		}
		must.Same(t, out.String(), want, fmt.Sprintf("parts of %d bytes", size))
	}
}

// TestWriterKeepsJSON checks that JSON with escapes has the same value.
func TestWriterKeepsJSON(t *testing.T) {
	var plain, out bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	must.Succeed(t, enc.Encode(hostile()))
	must.Get(NewWriter(&out).Write(plain.Bytes()))
	var back string
	must.Succeed(t, json.Unmarshal(out.Bytes(), &back))
	must.Same(t, back, hostile(), "value")
}

func TestWriterOfBytes(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	for _, part := range []string{"a\x9b", "b\xe2", "c\xff\xff\xff", "\xe2\x82", "\n"} {
		must.Get(w.Write([]byte(part)))
	}
	if got := out.String(); !utf8.ValidString(got) || strings.ContainsAny(got, "\u009b") || !strings.HasSuffix(got, "\n") {
		t.Errorf("%q", got)
	}
	out.Reset()
	w.Redraw("stage \x1b[2J\n")
	must.Same(t, out.String(), "\r\x1b[Kstage \\u001b[2J\\u000a", "Redraw")
	if w.Exact() != &out || w.Terminal() || w.File() != nil {
		t.Error("a buffer is no terminal")
	}
}

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestWriterReportsErrors(t *testing.T) {
	if n, err := NewWriter(broken{}).Write([]byte("a")); n != 0 || err != errBroken {
		t.Error(n, err)
	}
}
