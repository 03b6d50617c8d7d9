package report

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// aliases returns the names in the form that a format supports. A valid name stays. Any other becomes
// mend(name), followed by .1, .2, … if that is taken. Valid names take precedence, and then the order decides.
// table has a line "alias" = "name", both JSON strings, for each changed name. It belongs in a comment of the
// file and allows the change to be undone.
//
// With mend as R's make.names, these are the names that R's read.csv gives to the columns.
func aliases(names []string, fits func(string) bool, mend func(string) string) (out, table []string) {
	taken := make(map[string]bool, len(names))
	for _, name := range names {
		if fits(name) {
			taken[name] = true
		}
	}
	out = make([]string, len(names))
	next := map[string]int{} // next suffix to try, so that a thousand equal aliases need only a thousand tries
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

// commentString returns s as a JSON string on one line without --, which XML forbids in comments.
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

// escapeRune writes r as a JSON escape, \u and four digits, twice beyond 16 bits.
func escapeRune(b *strings.Builder, r rune) {
	if r > 0xffff {
		hi, lo := utf16.EncodeRune(r)
		fmt.Fprintf(b, `\u%04x\u%04x`, hi, lo)
		return
	}
	fmt.Fprintf(b, `\u%04x`, r)
}

// inASCII escapes non-ASCII characters in a text of JSON strings, for programs that read files in the local
// encoding.
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

// jsonString quotes s and leaves < > & unescaped.
func jsonString(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // a string never fails
	return strings.TrimSuffix(b.String(), "\n")
}
