package trust

import (
	"cmp"
	"slices"
	"strings"

	"github.com/polydag/polydag/fault"
)

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

func newFinding(code string, s Severity, columns []string, sentence string, way fault.Way) Finding {
	return Finding{Code: code, Severity: s, Columns: columns, Sentence: sentence, WayOut: way.Text, Remedies: way.Remedies}
}

// Codes of findings. docs/reference/checks.md gives the meaning, the threshold and the remedy of each.
const (
	TooFewRows    = "too_few_rows"
	TooFewColumns = "too_few_columns"
	Empty         = "empty"
	NotFinite     = "not_finite"
	Constant      = "constant"
	Missing       = "missing"
	MissingCauses = "missing_causes"
	MissingApart  = "missing_apart"
	Text          = "text"
	Sentinel      = "sentinel"
	Frequencies   = "frequency_table"
	FewerRows     = "n_less_than_d"
	Duplicate     = "duplicate"
	Collinear     = "collinear"
	NearCollinear = "near_collinear"
	Condition     = "condition"
	NearConstant  = "near_constant"
	IDLike        = "id_like"
	TimeOrder     = "time_order"
	CodeLike      = "code_like"
	RepeatedRows  = "repeated_rows"
	LargeUnits    = "large_units"
	HeavyTails    = "heavy_tails"
	Skewed        = "skewed"
	Varsortable   = "varsortability"
	R2Sortable    = "r2sortability"
	Standardized  = "standardized"
	Binary        = "binary"
	FewLevels     = "few_levels"
	Unchecked     = "not_checked"
)

// Codes lists all codes in the order of findings with the same severity.
func Codes() []string {
	return []string{
		TooFewRows, TooFewColumns, Empty, NotFinite, Constant, Missing, MissingCauses, MissingApart, Text, Sentinel, Frequencies, FewerRows,
		Duplicate, Collinear, NearCollinear, Condition,
		NearConstant, IDLike, TimeOrder, CodeLike, RepeatedRows, LargeUnits, HeavyTails, Skewed,
		Varsortable, R2Sortable, Standardized, Binary, FewLevels, Unchecked,
	}
}

// CodeWords returns the name of a finding for people.
func CodeWords(code string) string {
	names := map[string]string{Curvature: "unmodelled nonlinearity", FewLevels: "few distinct values", AlikeNeighbours: "autocorrelation", FewerRows: "fewer rows than columns", Skewed: "skewness", LightTails: "light tails of the noise", Binary: "binary columns"}
	return cmp.Or(names[code], strings.ReplaceAll(code, "_", " "))
}

// sortFindings sorts by severity, the worst first, and then by code in the order of Codes. Findings with the same code keep their
// order, which is that of their first columns.
func sortFindings(f []Finding) {
	severity, code := []Severity{Error, Warning, Note}, Codes()
	rank := func(x Finding) int {
		return slices.Index(severity, x.Severity)*len(code) + slices.Index(code, x.Code)
	}
	slices.SortStableFunc(f, func(a, b Finding) int { return rank(a) - rank(b) })
}
