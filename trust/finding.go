package trust

import "github.com/polydag/polydag/fault"

// Severity says what a finding means for a run.
type Severity string

// The severities, worst first.
const (
	Error   Severity = "error"   // no graph can be learned until it is mended
	Warning Severity = "warning" // the graph may mislead
	Note    Severity = "note"    // good to know
)

// A Finding is one thing that a look at the data turned up.
type Finding struct {
	// Code names the kind of finding for programs, such as constant, duplicate, collinear.
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	// Columns that it is about; empty where it is about the table.
	Columns []string `json:"columns,omitempty"`
	// Sentence says what was found, with figures; WayOut what to do about it.
	Sentence string `json:"sentence"`
	WayOut   string `json:"way_out"`
	// Remedies are the settings that WayOut speaks of; each stands in it as its String.
	Remedies []fault.Remedy `json:"remedies,omitempty"`
}
