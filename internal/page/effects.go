package page

import (
	"fmt"

	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/graph"
)

// effects are the effects of a survey for the page, for as many pairs as were computed.
type effects struct {
	Level float64 `json:"level"` // level of the intervals
	// Pairs is the number of pairs of an ancestor and a descendant; List has the computed ones.
	Pairs int          `json:"pairs"`
	List  []pairEffect `json:"list"`
}

// pairEffect is the effect of an intervention on one column on another. Its parts are those of effect.Answer.
type pairEffect struct {
	graph.Edge
	Contrast effect.Contrast `json:"contrast"`
	Effects  []effect.Effect `json:"effects"`
	// Low and High are the range of each total effect over equally good graphs, if it is a range.
	Low  []float64 `json:"low,omitempty"`
	High []float64 `json:"high,omitempty"`
	// Between is the number of mediators whose shares were omitted to save time.
	Between int `json:"between,omitempty"`
	// Replicates is the number of bootstrap samples of the intervals, or 0.
	Replicates int                   `json:"replicates"`
	Do         []effect.Distribution `json:"do"`
	Hidden     *effect.Sensitivity   `json:"hidden,omitempty"`
	// Impulse has the responses over time under a model with lags.
	Impulse []effect.Response `json:"impulse,omitempty"`
}

// effects converts a survey to the indices of the page.
func (t *table) effects(s *effect.Survey) (*effects, error) {
	if s == nil {
		return nil, nil
	}
	out := &effects{Pairs: s.Pairs, List: []pairEffect{}}
	for _, a := range s.Answers {
		from, found := t.index[a.Of]
		to, both := t.index[a.On]
		if !found || !both {
			return nil, fmt.Errorf("%w: an effect of %q on %q, which are not both columns of the result", ErrInput, a.Of, a.On)
		}
		e := pairEffect{Edge: graph.Edge{From: from, To: to}, Contrast: a.Contrast, Effects: a.Effects, Between: len(a.Between), Do: a.Distributions, Hidden: a.Sensitivity, Impulse: a.Impulse}
		if a.Identification == effect.Open {
			e.Low, e.High = a.Class.Low, a.Class.High
		}
		if a.Interval != nil {
			e.Replicates, out.Level = a.Interval.Replicates, a.Interval.Level
		}
		out.List = append(out.List, e)
	}
	return out, nil
}
