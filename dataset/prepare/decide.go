package prepare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/parallel"
)

const (
	scoreKind = "score" // NAME=score in Settings.Kinds

	// A column is recognized as probabilities if at least scoreEnd of its values lie in the lowest and in the highest tenth of 0–1, and each
	// of these has more than twice as many values as the tenths between have on average. One such column may be a share.
	scoreEnd, leastScores = 0.01, 2
	// classifiedEnds is the least share of values outside of 0.2–0.8 of one column in a table of a model; all others within 0–1 are then
	// scores too. Uniform values have 0.4, and calibrated probabilities with 20 % of wrong decisions 0.55.
	classifiedEnds = 0.5
)

// decisions replaces scores by decisions: 1 from the cut on, 0 below.
type decisions struct {
	columns []int // of the encoded rows
	cuts    []float64
	scores  []dataset.Score
	unsure  []float64 // sums of the probabilities of the other value
	rows    []int
}

// newDecisions returns the decisions of a pass; nil without scores.
func newDecisions(plan *encodePlan, opt *options) *decisions {
	if len(opt.scores) == 0 {
		return nil
	}
	d := &decisions{}
	for k, o := range plan.outputs {
		for _, s := range opt.scores {
			if o.name == s.Column && plan.columns[o.from].how == asNumber {
				d.columns, d.cuts, d.scores = append(d.columns, k), append(d.cuts, s.Cut), append(d.scores, s)
			}
		}
	}
	d.unsure, d.rows = make([]float64, len(d.columns)), make([]int, len(d.columns))
	return d
}

// apply decides in place. Missing values stay missing.
func (d *decisions) apply(v *view, width, threads int) {
	if d == nil {
		return
	}
	parallel.For(len(d.columns), threads, func(k int) {
		for at := d.columns[k]; at < v.rows*width; at += width {
			x := v.values[at]
			if x != x {
				continue
			}
			d.rows[k]++
			if v.values[at] = 0; x >= d.cuts[k] {
				v.values[at] = 1
			}
			d.unsure[k] += min(math.Abs(x-v.values[at]), 1)
		}
	})
}

// done returns the scores, and a note on them.
func (d *decisions) done() (scores []dataset.Score, notes []string) {
	if d == nil || len(d.columns) == 0 {
		return nil, nil
	}
	var list, errors []string
	least, most := math.Inf(1), 0.0
	for k, s := range d.scores {
		list = append(list, s.Column)
		if s.Probability && d.rows[k] > 0 {
			s.Unsure = d.unsure[k] / float64(d.rows[k])
			least, most = min(least, s.Unsure), max(most, s.Unsure)
		}
		scores = append(scores, s)
		if cut := dataset.FormatFloat(s.Cut); !slices.Contains(errors, cut) {
			errors = append(errors, cut)
		}
	}
	head, verb := "Columns ", "have"
	if len(list) == 1 {
		head, verb = "Column ", "has"
	}
	note := fmt.Sprintf("%s%s %s scores of a label; 1 from %s on, and 0 below.", head, names.List(list, 6), verb, names.List(errors, 3))
	if most > 0 {
		note += fmt.Sprintf(" If these are calibrated probabilities, %.1f–%.1f %% of the decisions are wrong.", 100*least, 100*most)
	}
	return scores, []string{note}
}

// findScores returns the columns of scores: those that a rule of Settings.Kinds names, and, with Exclude, those whose values are
// distributed as probabilities of a classifier.
func findScores(g *Gathered, all []dataset.Column, chosen []chosenColumn, opt *options) []dataset.Score {
	if opt.scores != nil || opt.NormalScores || g.Sample == nil || g.Sample.Rows() == 0 {
		return nil
	}
	profile := map[string]*dataset.ColumnProfile{}
	for i := range g.Profile.Columns {
		profile[g.Profile.Columns[i].Name] = &g.Profile.Columns[i]
	}
	logged := map[string]bool{}
	for _, c := range chosen {
		logged[c.Name] = c.log
	}
	classified := slices.ContainsFunc(all, func(c dataset.Column) bool { return c.Name == dataset.ClassifiedColumn })
	var asked, found []dataset.Score
	clear := 0
	for j, name := range g.Moments.Names {
		p := profile[name]
		if p == nil || p.Kind != dataset.Number.String() || p.Distinct < cutFrom || logged[name] {
			continue
		}
		kind, given := ruleFor(opt.Kinds, name)
		var values []float64
		for i := range g.Sample.Rows() {
			if x := g.Sample.Row(i)[j]; x-x == 0 {
				values = append(values, x)
			}
		}
		slices.Sort(values)
		switch {
		case len(values) == 0 || given && kind != scoreKind:
		case given:
			asked = append(asked, scoreOf(name, p, values))
		case opt.Exclude && p.Min >= 0 && p.Max <= 1 && (classified || piled(values, false)):
			if piled(values, classified) {
				clear++
			}
			found = append(found, dataset.Score{Column: name, Cut: 0.5, Probability: true})
		case opt.Exclude && p.Min < 0 && p.Max > 0 && slices.ContainsFunc(nameWords(name), func(w string) bool { return w == "logit" || w == "logits" }):
			asked = append(asked, dataset.Score{Column: name})
		}
	}
	if clear == 0 || !classified && clear < leastScores {
		found = nil
	}
	return append(asked, found...)
}

// ruleFor returns the kind that the last rule for a column gives.
func ruleFor(rules []string, name string) (kind string, given bool) {
	for _, rule := range rules {
		at := strings.LastIndex(rule, "=")
		if pattern := rule[:max(at, 0)]; at > 0 && (pattern == name || names.IsPattern(pattern) && names.Match([]rune(pattern), []rune(name))) {
			kind, given = strings.TrimSpace(rule[at+1:]), true
		}
	}
	return kind, given
}

// piled reports whether sorted values within 0–1 are distributed as probabilities.
func piled(values []float64, classified bool) bool {
	share := func(low, high float64) float64 {
		a, _ := slices.BinarySearch(values, low)
		b, _ := slices.BinarySearch(values, high)
		return float64(b-a) / float64(len(values))
	}
	if classified {
		return share(math.Inf(-1), 0.2)+share(0.8, math.Inf(1)) >= classifiedEnds
	}
	low, high := share(math.Inf(-1), 0.1), share(0.9, math.Inf(1))
	return min(low, high) >= scoreEnd && min(low, high) > 2*share(0.1, 0.9)/8
}

// scoreOf chooses the cut of a column that is given as a score: ½ of probabilities, 0 of logits, and otherwise, as for the similarities of an
// image to a text, the cut between two classes with the least variance within them (Otsu 1979). values are sorted.
func scoreOf(name string, p *dataset.ColumnProfile, values []float64) dataset.Score {
	switch {
	case p.Min >= 0 && p.Max <= 1 && p.Max-p.Min > 0.8:
		return dataset.Score{Column: name, Cut: 0.5, Probability: true}
	case p.Min < -1 && p.Max > 1:
		return dataset.Score{Column: name}
	}
	total, low, best, cut := 0.0, 0.0, -1.0, values[len(values)-1]
	for _, x := range values {
		total += x
	}
	n := float64(len(values))
	for i, x := range values[:len(values)-1] {
		low += x
		k := float64(i + 1)
		if gap := low/k - (total-low)/(n-k); values[i+1] > x && k*(n-k)*gap*gap > best {
			best, cut = k*(n-k)*gap*gap, x+(values[i+1]-x)/2
		}
	}
	return dataset.Score{Column: name, Cut: cut}
}
