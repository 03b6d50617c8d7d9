package score_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/score"
)

// evaluator is what a search over orders asks of a score.
type evaluator interface {
	Score(v int, parents []int) float64
	Additions(dst []float64, v int, parents []int)
}

// discrete returns the score of a table.
func discrete(tb testing.TB, columns [][]int, o counts.Rows, s score.DiscreteSettings) *score.Discrete {
	tb.Helper()
	t := must.Get(counts.New(columns, o))
	return must.Get(score.NewDiscrete(t, s))
}

func bic() score.DiscreteSettings {
	return score.DiscreteSettings{Criterion: score.BIC, CellsPerRow: 5}
}

func bdeu(ess float64) score.DiscreteSettings {
	return score.DiscreteSettings{Criterion: score.BDeu, Ess: ess, CellsPerRow: 5}
}

// charged is a score with a charge for every parent.
func charged(s score.DiscreteSettings, gamma float64) score.DiscreteSettings {
	s.Gamma = gamma
	return s
}

// levelTable draws dependent columns with the given numbers of levels.
func levelTable(rng *rand.Rand, n int, levels ...int) [][]int {
	columns := make([][]int, len(levels))
	for v, r := range levels {
		columns[v] = make([]int, n)
		for i := range n {
			k := rng.IntN(r)
			if v > 0 && rng.IntN(2) > 0 {
				k = columns[rng.IntN(v)][i] % r
			}
			columns[v][i] = k
		}
	}
	return columns
}

// naive computes a score by its definition, from the caller's rows.
func naive(columns [][]int, o counts.Rows, s score.DiscreteSettings, v int, parents []int) float64 {
	levels := func(u int) int {
		c := slices.Clone(columns[u])
		slices.Sort(c)
		return len(slices.Compact(c))
	}
	type config = [8]int
	n, perConfig, perCell := 0.0, map[config]float64{}, map[config]map[int]float64{}
	for i := range columns[0] {
		if o.Environments != nil && slices.Contains(o.Targets[o.Environments[i]], v) {
			continue
		}
		w := 1.0
		if o.Weights != nil {
			w = float64(o.Weights[i])
		}
		var j config
		for k, p := range parents {
			j[k] = columns[p][i] + 1
		}
		if perCell[j] == nil {
			perCell[j] = map[int]float64{}
		}
		n += w
		perConfig[j] += w
		perCell[j][columns[v][i]] += w
	}
	q, r := 1.0, float64(levels(v))
	for _, p := range parents {
		q *= float64(levels(p))
	}
	if len(parents) > 0 && q*r > s.CellsPerRow*n {
		return math.Inf(1)
	}
	gamma := func(x float64) float64 { g, _ := math.Lgamma(x); return g }
	total := 0.0
	for j, nj := range perConfig {
		if s.Criterion == score.BDeu {
			total += gamma(s.Ess/q) - gamma(nj+s.Ess/q)
		}
		for _, njk := range perCell[j] {
			switch {
			case s.Criterion == score.BDeu:
				total += gamma(njk+s.Ess/(q*r)) - gamma(s.Ess/(q*r))
			case njk > 0:
				total += njk * math.Log(njk/nj)
			}
		}
	}
	total -= 2 * s.Gamma * math.Log(float64(len(columns))) * float64(len(parents))
	if s.Criterion == score.BIC {
		return -2*total + math.Log(max(1, n))*(r-1)*q
	}
	return -2 * total
}

func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*(1+math.Abs(a))
}

// TestWeightOfRows checks that a table whose rows occur twice with a weight of one half has the scores and penalties of the table itself,
// and the same limit of parent sets.
func TestWeightOfRows(t *testing.T) {
	columns := levelTable(rand.New(rand.NewPCG(8, 1)), 40, 2, 3, 4, 3)
	twice := make([][]int, len(columns))
	for v, c := range columns {
		twice[v] = slices.Concat(c, c)
	}
	for _, criterion := range []score.Criterion{score.BIC, score.BDeu} {
		s := score.DefaultDiscrete()
		s.Criterion, s.CellsPerRow = criterion, 1
		once := discrete(t, columns, counts.Rows{}, s)
		s.Weight = 0.5
		half := discrete(t, twice, counts.Rows{}, s)
		if !near(once.Price(), half.Price()) || !near(once.PairPrice(1, 2), half.PairPrice(1, 2)) {
			t.Errorf("%v: penalties %v and %v, want %v and %v", criterion, half.Price(), half.PairPrice(1, 2), once.Price(), once.PairPrice(1, 2))
		}
		a, b := once.Evaluator(), half.Evaluator()
		for _, parents := range [][]int{nil, {0}, {0, 1}, {0, 1, 2}} { // the last set has 72 cells for 40 rows
			if got, want := b.Score(3, parents), a.Score(3, parents); !near(got, want) || math.IsInf(want, 1) != (len(parents) == 3) {
				t.Errorf("%v, parents %v: score %v, want %v", criterion, parents, got, want)
			}
		}
	}
}

// Two coins: x = 1 in 2 of 4 rows; y equals x in 3 of 4.
func TestDiscreteByHand(t *testing.T) {
	columns := [][]int{{0, 0, 1, 1}, {0, 0, 1, 0}}
	e := discrete(t, columns, counts.Rows{}, bic()).Evaluator()
	ln := math.Log
	for _, c := range []struct {
		v       int
		parents []int
		want    float64
	}{
		{0, nil, -2*4*ln(0.5) + ln(4)},
		{1, nil, -2*(3*ln(0.75)+ln(0.25)) + ln(4)},
		{1, []int{0}, -2*2*ln(0.5) + 2*ln(4)},             // y is 0, 0 where x = 0 and split where x = 1
		{0, []int{1}, -2*(2*ln(2./3)+ln(1./3)) + 2*ln(4)}, // x is split 2 to 1 where y = 0
	} {
		if got := e.Score(c.v, c.parents); !near(got, c.want) {
			t.Errorf("BIC(%d | %v) = %v, want %v", c.v, c.parents, got, c.want)
		}
	}
	// With Ess = 2 and no parents every level has a prior of 1: the marginal likelihood of x is
	// 1·2·1·2/(2·3·4·5) = 1/30 and that of y 1·2·3·1/120 = 1/20. Given x the priors are 1/2: y has
	// (1/2·3/2)/(1·2) where x = 0 and (1/2·1/2)/(1·2) where x = 1.
	e = discrete(t, columns, counts.Rows{}, bdeu(2)).Evaluator()
	for _, c := range []struct {
		v       int
		parents []int
		want    float64
	}{
		{0, nil, -2 * ln(1./30)},
		{1, nil, -2 * ln(1./20)},
		{1, []int{0}, -2 * (ln(3./8) + ln(1./8))},
	} {
		if got := e.Score(c.v, c.parents); !near(got, c.want) {
			t.Errorf("BDeu(%d | %v) = %v, want %v", c.v, c.parents, got, c.want)
		}
	}
}

// Three levels, a weight and an intervention: rows 4 and 5 set y, and row 1 stands for three.
func TestDiscreteInterventionByHand(t *testing.T) {
	columns := [][]int{{0, 1, 2, 0, 1}, {0, 1, 1, 1, 0}}
	o := counts.Rows{Weights: []uint32{3, 1, 1, 1, 1}, Environments: []int{0, 0, 0, 1, 1}, Targets: [][]int{nil, {1}}}
	d := discrete(t, columns, o, bic())
	e := d.Evaluator()
	ln := math.Log
	if got, want := e.Score(0, nil), -2*(4*ln(4./7)+2*ln(2./7)+ln(1./7))+2*ln(7); !near(got, want) {
		t.Errorf("x counts all rows: %v, want %v", got, want)
	}
	if got, want := e.Score(1, nil), -2*(3*ln(3./5)+2*ln(2./5))+ln(5); !near(got, want) {
		t.Errorf("y counts five: %v, want %v", got, want)
	}
	if got, want := e.Score(1, []int{0}), 3*ln(5); !near(got, want) {
		t.Errorf("x determines y: %v, want %v", got, want)
	}
	if d.Equivalent() || d.Variables() != 2 {
		t.Error("interventions tell directions apart")
	}
}

// Score and Additions against the definition: weights, interventions, merged rows, both criteria. Additions has the
// very bits of Score.
func TestDiscreteAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	infinite, finite := 0, 0
	wide := make([]int, 70) // more categories than a narrow table has
	for v := range wide {
		wide[v] = 2 + v%4
	}
	for trial := range 60 {
		levels := [][]int{{2, 2, 2, 2, 2, 2, 2, 2}, {2, 3, 4, 2, 1, 40, 3, 2}, wide}[trial%3]
		n := []int{5, 40, 400}[rng.IntN(3)]
		columns := levelTable(rng, n, levels...)
		var o counts.Rows
		if trial%4 > 1 {
			o.Environments, o.Targets = make([]int, n), [][]int{{}, {0, 5}, {1}}
			for i := range n {
				o.Environments[i] = rng.IntN(3)
			}
		}
		if trial%8 > 3 {
			o.Weights = make([]uint32, n)
			for i := range n {
				o.Weights[i] = uint32(rng.IntN(3))
			}
		}
		s := []score.DiscreteSettings{bic(), bdeu(1), charged(bdeu(10), 0.5), charged(bic(), 1)}[trial%7%4]
		if trial%5 == 0 {
			s.CellsPerRow = 1e6
		}
		plain := o
		o.Merge = trial%16 > 7
		e := discrete(t, columns, o, s).Evaluator()
		dst := make([]float64, len(levels))
		for range 10 {
			set := rng.Perm(min(len(levels), 12))[:1+rng.IntN(5)]
			v, parents := set[0], set[1:]
			slices.Sort(parents)
			got, want := e.Score(v, parents), naive(columns, plain, s, v, parents)
			if !near(got, want) {
				t.Fatalf("trial %d: Score(%d, %v) = %v, want %v", trial, v, parents, got, want)
			}
			for x := range dst {
				dst[x] = -1
			}
			e.Additions(dst, v, parents)
			for x, got := range dst {
				if x == v || slices.Contains(parents, x) {
					if got != -1 {
						t.Fatalf("Additions wrote to %d, one of %d and %v", x, v, parents)
					}
					continue
				}
				with := append(slices.Clone(parents), x)
				slices.Sort(with)
				if want := e.Score(v, with); got != want {
					t.Fatalf("trial %d: Additions(%d, %v)[%d] = %v, Score %v", trial, v, parents, x, got, want)
				}
				if math.IsInf(got, 1) {
					infinite++
				} else {
					finite++
				}
			}
		}
	}
	if infinite < 100 || finite < 100 {
		t.Errorf("%d infinite and %d finite scores, want some of both", infinite, finite)
	}
}

// total is the score of a graph.
func total(e evaluator, g *graph.Graph) float64 {
	sum := 0.0
	for v := range g.N() {
		sum += e.Score(v, g.Parents(v))
	}
	return sum
}

// Equivalent graphs have the same total, and the brute-force best of all graphs has the best score of the definition.
func TestDiscreteAllGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	for _, d := range []int{3, 4} {
		columns := levelTable(rng, 300, []int{2, 3, 2, 4}[:d]...)
		for _, s := range []score.DiscreteSettings{bic(), bdeu(1), charged(bdeu(10), 0.5)} {
			e := discrete(t, columns, counts.Rows{}, s).Evaluator()
			byClass := map[string]float64{}
			best, naiveBest := math.Inf(1), math.Inf(1)
			for _, g := range graphs(d) {
				p, err := graph.CPDAG(g)
				if err != nil {
					continue // not acyclic
				}
				got := total(e, g)
				want := 0.0
				for v := range d {
					want += naive(columns, counts.Rows{}, s, v, g.Parents(v))
				}
				if !near(got, want) {
					t.Fatalf("%v: %v, want %v", g.Edges(), got, want)
				}
				best, naiveBest = min(best, got), min(naiveBest, want)
				key := string(appendEdges(appendEdges(nil, p.DirectedEdges()), append(p.UndirectedEdges(), graph.Edge{})))
				if first, seen := byClass[key]; seen && !near(first, got) {
					t.Errorf("%v %v: %v and %v in one class", s.Criterion, g.Edges(), first, got)
				} else if !seen {
					byClass[key] = got
				}
			}
			if want := map[int]int{3: 11, 4: 185}[d]; len(byClass) != want {
				t.Errorf("%d classes of %d nodes, want %d", len(byClass), d, want)
			}
			if !near(best, naiveBest) {
				t.Errorf("best %v, want %v", best, naiveBest)
			}
		}
	}
}

func appendEdges(key []byte, edges []graph.Edge) []byte {
	for _, e := range edges {
		key = append(key, byte(e.From), byte(e.To))
	}
	return append(key, 255)
}

// graphs returns every directed graph on d nodes with at most one edge between two of them.
func graphs(d int) (all []*graph.Graph) {
	var pairs []graph.Edge
	for j := range d {
		for i := range j {
			pairs = append(pairs, graph.Edge{From: i, To: j})
		}
	}
	count := 1
	for range pairs {
		count *= 3
	}
	for code := range count {
		g := graph.New(d)
		for _, e := range pairs {
			switch code % 3 {
			case 1:
				g.AddEdge(e.From, e.To)
			case 2:
				g.AddEdge(e.To, e.From)
			}
			code /= 3
		}
		all = append(all, g)
	}
	return all
}

// The laws of a local score, equivalence among them, with and without a bound on configurations.
func TestDiscreteKit(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for seed := range uint64(5) {
		columns := levelTable(rng, 500, 2, 3, 2, 4, 2, 3)
		for _, s := range []score.DiscreteSettings{bic(), bdeu(1), charged(bdeu(10), 0.5)} {
			for _, most := range []float64{0.2, 1e9} {
				s.CellsPerRow = most
				sc := discrete(t, columns, counts.Rows{}, s)
				if !sc.Equivalent() {
					t.Fatal("not said to be equivalent")
				}
				if err := kit.LocalScore(sc, kit.LocalScoreSettings{}, seed); err != nil {
					t.Errorf("%v, %v cells a row: %v", s.Criterion, most, err)
				}
			}
		}
	}
}

// Names of levels, order of columns, order of rows and levels that no row has change no bit.
func TestDiscreteNamesAndOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	columns := levelTable(rng, 700, 2, 3, 4, 5, 20, 2)
	d, n := len(columns), 700
	place, rows := rng.Perm(d), rng.Perm(n)
	other := make([][]int, d)
	for v := range d {
		names := rng.Perm(1000)
		other[place[v]] = make([]int, n)
		for i := range n {
			other[place[v]][i] = names[columns[v][rows[i]]]
		}
	}
	for _, s := range []score.DiscreteSettings{bic(), bdeu(3)} {
		a := discrete(t, columns, counts.Rows{}, s).Evaluator()
		b := discrete(t, other, counts.Rows{Merge: true}, s).Evaluator()
		for range 100 {
			set := rng.Perm(d)[:1+rng.IntN(4)]
			moved := make([]int, len(set))
			for i, v := range set {
				moved[i] = place[v]
			}
			slices.Sort(set[1:])
			slices.Sort(moved[1:])
			if x, y := a.Score(set[0], set[1:]), b.Score(moved[0], moved[1:]); x != y {
				t.Errorf("%v %v: %v and %v", s.Criterion, set, x, y)
			}
		}
	}
}

// Tables at the edge of sense give finite numbers or +Inf, and no edge where nothing can be learned.
func TestDiscreteDegenerate(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n = 2000
	constant, unique, many, coin, never := make([]int, n), make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	for i := range n {
		unique[i], many[i], coin[i] = i-i%7/6, rng.IntN(1000), rng.IntN(2)
		never[i] = 3 * coin[i] // together with coin only on the diagonal
	}
	columns := [][]int{constant, unique, many, coin, never}
	for _, s := range []score.DiscreteSettings{bic(), bdeu(1)} {
		e := discrete(t, columns, counts.Rows{}, s).Evaluator()
		if got := e.Score(0, nil); got != 0 {
			t.Errorf("%v: a constant column costs %v", s.Criterion, got)
		}
		if got := e.Score(0, []int{3}); got != 0 {
			t.Errorf("%v: a parent of a constant column changes it to %v", s.Criterion, got)
		}
		if got, want := e.Score(3, []int{0}), e.Score(3, nil); got != want {
			t.Errorf("%v: a constant parent changes %v to %v", s.Criterion, want, got)
		}
		for v := range columns {
			if got := e.Score(v, nil); math.IsInf(got, 0) || math.IsNaN(got) || got < 0 {
				t.Errorf("%v: Score(%d, nil) = %v", s.Criterion, v, got)
			}
		}
		if got := e.Score(3, []int{1}); got < e.Score(3, nil) {
			t.Errorf("%v: a name for nearly every row explains a coin: %v", s.Criterion, got)
		}
		if got := e.Score(3, []int{2}); got < e.Score(3, nil) {
			t.Errorf("%v: 1000 random levels explain a coin: %v", s.Criterion, got)
		}
		if got := e.Score(2, []int{1}); !math.IsInf(got, 1) {
			t.Errorf("%v: 1000 levels given a name for nearly every row: %v", s.Criterion, got)
		}
		if got := e.Score(4, []int{3}); got > e.Score(4, nil)/10 {
			t.Errorf("%v: a copy is explained at %v of %v", s.Criterion, got, e.Score(4, nil))
		}
		dst := make([]float64, 5)
		e.Additions(dst, 3, []int{0})
		for _, x := range []int{1, 2, 4} {
			if want := e.Score(3, []int{0, x}); dst[x] != want {
				t.Errorf("%v: Additions %v, want %v", s.Criterion, dst[x], want)
			}
		}
	}
}

// A variable that was set in every row: nothing is known of its causes, so its score is 0 and parents are refused.
func TestDiscreteEveryRowExcluded(t *testing.T) {
	o := counts.Rows{Environments: make([]int, 50), Targets: [][]int{{1}}}
	columns := levelTable(rand.New(rand.NewPCG(6, 5)), 50, 2, 3, 2)
	for _, s := range []score.DiscreteSettings{bic(), bdeu(1)} {
		e := discrete(t, columns, o, s).Evaluator()
		if got := e.Score(1, nil); got != 0 {
			t.Errorf("%v: %v", s.Criterion, got)
		}
		dst := make([]float64, 3)
		e.Additions(dst, 1, nil)
		if !math.IsInf(dst[0], 1) || !math.IsInf(dst[2], 1) || !math.IsInf(e.Score(1, []int{0}), 1) {
			t.Errorf("%v: %v", s.Criterion, dst)
		}
		if got, want := e.Score(0, []int{1}), naive(columns, o, s, 0, []int{1}); !near(got, want) {
			t.Errorf("%v: as a parent it counts: %v, want %v", s.Criterion, got, want)
		}
	}
}

// Values do not depend on what was asked before: the tables of BDeu are forgotten on the way.
func TestDiscreteIsPure(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 5))
	levels := make([]int, 30)
	for v := range levels {
		levels[v] = 2 + v
	}
	columns := levelTable(rng, 3000, levels...)
	d := discrete(t, columns, counts.Rows{}, bdeu(1))
	used := d.Evaluator()
	for range 2000 {
		set := rng.Perm(30)[:1+rng.IntN(3)]
		slices.Sort(set[1:])
		if got, want := used.Score(set[0], set[1:]), d.Evaluator().Score(set[0], set[1:]); got != want {
			t.Fatalf("%v: %v, fresh %v", set, got, want)
		}
	}
}

func TestDiscreteSettings(t *testing.T) {
	for want, s := range map[string]score.DiscreteSettings{
		"Criterion = Criterion(7), want BIC or BDeu": {Criterion: 7, Ess: 1, CellsPerRow: 1},
		"setting Ess = NaN, want a number of rows from 1e-6 to 1e9\nsetting Gamma = -1, want a finite number >= 0\nCellsPerRow = 0, want a finite number > 0": {Criterion: score.BDeu, Ess: math.NaN(), Gamma: -1},
	} {
		if err := s.Validate(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := score.NewDiscrete(nil, score.DiscreteSettings{}); err == nil {
		t.Error("the zero settings are accepted")
	}
	d := discrete(t, levelTable(rand.New(rand.NewPCG(8, 5)), 1000, 2, 3, 3, 900), counts.Rows{}, bic())
	if got, want := d.Price(), 4*math.Log(1000); got != want {
		t.Errorf("price %v, want %v", got, want)
	}
	if score.BDeu.String() != "BDeu" {
		t.Error(score.BDeu)
	}
}

// The scale that the comment of terms states leaves room: the sums of a large table stay within 64 bits.
func TestDiscreteLargeCounts(t *testing.T) {
	const big = 1 << 30
	columns := [][]int{{0, 0, 1, 1}, {0, 1, 0, 1}}
	o := counts.Rows{Weights: []uint32{big, big / 2, big / 4, big}}
	for _, s := range []score.DiscreteSettings{bic(), bdeu(1), bdeu(1e9), bdeu(1e-6)} {
		e := discrete(t, columns, o, s).Evaluator()
		dst := make([]float64, 2)
		e.Additions(dst, 0, nil)
		got, want := e.Score(0, []int{1}), naive(columns, o, s, 0, []int{1})
		if !(math.Abs(got-want) <= 1e-3) || got != dst[1] || got <= 0 {
			t.Errorf("%v %v: %v, Additions %v, want %v", s.Criterion, s.Ess, got, dst[1], want)
		}
	}
}

// TestDiscreteAgainstBnlearn compares with the scores in pgmpy/tests/test_estimators/test_StructureScore.py (pgmpy/pgmpy 1cdf30bb93ba),
// which by a comment there are compared with bnlearn. The first table has three rows, and the second is the training set of the Titanic:
// Sex → Survived ← Pclass.
func TestDiscreteAgainstBnlearn(t *testing.T) {
	small := [][]int{{0, 0, 1}, {0, 1, 0}, {1, 1, 0}, {0, 1, 2}} // A, B, C, D
	titanic := make([][]int, 3)                                  // Survived, Sex, Pclass
	for k, n := range []int{3, 91, 6, 70, 72, 72, 77, 45, 91, 17, 300, 47} {
		for range n {
			for j, level := range []int{k % 2, k / 6, k / 2 % 3} {
				titanic[j] = append(titanic[j], level)
			}
		}
	}
	for _, c := range []struct {
		columns   [][]int
		parents   [][]int
		bic, bdeu float64
		ess       float64
	}{
		{small, [][]int{nil, {3}, {0, 1}, nil}, -10.698440814229318, -9.907103407446435, 10},
		{small, [][]int{{2}, {2}, nil, {0}}, -9.625886526130714, -9.839964104608821, 10},
		{titanic, [][]int{{1, 2}, nil, nil}, -1896.7250012840179, -1892.7383393910427, 25},
	} {
		for want, set := range map[float64]score.DiscreteSettings{c.bic: bic(), c.bdeu: bdeu(c.ess)} {
			set.CellsPerRow = 100
			e, got := discrete(t, c.columns, counts.Rows{}, set).Evaluator(), 0.0
			for v, parents := range c.parents {
				got -= e.Score(v, parents) / 2
			}
			must.Near(t, got, want, 1e-9, "%s of %v", set.Criterion, c.parents)
		}
	}
}
