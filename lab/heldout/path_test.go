package heldout

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/score"
)

func values(list ...float64) (out []Point) {
	for _, v := range list {
		out = append(out, Point{Value: &v})
	}
	return out
}

// TestFill checks two splits at two penalties by hand. Penalty 2 is behind by 1, 3 in the halves of the first
// split and by 2, 2 in those of the second: 2 on average, with a variance of ((1-3)² + 0)/4/2 = 1/2.
func TestFill(t *testing.T) {
	ab, ba, open := map[[2]int]rune{{0, 1}: '>'}, map[[2]int]rune{{0, 1}: '<'}, map[[2]int]rune{{0, 1}: '-', {1, 2}: '-'}
	p := &Path{Setting: "penalty", Model: score.LinearEffects, Points: values(1, 2), Default: &Point{}}
	p.fill([]pathSplit{
		{{{-10, ab}, {-11, nil}, {-9, ab}}, {{-12, ab}, {-15, nil}, {-12, ba}}},
		{{{-10, open}, {-12, ab}, {-10, nil}}, {{-12, open}, {-14, nil}, {-12, nil}}},
	})
	first, second, def := p.Points[0], p.Points[1], p.Default
	for what, pair := range map[string][2]float64{
		"held out":          {*first.HeldOut, -11},
		"held out at 2":     {*second.HeldOut, -13},
		"behind":            {*second.Behind, 2},
		"error":             {*second.Error, math.Sqrt(0.5)},
		"the best":          {*first.Behind, 0},
		"its error":         {*first.Error, 0},
		"the default":       {*def.Behind, -0.25},
		"adjacency":         {*first.Adjacency, 1},
		"direction":         {*first.Direction, 1}, // open in both is an agreement
		"adjacency at 2":    {*second.Adjacency, 0},
		"default adjacency": {*def.Adjacency, 1},
		"default direction": {*def.Direction, 0},
	} {
		if !(math.Abs(pair[0]-pair[1]) <= 1e-12) {
			t.Errorf("%s: %v, want %v", what, pair[0], pair[1])
		}
	}
	// The default does as well as the best: it stays.
	if second.Direction != nil || p.Recommended != nil || p.Settings.Get("penalty") != nil || p.Settings.Get("model") != "linear" || !strings.Contains(p.Reason, "than the default") {
		t.Errorf("%+v", p)
	}
}

// TestRecommend checks that the largest penalty within one standard error is taken, but not beyond one that is
// not, and none below the best.
func TestRecommend(t *testing.T) {
	for _, c := range []struct {
		behind, error []float64
		best          int
		want          float64
		reason        string
	}{
		{[]float64{0.1, 0, 0.2, 0.3}, []float64{1, 0, 0.2, 0.2}, 1, 3, "largest penalty within one standard error of the best"},
		{[]float64{0.1, 0, 0.3, 0.3}, []float64{1, 0, 0.2, 0.9}, 1, 2, "no larger penalty is within one standard error"},
		{[]float64{0.1, 0.2, 0.3, 0}, []float64{1, 1, 1, 0}, 3, 4, "larger ones may be better"},
	} {
		behind, noise := 1.0, 0.1
		p := &Path{Setting: "penalty", Model: score.LinearEffects, Points: values(1, 2, 3, 4), Default: &Point{Behind: &behind, Error: &noise}}
		for k := range p.Points {
			p.Points[k].Behind, p.Points[k].Error = &c.behind[k], &c.error[k]
		}
		p.recommend(c.best)
		if *p.Recommended != c.want || *p.Best != *p.Points[c.best].Value || !strings.Contains(p.Reason, c.reason) {
			t.Errorf("%v ± %v: %v, %s", c.behind, c.error, *p.Recommended, p.Reason)
		}
	}
}

// TestRecommendKeepsTheDefault checks that a value is not recommended if it beats the default only within the
// noise.
func TestRecommendKeepsTheDefault(t *testing.T) {
	for _, c := range []struct {
		behind, noise float64
		want          bool
	}{{0.02, 0.05, false}, {-0.1, 0.05, false}, {0.2, 0.05, true}} {
		zero, far := 0.0, 0.3
		p := &Path{Setting: "penalty", Model: score.LinearEffects, Points: values(1, 2), Default: &Point{Behind: &c.behind, Error: &c.noise}}
		p.Points[0].Behind, p.Points[0].Error = &zero, &zero
		p.Points[1].Behind, p.Points[1].Error = &far, &far
		if p.recommend(0); (p.Recommended != nil) != c.want || c.want && *p.Recommended != 1 {
			t.Errorf("%+v: %v, %s", c, p.Recommended, p.Reason)
		}
	}
}

// TestGrid checks that grids ascend.
func TestGrid(t *testing.T) {
	for _, model := range []score.Effects{score.LinearEffects, score.TableEffects, score.MixedEffects, score.SmoothEffects} {
		for _, size := range [][2]int{{2, 1}, {100, 10}, {1_000_000, 500}} {
			g := Grid(model, size[0], size[1])
			if !slices.IsSorted(g) || (PathSettings{Values: g, Splits: 2}).Validate() != nil {
				t.Errorf("%s, %v: %v", model, size, g)
			}
		}
	}
}

// TestEdgesOfAResult checks that a direction counts only if it is identified: an edge of a class, and one of a DAG that can be reversed, have
// none.
func TestEdgesOfAResult(t *testing.T) {
	g := must.Get(graph.FromEdges(4, []graph.Edge{{From: 0, To: 1}, {From: 2, To: 1}, {From: 2, To: 3}}))
	m := g.Mixed()
	m.Set(graph.MarkedEdge{Edge: graph.Edge{From: 0, To: 3}, AtFrom: graph.Tail, AtTo: graph.Tail})
	res := &polydag.Result{Marked: m}
	for _, e := range m.Edges() {
		mark := "-->"
		if e.From == 0 && e.To == 3 {
			mark = "---"
		}
		res.Edges = append(res.Edges, polydag.Edge{Mark: mark, EdgeFacts: polydag.EdgeFacts{Compelled: e.To == 1 || mark == "---"}})
	}
	want := map[[2]int]rune{{0, 1}: '>', {1, 2}: '<', {2, 3}: '-', {0, 3}: '-'}
	if got := edgesOf(res); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
