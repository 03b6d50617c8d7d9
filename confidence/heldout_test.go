package confidence_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/study/figure"
)

// shippedOdds is the parameter of trust/asymmetry.go.
const shippedOdds = 1.5

// usual returns the probability of the direction from the usual rules in real tables.
func (k knownEdge) usual(odds float64) float64 { return 1 / (1 + math.Exp(-odds*k.rules)) }

// direction is p_direction with another parameter, which applies only if a check failed.
func (k knownEdge) direction(odds float64) float64 {
	if !k.failed {
		return k.p
	}
	return k.usual(odds)
}

// fitOdds is a logistic regression of the known directions on the sum of the rules, without intercept, with a normal prior of variance 1, by Newton's method.
func fitOdds(edges []knownEdge) (odds float64) {
	for range 30 {
		g, h := -odds, 1.0
		for _, k := range edges {
			p := k.usual(odds)
			h += p * (1 - p) * k.rules * k.rules
			if k.right {
				g += k.rules
			}
			g -= p * k.rules
		}
		odds += g / h
	}
	return odds
}

// decided is how directions with one set of parameters come out: forced is the more probable direction of every edge.
type decided struct {
	bins                                                tenths
	edges, forced, stated, statedRight, away, awayRight int
}

func (d *decided) add(p float64, right bool) {
	d.bins.add(p, right)
	d.bins.add(1-p, !right) // the direction of an open edge in the graph is a convention, and so is the order of the columns of a pair
	d.edges++
	if (p >= 0.5) == right {
		d.forced++
	}
	switch {
	case p >= 0.8:
		d.stated++
		if right {
			d.statedRight++
		}
	case p <= 0.2:
		d.away++
		if !right {
			d.awayRight++
		}
	}
}

func (d *decided) row(name string) string {
	return fmt.Sprintf("| %s | %d | %.3f | %.3f | %.2f | %d | %d | %d | %d |", name, d.edges, d.bins.ece(), d.bins.chance(), float64(d.forced)/float64(max(1, d.edges)), d.stated, d.statedRight, d.away, d.awayRight)
}

// TestStudyRealTables measures the calibration of p_direction on real tables with a known order, with the
// current parameter and with one fitted without the table. docs/explanation/confidence.md has the table.
// POLYDAG_STUDY starts it, and POLYDAG_FIGURE is a file for the reliability diagram.
func TestStudyRealTables(t *testing.T) {
	studySeed(t)
	edges := knownEdges(t)
	var sources []string
	for _, k := range edges {
		if !slices.Contains(sources, k.source) {
			sources = append(sources, k.source)
		}
	}
	var now, held [2]decided
	set := func(k knownEdge) int {
		if k.pair {
			return 1
		}
		return 0
	}
	for _, source := range sources {
		var others, own []knownEdge
		for _, k := range edges {
			if k.source == source {
				own = append(own, k)
			} else {
				others = append(others, k)
			}
		}
		odds := fitOdds(others)
		var each decided
		for _, k := range own {
			now[set(k)].add(k.p, k.right)
			each.add(k.p, k.right)
			held[set(k)].add(k.direction(odds), k.right)
		}
		t.Logf("%-32s fitted without it: %.2f; as it stands %s", source, odds, each.row(""))
	}
	t.Logf("fitted on all: %.2f", fitOdds(edges))
	failed, directed := 0, 0
	for _, k := range edges {
		if k.failed {
			failed++
		}
		if k.directed {
			directed++
		}
	}
	t.Logf("of %d edges %d touch a failed check, and %d are directed", len(edges), failed, directed)
	t.Log("| edges of | edges | error of p_direction | by chance | more probable direction right | p ≥ 0.8 | right | p ≤ 0.2 | reversed right |")
	for i, name := range []string{"tables with tiers", "pairs"} {
		t.Log(now[i].row(name))
		t.Log(held[i].row(name + ", parameter fitted without the table"))
	}
	drawReliability(t, []figure.Panel{
		{Title: "tables with tiers", Series: []figure.Series{now[0].bins.curve("p_direction", 1), held[0].bins.curve("fitted without the table", 2)}},
		{Title: "pairs", Series: []figure.Series{now[1].bins.curve("p_direction", 1), held[1].bins.curve("fitted without the table", 2)}},
	})
}
