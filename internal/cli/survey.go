package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/graph"
)

// survey asks for a page what setting each column does to others, and shows how far it is. It is nil where the page says it itself, as under a
// linear model, and where the graph does not tell it. It returns soon after ctx has ended.
func survey(ctx context.Context, res *polydag.Result, table *polydag.Table, set effect.SurveySettings, say *console) (*effect.Survey, error) {
	if table == nil || res.Sloped() || res.Kind != graph.KindDAG {
		return nil, nil
	}
	bar := say.bar()
	defer bar.clear()
	var mu sync.Mutex
	over := false // what goes on after the end of ctx draws nothing
	set.Observe = func(done, of float64) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			bar.share("effects", done/of)
		}
	}
	defer func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
	}()
	return within(ctx, cmp.Or(table.Source.Name, "the table"), "asked", func() (*effect.Survey, error) { return effect.AskAll(ctx, res, table, set) })
}

// thorough are the settings of a survey that was asked for.
func thorough(threads int) effect.SurveySettings {
	set := effect.NewSurvey()
	set.Threads = threads
	return set
}

// brief are the settings of a survey that nobody asked for: a moment's work. The page says of how many pairs it tells the effects, and
// polydag report --data tells more of them.
func brief(threads int) effect.SurveySettings {
	set := thorough(threads)
	set.MostWork = unaskedWork
	return set
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
	survey *effect.Survey
}

// add remembers the survey of a result.
func (s *surveys) add(res *polydag.Result, v *effect.Survey) {
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
func (s *surveys) of(res *polydag.Result) *effect.Survey {
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
