package trust

import (
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// CheckSchema is the version of the JSON form of DataChecks. It changes if a field changes its meaning or is removed.
const CheckSchema = "polydag.check/1"

// A DataChecks is the result of the data checks of a table.
type DataChecks struct {
	Schema string `json:"schema"`
	File   string `json:"file,omitempty"`
	// Rows is the number of rows in the moments. RowsRead is larger if rows were dropped, or if pairs of columns have fewer rows in
	// common.
	Rows     int `json:"rows"`
	RowsRead int `json:"rows_read"`
	// Profiled reports that the rows were examined and not only their moments. Otherwise the columns have no kind, counts or shape,
	// and checks that need these are skipped.
	Profiled bool     `json:"profiled"`
	Columns  []Column `json:"columns"`
	// Findings are sorted by severity, the worst first, then by code in the order of Codes, then by column.
	Findings []Finding `json:"findings"`

	// Std and R2 are the extremes of the columns' standard deviations and of their R² given all other columns. StdRatio is the
	// largest standard deviation divided by the smallest. They are absent if they cannot be computed.
	Std      *Spread  `json:"std,omitempty"`
	StdRatio *float64 `json:"std_ratio,omitempty"`
	R2       *Spread  `json:"r2,omitempty"`
	// Varying is the number of columns that are not constant. Rank is the number of linearly independent ones, 0 if it was not
	// computed. Condition is the condition number of the correlation matrix of the independent ones: its largest eigenvalue divided
	// by the smallest.
	Varying   int      `json:"varying"`
	Rank      int      `json:"rank,omitempty"`
	Condition *float64 `json:"condition,omitempty"`
	// Excluded lists the columns that polydag learn excludes from the graph, each with the reason.
	Excluded []dataset.Excluded `json:"excluded,omitempty"`
	// Names has what was understood from the names of the columns that say something; absent with --names off.
	Names []Name `json:"names,omitempty"`
	// Notes describe how the reader changed the data.
	Notes []string `json:"notes,omitempty"`
	// Preview has the first rows and the distribution of every column of the file; absent if the rows cannot be read again.
	Preview *dataset.Preview `json:"preview,omitempty"`
}

// A Column is one row of the table of columns: its profile, or the facts from the moments if there is no profile.
type Column struct {
	dataset.ColumnProfile
	// TakenAs is the kind that models use for the column, and TakenAsReason the reason. Both are absent if the column was excluded
	// or the rows were not examined.
	TakenAs       dataset.VariableKind `json:"taken_as,omitempty"`
	TakenAsReason string               `json:"taken_as_reason,omitempty"`
	// R2 is the share of the variance that all other columns explain together; it is absent if it was not computed.
	R2 *float64 `json:"r2,omitempty"`
}

// A Name is what was understood from the name of a column.
type Name struct {
	Column string `json:"column"`
	// Place is the place in time, from first to last: given (nothing in the table causes the column), early, life, state, treatment,
	// response or outcome, or unknown if the meaning has no fixed place.
	Place string `json:"place"`
	// Meaning is what the name stands for, such as age.
	Meaning string `json:"meaning"`
	// BecauseOf is the other column that decided the meaning, such as time for status.
	BecauseOf string `json:"because_of,omitempty"`
	// Unsure reports that the meaning often has another place, so that its log odds are halved.
	Unsure bool `json:"unsure,omitempty"`
}

// A Spread has the smallest and the largest of some figures.
type Spread struct {
	Low  Extreme `json:"low"`
	High Extreme `json:"high"`
}

// An Extreme is a figure with the name of its column.
type Extreme struct {
	Column string  `json:"column"`
	Value  float64 `json:"value"`
}

// Refusals lists conditions that would stop a run and that the data checks alone tolerate: missing values and text columns without
// a setting for them. Units reports that the method uses raw variances, so that its result depends on units. Levels reports that
// the method treats columns with few values as categories, so that these need no warning.
type Refusals struct{ Missing, Text, Units, Levels bool }

// Examine checks a table by its moments and, if p is not nil, by the profile of its rows. It neither changes nor keeps them. It
// assumes that missing values and text were already handled.
//
// The cost is O(d²) for pairs of columns and 3·d³ flops for linear relations, which are skipped above 2000 columns.
func Examine(m *dataset.Moments, p *dataset.Profile) *DataChecks {
	return ExamineRefusing(m, p, Refusals{})
}

// ExamineRefusing is Examine with errors for missing values or text that a run would refuse.
func ExamineRefusing(m *dataset.Moments, p *dataset.Profile, refuse Refusals) *DataChecks {
	e := newExamination(m, p, refuse)
	e.rows()
	e.cells()
	e.frequencies()
	e.constants()
	e.shapes()
	e.ordered()
	e.codes()
	e.unordered()
	e.duplicates()
	e.oneHots()
	e.linear()
	e.units()
	e.joinFindings(Duplicate, "groups of equal columns", nil)
	e.joinFindings(Collinear, "linear relations", e.unworded)
	e.joinFindings(NearCollinear, "nearly linear relations", nil)
	for j := range e.m.Names {
		if c := e.column[j]; e.categorical(j) { // codes have no mean
			c.Min, c.Max, c.Mean, c.Std, c.Skewness, c.Kurtosis, c.Top, c.R2 = 0, 0, 0, 0, 0, 0, 0, nil
		}
	}
	sortFindings(e.out.Findings)
	return e.out
}

// TakenAs stores the kinds of the columns.
func (p *DataChecks) TakenAs(kinds []dataset.Variable) {
	for _, k := range kinds {
		for i := range p.Columns {
			if c := &p.Columns[i]; c.Name == k.Name && c.Dropped == "" {
				c.TakenAs, c.TakenAsReason = k.Kind, k.Reason
			}
		}
	}
}

// Worst returns the severity of the worst finding, or "" without findings.
func (p *DataChecks) Worst() Severity {
	if len(p.Findings) == 0 {
		return ""
	}
	return p.Findings[0].Severity
}

// examination holds the state of one call of Examine.
type examination struct {
	m       *dataset.Moments
	p       *dataset.Profile // nil if the rows were not examined
	refuse  Refusals
	dropped int // rows dropped because of missing values
	// missingness is nil if no value is missing.
	missingness *dataset.Missingness
	out         *DataChecks

	std      []float64
	excluded map[string]bool
	column   []*Column    // entries of out.Columns, by column of the moments
	varying  []int        // numeric columns that are not constant
	unworded []string     // columns of exact relations beyond mostRelations
	onehot   map[int]bool // columns of 0 and 1 that encode a text column
	// alias lists, for the first of each group of duplicates, the others. single lists the varying columns without duplicates.
	alias  map[int][]int
	single []int
}

func newExamination(m *dataset.Moments, p *dataset.Profile, refuse Refusals) *examination {
	e := &examination{m: m, refuse: refuse, alias: map[int][]int{}, excluded: map[string]bool{}, onehot: map[int]bool{}}
	e.out = &DataChecks{Schema: CheckSchema, Rows: m.N, RowsRead: m.N, Findings: []Finding{}, Columns: []Column{}}
	d := m.Dim()
	e.std = make([]float64, d)
	if m.N > 0 {
		e.std = m.Std()
	}
	known := map[string]bool{}
	if p != nil {
		e.out.File, e.out.RowsRead, e.out.Notes, e.dropped = p.File, p.RowsRead, p.Notes, p.RowsRead-p.RowsUsed
		e.missingness = p.Missingness
		for _, x := range p.Excluded {
			if x.Reason == excludedAsText && refuse.Text {
				continue // a run would refuse it
			}
			e.out.Excluded = append(e.out.Excluded, x)
			e.excluded[x.Name] = true
		}
		if e.out.Profiled = len(p.Columns) > 0; e.out.Profiled {
			e.p = p
		}
		for _, c := range p.Columns {
			e.out.Columns = append(e.out.Columns, Column{ColumnProfile: finite(c)})
			known[c.Name] = known[c.Name] || c.Dropped == ""
		}
	}
	for j, name := range m.Names {
		if !known[name] {
			e.out.Columns = append(e.out.Columns, Column{ColumnProfile: finite(dataset.ColumnProfile{
				Name: name, Min: m.Min[j], Max: m.Max[j], Mean: m.Mean[j], Std: e.std[j],
			})})
		}
	}
	at := map[string]*Column{}
	for i := range e.out.Columns {
		if c := &e.out.Columns[i]; c.Dropped == "" {
			at[c.Name] = c
		}
	}
	e.column = make([]*Column, d)
	for j, name := range m.Names {
		e.column[j] = at[name]
		if e.std[j] > tinyStd && m.Min[j] < m.Max[j] && !e.categorical(j) {
			e.varying = append(e.varying, j)
		}
	}
	e.out.Varying = len(e.varying)
	return e
}

// rangeKnown reports whether the extremes of a column are known. They are not if only a covariance matrix is known.
func (e *examination) rangeKnown(j int) bool {
	return !math.IsInf(e.m.Min[j], 0) && !math.IsInf(e.m.Max[j], 0)
}

// tinyStd is the standard deviation below which the product of two is denormal.
const tinyStd = 1e-150

// excludedAsText is the reason for a column that is excluded because text is dropped.
const excludedAsText = "text"

// levelsListed is the number of words of a text column that the report lists.
const levelsListed = 20

// finite returns c with 0 for undefined figures, because JSON has neither NaN nor infinity, and with its first levels only.
func finite(c dataset.ColumnProfile) dataset.ColumnProfile {
	c.Levels = c.Levels[:min(len(c.Levels), levelsListed)]
	for _, v := range []*float64{&c.Min, &c.Max, &c.Mean, &c.Std, &c.Skewness, &c.Kurtosis, &c.Top, &c.TopShare} {
		if math.IsNaN(*v) || math.IsInf(*v, 0) {
			*v = 0
		}
	}
	return c
}

func (e *examination) add(code string, s Severity, columns []string, sentence string, way fault.Way) {
	e.out.Findings = append(e.out.Findings, newFinding(code, s, columns, sentence, way))
}

// names returns the names of columns of the moments.
func (e *examination) names(index []int) []string { return pick(e.m.Names, index) }
