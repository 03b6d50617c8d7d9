package cli

import (
	"context"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/intervene"
)

// survey asks for a page what setting each column does to others. It is nil where the page says it itself, as under a linear model, and
// where the graph does not tell it.
func survey(ctx context.Context, res *polydag.Result, table *polydag.Table, threads int) (*intervene.Survey, error) {
	if table == nil || res.Sloped() || res.Kind != graph.KindDAG {
		return nil, nil
	}
	set := intervene.NewSurvey()
	set.Threads = threads
	return intervene.AskAll(ctx, res, table, set)
}
