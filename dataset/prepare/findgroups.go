package prepare

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// A Found is a column whose values repeat as those of subjects do.
type Found struct {
	Column string
	Groups int
	Rows   int
	// Use reports that the rows of a group are so alike that the column becomes the group column. Otherwise it is only proposed.
	Use bool
	Why string // evidence, as a clause
}

const (
	// leastGroups is the smallest number of groups of a column that is named like a subject, and leastOther that of other columns.
	// A category such as a region has few values, each in many rows.
	leastGroups  = 3
	leastOther   = 8
	leastCrossed = 5 // in a panel, with each time once per group
	// mostPerGroup is the largest mean size of a group of a column whose name says nothing.
	mostPerGroup = 200
	// leastAlike is the smallest intraclass correlation that counts. F must also exceed 1 by farF standard deviations.
	leastAlike = 0.05
	farF       = 4
	// mostYears is the largest number of different years of school, or persons of a family.
	mostYears = 25
	// mostCandidates limits the columns that are examined, and fewGroupRows the rows up to which columns without a telling name are.
	mostCandidates = 12
	fewGroupRows   = 20_000
)

// groupCandidate is a column that may identify groups, with the sums of each group.
type groupCandidate struct {
	column int
	name   int // plainName, …
	at     map[uint64]int
	label  []float64 // number of each group
	rows   []float64
	sums   []float64         // by group and column: count, sum, first value
	varies []bool            // by column
	pairs  []map[uint64]bool // by column: pairs of group and value; nil once one repeats, and for columns that are no time
	missed bool
}

// groupSearch examines the candidates in one pass over the rows.
type groupSearch struct {
	names      []string
	text       []bool
	distinct   []map[uint64]bool // few values of each column
	shift, all []float64         // all: count, sum and sum of squares of each column
	rows       int
	candidates []*groupCandidate
	p          *dataset.Profile
}

// FindGroups looks for a column that identifies groups of dependent rows, such as the subject of repeated measurements. g is the
// table without groups. It reads the table again only if a column repeats and its name or the other columns suggest groups. The answer
// does not depend on the order of rows and columns. It returns nil if no column is found.
//
// A column is used if the intraclass correlation of another column is at least leastAlike and significant, or another column is
// constant within groups, and if
//   - its name is that of an identifier or of a subject, or
//   - it has many groups, and at least a third of the other columns are constant within them, or
//   - it has many groups, each of which has every value of another column once, such as each year.
func FindGroups(ctx context.Context, open func(context.Context) (dataset.Source, error), set Settings, g *Gathered) (*Found, error) {
	if g.replay == nil || len(g.Profile.Columns) < 3 {
		return nil, nil
	}
	src, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	opt := options{Settings: set}
	opt.Targets, opt.Environments = "", ""
	chosen, err := chooseColumns(src.Columns(), &opt)
	if err != nil {
		return nil, err
	}
	s := newGroupSearch(g, chosen)
	if len(s.candidates) == 0 {
		return nil, nil
	}
	if err := selectColumns(src, chosen); err != nil {
		return nil, err
	}
	if _, err := stream(ctx, src, len(chosen), &opt, func(v *view) error { return s.add(v) }); err != nil && err != io.EOF {
		return nil, err
	}
	return s.best(), nil
}

// GatherGroups is Gather for a table whose group column is still to be found. It sets p.Groups to the column, or to "", and
// found to the note on it.
func GatherGroups(ctx context.Context, open func(context.Context) (dataset.Source, error), p *Settings) (got *Gathered, found string, err error) {
	look := p.Groups == dataset.GroupsAuto
	got, err = Gather(ctx, open, *p)
	if !look || err != nil {
		return got, "", err
	}
	p.Groups = ""
	if p.Targets != "" || p.Environments != "" || p.Frequencies != "" || p.RowWeights != "" || p.Time.Given() || !p.Profile || !p.Exclude || p.Missing == dataset.MissingPairwise {
		return got, "", nil
	}
	var f *Found
	if excluded := excludedNames(got.Profile.Excluded); excluded[dataset.ClassifiedColumn] && slices.Contains(got.Moments.Names, dataset.ClassifiedGroups) {
		f = &Found{Column: dataset.ClassifiedGroups, Rows: got.Moments.N, Use: true, Why: "near duplicates of polydag-images"}
		f.Groups = int(got.Moments.Max[slices.Index(got.Moments.Names, f.Column)])
	} else if f, err = FindGroups(ctx, open, *p, got); err != nil || f == nil {
		return got, "", err
	}
	head := fmt.Sprintf("Column %s repeats as a subject does: %d groups in %d rows", f.Column, f.Groups, f.Rows)
	if f.Why != "" {
		head += " (" + f.Why + ")"
	}
	if !f.Use {
		return got, fmt.Sprintf("%s. Every row counts; if rows with the same value are measurements of one subject, use %s.", head, fault.Set("groups", f.Column)), nil
	}
	own := *p
	own.Groups = f.Column
	with, err := Gather(ctx, open, own)
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case err != nil:
		return got, fmt.Sprintf("%s. The rows were not grouped: %v; %s turns this off.", head, err, fault.Set("groups", "none")), nil
	case 2*with.Moments.N < got.Moments.N: // groups need complete rows
		return got, fmt.Sprintf("%s. The rows were not grouped, because too few are complete; %s uses these only.", head, fault.Set("groups", f.Column)), nil
	}
	*p = own
	return with, fmt.Sprintf("%s. It is the group column; %s turns this off.", head, fault.Set("groups", "none")), nil
}

// newGroupSearch chooses the candidates by the profiles of the columns.
func newGroupSearch(g *Gathered, chosen []chosenColumn) *groupSearch {
	d := len(chosen)
	s := &groupSearch{names: make([]string, d), text: make([]bool, d), shift: make([]float64, d), all: make([]float64, 3*d), p: g.Profile}
	profile := map[string]*dataset.ColumnProfile{}
	for i := range g.Profile.Columns {
		profile[g.Profile.Columns[i].Name] = &g.Profile.Columns[i]
	}
	n := g.Profile.RowsRead
	for j, c := range chosen {
		s.names[j], s.shift[j] = c.Name, math.NaN()
		if c.keep || c.log {
			continue
		}
		name, p := nameOf(c.Name), profile[c.Name]
		if isTime(c.Name) {
			continue
		}
		groups := 0 // unknown
		if p != nil {
			groups = max(p.Distinct, len(p.Levels))
			if p.Kind != dataset.Integer.String() && p.Kind != dataset.Text.String() && p.Kind != dataset.Number.String() || p.Missing > 0 {
				continue
			}
			if p.Kind == dataset.Number.String() && name < subjectName && n > fewGroupRows {
				continue
			}
		} else if !slices.ContainsFunc(g.Profile.Excluded, func(x dataset.Excluded) bool { return x.Name == c.Name && x.Reason == reasonCategories }) {
			continue
		}
		least := leastOther
		if name == idName || name == subjectName {
			least = leastGroups
		} else if name == unitName {
			least = 5
		}
		if groups > 0 && (groups < least || 2*groups > n || name == plainName && groups*mostPerGroup < n) {
			continue
		}
		if name == plainName && n > fewGroupRows {
			continue
		}
		s.candidates = append(s.candidates, &groupCandidate{column: j, name: name, at: map[uint64]int{}, varies: make([]bool, d), pairs: make([]map[uint64]bool, d)})
	}
	slices.SortStableFunc(s.candidates, func(a, b *groupCandidate) int {
		return cmp.Or(cmp.Compare(b.name, a.name), cmp.Compare(s.names[a.column], s.names[b.column]))
	})
	s.candidates = s.candidates[:min(len(s.candidates), mostCandidates)]
	s.distinct = make([]map[uint64]bool, d)
	for j := range d {
		s.distinct[j] = map[uint64]bool{}
	}
	for _, c := range s.candidates {
		for j := range d {
			if j != c.column && isTime(s.names[j]) {
				c.pairs[j] = map[uint64]bool{}
			}
		}
	}
	return s
}

// add counts the rows of a view. A text is represented by a number made from its hash.
func (s *groupSearch) add(v *view) error {
	d := len(s.names)
	for _, cell := range v.cells {
		s.text[cell.Column] = true
		v.values[cell.Row*d+cell.Column] = float64(hashOf('t', v.text[cell.Start:cell.End]) >> 11)
	}
	codes := make([]uint64, d)
	for i := range v.rows {
		row := v.values[i*d : (i+1)*d]
		s.rows++
		for j, x := range row {
			if x-x != 0 {
				continue
			}
			if s.shift[j] != s.shift[j] {
				s.shift[j] = x
			}
			codes[j] = max(1, math.Float64bits(x+0)*golden)
			if m := s.distinct[j]; len(m) <= dataset.DistinctLimit {
				m[codes[j]] = true
			}
			y := x - s.shift[j]
			s.all[3*j]++
			s.all[3*j+1] += y
			s.all[3*j+2] += y * y
		}
		for _, c := range s.candidates {
			c.add(row, codes, s.shift)
		}
	}
	return nil
}

func (c *groupCandidate) add(row []float64, codes []uint64, shift []float64) {
	d := len(row)
	x := row[c.column]
	if x-x != 0 {
		c.missed = true
		return
	}
	g, ok := c.at[codes[c.column]]
	if !ok {
		g = len(c.rows)
		c.at[codes[c.column]] = g
		c.label, c.rows, c.sums = append(c.label, x), append(c.rows, 0), append(c.sums, make([]float64, 3*d)...)
	}
	c.rows[g]++
	own := c.sums[3*d*g : 3*d*(g+1)]
	for j, y := range row {
		if y-y != 0 {
			c.pairs[j] = nil
			continue
		}
		if own[3*j]++; own[3*j] == 1 {
			own[3*j+2] = y
		} else if own[3*j+2] != y {
			c.varies[j] = true
		}
		own[3*j+1] += y - shift[j]
		if p := c.pairs[j]; p != nil {
			hi, lo := bits.Mul64(codes[c.column]^golden, bits.RotateLeft64(codes[j], 23))
			key := hi ^ lo
			if p[key] {
				c.pairs[j] = nil
			} else {
				p[key] = true
			}
		}
	}
}
