package page

import (
	"fmt"

	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/graph"
)

// effects are what a page holds of a survey: what setting one column does to another, for as many pairs as were asked about.
type effects struct {
	Level float64 `json:"level"` // of the intervals
	// Pairs is how many there are of which the first is an ancestor of the second; List has those that were asked about.
	Pairs int          `json:"pairs"`
	List  []pairEffect `json:"list"`
}

// pairEffect is what setting one column does to another. Its parts are those of effect.Answer.
type pairEffect struct {
	graph.Edge
	Contrast effect.Contrast `json:"contrast"`
	Effects  []effect.Effect `json:"effects"`
	// Low and High are the range of each total effect over the graphs that fit as well, where it is one.
	Low  []float64 `json:"low,omitempty"`
	High []float64 `json:"high,omitempty"`
	// Between is how many columns on directed paths there are whose parts were left out, as they would have taken too long.
	Between int `json:"between,omitempty"`
	// Replicates are the resampled tables behind the intervals, 0 where there are none.
	Replicates int                   `json:"replicates"`
	Do         []effect.Distribution `json:"do"`
	Hidden     *effect.Sensitivity   `json:"hidden,omitempty"`
}

// effects finds the places of the columns of a survey.
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
		e := pairEffect{Edge: graph.Edge{From: from, To: to}, Contrast: a.Contrast, Effects: a.Effects, Between: len(a.Between), Do: a.Distributions, Hidden: a.Sensitivity}
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
