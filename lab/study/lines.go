package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// openLines opens or creates a file with one JSON object per line and reads it. It removes an incomplete last line, which a killed
// process leaves.
func openLines[T any](path, what string, check func(*T) error) (f *os.File, list []*T, torn bool, err error) {
	if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
		return nil, nil, false, fmt.Errorf("cannot open the %ss: %w; check the folder and its permissions", what, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		f.Close()
		return nil, nil, false, fmt.Errorf("cannot read the %ss: %w", what, err)
	}
	list, whole, err := parseLines(text, what, check)
	if torn = whole < len(text); err == nil && torn {
		err = f.Truncate(int64(whole))
	}
	if err != nil {
		f.Close()
		return nil, nil, false, fmt.Errorf("%s: %w", path, err)
	}
	return f, list, torn, nil
}

// readLines reads such a file without changing it. It ignores an incomplete last line. A missing file has no objects.
func readLines[T any](path, what string, check func(*T) error) ([]*T, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the %ss: %w", what, err)
	}
	list, _, err := parseLines(text, what, check)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// parseLines returns the objects with the length of the complete part. Only the last line may be incomplete: without a line end, or
// invalid JSON after a crash of the machine.
func parseLines[T any](text []byte, what string, check func(*T) error) (list []*T, whole int, err error) {
	for line := 1; whole < len(text); line++ {
		end := bytes.IndexByte(text[whole:], '\n')
		if end < 0 {
			return list, whole, nil
		}
		v := new(T)
		if err := json.Unmarshal(text[whole:whole+end], v); err != nil {
			if whole+end+1 == len(text) {
				return list, whole, nil
			}
			return nil, 0, fmt.Errorf("line %d is not a %s: %w; remove the line and its run is run again", line, what, err)
		}
		if err := check(v); err != nil {
			return nil, 0, fmt.Errorf("line %d: %w", line, err)
		}
		list = append(list, v)
		whole += end + 1
	}
	return list, whole, nil
}

// appendLine writes the object of a run to the disk, in one call.
func appendLine(f *os.File, what, key string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s %s: %w", what, key, err)
	}
	if _, err = f.Write(append(b, '\n')); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return fmt.Errorf("cannot write the %s of %s: %w; what was written is kept, run the command again to go on", what, key, err)
	}
	return nil
}
