package annotation

import (
	"bufio"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// A scanner reads the parts of a JSON text that a format needs and skips the others.
type scanner struct{ *jsontext.Decoder }

// json calls read with a scanner of a file, which must hold one JSON value.
func (r *reader) json(path string, read func(scanner) error) error {
	return r.file(path, func(b *bufio.Reader) error {
		s := scanner{jsontext.NewDecoder(b, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
		err := read(s)
		if err == nil {
			if _, err = s.ReadToken(); err == io.EOF {
				return nil
			}
			err = fmt.Errorf("text after the end of the JSON value")
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			err = fmt.Errorf("the JSON text ends early")
		}
		return fmt.Errorf("byte %d: %w; want %s", s.InputOffset(), err, r.want)
	})
}

// object calls member with each key of an object. member must read the value; SkipValue does where it is not needed.
func (s scanner) object(member func(key string) error) error {
	if err := s.begin('{', "an object"); err != nil {
		return err
	}
	for s.PeekKind() != '}' {
		t, err := s.ReadToken()
		if err != nil {
			return err
		}
		if err := member(t.String()); err != nil {
			return err
		}
	}
	_, err := s.ReadToken()
	return err
}

// array calls element before each element of an array. element must read it.
func (s scanner) array(element func() error) error {
	if err := s.begin('[', "an array"); err != nil {
		return err
	}
	for s.PeekKind() != ']' {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := s.ReadToken()
	return err
}

func (s scanner) begin(kind jsontext.Kind, what string) error {
	t, err := s.ReadToken()
	if err == nil && t.Kind() != kind {
		err = fmt.Errorf("%s where %s belongs", t.Kind(), what)
	}
	return err
}

// number reads a number.
func (s scanner) number(to *float64) error {
	t, err := s.ReadToken()
	if err == nil && t.Kind() != '0' {
		err = fmt.Errorf("%s where a number belongs", t.Kind())
	}
	if err == nil {
		*to, err = t.Float()
	}
	return err
}

// id reads a whole number.
func (s scanner) id(to *int64) error {
	t, err := s.ReadToken()
	if err == nil && t.Kind() != '0' {
		err = fmt.Errorf("%s where a whole number belongs", t.Kind())
	}
	if err == nil {
		*to, err = t.Int()
	}
	return err
}

// text reads a string.
func (s scanner) text(to *string) error {
	t, err := s.ReadToken()
	if err == nil && t.Kind() != '"' {
		err = fmt.Errorf("%s where text belongs", t.Kind())
	}
	if err == nil {
		*to = t.String()
	}
	return err
}
