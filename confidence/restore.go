package confidence

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/trust"
)

// Restore returns the recorded configuration of a result. A setting with its default value counts as not given; SameGraph detects
// if that makes a difference.
func Restore(res *polydag.Result) (polydag.Config, error) {
	cfg := polydag.DefaultConfig()
	m, err := polydag.FindMethod(res.Method)
	if err != nil {
		return cfg, err
	}
	cfg.Method, cfg.Seed = m, res.Seed
	set := param.Of(m)
	for _, it := range set.Items() {
		v := res.Settings.Get(it.Key())
		if v == nil {
			continue
		}
		if text := fmt.Sprint(v); text != it.Default {
			if err := set.Set(it.Name, text); err != nil {
				return cfg, fmt.Errorf("the settings of the result: %w; learn it again", err)
			}
		}
	}
	if err := set.Finish(); err != nil {
		return cfg, fmt.Errorf("the settings of the result: %w; learn it again", err)
	}
	cfg.Standardize = res.Settings.Get("standardize") == true
	if known := res.Settings.Get("knowledge"); known != nil {
		text, err := json.Marshal(known)
		if err == nil {
			err = json.Unmarshal(text, &cfg.Knowledge)
		}
		if err != nil {
			return cfg, fmt.Errorf("the knowledge of the result: %w; learn it again", err)
		}
	}
	return cfg, cfg.Validate()
}

// ErrOtherGraph is matched if a result and a run do not belong together.
var ErrOtherGraph = fault.Kind("other-graph", "learning again with the settings of the result gives another graph; learn from the table again")

// SameGraph returns an error if learning again did not give the graph of the result. If replicates reversed edges in one of the
// two, only the adjacencies are compared.
func SameGraph(before, now *polydag.Result) error {
	if now.Confidence == nil || consensus(now) || consensus(before) || before.Status == method.Canceled {
		return nil
	}
	either := turned(before) || turned(now)
	link := func(r *polydag.Result) (out []polydag.Link) {
		for _, e := range r.Edges {
			l := e.Link
			if either && l.From > l.To {
				l = polydag.Link{From: l.To, To: l.From}
			}
			out = append(out, l)
		}
		slices.SortFunc(out, func(a, b polydag.Link) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
		return out
	}
	if slices.Equal(link(before), link(now)) {
		return nil
	}
	return fault.New(ErrOtherGraph, fmt.Sprintf("learning again gave another graph (%s, the result has %d): the result is from another version or another machine", names.Count(len(now.Edges), "edge"), len(before.Edges)),
		"learn from the table again with %s", fault.Use("bootstrap"))
}

// turned reports whether replicates reversed edges of a result.
func turned(r *polydag.Result) bool {
	return r.Confidence != nil && r.Confidence.Graph == trust.TurnedGraph
}

// consensus reports whether a result has the consensus graph of the replicates.
func consensus(r *polydag.Result) bool {
	return r.Confidence != nil && (r.Confidence.Graph == trust.ConsensusDAG || r.Confidence.Graph == trust.ConsensusClass)
}
