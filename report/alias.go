package report

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// aliases returns the names as a format can hold them. A name that fits stays; any other becomes what mend makes of
// it, followed by .1, .2, … where that is taken. The order of the names decides who is first, but a name that fits
// never gives way. table has a line for each name that changed, "alias" = "name", both as JSON strings. It undoes the
// change, and belongs in a comment of the file.
//
// With mend as R's make.names these are the names that R's read.csv gives to the columns.
func aliases(names []string, fits func(string) bool, mend func(string) string) (out, table []string) {
	taken := make(map[string]bool, len(names))
	for _, name := range names {
		if fits(name) {
			taken[name] = true
		}
	}
	out = make([]string, len(names))
	next := map[string]int{} // the suffix to try, so that a thousand equal aliases take a thousand tries
	for i, name := range names {
		if fits(name) {
			out[i] = name
			continue
		}
		base := mend(name)
		alias := base
		for taken[alias] {
			next[base]++
			alias = base + "." + strconv.Itoa(next[base])
		}
		taken[alias] = true
		out[i] = alias
		table = append(table, commentString(alias)+" = "+commentString(name))
	}
	return out, table
}

// commentString is s as a JSON string on one line, whatever a reader takes for the end of a line, and without --,
// which XML forbids in comments.
func commentString(s string) string {
	var b strings.Builder
	dash := false
	for _, r := range jsonString(s) {
		switch {
		case unicode.IsPrint(r) && !(r == '-' && dash):
			b.WriteRune(r)
		default:
			escapeRune(&b, r)
		}
		dash = r == '-'
	}
	return b.String()
}

// escapeRune writes r as JSON does, \u and four digits, twice where it lies beyond 16 bits.
func escapeRune(b *strings.Builder, r rune) {
	if r > 0xffff {
		hi, lo := utf16.EncodeRune(r)
		fmt.Fprintf(b, `\u%04x\u%04x`, hi, lo)
		return
	}
	fmt.Fprintf(b, `\u%04x`, r)
}

// inASCII escapes what is not ASCII in a text of JSON strings, for programs that read files in the encoding of the machine.
func inASCII(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			escapeRune(&b, r)
		}
	}
	return b.String()
}

// jsonString quotes s; < > & stay as they are.
func jsonString(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}
