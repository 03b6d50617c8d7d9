package role

import "slices"

// A Change says whether somebody could change the values of a column, as far as its name tells.
type Change string

const (
	UnknownChange Change = ""
	Changeable    Change = "yes"
	Unchangeable  Change = "no"
)

// These are the meanings that nobody can change, and those that people set.
var (
	unchangeable = []string{"sex", "age", "birth", "ethnicity", "native", "family background", "genotype", "kind of being", "calendar", "year of a thing", "age at an event", "period"}
	changeable   = []string{"random assignment", "dose", "planned input", "working hours", "habits", "treatment", "insurance"}
)

// Change says whether somebody could change the column.
func (r Reading) Change() Change {
	switch {
	case slices.Contains(unchangeable, r.Meaning):
		return Unchangeable
	case slices.Contains(changeable, r.Meaning):
		return Changeable
	}
	return UnknownChange
}

// Randomized reports whether the name says that the column was assigned at random.
func (r Reading) Randomized() bool { return r.Meaning == "random assignment" }
