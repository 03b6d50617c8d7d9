package knowledge

import (
	"errors"
	"fmt"
	"strings"
)

// A term is one end of an edge or one entry of a list before lookup.
type term struct {
	text   string
	quoted bool // text is a column name and not a pattern or group
}

var arrows = [...]string{"->", "→"}

// nextArrow returns the start and end of the first arrow of s; both are len(s) without one.
func nextArrow(s string) (begin, end int) {
	begin, end = len(s), len(s)
	for _, arrow := range arrows {
		if at := strings.Index(s, arrow); at >= 0 && at < begin {
			begin, end = at, at+len(arrow)
		}
	}
	return begin, end
}

// parseEdge splits "a->b" into its ends.
func parseEdge(s string) (from, to term, err error) {
	from, rest, err := readTerm(s)
	if err != nil {
		return from, to, err
	}
	begin, end := nextArrow(rest)
	if begin == end {
		return from, to, errors.New(`no arrow; write "cause->effect"`)
	}
	to, rest, err = readTerm(rest[end:])
	if err != nil {
		return from, to, err
	}
	if rest != "" {
		return from, to, errors.New("more than one arrow; give each edge an entry of its own, and put a name that holds an arrow in double quotes")
	}
	for _, t := range []term{from, to} {
		if t.text == "" && !t.quoted {
			return from, to, errors.New(`a name is missing; write "cause->effect"`)
		}
	}
	return from, to, nil
}

// readTerm reads the term at the start of s. rest is empty or begins with an arrow.
func readTerm(s string) (t term, rest string, err error) {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, `"`) {
		begin, _ := nextArrow(s)
		return term{text: strings.TrimSpace(s[:begin])}, s[begin:], nil
	}
	name, rest, err := readQuoted(s)
	if err != nil {
		return t, "", err
	}
	if begin, _ := nextArrow(rest); begin > 0 {
		return t, "", strayText(rest[:begin])
	}
	return term{text: name, quoted: true}, rest, nil
}

// readQuoted reads a name in double quotes, in which "" is an escaped quote.
func readQuoted(s string) (name, rest string, err error) {
	var b strings.Builder
	for rest = s[1:]; ; rest = rest[1:] {
		at := strings.IndexByte(rest, '"')
		if at < 0 {
			return "", "", errors.New("a quote is not closed; end the name with a double quote")
		}
		b.WriteString(rest[:at])
		rest = rest[at+1:]
		if !strings.HasPrefix(rest, `"`) {
			return b.String(), strings.TrimSpace(rest), nil
		}
		b.WriteByte('"')
	}
}

// parseEntry reads an entry of a list, where arrows have no meaning.
func parseEntry(s string) (term, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return term{}, errors.New("an entry is empty; name a column")
	}
	if s[0] != '"' {
		return term{text: s}, nil
	}
	name, rest, err := readQuoted(s)
	if err == nil && rest != "" {
		err = strayText(rest)
	}
	return term{text: name, quoted: true}, err
}

func strayText(s string) error {
	return fmt.Errorf("%q follows a closing quote; put the whole name in quotes and double those inside it", strings.TrimSpace(s))
}

// exact quotes a name so that it is not read as a pattern or group.
func exact(name string) string {
	begin, end := nextArrow(name)
	if name != "" && begin == end && strings.TrimSpace(name) == name && !strings.ContainsAny(name, `*?"`) && name[0] != '@' {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// EdgeBetween returns the entry of a Spec for the edge between two columns with any names.
func EdgeBetween(cause, effect string) string { return exact(cause) + "->" + exact(effect) }

// Root returns the entry of Spec.Forbid for a column without causes.
func Root(column string) string { return "*->" + exact(column) }

// Leaf returns the entry of Spec.Forbid for a column without effects.
func Leaf(column string) string { return exact(column) + "->*" }

// ParseOrder reads tiers as "a,b < c < d", the earliest first.
func ParseOrder(text string) ([][]string, error) {
	var tiers [][]string
	for part := range strings.SplitSeq(text, "<") {
		var tier []string
		for name := range strings.SplitSeq(part, ",") {
			if name = strings.TrimSpace(name); name != "" {
				tier = append(tier, name)
			}
		}
		if len(tier) == 0 {
			return nil, fault("%q has a tier without a column; write 'a,b < c < d'", text)
		}
		tiers = append(tiers, tier)
	}
	if len(tiers) < 2 {
		return nil, fault("%q has one tier; write 'a,b < c < d'", text)
	}
	return tiers, nil
}
