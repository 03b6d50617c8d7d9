package learntest

import (
	"context"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/score"
)

// marks returns the moments of the examination marks of 88 students in five subjects (Mardia, Kent and Bibby 1979, table 1.2.1), which R has as
// ggm::marks, with unit variances. The correlations are those of R 4.2.2.
func marks(t *testing.T) *dataset.Moments {
	t.Helper()
	names := []string{"mechanics", "vectors", "algebra", "analysis", "statistics"}
	above := []float64{
		0.55340518037936515, 0.54675112408708726, 0.40939200064969178, 0.38909929114275210,
		0.60964468363936963, 0.48508125835112309, 0.43644869970024430,
		0.71080586011364488, 0.66473573256545782,
		0.60717429460427086,
	}
	const d, n = 5, 88
	scatter := make([]float64, d*d)
	for i := range d {
		scatter[i*d+i] = n
		for j := i + 1; j < d; j++ {
			scatter[i*d+j], scatter[j*d+i] = n*above[0], n*above[0]
			above = above[1:]
		}
	}
	m := must.Get(dataset.RestoreMoments(names, n, make([]float64, d), nil, scatter, nil, nil))
	return m
}

// links lists the edges with their marks, by the first letters of the columns but for st(atistics).
func links(res *polydag.Result) string {
	var out []string
	for _, e := range res.Edges {
		a, b, mark := e.From, e.To, e.Mark
		if b < a && mark == "---" || b < a && mark == "o-o" {
			a, b = b, a
		}
		out = append(out, a[:3]+mark+b[:3])
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestMarksAgainstR checks that the graph of the marks is a butterfly: algebra separates mechanics and vectors
// from analysis and statistics (Whittaker 1990, "Graphical Models in Applied Multivariate Statistics", chapter
// 1). It has no collider, so no direction is identified. Fisher's z by ggm::pcor agrees: the largest p over all
// conditions is 0.0336 for the weakest of the six edges, mechanics and algebra, and at least 0.47 for each of
// the other pairs. BIC by lm agrees: of all 29,281 DAGs, those of this class have the smallest, 3462.658.
func TestMarksAgainstR(t *testing.T) {
	const undirected = "alg---ana alg---mec alg---sta alg---vec ana---sta mec---vec"
	for name, want := range map[string]string{
		"pc": undirected, "ges": undirected, "fges": undirected,
		"fci": strings.ReplaceAll(undirected, "---", "o-o"), "rfci": strings.ReplaceAll(undirected, "---", "o-o"),
	} {
		res := learn(t, marks(t), func(c *polydag.Config) { c.Method = using(t, name, "alpha=0.05", "gamma=0") })
		if got := links(res); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	// The next weaker edge goes at a level below its p.
	res := learn(t, marks(t), func(c *polydag.Config) { c.Method = using(t, "pc", "alpha=0.033") })
	if got := links(res); strings.Contains(got, "alg---mec") {
		t.Errorf("pc at 0.033: %s", got)
	}
}

// TestCooperHerskovits checks ten cases of three binary columns of Cooper and Herskovits (1992), "A Bayesian
// method for the induction of probabilistic networks from data". They give P(D | x1 → x2 → x3) = 2.23e-9 and
// P(D | x2 ← x1 → x3) = 2.23e-10. Their prior has one pseudo-observation in each cell: BDeu with an equivalent
// sample size of 2 for a column without parents and of 4 with one binary parent.
func TestCooperHerskovits(t *testing.T) {
	columns := [][]uint32{{1, 1, 0, 1, 0, 0, 1, 0, 1, 0}, {0, 1, 0, 1, 0, 1, 1, 0, 1, 0}, {0, 1, 1, 1, 0, 1, 1, 0, 1, 0}}
	table := must.Get(counts.New(columns, counts.Rows{}))
	local := func(v int, parents ...int) float64 {
		set := score.DefaultDiscrete()
		set.Criterion, set.Ess, set.Gamma, set.CellsPerRow = score.BDeu, float64(2+2*len(parents)), 0, 100
		s := must.Get(score.NewDiscrete(table, set))
		return -s.Evaluator().Score(v, parents) / 2
	}
	for name, c := range map[string]struct{ got, want float64 }{
		"chain": {local(0) + local(1, 0) + local(2, 1), 2.226854e-9},
		"fork":  {local(0) + local(1, 0) + local(2, 0), 2.226854e-10},
	} {
		if p := math.Exp(c.got); !(math.Abs(p/c.want-1) <= 1e-6) {
			t.Errorf("%s: %v, want %v", name, p, c.want)
		}
	}
}

// parkMiller returns uniform numbers of mean 0 and variance 1 by the generator of Park and Miller (1988), which R computes as
//
//	s <- 1; u <- function() { s <<- (16807 * s) %% 2147483647; (s / 2147483647 - 0.5) * sqrt(12) }
func parkMiller() func() float64 {
	s := uint64(1)
	return func() float64 {
		s = 16807 * s % 2147483647
		return (float64(s)/2147483647 - 0.5) * math.Sqrt(12)
	}
}

// TestLiNGAMAgainstR compares with ICA-LiNGAM (Shimizu et al. 2006) by fastICA 1.2-3 of R: with W the unmixing matrix by logcosh, its rows
// permuted for the largest diagonal and divided by it, I - W has 0.791625 for x3 → x1, -0.495496 for x1 → x2 and 0.685888 for x3 → x2, and
// the other entries are at most 0.034. Given that order, lm has the weights below. The noise is the cube of uniform numbers.
func TestLiNGAMAgainstR(t *testing.T) {
	u := parkMiller()
	rows := make([][]float64, 1000)
	for i := range rows {
		e1, e2, e3 := math.Pow(u(), 3), math.Pow(u(), 3), math.Pow(u(), 3)
		x3 := e3
		x1 := 0.8*x3 + 0.6*e1
		rows[i] = []float64{x1, -0.5*x1 + 0.7*x3 + 0.5*e2, x3}
	}
	if !(math.Abs(rows[0][1]-0.7273006689547963) <= 1e-12) {
		t.Fatalf("the first row is %v", rows[0])
	}
	table := must.Get(polydag.FromRows([]string{"x1", "x2", "x3"}, rows))
	want := map[polydag.Link]float64{{From: "x3", To: "x1"}: 0.792787031933439, {From: "x1", To: "x2"}: -0.5041056854418104, {From: "x3", To: "x2"}: 0.7014164207154064}
	for _, variant := range []string{"variant=direct", "variant=ica"} {
		cfg := polydag.DefaultConfig()
		cfg.Method = using(t, "lingam", variant)
		res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
		if len(res.Edges) != len(want) {
			t.Errorf("%s: %v", variant, res.Edges)
		}
		for _, e := range res.Edges {
			if w, ok := want[e.Link]; !ok || !(math.Abs(e.Weight-w) <= 1e-10) {
				t.Errorf("%s: %v has the weight %v, R has %v", variant, e.Link, e.Weight, w)
			}
		}
	}
}

// TestGaussianTest learns from gaussian.test of bnlearn. The class is that of the network in inst/network.scripts/gaussian.test.R
// (cran/bnlearn 28cd3981933d),
// [A][B][E][G][C|A:B][D|B][F|A:D:E:G], and the weights are those of lm in R 4.2.2.
func TestGaussianTest(t *testing.T) {
	table := prepared(t, string(must.Get(io.ReadAll(published(t, "networks/gaussian/gaussian.test.csv.gz")))))
	lm := map[string]float64{"AC": 1.995901410, "BC": 1.999107731, "AF": 1.994853041053, "DF": 1.005636909208, "EF": 1.002577002463, "GF": 1.494373265187}
	for _, method := range []string{"pc", "ges", "fges"} {
		cfg := polydag.DefaultConfig()
		cfg.Method = using(t, method, "alpha=0.05", "gamma=0")
		res := must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
		must.Same(t, marked(res), "A-->C A-->F B---D B-->C D-->F E-->F G-->F", method)
		for _, e := range res.Edges {
			if e.Mark == "-->" {
				must.Near(t, e.Weight, lm[e.From+e.To], 1e-9, "%s: %v", method, e.Link)
			}
		}
	}
}
