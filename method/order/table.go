package order

import (
	"context"
	"fmt"
	"strings"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/gaussian"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// A Table is a table under the local score of a model, for methods that search in other ways than over orders. The score has the
// columns in an order of its own, which depends neither on where they stand nor on the numbers that stand for levels.
type Table struct {
	Model Model
	Score search.Score
	Order []int // column i of the score is column Order[i] of the input
	// Choice says why the model was taken.
	Choice method.Choice
	m      *Method
	at     *local
	in     *method.Input
}

// Table reads the rows and makes the score of the model that was asked for or, of auto, the one that the kinds of the columns ask for.
// Curves are not looked for: of numbers alone the model is linear unless smooth was asked for. Price, Criterion and Ess steer the score;
// the price does not adapt. Tables with regimes are not taken.
func (m *Method) Table(ctx context.Context, in *method.Input) (*Table, error) {
	c, decided := m.byKinds(in)
	if !decided {
		c.Chosen, c.Reason = string(Linear), "since every column is a number, and curves were not looked for"
	}
	t := &Table{Model: Model(c.Chosen), Choice: c, m: m, in: in}
	if in.Regimes != nil {
		return nil, fmt.Errorf("the table has regimes, and its columns have no score in common")
	}
	if in.Rows == nil && t.Model != Linear {
		return nil, fmt.Errorf("%w, which model %s cannot be learned from", method.ErrNoRows, t.Model)
	}
	var err error
	if t.at, err = m.local(ctx, in, t.Model); err != nil {
		return nil, err
	}
	t.Score, t.Order = t.at.score, t.at.order
	return t, nil
}

// Describe adds to an answer what its edges are worth and what they do under the score, and turns it to the order of the input. The
// answer and g, the directed edges of its graph, are in the order of the score.
func (t *Table) Describe(a *method.Answer, g *graph.Graph) {
	a.Effects = score.Effects(t.Model)
	a.Choices = append([]method.Choice{t.Choice}, a.Choices...)
	t.at.describe(a, t.in, g, t.Model)
	t.at.direct(a, t.in, g, t.Model)
	a.Relabel(t.Order)
}

// Descent returns the graph that one descent over orders finds, in the order of the score and at its price. It keeps the knowledge, also
// where the context ends.
func (t *Table) Descent(ctx context.Context, run *stage.Run, name string) (*graph.Graph, error) {
	l := &searcher{Method: t.m, in: t.in, run: run}
	p, s := search.Problem{Score: t.Score}, search.DefaultSettings()
	if t.Model == Linear { // the same scores, at less work
		p = gaussian.Problem(t.in.Moments)
		s = t.m.Price.Apply(s)
	}
	p.Knowledge = l.known(t.at)
	s.Restarts, s.Exact, s.Adapt, s.Seed, s.Threads, s.CacheBytes = 0, 0, false, t.in.Seed, t.in.Threads, cacheBytes(len(t.Order))
	found, err := stage.Do(ctx, run, name, func(point stage.Point) (*search.Result, bool, error) {
		s.Pause, s.Resume = point.Pause, point.Resume
		found, err := search.Search(ctx, p, s, l.tell(name, 0))
		return found, err == nil && found.Status != search.Stopped, err
	})
	if err != nil {
		return nil, err
	}
	return graph.FromParents(found.Parents), nil
}

// ScoreParams describes the settings that steer the score of a Table, for one of the given models.
func (m *Method) ScoreParams(s *param.Set, models ...Model) {
	words := make([]string, len(models))
	for i, w := range models {
		words[i] = string(w)
	}
	param.Word(s, &m.Model, "model", "effects: "+strings.Join(words, ", ")+"; auto goes by the kinds of the columns", models...)
	m.Price.Params(s)
	param.Word(s, &m.Criterion, "criterion", "discrete model: bdeu or bic", BDeu, BIC)
	s.Float(&m.Ess, "ess", "discrete model: weight of the prior of bdeu, in rows", param.AtLeast(1e-6), param.AtMost(1e9))
	for name, models := range map[string][]Model{"penalty": {Linear}, "gamma": {Linear, Discrete}, "criterion": {Discrete}, "ess": {Discrete}} {
		param.When(func() bool { return m.mayBe(models...) && (name != "ess" || m.Criterion == BDeu) })(s.Lookup(name))
	}
}

// TableBytes is about what the score of a Table takes beside the moments.
func (m *Method) TableBytes(rows, columns int) int64 {
	own := *m
	own.Noise = GaussianNoise // whose shape is not looked at
	return method.Matrices(3, columns, 64) + own.rowBytes(rows, columns)
}

// TableNeeds is what a Table reads.
func (m *Method) TableNeeds() method.Needs {
	own := *m
	own.Noise = GaussianNoise
	return own.needs()
}

// TableCategories says whether a Table takes columns of levels as what they are.
func (m *Method) TableCategories() bool { return m.mayBe(Discrete, Mixed) }

// Test returns the test of independence that belongs to the model, of the columns in the order of the score: Fisher's z for straight
// lines, G² for levels, and for mixed tables and curves the likelihood ratio of the functions that the score has.
func (t *Table) Test() (independence.Test, error) {
	switch t.Model {
	case Linear:
		return independence.NewFisherZ(t.in.Moments.Correlation(), t.in.Moments.N)
	case Discrete:
		return independence.NewG2(t.at.table, t.in.Weight())
	}
	b := t.at.blocks[0]
	if t.Model == Smooth {
		return independence.NewBlocks(b.Gram, b.Start, testedCurves, b.N)
	}
	most := 1
	for v := range b.Variables() {
		most = max(most, b.Start[v+1]-b.Start[v])
	}
	return independence.NewBlocks(b.Gram, b.Start, most, b.N)
}

// testedCurves is how many functions of a column are tested under smooth effects: itself and the two smoothest curves.
const testedCurves = 3
