package study

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/polydag/polydag/solve"
)

// A column is one number of a record in tables.
type column struct {
	name   string
	header string
	digits int  // decimals; -1 means three significant digits
	count  bool // an integer for a single run
	share  bool
	timed  bool
	value  func(*Record) (float64, bool)
	word   func(*Record) string // text instead of a number
}

func columns() []column {
	graph := func(pick func(*Record) float64) func(*Record) (float64, bool) {
		return func(r *Record) (float64, bool) {
			if r.Thresholded == nil {
				return 0, false
			}
			return pick(r), true
		}
	}
	learned := func(pick func(*Record) float64) func(*Record) (float64, bool) {
		return func(r *Record) (float64, bool) {
			if r.Kind != KindLearn || r.Columns == 0 || r.Status == StatusError && r.Steps == 0 {
				return 0, false
			}
			return pick(r), true
		}
	}
	optional := func(pick func(*Record) *float64) func(*Record) (float64, bool) {
		return func(r *Record) (float64, bool) {
			if v := pick(r); v != nil {
				return *v, true
			}
			return 0, false
		}
	}
	yes := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	half := func(pick func(*Halves) float64) func(*Record) (float64, bool) {
		return func(r *Record) (float64, bool) {
			if r.Halves == nil {
				return 0, false
			}
			return pick(r.Halves), true
		}
	}
	return []column{
		{name: "model", header: "model", word: func(r *Record) string { return r.Model }},
		{name: "half_edges", header: "edges of a half", digits: 1, value: half(func(h *Halves) float64 { return float64(h.Edges[0]+h.Edges[1]) / 2 })},
		{name: "alike", header: "in both halves, alike", digits: 1, count: true, value: half(func(h *Halves) float64 { return float64(h.Alike) })},
		{name: "turned", header: "in both, reversed", digits: 1, count: true, value: half(func(h *Halves) float64 { return float64(h.Reversed) })},
		{name: "certain_alike", header: "certain in both, alike", digits: 1, count: true, value: half(func(h *Halves) float64 { return float64(h.CertainAlike) })},
		{name: "certain_turned", header: "certain in both, reversed", digits: 1, count: true, value: half(func(h *Halves) float64 { return float64(h.CertainReversed) })},
		{name: "shd", header: "SHD", digits: 1, count: true, value: graph(func(r *Record) float64 { return float64(r.Thresholded.SHD) })},
		{name: "f1", header: "F1", digits: 3, value: graph(func(r *Record) float64 { return r.Thresholded.F1 })},
		{name: "tpr", header: "TPR", digits: 3, value: graph(func(r *Record) float64 { return r.Thresholded.TPR })},
		{name: "precision", header: "precision", digits: 3, value: graph(func(r *Record) float64 { return r.Thresholded.Precision })},
		{name: "fpr", header: "FPR", digits: 4, value: graph(func(r *Record) float64 { return r.Thresholded.FPR })},
		{name: "fpr_released", header: "FPR as the code", digits: 4, value: graph(func(r *Record) float64 { return r.Thresholded.FPRReleased })},
		{name: "skeleton_f1", header: "skeleton F1", digits: 3, value: graph(func(r *Record) float64 { return r.Thresholded.SkeletonF1 })},
		{name: "edges_true", header: "true edges", digits: 1, count: true, value: graph(func(r *Record) float64 { return float64(r.Thresholded.EdgesTrue) })},
		{name: "cpdag_f1", header: "CPDAG F1", digits: 3, value: func(r *Record) (float64, bool) {
			m := r.Thresholded
			if r.Answer != nil {
				m = r.Answer
			}
			if m == nil || m.CPDAGF1 == nil {
				return 0, false
			}
			return *m.CPDAGF1, true
		}},
		{name: "edges", header: "edges", digits: 1, count: true, value: learned(func(r *Record) float64 { return float64(r.Edges) })},
		{name: "dag_valid", header: "DAG-valid", share: true, value: learned(func(r *Record) float64 { return yes(r.DAGValid) })},
		{name: "cyclic_components", header: "cyclic SCC", digits: 2, count: true, value: learned(func(r *Record) float64 { return float64(r.CyclicComponents) })},
		{name: "cut", header: "edges cut", digits: 1, count: true, value: learned(func(r *Record) float64 { return float64(r.Cut) })},
		{name: "h_final", header: "h before", digits: 4, value: optional(func(r *Record) *float64 { return r.HFinal })},
		{name: "h_threshold", header: "h(W_τ)", digits: 4, value: optional(func(r *Record) *float64 { return r.HThreshold })},
		{name: "finished", header: "finished", share: true, value: learned(func(r *Record) float64 { return yes(solve.Status(r.Status).Finished()) })},
		{name: "steps", header: "steps", digits: 0, count: true, value: learned(func(r *Record) float64 { return float64(r.Steps) })},
		{name: "seconds", header: "seconds", digits: -1, timed: true, value: func(r *Record) (float64, bool) {
			v, ok := r.Seconds["solve"]
			return v, ok
		}},
	}
}

func metricNames() []string {
	var out []string
	for _, c := range columns() {
		out = append(out, c.name)
	}
	return out
}

func columnNamed(name string) column {
	all := columns()
	return all[slices.IndexFunc(all, func(c column) bool { return c.name == name })]
}

// stat is the mean of some runs and their standard deviation with divisor n, as in the paper (its 1.00 ± 0.82
// is for 0, 1, 2).
type stat struct {
	n        int
	mean, sd float64
}

func statOf(v []float64) stat {
	s := stat{n: len(v)}
	if s.n == 0 {
		return s
	}
	for _, x := range v {
		s.mean += x / float64(s.n)
	}
	for _, x := range v {
		s.sd += (x - s.mean) * (x - s.mean) / float64(s.n)
	}
	s.sd = math.Sqrt(s.sd)
	return s
}

func (c column) words(recs []*Record) string {
	var list []string
	for _, r := range recs {
		if w := c.word(r); w != "" && !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return "–"
	}
	return strings.Join(list, ", ")
}

// of returns the statistics of one column over the records that have it.
func (c column) of(recs []*Record) stat {
	if c.word != nil {
		return stat{}
	}
	var v []float64
	for _, r := range recs {
		if x, ok := c.value(r); ok {
			v = append(v, x)
		}
	}
	return statOf(v)
}

// text formats mean ± sd, the mean of a single run, a share in percent, or – for none.
func (c column) text(s stat) string {
	switch {
	case s.n == 0:
		return "–"
	case c.share:
		return strconv.FormatFloat(100*s.mean, 'f', 0, 64) + "%"
	case s.mean == 0 && s.sd == 0:
		return "0"
	case s.n == 1 && c.count:
		return strconv.FormatFloat(s.mean, 'f', 0, 64)
	case s.n == 1:
		return c.number(s.mean, s.mean)
	}
	return c.number(s.mean, s.mean) + " ± " + c.number(s.sd, s.mean)
}

// number formats v with the digits for a mean.
func (c column) number(v, mean float64) string {
	switch {
	case c.digits < 0:
		return strconv.FormatFloat(v, 'f', decimals(mean, 3), 64)
	case c.digits == 4 && mean != 0 && math.Abs(mean) < 5e-4:
		return significant(v, 2)
	}
	return strconv.FormatFloat(v, 'f', c.digits, 64)
}

// decimals returns the number of decimals for the given significant digits.
func decimals(v float64, digits int) int {
	if v == 0 {
		return 0
	}
	return max(digits-1-int(math.Floor(math.Log10(math.Abs(v)))), 0)
}

// significant formats v with the given digits, 1234 rather than 1.23e+03.
func significant(v float64, digits int) string {
	if a := math.Abs(v); a >= 1e-3 && a < 1e6 {
		return strconv.FormatFloat(v, 'f', decimals(v, digits), 64)
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}
