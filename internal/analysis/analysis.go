// Package analysis is the way from the rows of a table to a graph with confidences and effects, which the command, polydag serve, its workers
// and the studies share.
//
//	a := analysis.Analysis{Preparation: polydag.DefaultPreparation(), Config: polydag.DefaultConfig()}
//	table, err := a.Gather(ctx, in)
//	findings, err := a.Examine(table)
//	res, err := a.Learn(ctx, table, polydag.Run{})
//	effects, err := analysis.Survey(ctx, res, table, effect.DefaultSurvey())
package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/trust"
)

// An Analysis has the settings of all steps. A step needs only its own.
type Analysis struct {
	Preparation polydag.Preparation
	Kinds       []string // rules that replace the kinds of columns, such as zip=categorical
	Config      polydag.Config
	Confidence  Confidence
}

// Confidence says how the confidences of edges are computed. The zero value computes none.
type Confidence struct {
	Samples   confidence.Settings           // used if Samples.Replicates is not 0
	Posterior *confidence.PosteriorSettings // used instead of Samples, unless nil
	Runner    confidence.Runner             // learns from the samples; nil means this process
	Walker    confidence.Walker             // runs the chains of the posterior; nil means this process
}

// On reports whether confidences are computed.
func (c *Confidence) On() bool { return c.Posterior != nil || c.Samples.Replicates > 0 }

// Gather reads a table and sets the kinds of its columns.
func (a *Analysis) Gather(ctx context.Context, in polydag.Input) (*polydag.Table, error) {
	p := a.Preparation
	p.Kinds = a.Kinds
	t, err := polydag.Prepare(ctx, in, p)
	if err != nil {
		return nil, err
	}
	for _, x := range t.Source.Excluded {
		if slices.ContainsFunc(a.Kinds, func(rule string) bool { return strings.HasPrefix(rule, x.Name+"=") }) {
			return nil, fault.New(polydag.ErrKind, fmt.Sprintf("column %s is excluded (%s: %s)", x.Name, x.Reason, x.Detail), "use it with %s", fault.Columns("keep", x.Name))
		}
	}
	return t, t.Overrule(a.Kinds)
}

// Examine returns the findings of the data checks. The error is that of moments from which nothing can be learned; only constant columns
// leave findings beside it.
func (a *Analysis) Examine(t *polydag.Table) ([]trust.Finding, error) {
	err := t.Moments.Validate()
	if err != nil && !errors.Is(err, dataset.ErrConstant) {
		return nil, err
	}
	return t.Examine(a.Config), err
}

// Learn learns a graph, with confidences if they are on. The result of a run that ctx ended has the status Canceled, and no error.
func (a *Analysis) Learn(ctx context.Context, t *polydag.Table, run polydag.Run) (*polydag.Result, error) {
	return polydag.BestSoFar(a.learn(ctx, t, run))
}

func (a *Analysis) learn(ctx context.Context, t *polydag.Table, run polydag.Run) (*polydag.Result, error) {
	switch c := &a.Confidence; {
	case c.Posterior != nil:
		return confidence.PosteriorWith(ctx, t, a.Config, *c.Posterior, run, c.Walker)
	case c.On():
		return confidence.LearnWith(ctx, t, a.Config, c.Samples, run, c.Runner)
	}
	return t.Learn(ctx, a.Config, run)
}

// These estimate the bytes of the graph of a bootstrap sample: those of the sample, and those of the edges of a column.
const sampleBytes, edgeBytes = 300, 100

// Memory estimates the memory of Learn. It is that of the table or, if larger, that of one thread per worker and the rows.
func (a *Analysis) Memory(t *polydag.Table) int64 {
	need, c := a.Config.MemoryOf(t), &a.Confidence
	if !c.On() {
		return need
	}
	rows, columns := t.Moments.N, t.Moments.Dim()
	table := min(8*int64(rows)*int64(columns), confidence.DefaultSettings().MostBytes)
	if c.Samples.Calibrate > 0 {
		need += 4 * table // the rows of the table and of a simulated one
	}
	if c.Posterior != nil {
		return need + 2*confidence.PosteriorMemory(rows, columns)
	}
	one := a.Config
	one.Threads = 1
	graphs := int64(c.Samples.Replicates) * (sampleBytes + edgeBytes*int64(columns))
	return graphs + max(need, int64(a.Config.Threads)*one.MemoryOf(t)+2*table)
}

// Survey computes the effects of interventions on each column for a page. It returns nil if the graph does not identify them,
// and for a linear model without lags, where the page itself computes them.
func Survey(ctx context.Context, res *polydag.Result, t *polydag.Table, set effect.SurveySettings) (*effect.Survey, error) {
	if res.Time == nil && res.Sloped() || res.Kind != graph.KindDAG {
		return nil, nil
	}
	return effect.AskAll(ctx, res, t, set)
}
