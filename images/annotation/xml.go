package annotation

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"
)

// tags reads XML tag by tag. It is several times faster than encoding/xml, which the tests compare it with. It does not check that
// elements nest.
type tags struct {
	b    *bufio.Reader
	tag  []byte // the last tag without < and >, reused
	text []byte // the text before it, reused
}

// next reads to the end of the next element tag. It skips comments, declarations and processing instructions; CDATA is text.
func (t *tags) next() error {
	t.text = t.text[:0]
	for {
		var err error
		if t.text, err = t.until(t.text, '<'); err != nil {
			if err == io.EOF && len(bytes.TrimSpace(t.text)) > 0 {
				return fmt.Errorf("text outside of XML elements")
			}
			return err
		}
		t.text = t.text[:len(t.text)-1]
		if t.tag, err = t.until(t.tag[:0], '>'); err == nil {
			err = t.complete()
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		switch {
		case bytes.HasPrefix(t.tag, []byte("![CDATA[")):
			t.text = append(t.text, strings.ReplaceAll(string(t.tag[8:len(t.tag)-2]), "&", "&amp;")...)
		case len(t.tag) > 0 && t.tag[0] != '!' && t.tag[0] != '?':
			return nil
		}
	}
}

// complete reads on while the > that ended the tag is inside a comment, CDATA or a quoted value, and removes the >.
func (t *tags) complete() error {
	for {
		t.tag = t.tag[:len(t.tag)-1]
		whole := true
		switch {
		case bytes.HasPrefix(t.tag, []byte("!--")):
			whole = len(t.tag) >= 5 && bytes.HasSuffix(t.tag, []byte("--"))
		case bytes.HasPrefix(t.tag, []byte("![CDATA[")):
			whole = len(t.tag) >= 10 && bytes.HasSuffix(t.tag, []byte("]]"))
		default:
			open := byte(0)
			for _, c := range t.tag {
				if open == 0 && (c == '"' || c == '\'') {
					open = c
				} else if c == open {
					open = 0
				}
			}
			whole = open == 0
		}
		if whole {
			return nil
		}
		var err error
		if t.tag, err = t.until(append(t.tag, '>'), '>'); err != nil {
			return err
		}
	}
}

// maxTag limits the length of a tag or a text.
const maxTag = 1 << 26

// until appends bytes up to and including end.
func (t *tags) until(to []byte, end byte) ([]byte, error) {
	for {
		part, err := t.b.ReadSlice(end)
		to = append(to, part...)
		if err != bufio.ErrBufferFull {
			return to, err
		}
		if len(to) > maxTag {
			return to, fmt.Errorf("a tag or text is longer than %d bytes", maxTag)
		}
	}
}

// name returns the name of the last tag, and whether it begins or ends an element. A tag such as <a/> does both.
func (t *tags) name() (name []byte, begins, ends bool) {
	tag := t.tag
	if tag[0] == '/' {
		return bytes.TrimSpace(tag[1:]), false, true
	}
	if ends = tag[len(tag)-1] == '/'; ends {
		tag = tag[:len(tag)-1]
	}
	if k := bytes.IndexAny(tag, " \t\r\n"); k >= 0 {
		tag = tag[:k]
	}
	return tag, true, ends
}

// value returns the value of an attribute of the last tag, or "".
func (t *tags) value(name string) string {
	rest := t.tag
	for {
		k := bytes.IndexByte(rest, '=')
		if k < 0 || k+1 >= len(rest) {
			return ""
		}
		key := bytes.TrimSpace(rest[:k])
		if at := bytes.LastIndexAny(key, " \t\r\n"); at >= 0 {
			key = key[at+1:]
		}
		rest = bytes.TrimLeft(rest[k+1:], " \t\r\n")
		if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
			return ""
		}
		end := bytes.IndexByte(rest[1:], rest[0])
		if end < 0 {
			return ""
		}
		if string(key) == name {
			return html.UnescapeString(string(rest[1 : end+1]))
		}
		rest = rest[end+2:]
	}
}

// content returns the text before the last tag.
func (t *tags) content() string { return strings.TrimSpace(html.UnescapeString(string(t.text))) }
