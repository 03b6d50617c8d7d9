package bif

import (
	"bytes"
	"fmt"
)

// scanner splits a file into tokens: single characters of punctuation, and words, which are what
// stands between them, or in double quotes. Level names such as <5, 5-10 and x/y are words.
type scanner struct {
	text []byte
	line int
}

// punctuation reports whether a byte is a separate token.
func punctuation(b byte) bool { return bytes.IndexByte([]byte("{}()[],;"), b) >= 0 }

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// next returns the next token, "" at the end.
func (s *scanner) next() (string, error) {
	for len(s.text) > 0 {
		switch {
		case blank(s.text[0]):
			s.take(1)
		case bytes.HasPrefix(s.text, []byte("//")):
			s.take(upTo(s.text, "\n"))
		case bytes.HasPrefix(s.text, []byte("/*")):
			s.take(upTo(s.text, "*/"))
		case s.text[0] == '"':
			end := bytes.IndexByte(s.text[1:], '"')
			if end < 0 {
				return "", fmt.Errorf("bif: line %d: a quotation mark without its second; is the file cut short?", s.line)
			}
			return string(bytes.Trim(s.take(end+2), `"`)), nil
		case punctuation(s.text[0]):
			return string(s.take(1)), nil
		default:
			n := 1
			for n < len(s.text) && !blank(s.text[n]) && !punctuation(s.text[n]) && s.text[n] != '"' {
				n++
			}
			return s.split(n), nil
		}
	}
	return "", nil
}

// split returns a word of n bytes. The bar between a variable and its parents is a token, even without blanks
// around it.
func (s *scanner) split(n int) string {
	if bar := bytes.IndexByte(s.text[:n], '|'); bar == 0 {
		n = 1
	} else if bar > 0 {
		n = bar
	}
	return string(s.take(n))
}

// take consumes n bytes and counts their lines.
func (s *scanner) take(n int) []byte {
	head := s.text[:n]
	s.line += bytes.Count(head, []byte("\n"))
	s.text = s.text[n:]
	return head
}

// skip consumes everything up to the next semicolon.
func (s *scanner) skip() { s.take(upTo(s.text, ";")) }

// upTo returns the length of text up to the end of mark, or all of it.
func upTo(text []byte, mark string) int {
	if at := bytes.Index(text, []byte(mark)); at >= 0 {
		return at + len(mark)
	}
	return len(text)
}
