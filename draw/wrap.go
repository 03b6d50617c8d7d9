package draw

import (
	"strings"
	"unicode"
)

// wrap breaks a name into at most three lines of at most the given width, after a separator of column names or
// anywhere if there is none. For a longer name it keeps the first two lines and the end, because names often
// differ at either end.
func (f *fonts) wrap(name string, size, most float64) []string {
	name = strings.TrimSpace(visible(name))
	if name == "" {
		return []string{"(no name)"}
	}
	const lines = 3
	var out []string
	rest := []rune(name)
	for len(rest) > 0 {
		n := f.fitting(rest, size, most)
		if n < len(rest) {
			for k := n; k > n/2; k-- {
				if strings.ContainsRune(" _-./:|", rest[k-1]) {
					n = k
					break
				}
			}
		}
		if line := strings.TrimSpace(string(rest[:n])); line != "" {
			out = append(out, line)
		}
		rest = rest[n:]
	}
	if len(out) <= lines {
		return out
	}
	all := []rune(name)
	dots, _ := f.advance('…', false)
	tail := len(all)
	for used := dots * size; tail > 0; tail-- {
		a, _ := f.advance(all[tail-1], false)
		if used += a * size; used > most {
			break
		}
	}
	for tail < len(all) && unicode.In(all[tail], unicode.Mn, unicode.Me) {
		tail++
	}
	return append(out[:lines-1], "…"+string(all[tail:]))
}

// fitting returns the number of characters that fit on a line, at least one, with combining marks.
func (f *fonts) fitting(s []rune, size, most float64) int {
	used := 0.0
	for i, r := range s {
		a, _ := f.advance(r, false)
		if used += a * size; used > most && i > 0 {
			return i
		}
	}
	return len(s)
}

func (f *fonts) cut(s string, size, most float64, bold bool) string {
	s = strings.TrimSpace(visible(s))
	if f.width(s, size, bold) <= most {
		return s
	}
	out := []rune(s)
	for len(out) > 0 && f.width(string(out)+"…", size, bold) > most {
		out = out[:len(out)-1]
	}
	return string(out) + "…"
}
