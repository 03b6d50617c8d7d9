package trust

import (
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// PreflightSchema names the layout of Preflight in JSON. It changes when a field changes its meaning or goes.
const PreflightSchema = "polydag.preflight/1"

// A Preflight is a look at a table before anything is learned from it.
type Preflight struct {
	Schema string `json:"schema"`
	File   string `json:"file,omitempty"`
	// Rows that the moments count; RowsRead is more where rows were dropped on the way, or pairs of columns have fewer in
	// common.
	Rows     int `json:"rows"`
	RowsRead int `json:"rows_read"`
	// Profiled says that the rows were looked at, not only their moments: without it the columns have no kind, no
	// counts and no shape, and what needs them is not found.
	Profiled bool     `json:"profiled"`
	Columns  []Column `json:"columns"`
	// Findings, the worst first, then by code in the order of Codes, then by column.
	Findings []Finding `json:"findings"`

	// Std and R2 are the extremes of the columns' standard deviations and of their R² from all other columns, and
	// StdRatio is the largest standard deviation divided by the smallest. They are absent where there is no such thing.
	Std      *Spread  `json:"std,omitempty"`
	StdRatio *float64 `json:"std_ratio,omitempty"`
	R2       *Spread  `json:"r2,omitempty"`
	// Varying counts the columns that are not constant, and Rank how many of these are linearly independent, 0 where
	// that was not looked at. Condition is the condition number of the correlation matrix of independent ones, the
	// largest eigenvalue divided by the smallest.
	Varying   int      `json:"varying"`
	Rank      int      `json:"rank,omitempty"`
	Condition *float64 `json:"condition,omitempty"`
	// Excluded lists the columns that polydag learn leaves out of the graph, with the reason of each.
	Excluded []dataset.Excluded `json:"excluded,omitempty"`
	// Notes say what the reader did to the data.
	Notes []string `json:"notes,omitempty"`
	// Preview has the first rows and the distribution of every column of the file; absent if the rows cannot be read again.
	Preview *dataset.Preview `json:"preview,omitempty"`
}

// A Column is one line of the table of columns: its profile, or where there is none what the moments tell of it.
type Column struct {
	dataset.ColumnProfile
	// TakenAs is what a model takes the column as, and TakenAsReason by what that was decided; absent where it was left out or the rows
	// were not looked at.
	TakenAs       dataset.VariableKind `json:"taken_as,omitempty"`
	TakenAsReason string               `json:"taken_as_reason,omitempty"`
	// R2 is the share of the variance that all other columns explain together; absent where it was not looked at.
	R2 *float64 `json:"r2,omitempty"`
}

// A Spread names the smallest and the largest of some figures.
type Spread struct {
	Low  Extreme `json:"low"`
	High Extreme `json:"high"`
}

// An Extreme is a figure and the column that has it.
type Extreme struct {
	Column string  `json:"column"`
	Value  float64 `json:"value"`
}

// Refusals say what a run would stop at that a mere look passes over: missing values and text columns that nobody has
// said what to do with. Units says that the run goes by raw variances, so that the units of the columns decide. Levels says
// that it takes columns of few values as levels, so that these are nothing to warn of.
type Refusals struct{ Missing, Text, Units, Levels bool }

// Examine looks at a table by its moments and, where p is not nil, by the profile of its rows. It changes
// neither and keeps neither. Missing values and text are taken as dealt with by whoever made the moments.
//
// Cost: O(d²) for pairs of columns and 3·d³ flops for everything linear, which is left out above 2000 columns.
func Examine(m *dataset.Moments, p *dataset.Profile) *Preflight {
	return ExamineRefusing(m, p, Refusals{})
}

// ExamineRefusing is Examine for a table whose missing values or text a run would refuse: they become errors.
func ExamineRefusing(m *dataset.Moments, p *dataset.Profile, refuse Refusals) *Preflight {
	e := newExamination(m, p, refuse)
	e.rows()
	e.cells()
	e.constants()
	e.shapes()
	e.ordered()
	e.codes()
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

// TakenAs notes the kinds of the columns.
func (p *Preflight) TakenAs(kinds []dataset.Variable) {
	for _, k := range kinds {
		for i := range p.Columns {
			if c := &p.Columns[i]; c.Name == k.Name && c.Dropped == "" {
				c.TakenAs, c.TakenAsReason = k.Kind, k.Reason
			}
		}
	}
}

// Worst returns the severity of the worst finding, or "" where there is none.
func (p *Preflight) Worst() Severity {
	if len(p.Findings) == 0 {
		return ""
	}
	return p.Findings[0].Severity
}

// examination is one call of Examine.
type examination struct {
	m       *dataset.Moments
	p       *dataset.Profile // nil where the rows were not looked at
	refuse  Refusals
	dropped int // rows, for their missing values
	// missingness is nil if no value is missing.
	missingness *dataset.Missingness
	out         *Preflight

	std      []float64
	excluded map[string]bool
	column   []*Column    // of the moments' columns, into out.Columns
	varying  []int        // columns of numbers that are not constant
	unworded []string     // columns of exact relations beyond mostRelations
	onehot   map[int]bool // columns of 0 and 1 that encode a column of text
	// alias lists, for the first of a group of duplicates, the others; single lists the varying columns without them.
	alias  map[int][]int
	single []int
}

func newExamination(m *dataset.Moments, p *dataset.Profile, refuse Refusals) *examination {
	e := &examination{m: m, refuse: refuse, alias: map[int][]int{}, excluded: map[string]bool{}, onehot: map[int]bool{}}
	e.out = &Preflight{Schema: PreflightSchema, Rows: m.N, RowsRead: m.N, Findings: []Finding{}, Columns: []Column{}}
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

// rangeKnown reports whether the extremes of a column are known: a covariance alone does not have them.
func (e *examination) rangeKnown(j int) bool {
	return !math.IsInf(e.m.Min[j], 0) && !math.IsInf(e.m.Max[j], 0)
}

// tinyStd is the standard deviation below which the product of two is no longer a normal number.
const tinyStd = 1e-150

// excludedAsText is the reason of a column that is excluded because text is to be dropped.
const excludedAsText = "text"

// levelsListed is how many words of a text column the report lists.
const levelsListed = 20

// finite returns c with 0 for figures that a column without values has none of, since JSON knows neither NaN nor infinity, and
// with its first levels only.
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
	e.out.Findings = append(e.out.Findings, Finding{Code: code, Severity: s, Columns: columns, Sentence: sentence, WayOut: way.Text, Remedies: way.Remedies})
}

// names returns the names of columns of the moments.
func (e *examination) names(index []int) []string { return pick(e.m.Names, index) }
