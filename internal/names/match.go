// Package names finds columns by name and by pattern, and the name that a mistyped one was meant for.
package names

import "strings"

// IsPattern reports whether s has a wildcard.
func IsPattern(s string) bool { return strings.ContainsAny(s, "*?") }

// Match reports whether name fits pattern, in which * is any run of characters and ? any one.
// Only the last * is ever retried, which loses nothing: an earlier one has met the rest of its
// piece at the first place possible. O(len(pattern)·len(name)) at worst.
func Match(pattern, name []rune) bool {
	p, n := 0, 0
	star, from := -1, 0 // the last *, and the end of its match so far
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p++
			n++
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// Separate splits lists such as "age,height" at commas, except a text that is itself a name.
func Separate(patterns []string, isName func(string) bool) []string {
	var out []string
	for _, p := range patterns {
		if isName(p) || !strings.Contains(p, ",") {
			out = append(out, p)
			continue
		}
		for part := range strings.SplitSeq(p, ",") {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
		}
	}
	return out
}
