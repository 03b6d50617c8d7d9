package dataset

import "fmt"

// CheckNames returns a *ParseError for the first name that is empty or taken.
func CheckNames(names []string, file string) error {
	seen := make(map[string]int, len(names))
	for j, name := range names {
		if name == "" {
			return &ParseError{File: file, Column: j + 1, Err: ErrNoName}
		}
		if k, ok := seen[name]; ok {
			return &ParseError{File: file, Column: j + 1, Name: name, Detail: fmt.Sprintf("column %d has it", k+1), Err: ErrSameName}
		}
		seen[name] = j
	}
	return nil
}
