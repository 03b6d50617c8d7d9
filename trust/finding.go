package trust

import "github.com/polydag/polydag/fault"

// Severity is the consequence of a finding for a run.
type Severity string

// These are the severities, the worst first.
const (
	Error   Severity = "error"   // no graph can be learned before it is fixed
	Warning Severity = "warning" // the graph may be wrong
	Note    Severity = "note"    // for information
)

// A Finding is one result of the data checks or of an assumption check.
type Finding struct {
	// Code is the kind of finding for programs, such as constant, duplicate or collinear.
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	// Columns lists the columns concerned; it is empty if the finding concerns the whole table.
	Columns []string `json:"columns,omitempty"`
	// Sentence describes the finding with figures, and WayOut the remedy.
	Sentence string `json:"sentence"`
	WayOut   string `json:"way_out"`
	// Remedies lists the settings in WayOut, which contains the String of each.
	Remedies []fault.Remedy `json:"remedies,omitempty"`
}
