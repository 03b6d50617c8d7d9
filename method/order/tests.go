package order

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// TestName is a test of independence, for methods that build a graph from such tests. Each belongs to a model of this package and
// reads the table as that does.
type TestName string

// The tests.
const (
	AutoTest   TestName = "auto"     // the test of the model that suits the kinds of the columns
	FisherZ    TestName = "fisher-z" // partial correlations: linear effects, moments are enough
	G2         TestName = "g2"       // likelihood ratio of counts, all columns taken as levels
	Chi2       TestName = "chi2"     // Pearson's χ² of counts
	MixedTest  TestName = "mixed"    // conditional Gaussian: numbers and levels
	SmoothTest TestName = "smooth"   // curves of the columns
)

// TestNames lists them.
func TestNames() []TestName { return []TestName{AutoTest, FisherZ, G2, Chi2, MixedTest, SmoothTest} }

// Needs says what the test reads of a table.
func (t TestName) Needs() method.Needs {
	switch t {
	case AutoTest:
		return method.Either
	case FisherZ:
		return method.Moments
	}
	return method.Rows
}

// Categories reports whether the test takes levels without an order as what they are.
func (t TestName) Categories() bool { return t != FisherZ && t != SmoothTest }

// Model returns the model that the test belongs to.
func (t TestName) Model() Model {
	return map[TestName]Model{AutoTest: AutoModel, FisherZ: Linear, G2: Discrete, Chi2: Discrete, MixedTest: Mixed, SmoothTest: Smooth}[t]
}

// Bytes is about what the test keeps in memory.
func (t TestName) Bytes(rows, columns int) int64 {
	values := int64(rows) * int64(columns)
	moments, curves := method.Matrices(1, columns, 64), method.Matrices(2, columns*(smoothBasis(columns).Cosines+1), 64)
	switch t {
	case FisherZ:
		return moments
	case G2, Chi2:
		return 8*min(values, keptValues) + 6*values
	case MixedTest:
		return 8*min(values, keptValues) + 12*values
	case SmoothTest:
		return 8*min(values, keptValues) + curves
	}
	most := moments + 8*min(values, keptValues) + 12*values
	if columns <= curvedColumns {
		most += curves
	}
	return most
}

// A Tester is a test on a table, how it was chosen, and the model that it belongs to.
type Tester struct {
	Test   independence.Test
	Choice method.Choice
	Model  Model
	// Dear says that a test costs more than remembering its answer.
	Dear bool
}

// testedFunctions is how many functions stand for a column that is tested under smooth effects: itself and two curves. A column of a
// condition has all of its curves.
const testedFunctions = 3

// NewTester reads what the test needs of the table.
func NewTester(ctx context.Context, in *method.Input, name TestName) (*Tester, error) {
	t := &Tester{Choice: method.Choice{Setting: "test", Requested: string(name), Chosen: string(name)}, Dear: true}
	if name == AutoTest {
		chosen, err := New().choose(ctx, in)
		if err != nil {
			return nil, err
		}
		for _, other := range TestNames() {
			if other.Model() == Model(chosen.Chosen) {
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
		t.Test, err = independence.NewFisherZ(in.Moments.Correlation(), in.Moments.N)
	case G2, Chi2:
		t.Test, err = newCounted(ctx, in, name)
	case MixedTest:
		t.Test, err = newMixedTest(ctx, in)
	default:
		t.Test, err = newSmoothTest(ctx, in)
	}
	return t, err
}

// newCounted counts all columns as levels.
func newCounted(ctx context.Context, in *method.Input, name TestName) (independence.Test, error) {
	rows, err := newReader(ctx, in)
	if err != nil {
		return nil, err
	}
	coded, _, _, err := rows.codes(ctx)
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

// newMixedTest takes binary and categorical columns, and codes without an order, as levels, and the others as numbers.
func newMixedTest(ctx context.Context, in *method.Input) (independence.Test, error) {
	rows, err := newReader(ctx, in)
	if err != nil {
		return nil, err
	}
	levels := unordered(in)
	for j, k := range in.Kinds {
		levels[j] = levels[j] || k.Kind == kind.Categorical || k.Kind == kind.Binary
	}
	d := len(levels)
	columns, coders := make([]independence.Column, d), make([]coder, d)
	err = rows.eachRegime(ctx, func(batch []float64, _ []int) error {
		for j := range columns {
			c := &columns[j]
			for i := j; i < len(batch); i += d {
				if levels[j] {
					c.Codes = append(c.Codes, coders[j].of(batch[i]))
				} else {
					c.Values = append(c.Values, batch[i])
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for j := range columns {
		columns[j].Levels = len(coders[j].code)
	}
	return independence.NewMixed(columns, in.Weight())
}

func newSmoothTest(ctx context.Context, in *method.Input) (*independence.Blocks, error) {
	rows, err := newReader(ctx, in)
	if err != nil {
		return nil, err
	}
	s := smoothBasis(len(in.Names()))
	s.Crossed = 0
	groups, _ := groups(in)
	b, err := rows.blocks(ctx, nil, s, groups)
	if err != nil {
		return nil, err
	}
	return independence.NewBlocks(b.blocks[0].Gram, b.blocks[0].Start, testedFunctions, b.blocks[0].N)
}

// Describe returns what the directed edges of a graph are worth and do under a model, for an answer that another method found: Weight, Strength,
// Explained, Effect and Effects. Under the linear model least squares has all of them.
func Describe(ctx context.Context, in *method.Input, model Model, g *graph.Graph) (*method.Answer, error) {
	a := &method.Answer{Effects: score.Effects(model)}
	if model == Linear {
		return a, nil
	}
	at, err := New().local(ctx, in, model)
	if err != nil {
		return nil, err
	}
	place := make([]int, len(at.order))
	for i, v := range at.order {
		place[v] = i
	}
	a.Graph = g.Mixed().Relabel(place)
	arranged := a.Graph.Directed()
	at.describe(a, arranged, model, in.GraphOnly)
	if model == Mixed && !in.GraphOnly {
		boundStrength(a, in.Kinds, at.order)
	}
	if !in.GraphOnly {
		a.Effect = at.effects(in, arranged, model)
	}
	a.Identified, a.Open, a.Turning = false, nil, nil
	a.Relabel(at.order)
	return a, nil
}
