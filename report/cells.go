package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/visible"
	"github.com/polydag/polydag/trust"
)

// probability formats a probability with two digits. A value below 1 is never shown as 1, and one below the level of a verdict never
// as that level.
func probability(p float64) string {
	switch {
	case p < 1 && p >= 0.995:
		return ">0.99"
	case p < trust.StatedLevel && p >= trust.StatedLevel-0.005:
		p -= 0.005
	}
	return fmt.Sprintf("%.2f", p)
}

func gain(e polydag.Edge) string {
	if e.Gain == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", e.Gain)
}

// plain shows control characters, which a terminal would obey, as escapes.
func plain(s string) string { return visible.Name(s) }

// A name of more than mostPad characters does not widen its column. A name longer than longest is shortened in the middle; the JSON
// has all names in full.
const (
	mostPad = 32
	longest = 48
)

func brief(name string) string { return shorten(name, longest) }

// shorten omits the middle of a name with more than most characters.
func shorten(name string, most int) string {
	r := []rune(plain(name))
	if len(r) <= most {
		return string(r)
	}
	end := most * 3 / 8
	return string(r[:most-end-1]) + "…" + string(r[len(r)-end:])
}

// ends omits the middle of a long list.
func ends(names []string) []string {
	const most, first, last = 200, 12, 8
	if len(names) <= most {
		return names
	}
	out := append(slices.Clone(names[:first]), fmt.Sprintf("… %s more …", thousands(len(names)-first-last)))
	return append(out, names[len(names)-last:]...)
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for k := len(s) - 3; k > 0; k -= 3 {
		s = s[:k] + "," + s[k:]
	}
	return s
}

func pad(s string, width int) string {
	s = plain(s)
	return s + strings.Repeat(" ", max(width-utf8.RuneCountInString(s), 0))
}

// wrap joins words and breaks lines at width; after 12 lines it writes the number of remaining words.
func wrap(words []string, sep string, width int, indent string) string {
	var b strings.Builder
	line, lines := 0, 1
	for i, word := range words {
		if i > 0 {
			b.WriteString(sep)
			line += utf8.RuneCountInString(sep)
		}
		n := utf8.RuneCountInString(word)
		if line > 0 && line+n > width {
			if lines == 12 {
				fmt.Fprintf(&b, "… and %d more", len(words)-i)
				return b.String()
			}
			broken := strings.TrimRight(b.String(), " ")
			b.Reset()
			b.WriteString(broken + "\n" + indent)
			line, lines = 0, lines+1
		}
		b.WriteString(plain(word))
		line += n
	}
	return b.String()
}
