package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/intervene"
)

// survey asks for a page what setting each column does to others. It is nil where the page says it itself, as under a linear model, and
// where the graph does not tell it. It returns soon after ctx has ended.
func survey(ctx context.Context, res *polydag.Result, table *polydag.Table, threads int) (*intervene.Survey, error) {
	if table == nil || res.Sloped() || res.Kind != graph.KindDAG {
		return nil, nil
	}
	set := intervene.NewSurvey()
	set.Threads = threads
	return within(ctx, cmp.Or(table.Source.Name, "the table"), "asked", func() (*intervene.Survey, error) { return intervene.AskAll(ctx, res, table, set) })
}

// unasked is how many values a table may have for its effects to be found where nobody asked for them: 1.2 million took a minute and a half.
// polydag report --data asks.
const unasked = 50_000

// briefly returns the table where effects are found in a moment, and otherwise nil, for which a page has none.
func briefly(table *polydag.Table) *polydag.Table {
	if table != nil && table.Moments.N*table.Moments.Dim() > unasked {
		return nil
	}
	return table
}

// mostSurveys is how many surveys a server remembers.
const mostSurveys = 20

// surveys remembers those of tables that are gone: polydag serve does not keep what was dropped. Several goroutines may use it.
type surveys struct {
	mu   sync.Mutex
	list []remembered // oldest first
}

type remembered struct {
	key    string
	survey *intervene.Survey
}

// add remembers the survey of a result.
func (s *surveys) add(res *polydag.Result, v *intervene.Survey) {
	if v == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := surveyKey(res)
	s.list = slices.DeleteFunc(s.list, func(r remembered) bool { return r.key == key })
	if len(s.list) == mostSurveys {
		s.list = s.list[1:]
	}
	s.list = append(s.list, remembered{key, v})
}

// of returns the survey of a result, which may have been written and read since, or nil.
func (s *surveys) of(res *polydag.Result) *intervene.Survey {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := surveyKey(res)
	if k := slices.IndexFunc(s.list, func(r remembered) bool { return r.key == key }); k >= 0 {
		return s.list[k].survey
	}
	return nil
}

// surveyKey is all that a survey depends on: the values of the table, the model, the graph, and which of its directions are settled.
func surveyKey(res *polydag.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", res.Table.Moments, res.Model, res.Kind)
	for _, e := range res.Edges {
		fmt.Fprintf(&b, " %q%s%q %t", e.From, e.Mark, e.To, e.Compelled)
	}
	return b.String()
}
