package command

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/internal/analysis"
)

// survey computes the effects of interventions on each column for a page and shows its progress. It returns nil
// for a linear model without lags, where the page itself computes them, and if the graph does not identify them. It returns soon after
// ctx has ended.
func survey(ctx context.Context, res *polydag.Result, table *polydag.Table, set effect.SurveySettings, screen *console) (*effect.Survey, error) {
	if table == nil {
		return nil, nil
	}
	observe, stop := screen.bar().shares("effects")
	defer stop()
	set.Observe = func(done, of float64) { observe(done / of) }
	return within(ctx, cmp.Or(table.Source.Name, "the table"), "asked", func() (*effect.Survey, error) { return analysis.Survey(ctx, res, table, set) })
}

// thorough returns the settings of a requested survey.
func thorough(threads int) effect.SurveySettings {
	set := effect.DefaultSurvey()
	set.Threads = threads
	return set
}

// brief returns the settings of a survey that was not requested and must be quick. The page states how many
// pairs it covers; polydag report --data covers more. A table with missing values has several copies of each row, so it gets more time.
func brief(table *polydag.Table, threads int) effect.SurveySettings {
	set := thorough(threads)
	if set.MostWork = unaskedWork; table != nil && table.Incomplete() {
		set.MostWork *= 4
	}
	return set
}

// mostCached is the number of values that a server caches.
const mostCached = 20

// cache keeps what was computed from the tables of results, which polydag serve does not store. It is safe for concurrent use.
type cache[V any] struct {
	mu   sync.Mutex
	list []cached[V] // oldest first
}

type cached[V any] struct {
	key   string
	value V
}

// add stores the value of a result.
func (s *cache[V]) add(res *polydag.Result, v V) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := surveyKey(res)
	s.list = slices.DeleteFunc(s.list, func(r cached[V]) bool { return r.key == key })
	if len(s.list) == mostCached {
		s.list = s.list[1:]
	}
	s.list = append(s.list, cached[V]{key, v})
}

// of returns the value of a result, which may have been written and read since.
func (s *cache[V]) of(res *polydag.Result) (v V, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := surveyKey(res)
	if k := slices.IndexFunc(s.list, func(r cached[V]) bool { return r.key == key }); k >= 0 {
		return s.list[k].value, true
	}
	return v, false
}

// surveyKey identifies everything that determines a survey: the values of the table, the model, the graph, and
// its identified directions.
func surveyKey(res *polydag.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", res.Table.Moments, res.Model, res.Kind)
	for _, e := range res.AllEdges() {
		fmt.Fprintf(&b, " %q%s%q %d %t", e.From, e.Mark, e.To, e.Lag, e.Compelled)
	}
	return b.String()
}
