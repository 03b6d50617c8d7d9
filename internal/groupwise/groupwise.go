// Package groupwise learns within the groups of a table, or from their means: it replaces the rows by their differences to the means of
// their groups, or by these means.
package groupwise

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/names"
)

// ReasonLevel is the reason for excluding a column that is constant within groups. It is part of the JSON of a result.
const ReasonLevel = "constant within groups"

// ErrMeans is matched if the means of the groups are no table to learn from.
var ErrMeans = fault.Kind("group-means", "the means of the groups are fewer than 3 rows or 2 columns; learn within groups instead")

// leastWithin is the smallest number of columns that must vary within groups for the graph to be learned within groups.
const leastWithin = 2

// A Table is a table with groups after Center.
type Table struct {
	Moments *dataset.Moments
	Profile *dataset.Profile
	Sample  *dataset.Sample // nil if the table had none
	Kinds   []dataset.Variable
	Groups  *dataset.Groups // how the rows are counted; nil if they count fully
	Rows    dataset.Rows    // nil if the table stays as it was read
}

// Center subtracts from each row the means of its group, or, with means, puts these means in place of the rows. Differences exclude the
// columns that are constant within groups. A table with fewer than leastWithin columns that vary within groups stays as it is,
// with the design effect as the weight of its rows.
func Center(ctx context.Context, g *prepare.Gathered, kinds []dataset.Variable, means bool) (*Table, error) {
	t := &Table{Moments: g.Moments, Profile: g.Profile, Sample: g.Sample, Kinds: kinds, Groups: g.Groups}
	b, err := g.ByGroup(ctx)
	if err != nil {
		return nil, err
	}
	if b == nil {
		t.note("The rows need too much memory to be centred within groups; only their number is corrected.")
		return t, nil
	}
	if means {
		return t, t.means(ctx, b)
	}
	return t, t.within(ctx, b)
}

// within makes the table of the differences to the means of the groups.
func (t *Table) within(ctx context.Context, b *prepare.ByGroup) error {
	var keep []int
	var level []string
	numeric := 0
	for j, v := range b.Varying() {
		if !v {
			level = append(level, b.Names[j])
			continue
		}
		keep = append(keep, j)
		if !t.Kinds[j].Kind.Discrete() {
			numeric++
		}
	}
	if len(keep) < leastWithin || numeric == 0 {
		return nil
	}
	t.keepColumns(b, keep, ReasonLevel, "one value for each value of "+t.Groups.Column)
	centred := make([]bool, len(keep))
	var uncentred []string
	for k := range keep {
		if centred[k] = !t.Kinds[k].Kind.Discrete(); centred[k] {
			t.Kinds[k].Kind, t.Kinds[k].Reason = dataset.Continuous, t.Kinds[k].Reason+"; centred within groups"
		} else {
			uncentred = append(uncentred, b.Names[k])
		}
	}
	b.Centre(centred)
	groups, err := b.Groups(numeric)
	if err != nil {
		return err
	}
	groups.Uncentred = uncentred
	last := len(t.Profile.Notes) - 1 // the sentence of the groups before they were centred
	t.Profile.Notes = slices.Clone(t.Profile.Notes)
	t.Profile.Notes[last] = groups.Sentence()
	if len(level) > 0 {
		t.note(fmt.Sprintf("The graph is that within groups: %s, constant within groups, %s not in it. %s with %s learns from the means of the %d groups, with all columns.",
			names.List(level, 6), map[bool]string{true: "is", false: "are"}[len(level) == 1], fault.Use("group-means"), fault.Set("groups", groups.Column), groups.Count))
	}
	return t.regroup(ctx, b, groups)
}

// means makes the table of the means of the groups.
func (t *Table) means(ctx context.Context, b *prepare.ByGroup) error {
	var keep []int
	varying := b.Varying()
	for j, v := range varying {
		if !v || t.Kinds[j].Kind != dataset.Categorical { // codes of nominal categories have no mean
			keep = append(keep, j)
		}
	}
	count, column := t.Groups.Count, t.Groups.Column
	if count < 3 || len(keep) < 2 {
		return fault.New(ErrMeans, fmt.Sprintf("the means of %d groups in %d columns are no table to learn from", count, len(keep)), "leave %s out", fault.Use("group-means"))
	}
	t.keepColumns(b, keep, "categories without a mean", "nominal, and not constant within groups")
	for k, j := range keep {
		if varying[j] {
			t.Kinds[k].Kind, t.Kinds[k].Reason = dataset.Continuous, "mean within groups"
		}
	}
	rows := len(b.Labels)
	b.Means()
	last := len(t.Profile.Notes) - 1
	t.Profile.Notes = slices.Clone(t.Profile.Notes)
	t.Profile.Notes[last] = fmt.Sprintf("Each row is the mean of the rows with the same value of %s: %d rows in %d groups.", column, rows, count)
	t.Profile.RowsUsed = count
	return t.regroup(ctx, b, nil)
}

// note adds a note to the profile of the table.
func (t *Table) note(text string) { t.Profile.Notes = append(slices.Clone(t.Profile.Notes), text) }

// keepColumns keeps these columns of the table and its rows, and excludes the others for a reason.
func (t *Table) keepColumns(b *prepare.ByGroup, keep []int, reason, detail string) {
	b.Select(keep)
	kinds := make([]dataset.Variable, len(keep))
	for k, j := range keep {
		kinds[k] = t.Kinds[j]
	}
	var gone []dataset.Excluded
	for _, v := range t.Kinds {
		if !slices.Contains(b.Names, v.Name) {
			gone = append(gone, dataset.Excluded{Name: v.Name, Reason: reason, Detail: detail})
		}
	}
	t.Kinds = kinds
	if len(gone) == 0 {
		return
	}
	p := *t.Profile
	p.Excluded = append(slices.Clone(p.Excluded), gone...)
	p.Notes = append([]string{prepare.ExcludedNote(gone)}, p.Notes...)
	p.Columns = slices.Clone(p.Columns)
	for i := range p.Columns {
		if c := &p.Columns[i]; slices.ContainsFunc(gone, func(x dataset.Excluded) bool { return x.Name == c.Name }) {
			c.Dropped = reason + ": " + detail
		}
	}
	slices.SortStableFunc(p.Columns, func(a, b dataset.ColumnProfile) int { // those of the moments are last
		return strings.Compare(map[bool]string{true: "a"}[a.Dropped == ""], map[bool]string{true: "a"}[b.Dropped == ""])
	})
	t.Profile = &p
}

// regroup computes moments and sample from the rows of b, which the table keeps.
func (t *Table) regroup(ctx context.Context, b *prepare.ByGroup, groups *dataset.Groups) error {
	sample, all := prepare.NewRowSampler(len(b.Names), 0), dataset.NewAccumulator(b.Names, 1).OnDemand()
	t.Rows, t.Groups = b.Each, groups
	err := t.Rows(ctx, func(b dataset.RowBatch) error {
		if err := sample.Add(b); err != nil {
			return err
		}
		return all.Add(b.Values)
	})
	if err != nil {
		return err
	}
	if t.Sample != nil {
		t.Sample = sample.Sample()
	}
	t.Moments, err = all.Moments()
	return err
}
