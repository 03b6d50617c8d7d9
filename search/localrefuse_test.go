package search

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestLocalRefuses checks the faults of a problem with a score.
func TestLocalRefuses(t *testing.T) {
	table := randomTable(4, rand.New(rand.NewPCG(1, 1)))
	table.most = 4
	free := *table
	free.price = 0
	none := *table
	none.d = 0
	sample := randomSample(4, 4, 50, 1, 1).problem()
	equal := DefaultSettings()
	equal.Variance = Equal
	tight := DefaultSettings()
	tight.MaxParents = 1
	both := Knowledge{Required: [][2]int{{0, 2}, {1, 2}}}
	unlike := func(f func(v int, parents []int) bool) Score {
		return oddScore{table, func(v int, parents []int, s float64) float64 {
			if f(v, parents) {
				return math.Inf(1)
			}
			return s
		}}
	}
	for want, c := range map[string]struct {
		p Problem
		s Settings
	}{
		"beside R":               {Problem{Score: table, R: sample.R}, DefaultSettings()},
		"Price() = 0":            {Problem{Score: &free}, DefaultSettings()},
		"a score of 0 variables": {Problem{Score: &none}, DefaultSettings()},
		"Variance = equal":       {Problem{Score: table}, equal},
		"has a cycle":            {Problem{Score: table, Knowledge: Knowledge{Required: [][2]int{{0, 1}, {1, 0}}}}, DefaultSettings()},
		"at most 1 fit":          {Problem{Score: unlike(func(int, []int) bool { return false }), Knowledge: both}, tight},
		"third without parents":  {Problem{Score: unlike(func(v int, ps []int) bool { return v == 2 && len(ps) == 0 }), Names: []string{"a", "b", "third"}}, DefaultSettings()},
		"required parents":       {Problem{Score: unlike(func(v int, ps []int) bool { return len(ps) == 2 }), Knowledge: both}, DefaultSettings()},
	} {
		if want == "at most 1 fit" {
			table.table[2][3] = 1
		}
		if _, err := Search(context.Background(), c.p, c.s, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := TopDown(context.Background(), Problem{Score: table}, DefaultSettings()); err == nil {
		t.Error("TopDown accepted a score")
	}
	if _, _, err := Evaluate(Problem{Score: table}, DefaultSettings(), make([][]int, 4)); err == nil {
		t.Error("Evaluate accepted a score")
	}
}
