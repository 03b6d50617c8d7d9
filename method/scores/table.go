package scores

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// A ScoredTable is a table under the local score of a model. The score has its own order of the columns, which depends neither on the order of
// the input nor on the codes of levels.
type ScoredTable struct {
	Model Model
	Score search.Score
	Order []int // column i of the score is column Order[i] of the input
	// Choice records why the model was chosen. Of does not set it.
	Choice method.Choice
	In     *method.Input
	// Sample marks a table of only the sampled rows.
	Sample bool
	// Contexts are the environments that became variables after the columns, if their targets are unknown.
	Contexts []int
	// Blocks are the functions of the columns in the order of the score, for each group of environments; nil for counts and for groups without
	// rows. Functions are the same in the order of the input.
	Blocks    []*score.Blocks
	Functions *basis.Functions
	// Counts has the rows as levels, in the order of the score: every Step-th row of the input.
	Counts *counts.Data
	Step   int
	// Categories marks the columns of the input that the mixed and the flexible model treat as categorical; nil under other models.
	Categories []bool
	// Scales has the scales of the columns of the input under the flexible model, and Straight marks those without curves; nil
	// under other models.
	Scales   []dataset.Scale
	Straight []bool

	price     func(search.Settings) search.Settings
	group     []int       // group of environments of each column of the score
	rows      []float64   // rows of each group
	values    [][]float64 // values of the levels of each column, in the order of the input
	ownLevels bool        // see Own
	forms     Tables
	additive  bool  // additive effects are considered
	place     []int // see Place; computed when first used
	flexibles []*score.Flexible
	// straightened lists the columns of the score with linear effects because of heteroscedastic noise, while others are curved.
	straightened []int
	products     []int             // index in Functions of each product of the blocks
	codes        []map[float64]int // codes of the values of categorical columns
}

// Table returns the table under the model of the settings. AutoModel chooses by the kinds of the columns and does not consider
// curves. The penalty does not adapt. Tables with environments are an error.
func (s *Settings) Table(ctx context.Context, in *method.Input) (*ScoredTable, error) {
	c, decided := s.byKinds(in)
	if !decided {
		c.Chosen, c.Reason = string(Linear), "all columns are numeric; nonlinear effects were not considered"
	}
	if in.Rows != nil && in.Environments == nil {
		if err := s.compareLevels(ctx, in, &c); err != nil {
			return nil, err
		}
	}
	model := Model(c.Chosen)
	if in.Environments != nil {
		return nil, fmt.Errorf("the table has environments, and its columns have no common score")
	}
	if in.Rows == nil && model != Linear {
		return nil, fmt.Errorf("%w, which model %s cannot be learned from", method.ErrNoRows, model)
	}
	t, err := s.Of(ctx, in, model)
	if err != nil {
		return nil, err
	}
	t.Choice = c
	return t, nil
}

// Of returns the table under a model. It supports environments.
func (s *Settings) Of(ctx context.Context, in *method.Input, model Model) (t *ScoredTable, err error) {
	if in.Environments != nil && in.Environments.Unknown {
		t, err = s.withContexts(ctx, in, model)
	} else {
		t, err = s.build(ctx, in, model, 0)
	}
	if err != nil {
		return nil, err
	}
	t.Model, t.In, t.price = model, in, s.Price.Apply
	return t, nil
}

// Place returns the inverse of Order.
func (t *ScoredTable) Place() []int {
	place := make([]int, len(t.Order))
	for i, v := range t.Order {
		place[v] = i
	}
	return place
}

// n returns the number of rows that count for column v of the score, at least 1.
func (t *ScoredTable) n(v int) float64 { return max(1, t.rows[t.group[v]]) }

// Describe describes the edges of an answer under the score and relabels the answer to the order of the input. The answer and its
// directed edges g are in the order of the score.
func (t *ScoredTable) Describe(ctx context.Context, a *method.Answer, g *graph.Graph) {
	a.Effects = score.Effects(t.Model)
	a.Choices = append([]method.Choice{t.Choice}, a.Choices...)
	t.Warn(a)
	t.AddFacts(a, g)
	t.AddDirections(ctx, a, g)
	a.Relabel(t.Order)
}

// Describe returns an answer with the weights, gains and effects of the directed edges of g under a model. It states nothing about
// their directions. Under the linear model it is empty: least squares describes the edges. Environments with unknown targets are described
// together.
func Describe(ctx context.Context, in *method.Input, model Model, g *graph.Graph) (*method.Answer, error) {
	a := &method.Answer{Effects: score.Effects(model)}
	if model == Linear {
		return a, nil
	}
	if in.Environments != nil && in.Environments.Unknown {
		together, environments := *in, *in.Environments
		environments.Unknown, environments.Targets = false, make([][]int, len(environments.Names))
		together.Environments, in = &environments, &together
	}
	s := Default()
	t, err := s.Of(ctx, in, model)
	if err != nil {
		return nil, err
	}
	a.Graph = g.Mixed().Relabel(t.Place())
	t.AddFacts(a, a.Graph.Directed())
	a.Relabel(t.Order)
	return a, nil
}
