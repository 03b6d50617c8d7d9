package dataset

import (
	"fmt"
	"strings"
)

// CheckNames returns a *ParseError for the first name that is empty or repeated.
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

// RepairNames makes the column names unique in place: an empty name becomes column_3 in the third column, and the second column
// named x becomes x_2. It returns a sentence that describes the changes, or "".
func RepairNames(names []string) (note string) {
	taken := make(map[string]bool, len(names))
	for _, name := range names {
		taken[name] = true
	}
	seen := make(map[string]bool, len(names))
	var changed []string
	for j, name := range names {
		if name == "" {
			names[j] = free(taken, "column", j+1)
			changed = append(changed, fmt.Sprintf("column %d without a name is %s", j+1, names[j]))
		} else if seen[name] {
			names[j] = free(taken, name, 2)
			changed = append(changed, fmt.Sprintf("column %d, another %s, is %s", j+1, name, names[j]))
		}
		seen[names[j]] = true
	}
	if len(changed) > 5 {
		changed = append(changed[:5], fmt.Sprintf("%d more", len(changed)-5))
	}
	return strings.Join(changed, "; ")
}

// free returns and takes the first free name stem_k, counting from k.
func free(taken map[string]bool, stem string, k int) string {
	for ; ; k++ {
		if name := fmt.Sprintf("%s_%d", stem, k); !taken[name] {
			taken[name] = true
			return name
		}
	}
}
