package learntest

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// TestAgainstCausalLearn compares with PC and FCI of causal-learn by χ² at the level of 0.05 on its samples of networks of the bnlearn
// repository. The graphs are those in tests/TestData of py-why/causal-learn:
// bnlearn_discrete_10000/benchmark_returned_results/*_pc_chisq_0.05_stable_0_-1.txt at 104b5dd3c9bf (asia), 7fc4e5c4afd6 (sachs),
// 56a410cd74c8 (alarm) and d1c0ccf2bb1b (win95pts), and benchmark_returned_results/bnlearn_discrete_10000_*_fci_chisq_0.05.txt at
// 56a410cd74c8. Later files for sachs and alarm have the same edges, but leave some undirected that Meek's first rule directs.
//
// The edges are the same, and so are their directions, except where tests contradict each other:
//   - PC leaves an edge undirected if colliders direct it both ways, and so are edges that would follow by Meek's rules. causal-learn orders the colliders by p-value
//     and keeps the first. In alarm this concerns X12 → X36 and X21 → X34. Four more edges there follow from the collider X27 → X29 ← X28, which the first
//     separating sets imply and the majority does not.
//   - FCI on sachs: rule R1 directs X2 → X4 because of X1, and X4 → X2 because of X11. The result depends on which is applied first, and two more edges at X4 follow.
//
// The results of FCI for alarm are not compared: the search beyond neighbours removes X12 — X36 and X34 — X35 here. That of causal-learn,
// whose queue has (a, c) for a step from b to c, does not.
func TestAgainstCausalLearn(t *testing.T) {
	parts := regexp.MustCompile(`(X\d+)(.{3})(X\d+)`)
	pair := func(edge string) string {
		m := parts.FindStringSubmatch(edge)
		return min(m[1], m[3]) + " " + max(m[1], m[3])
	}
	for _, c := range []struct {
		name, method, rule string
		open               int // edges without a direction here
		want               string
	}{
		{"asia", "pc", "sepset", 0, "X1---X7 X2-->X6 X3---X4 X3---X5 X4-->X6 X5---X8"},
		{"asia", "fci", "sepset", 0, "X1o-oX7 X2o->X6 X3o-oX4 X3o-oX5 X4o->X6 X5o-oX8"},
		{"sachs", "pc", "sepset", 0, "X1-->X2 X1-->X8 X2-->X4 X8-->X2 X8-->X3 X9-->X3 X8-->X4 X4-->X9 X11-->X4 X8-->X5 X9-->X5 X6---X7 X6---X10 X7---X10 X8-->X9 X11-->X8 X11-->X9"},
		{"sachs", "fci", "sepset", 0, "X1<->X2 X1<->X8 X4-->X2 X8-->X2 X8-->X3 X9-->X3 X8-->X4 X9-->X4 X11-->X4 X8-->X5 X9-->X5 X6o-oX7 X6o-oX10 X7o-oX10 X8-->X9 X8<->X11 X9<->X11"},
		{"alarm", "pc", "majority", 6, "X1---X6 X5-->X2 X5-->X3 X4-->X5 X4-->X7 X6-->X5 X6-->X7 X7-->X36 X8-->X9 X35-->X9 X11-->X10 X35-->X10 X11-->X12 X35-->X12 X12-->X36 X14---X15 X15-->X34 " +
			"X15-->X37 X31-->X16 X33-->X16 X17-->X26 X25-->X18 X31-->X18 X19-->X20 X20-->X21 X32-->X20 X24-->X21 X21-->X34 X22---X23 X23-->X24 X25-->X24 X25-->X26 X25-->X31 " +
			"X25-->X32 X30-->X26 X27-->X29 X27-->X30 X28-->X29 X29-->X30 X30-->X31 X31-->X32 X32-->X33 X33-->X34 X34-->X35 X35-->X36 X36-->X37"},
		{"win95pts", "pc", "sepset", 21, "X1-->X3 X2-->X3 X3-->X29 X4---X11 X5-->X12 X16-->X5 X37-->X5 X6---X76 X7---X73 X8-->X30 X8-->X72 X9-->X15 X56-->X9 X57-->X9 X11-->X12 X14-->X15 X15-->X17 " +
			"X16-->X17 X17-->X30 X17-->X66 X18-->X21 X18-->X28 X19-->X21 X19---X57 X19-->X60 X19-->X67 X19-->X71 X20-->X21 X20-->X28 X20-->X67 X21-->X30 X22-->X25 X22-->X29 X23-->X25 " +
			"X24-->X25 X24-->X29 X24---X56 X24-->X60 X25-->X30 X26-->X30 X27-->X28 X29-->X30 X31-->X39 X31-->X43 X31-->X46 X31-->X48 X31-->X54 X56-->X31 X57-->X31 X31-->X75 X34---X74 " +
			"X35---X36 X37---X59 X38-->X39 X39-->X72 X40-->X43 X41-->X43 X41-->X50 X42-->X54 X44-->X46 X44-->X48 X45-->X46 X45-->X50 X46-->X49 X47-->X49 X48-->X49 X50-->X55 X51-->X54 " +
			"X52---X53 X53-->X55 X54-->X55 X56-->X58 X57-->X58 X61---X62 X61---X63 X64---X68 X65---X69 X70-->X71 X71-->X72"},
	} {
		t.Run(c.name+"/"+c.method, func(t *testing.T) {
			text := must.Get(io.ReadAll(published(t, "networks/discrete_samples/"+c.name+"_10000.txt.gz")))
			p := polydag.DefaultPreparation()
			p.Exclude = false // win95pts has columns that are equal
			table := must.Get(polydag.Prepare(t.Context(), written{text: strings.ReplaceAll(string(text), " ", ",")}, p))
			cfg := polydag.DefaultConfig()
			cfg.Method = using(t, c.method, "test=chi2", "alpha=0.05", "max-given=any", "collider="+c.rule)
			res := must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
			got, open := map[string]string{}, 0
			for e := range strings.FieldsSeq(marked(res)) {
				got[pair(e)] = e
			}
			if c.name == "sachs" && c.method == "fci" {
				c.want = strings.NewReplacer("X4-->X2", "X2-->X4", "X9-->X4", "X4-->X9", "X11-->X4", "X4<->X11").Replace(c.want)
			}
			for e := range strings.FieldsSeq(c.want) {
				switch g := got[pair(e)]; {
				case g == e:
				case strings.Contains(e, "-->") && strings.Contains(g, "---"):
					open++
				default:
					t.Errorf("%q, causal-learn has %s", g, e)
				}
				delete(got, pair(e))
			}
			if len(got) > 0 || open != c.open {
				t.Errorf("%d edges are open, want %d; causal-learn does not have %v", open, c.open, got)
			}
		})
	}
}
