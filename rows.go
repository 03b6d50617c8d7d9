package polydag

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/relations"
)

// tableRows are the rows of a table: how they are read, what they count for, and how a graph is learned from them. plainRows stand alone;
// groupedRows and completedRows wrap others.
type tableRows interface {
	// pass returns a pass over the rows that Moments count; nil if they cannot be read.
	pass() dataset.Rows
	// unreadable says why the rows cannot be read.
	unreadable() string
	// groups returns how rows in groups are counted; nil without groups.
	groups() *dataset.Groups
	// repeated returns the number of columns that repeat the same records and the number of distinct records, or 0 if they are not a
	// majority.
	repeated(t *Table) (columns, records int)
	// size returns the number of rows. Moments.N may count several copies of each.
	size(t *Table) int
	// effective returns the number of complete, independent rows with as much information.
	effective(t *Table) int
	// counted returns the moments with the effective number of rows, or of distinct records.
	counted(t *Table) (*dataset.Moments, error)
	// weight returns the weight of one of the rows that Moments count; 0 stands for 1.
	weight(t *Table) float64
	// evidence returns the moments with one copy of each row, and the weight of a row.
	evidence(t *Table) (*dataset.Moments, float64)
	// learn learns a graph.
	learn(ctx context.Context, t *Table, cfg Config, how Run) (*Result, error)
}

// has returns the rows of the table. A table that a caller made of moments alone has rows that cannot be read.
func (t *Table) has() tableRows {
	if t.rows == nil {
		return plainRows{}
	}
	return t.rows
}

// Rows returns the number of rows of the table. Moments.N is larger if missing values were completed: it counts every copy of a row.
func (t *Table) Rows() int { return t.has().size(t) }

// EffectiveRows returns the number of complete, independent rows that carry as much information as the rows of the table: fewer than
// Rows if values are missing, rows have weights or belong to groups.
func (t *Table) EffectiveRows() int { return t.has().effective(t) }

// plainRows are complete rows that count fully, or rows that cannot be read.
type plainRows struct {
	read dataset.Rows
	why  string // why they cannot be read
}

func (r plainRows) pass() dataset.Rows                            { return r.read }
func (r plainRows) unreadable() string                            { return r.why }
func (r plainRows) groups() *dataset.Groups                       { return nil }
func (r plainRows) size(t *Table) int                             { return t.Moments.N }
func (r plainRows) effective(t *Table) int                        { return t.Moments.N }
func (r plainRows) evidence(t *Table) (*dataset.Moments, float64) { return t.Moments, r.weight(t) }
func (r plainRows) learn(ctx context.Context, t *Table, cfg Config, how Run) (*Result, error) {
	return t.learn(ctx, cfg, how)
}

func (r plainRows) repeated(t *Table) (columns, records int) {
	s := t.Sample
	if s == nil || s.Rows() != t.Moments.N || t.Kinds == nil || t.Environments != nil {
		return 0, 0
	}
	return relations.Repeated(s, t.Kinds)
}

func (r plainRows) counted(t *Table) (*dataset.Moments, error) {
	if _, records := r.repeated(t); records > 0 {
		return t.Moments.CountedAs(records), nil
	}
	return t.Moments, nil
}

func (r plainRows) weight(t *Table) float64 {
	if _, records := r.repeated(t); records > 0 {
		return float64(records) / float64(t.Moments.N)
	}
	return 0
}

// groupedRows are rows in groups, whose rows are not independent.
type groupedRows struct {
	tableRows
	of     *dataset.Groups
	labels dataset.Rows // the rows with the labels of their groups; nil if the labels are unknown
}

func (r groupedRows) groups() *dataset.Groups                       { return r.of }
func (r groupedRows) repeated(*Table) (columns, records int)        { return 0, 0 }
func (r groupedRows) effective(*Table) int                          { return r.of.EffectiveRows }
func (r groupedRows) weight(*Table) float64                         { return float64(r.of.EffectiveRows) / float64(r.of.Rows) }
func (r groupedRows) evidence(t *Table) (*dataset.Moments, float64) { return t.Moments, r.weight(t) }

func (r groupedRows) counted(t *Table) (*dataset.Moments, error) {
	n := r.of.EffectiveRows
	if n < 3 {
		return nil, fmt.Errorf("%s Want at least 3: two points fit any line; give more groups", r.of.Sentence())
	}
	return t.Moments.CountedAs(n), nil
}
