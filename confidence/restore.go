package confidence

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// Restore returns the recorded configuration of a result. A setting with its default value counts as not given; SameGraph detects
// if that makes a difference.
func Restore(res *polydag.Result) (polydag.Config, error) {
	cfg := res.Methods.Config()
	m, err := res.Methods.Find(res.Method)
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
	if fmt.Sprint(res.Settings.Get("names")) == string(polydag.NamesOff) {
		cfg.Names = polydag.NamesOff
	}
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

// ErrOtherTable is matched if a result and a table do not belong together.
var ErrOtherTable = fault.Kind("other-table", "the table is not the one that the result was learned from; give that table, read with the same settings")

// SameTable returns an error if a result was not learned from the table: it compares columns, rows, means and second moments. The
// last digits of sums depend on the order of the rows, so reordered rows are recognized by the result's description of its columns,
// if it is sufficient.
func SameTable(res *polydag.Result, t *polydag.Table) error {
	switch {
	case res.Table.Moments == t.Fingerprint():
		return nil
	case !slices.Equal(res.Names, t.Moments.Names):
		return fault.New(ErrOtherTable, fmt.Sprintf("the columns differ: the result has %d, the table %d", len(res.Names), len(t.Moments.Names)),
			"read it with the settings that the result was learned with, such as %s", fault.Use("columns"))
	case res.Rows != t.Rows():
		return fault.New(ErrOtherTable, fmt.Sprintf("the rows differ: the result has %d, the table %d", res.Rows, t.Rows()),
			"read it with the settings that the result was learned with, such as %s", fault.Use("rows"))
	case !describes(res, t):
		return fault.New(ErrOtherTable, "the values of the table, or the order of its rows, differ from those of the result",
			"give the file that the result was learned from, with the same settings: the table or its counts, whichever was used")
	case !sameValues(res, t):
		return fault.New(ErrOtherTable, "the values of the table differ from those of the result", "give the table that the result was learned from, with the same settings")
	}
	return nil
}

// describes reports whether a result has what sameValues compares: results with a DAG and without categories and environments do.
func describes(res *polydag.Result, t *polydag.Table) bool {
	return res.Kind == graph.KindDAG && t.Environments == nil && len(res.Nodes) == len(res.Names) &&
		!slices.ContainsFunc(res.Nodes, func(n polydag.Node) bool { return n.Kind == kind.Categorical })
}

// sameValues reports whether the columns have the recorded means, standard deviations and R² up to rounding. O(Σ|P|³) over the
// parent sets P.
func sameValues(res *polydag.Result, t *polydag.Table) bool {
	const rounding = 1e-9
	at, parents := names.Index(res.Names), make([][]int, len(res.Names))
	for _, e := range res.Edges {
		parents[at[e.To]] = append(parents[at[e.To]], at[e.From])
	}
	for v, std := range t.Moments.Std() {
		n, mean := res.Nodes[v], t.Moments.Mean[v]
		if !(math.Abs(n.Mean-mean) <= rounding*std+1e-14*math.Abs(mean) && math.Abs(n.Std-std) <= rounding*std) {
			return false
		}
		if len(parents[v]) == 0 {
			continue
		}
		among := make([]int, len(parents[v]))
		for k := range among {
			among[k] = k + 1
		}
		reg, err := score.Regress(t.Moments.CorrelationOf(append([]int{v}, parents[v]...)), 0, among)
		if err != nil || !(math.Abs(1-n.R2-reg.Residual) <= 10*rounding) {
			return false
		}
	}
	return true
}
