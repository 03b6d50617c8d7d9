package files

import (
	"errors"
	"fmt"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// Errors in files, in addition to those of package dataset. Each is matched with errors.Is and comes in a *dataset.ParseError. The
// text is the problem, a semicolon, and the remedy.
var (
	ErrFormat  = fault.Kind("format", "is not a supported format; export the table as CSV or Parquet")
	ErrDamaged = fault.Kind("damaged", "the file is damaged or cut short; copy or export it again")
	ErrLimit   = fault.Kind("limit", "the file exceeds the memory limit; write it with smaller pages or batches, or raise the limit")
	ErrNested  = fault.Kind("nested", "the column holds lists or structures; flatten it, or drop it")
	ErrType    = fault.Kind("type", "the column type is not supported; cast it to a number or to text, or drop it")
	ErrChoice  = fault.Kind("choice", "the file holds more than one table; name the one to read")
	ErrNoTable = fault.Kind("no-table", "the file holds no table to read; check that it is the right file")
	ErrJSON    = fault.Kind("json", "is not valid JSON; give one object per line, with a number, text, true, false or null for each key")
	ErrKey     = fault.Kind("key", "is a key that is missing in the first records; give every key a value or null in the first record")
	ErrParts   = fault.Kind("parts", "the columns differ from those of the first file; give files with the same columns in the same order")
	ErrTwice   = fault.Kind("twice", "the file is given twice; give it once")
	ErrOnePass = fault.Kind("one-pass", "the stream could not be stored for a second pass; save it to a file and read that")
)

// located returns an error in a file with details.
func located(file string, err error, format string, args ...any) error {
	return &dataset.ParseError{File: file, Detail: fmt.Sprintf(format, args...), Err: err}
}

// choiceOf returns the error of a file with several tables, with a list of them and the setting that chooses the first.
func choiceOf(file string, first fault.Remedy, format, list string) error {
	return located(file, &fault.Error{Err: ErrChoice, Way: "name the one to read", Remedies: []fault.Remedy{first}}, format+": %v", list, first)
}

// inColumn returns an error of a whole column, counted from 0.
func inColumn(file string, column int, name string, err error, format string, args ...any) error {
	return &dataset.ParseError{File: file, Column: column + 1, Name: name, Detail: fmt.Sprintf(format, args...), Err: err}
}

// named adds the name of the file to err if it is missing.
func named(file string, err error) error {
	var e *dataset.ParseError
	if err == nil || errors.As(err, &e) {
		return err
	}
	return &dataset.ParseError{File: file, Err: err}
}

// guarded calls f and turns a panic into an error, because decoders of other modules may panic on a damaged file.
func guarded(file string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = located(file, ErrDamaged, "%v", r)
		}
	}()
	return f()
}
