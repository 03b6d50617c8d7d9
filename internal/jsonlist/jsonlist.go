// Package jsonlist reads arrays of JSON that strangers may have written, and says where they are wrong.
package jsonlist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// List decodes an array one element at a time and rejects elements that lack a required field.
type List[T any] struct {
	Items     []T
	Start     T      // value of the fields that an element does not give
	Seen      bool   // the key was present
	key, what string // key of the array and the fields that its elements need
	complete  func(T) bool
}

// Need returns a list with this key whose elements need the fields that what names, as complete finds out.
func Need[T any](key, what string, complete func(T) bool) List[T] {
	return List[T]{key: key, what: what, complete: complete}
}

// UnmarshalJSON reads the array.
func (l *List[T]) UnmarshalJSON(data []byte) error {
	l.Items, l.Seen = nil, true
	if string(data) == "null" {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return fmt.Errorf("%s: want a list", l.key)
	}
	l.Items = []T{} // an empty array stays an empty list
	for dec.More() {
		item := l.Start
		if err := dec.Decode(&item); err != nil {
			return fmt.Errorf("%s: element %d: %s", l.key, len(l.Items)+1, Explain(nil, err))
		}
		if !l.complete(item) {
			return fmt.Errorf("%s: element %d needs %s", l.key, len(l.Items)+1, l.what)
		}
		l.Items = append(l.Items, item)
	}
	return nil
}

// Explain says where in the text encoding/json failed.
func Explain(data []byte, err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && data != nil:
		at := min(int(syntax.Offset), len(data))
		line := 1 + bytes.Count(data[:at], []byte("\n"))
		if rest := bytes.TrimSpace(data[max(at-1, 0):]); bytes.HasPrefix(rest, []byte("NaN")) || bytes.HasPrefix(rest, []byte("Inf")) {
			return fmt.Sprintf("line %d: JSON has no NaN and no Inf, and a result never holds one", line)
		}
		return fmt.Sprintf("line %d: %v", line, err)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Sprintf("want an object, got %s", kind.Value)
	case errors.As(err, &kind):
		field := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:]
		return fmt.Sprintf("%s: want %s, got %s", field, kind.Type, kind.Value)
	}
	return err.Error()
}
