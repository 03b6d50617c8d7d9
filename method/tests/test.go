// Package tests chooses the independence test for a table and learns graphs from tests.
package tests

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/scores"
)

// Name is the name of an independence test. Each belongs to a model of package scores and reads the table as
// that model does.
type Name string

const (
	Auto    Name = "auto"     // the test of the model that matches the kinds of the columns
	FisherZ Name = "fisher-z" // partial correlations: linear effects, needs only moments
	G2      Name = "g2"       // likelihood ratio of counts, all columns categorical
	Chi2    Name = "chi2"     // Pearson's χ² of counts, all columns categorical
	Mixed   Name = "mixed"    // conditional Gaussian: numeric and categorical columns
	Smooth  Name = "smooth"   // smooth functions of the columns
)

// Names lists the tests.
func Names() []Name { return []Name{Auto, FisherZ, G2, Chi2, Mixed, Smooth} }

// Needs returns the part of a table that the test reads.
func (t Name) Needs() method.Needs {
	switch t {
	case Auto:
		return method.Either
	case FisherZ:
		return method.Moments
	}
	return method.Rows
}

// Categories reports whether the test supports nominal columns.
func (t Name) Categories() bool { return t != FisherZ && t != Smooth }

// Model returns the model that the test belongs to.
func (t Name) Model() scores.Model {
	return map[Name]scores.Model{Auto: scores.AutoModel, FisherZ: scores.Linear, G2: scores.Discrete, Chi2: scores.Discrete, Mixed: scores.Mixed, Smooth: scores.Smooth}[t]
}

// Bytes estimates the memory of the test.
func (t Name) Bytes(rows, columns int) int64 {
	values := int64(rows) * int64(columns)
	moments, curves := method.Matrices(1, columns, 64), method.Matrices(2, columns*(scores.SmoothBasis(columns).Curves+1), 64)
	switch t {
	case FisherZ:
		return moments
	case G2, Chi2:
		return 8*min(values, scores.KeptValues) + 6*values
	case Mixed:
		return 8*min(values, scores.KeptValues) + 12*values
	case Smooth:
		return 8*min(values, scores.KeptValues) + curves
	}
	most := moments + 8*min(values, scores.KeptValues) + 12*values
	if columns <= scores.CurvedColumns {
		most += curves
	}
	return most
}

// A Tester is a test on a table, with the reason for its choice and its model.
type Tester struct {
	Test   independence.Test
	Choice method.Choice
	Model  scores.Model
	// Dear reports that a test costs more than storing its result.
	Dear bool
}

// testedFunctions is the number of functions of a tested column under smooth effects: itself and two curves. A
// conditioning column has all its functions.
const testedFunctions = 3

// New reads what the test needs of the table.
func New(ctx context.Context, in *method.Input, name Name) (*Tester, error) {
	t := &Tester{Choice: method.Choice{Setting: "test", Requested: string(name), Chosen: string(name)}, Dear: true}
	if name == Auto {
		s := scores.Default()
		chosen, err := s.Choose(ctx, in)
		if err != nil {
			return nil, err
		}
		for _, other := range Names() {
			if other.Model() == scores.Model(chosen.Chosen) {
				name = other
				break
			}
		}
		t.Choice.Chosen, t.Choice.Reason = string(name), chosen.Reason
	}
	if name != FisherZ && in.Rows == nil {
		return nil, fmt.Errorf("test %s: %w", name, method.ErrNoRows)
	}
	t.Model = name.Model()
	var err error
	switch name {
	case FisherZ:
		t.Dear = false
		t.Test, err = partialCorrelations(in.Moments)
	case G2, Chi2:
		t.Test, err = newCounted(ctx, in, name)
	case Mixed:
		t.Test, err = newMixed(ctx, in)
	default:
		t.Test, err = newSmooth(ctx, in)
	}
	return t, err
}

func partialCorrelations(m *dataset.Moments) (independence.Test, error) {
	if g := m.Gram(); g != nil {
		return independence.NewWideFisherZ(g, m.N)
	}
	return independence.NewFisherZ(m.Correlation(), m.N)
}

// newCounted treats all columns as categorical.
func newCounted(ctx context.Context, in *method.Input, name Name) (independence.Test, error) {
	rows, err := scores.NewReader(ctx, in)
	if err != nil {
		return nil, err
	}
	coded, _, _, err := rows.Codes(ctx, 1)
	if err != nil {
		return nil, err
	}
	table, err := coded.Table(counts.Rows{})
	if err != nil {
		return nil, err
	}
	if name == Chi2 {
		return independence.NewChi2(table, in.Weight())
	}
	return independence.NewG2(table, in.Weight())
}

// newMixed treats binary and nominal columns as categorical, and the others as numeric.
func newMixed(ctx context.Context, in *method.Input) (independence.Test, error) {
	rows, err := scores.NewReader(ctx, in)
	if err != nil {
		return nil, err
	}
	levels := scores.Nominal(in)
	for j, k := range in.Kinds {
		levels[j] = levels[j] || k.Kind == kind.Categorical || k.Kind == kind.Binary
	}
	d := len(levels)
	columns, coders := make([]independence.Column, d), make([]scores.Coder, d)
	err = rows.Each(ctx, func(b dataset.RowBatch) error {
		for j := range columns {
			c := &columns[j]
			for i := j; i < len(b.Values); i += d {
				if levels[j] {
					c.Codes = append(c.Codes, coders[j].Of(b.Values[i]))
				} else {
					c.Values = append(c.Values, b.Values[i])
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for j := range columns {
		columns[j].Levels = coders[j].Levels()
	}
	return independence.NewMixed(columns, in.Weight())
}

func newSmooth(ctx context.Context, in *method.Input) (*independence.Blocks, error) {
	rows, err := scores.NewReader(ctx, in)
	if err != nil {
		return nil, err
	}
	s := scores.SmoothBasis(len(in.Names()))
	s.Bounded = true // p-values are right with fewer rows
	s.Crossed = 0
	groups, _ := scores.Groups(in)
	b, err := rows.Blocks(ctx, nil, s, groups)
	if err != nil {
		return nil, err
	}
	return independence.NewBlocks(b.Blocks[0].Gram, b.Blocks[0].Start, testedFunctions, b.Blocks[0].N)
}

// Of returns the test of the model of a table, with the columns in the order of the score. These are Fisher's z
// for linear effects, G² for counts, and likelihood ratios for the other models.
func Of(t *scores.ScoredTable) (independence.Test, error) {
	switch t.Model {
	case scores.Linear:
		return partialCorrelations(t.In.Moments)
	case scores.Discrete:
		return independence.NewG2(t.Counts, t.In.Weight())
	}
	b, most := t.Blocks[0], 1
	if t.Model == scores.Smooth || t.Model == scores.Flexible {
		most = testedFunctions
	}
	for i, v := range t.Order {
		if t.Categories != nil && t.Categories[v] {
			most = max(most, b.Start[i+1]-b.Start[i])
		}
	}
	return independence.NewBlocks(b.Gram, b.Start, most, b.N)
}
