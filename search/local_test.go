package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// tableScore is a local score with no data behind it: any number for any set of at most most parents.
type tableScore struct {
	d, most int
	table   [][]float64 // by variable and set
	price   float64
	calls   *atomic.Int64
	ask     func() // if not nil, called at every evaluation
}

// randomTable draws scores between 0 and 20 for the sets of d variables. Half of them are rough, so that no set
// says anything about another; the others are sums over the parents and a little roughness, as scores from data are.
func randomTable(d int, rng *rand.Rand) *tableScore {
	s := &tableScore{d: d, most: 1 + rng.IntN(d), price: 0.5 + 4*rng.Float64(), calls: &atomic.Int64{}}
	rough := rng.IntN(2) == 0
	for range d {
		row := make([]float64, 1<<d)
		gain := make([]float64, d)
		for x := range gain {
			gain[x] = 10*rng.Float64() - 3
		}
		for set := range row {
			row[set] = 20 * rng.Float64()
			if !rough {
				row[set] /= 20
				for rest := uint(set); rest != 0; rest &= rest - 1 {
					row[set] -= gain[bits.TrailingZeros(rest)]
				}
			}
			if bits.OnesCount(uint(set)) > s.most {
				row[set] = math.Inf(1)
			}
		}
		s.table = append(s.table, row)
	}
	return s
}

func (s *tableScore) Variables() int       { return s.d }
func (s *tableScore) Price() float64       { return s.price }
func (s *tableScore) Equivalent() bool     { return false }
func (s *tableScore) Evaluator() Evaluator { return s }

func (s *tableScore) Score(v int, parents []int) float64 {
	s.calls.Add(1)
	if s.ask != nil {
		s.ask()
	}
	set := 0
	for _, p := range parents {
		set |= 1 << p
	}
	return s.table[v][set]
}

func (s *tableScore) Additions(dst []float64, v int, parents []int) {
	for x := range dst {
		if x != v && !slices.Contains(parents, x) {
			dst[x] = s.Score(v, append(slices.Clone(parents), x))
		}
	}
}

// enumerate returns the least total over all DAGs that k allows.
func (s *tableScore) enumerate(k Knowledge) float64 {
	best := math.Inf(1)
	sets := make([]uint, s.d)
	rules := k.compile(s.d)
	var walk func(v int, sum float64)
	walk = func(v int, sum float64) {
		if v == s.d {
			if sum < best && acyclicSets(sets) {
				best = sum
			}
			return
		}
	next:
		for set := range uint(1) << s.d {
			if set>>v&1 != 0 {
				continue
			}
			for x := range int32(s.d) {
				if in := set>>x&1 != 0; in && rules.isForbidden(x, int32(v)) || !in && rules.isRequired(x, int32(v)) {
					continue next
				}
			}
			sets[v] = set
			walk(v+1, sum+s.table[v][set])
		}
	}
	walk(0, 0)
	return best
}

// checkLocal checks what every result with a score must satisfy.
func checkLocal(t *testing.T, p Problem, res *Result) {
	t.Helper()
	if err := p.Knowledge.checkOrder(res.Order, p.Score.Variables()); err != nil {
		t.Fatalf("order of the result: %v", err)
	}
	eval := p.Score.Evaluator()
	sum, edges := 0.0, 0
	rules := p.Knowledge.compile(p.Score.Variables())
	for v, parents := range res.Parents {
		for _, q := range parents {
			if slices.Index(res.Order, q) >= slices.Index(res.Order, v) || rules.isForbidden(int32(q), int32(v)) {
				t.Fatalf("edge %d → %d against the order, or forbidden", q, v)
			}
		}
		for _, q := range rules.requiredOf(int32(v)) {
			if !slices.Contains(parents, int(q)) {
				t.Fatalf("required edge %d → %d is missing", q, v)
			}
		}
		sum += eval.Score(v, parents)
		edges += len(parents)
	}
	if sum != res.Score || edges != res.Edges || res.Penalty != p.Score.Price() || res.Residual != nil || res.Scores != (Scores{}) {
		t.Fatalf("score %v, %d edges, price %v; the graph has %v and %d, and the price is %v", res.Score, res.Edges, res.Penalty, sum, edges, p.Score.Price())
	}
}

func mustLocal(t *testing.T, p Problem, s Settings) *Result {
	t.Helper()
	res, err := Search(context.Background(), p, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkLocal(t, p, res)
	return res
}

// TestLocalBest compares the search over random tables with the enumeration of all DAGs. Without the dynamic programming
// it finds the best of most: where no set says anything about another, growing and shrinking has nothing to go by.
func TestLocalBest(t *testing.T) {
	missed, tables := 0, 0
	for d := 1; d <= 5; d++ {
		for seed := range uint64(12) {
			if d == 5 && seed >= 4 {
				break
			}
			rng := rand.New(rand.NewPCG(seed, uint64(d)))
			table := randomTable(d, rng)
			p := Problem{Score: table}
			if d > 1 && seed%3 == 2 {
				p.Knowledge = randomKnowledge(d, rng)
				if p.Validate() != nil { // more required parents than the table allows
					p.Knowledge.Required = nil
				}
			}
			want := table.enumerate(p.Knowledge)
			s := DefaultSettings()
			if res := mustLocal(t, p, s); math.Abs(res.Score-want) > 1e-9 || res.Status != Optimal {
				t.Errorf("d = %d, seed %d: exact score %v (%v), best is %v", d, seed, res.Score, res.Status, want)
			}
			s.Exact, s.Restarts = 0, 40
			tables++
			if res := mustLocal(t, p, s); res.Score < want-1e-9 {
				t.Errorf("d = %d, seed %d: score %v below the best of all, %v", d, seed, res.Score, want)
			} else if res.Score > want+1e-9 {
				missed++
			}
		}
	}
	t.Logf("40 rounds missed the best of %d of %d tables", missed, tables)
	if 5*missed > tables {
		t.Errorf("40 rounds missed the best of %d of %d tables", missed, tables)
	}
}

// pairScore makes a score of correlations: the nodes that the engine has for them, at a price.
type pairScore struct {
	p     Problem
	price float64
}

func (s pairScore) Variables() int       { return s.p.R.Rows }
func (s pairScore) Price() float64       { return s.price }
func (s pairScore) Equivalent() bool     { return true }
func (s pairScore) Evaluator() Evaluator { return s }

func (s pairScore) Score(v int, parents []int) float64 {
	if len(parents) > (s.p.N-2)/2 {
		return math.Inf(1)
	}
	return float64(s.p.N)*(1+math.Log(max(leastResidual, residualByRegression(s.p.R, v, parents)))) + s.price*float64(len(parents))
}

func (s pairScore) Additions(dst []float64, v int, parents []int) {
	for x := range dst {
		if at, known := slices.BinarySearch(parents, x); !known && x != v {
			dst[x] = s.Score(v, slices.Insert(slices.Clone(parents), at, x))
		}
	}
}

func localProblem(d int, seed uint64) Problem {
	p := Problem{Score: pairScore{randomSample(d, 2*d, 200, 0.7, seed).problem(), 8}}
	p.Knowledge = randomKnowledge(d, rand.New(rand.NewPCG(seed, 3)))
	return p
}

// TestLocalThreads checks that the result is the same on any number of threads, also with a cache that is emptied often, and
// up to the number of variables that dynamic programming takes.
func TestLocalThreads(t *testing.T) {
	for _, d := range []int{7, 25} {
		p := localProblem(d, 4)
		s := DefaultSettings()
		s.Restarts = 5
		want := comparable(mustLocal(t, p, s))
		for _, threads := range []int{2, 5} {
			s.Threads = threads
			if got := comparable(mustLocal(t, p, s)); !reflect.DeepEqual(got, want) {
				t.Errorf("d = %d: the result differs on %d threads", d, threads)
			}
		}
		r := newRun("search", p, s, nil)
		r.s.Pause = func(func() []byte) { r.active.flush() }
		if got, err := r.search(t.Context()); err != nil || !reflect.DeepEqual(comparable(got), want) {
			t.Errorf("d = %d: the result differs with an empty cache: %v", d, err)
		}
	}
}

// TestLocalResume takes the search up from every place where it pauses: the result is the same to the last bit.
func TestLocalResume(t *testing.T) {
	for _, d := range []int{6, 16, 17} {
		p := localProblem(d, 2)
		s := DefaultSettings()
		s.Restarts, s.singly = 4, d == 16
		want := comparable(mustLocal(t, p, s))
		var states [][]byte
		s.Pause = func(state func() []byte) { states = append(states, state()) }
		if got := comparable(mustLocal(t, p, s)); !reflect.DeepEqual(got, want) {
			t.Fatal("Pause changed the result")
		}
		s.Pause = nil
		kinds := map[stepKind]bool{}
		for i, state := range states {
			kinds[kindOf(state)] = true
			s.Resume, s.Threads = state, 1+i%3
			if got := comparable(mustLocal(t, p, s)); !reflect.DeepEqual(got, want) {
				t.Fatalf("d = %d: taken up from pause %d of %d, the result differs", d, i, len(states))
			}
		}
		if !kinds[starting] || !kinds[path] || !kinds[settling] || !kinds[ready] || s.singly && !kinds[detouring] {
			t.Errorf("pauses of kinds %v: not every kind was tried", kinds)
		}
		for name, other := range map[string]Problem{
			"data":      localProblem(d, 3),
			"price":     {Score: pairScore{p.Score.(pairScore).p, 9}, Knowledge: p.Knowledge},
			"knowledge": {Score: p.Score},
		} {
			if name == "data" {
				other.Knowledge = p.Knowledge
			}
			if _, err := Search(context.Background(), other, s, nil); err == nil || !strings.Contains(err.Error(), "another search") {
				t.Errorf("a state of a search with other %s: %v", name, err)
			}
		}
	}
}

// TestLocalStop ends the context in the middle of an evaluation. No new set is grown then: what is asked for
// still are single scores of at most two graphs, the one that is left and the one that it came from.
func TestLocalStop(t *testing.T) {
	const d = 10
	for _, exact := range []int{0, 12} {
		full := randomTable(d, rand.New(rand.NewPCG(5, 5)))
		s := DefaultSettings()
		s.Exact, s.Restarts = exact, 20
		mustLocal(t, Problem{Score: full}, s)
		all := full.calls.Load()
		for part := range int64(20) {
			table := *full
			table.calls = &atomic.Int64{}
			ctx, cancel := context.WithCancelCause(context.Background())
			var at int64
			var r *run
			table.ask = func() {
				if table.calls.Load() == max(2*d, all*part/20) {
					cancel(errors.New("enough"))
					for !r.e.halt.Load() {
						runtime.Gosched()
					}
					at = table.calls.Load()
				}
			}
			p := Problem{Score: &table}
			r = newRun("search", p, s, nil)
			res, err := r.search(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if more := table.calls.Load() - at; more > 5*d {
				t.Errorf("exact %d, %d of 20: %d scores after the end", exact, part, more)
			}
			checkLocal(t, p, res)
			if res.Status != Stopped || res.Cause == nil || res.Cause.Error() != "enough" {
				t.Errorf("exact %d, %d of 20: %v, cause %v", exact, part, res.Status, res.Cause)
			}
		}
	}
}

// oddScore changes what a table says.
type oddScore struct {
	*tableScore
	change func(v int, parents []int, s float64) float64
}

func (o oddScore) Evaluator() Evaluator { return o }

func (o oddScore) Score(v int, parents []int) float64 {
	return o.change(v, parents, o.tableScore.Score(v, parents))
}

func (o oddScore) Additions(dst []float64, v int, parents []int) {
	for x := range dst {
		if x != v && !slices.Contains(parents, x) {
			dst[x] = o.Score(v, append(slices.Clone(parents), x))
		}
	}
}

// TestLocalNoNumbers checks that sets without a number as their score are never taken, however good their neighbours are.
func TestLocalNoNumbers(t *testing.T) {
	for _, odd := range []float64{math.NaN(), math.Inf(-1), math.Inf(1)} {
		for seed := range uint64(4) {
			score := oddScore{randomTable(6, rand.New(rand.NewPCG(seed, 9))), func(v int, parents []int, s float64) float64 {
				if len(parents) > 0 && parents[0]%2 == v%2 {
					return odd
				}
				return s
			}}
			for _, exact := range []int{0, 12} {
				s := DefaultSettings()
				s.Exact, s.Restarts = exact, 10
				res := mustLocal(t, Problem{Score: score}, s)
				if math.IsNaN(res.Score) || math.IsInf(res.Score, 0) {
					t.Errorf("%v, seed %d: total %v", odd, seed, res.Score)
				}
			}
		}
	}
}

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

// TestLocalPrefersOnlyInsideAClass checks that covered edges are turned at the end only where that leaves the score as it is.
func TestLocalPrefersOnlyInsideAClass(t *testing.T) {
	for _, d := range []int{5, 14} {
		for seed := range uint64(10) {
			p := Problem{Score: unequivalent{pairScore{randomSample(d, 2*d, 100, 0.5, seed).problem(), 5}}}
			s := DefaultSettings()
			s.Restarts = 3
			var last Progress
			res, err := Search(context.Background(), p, s, func(pr Progress) { last = pr })
			if err != nil {
				t.Fatal(err)
			}
			checkLocal(t, p, res)
			if res.Score > last.Score+1e-9*math.Abs(last.Score) {
				t.Errorf("d = %d, seed %d: the best score was %v and the result has %v", d, seed, last.Score, res.Score)
			}
		}
	}
}

// unequivalent charges for edges that lead to a variable of smaller number.
type unequivalent struct{ pairScore }

func (unequivalent) Equivalent() bool       { return false }
func (u unequivalent) Evaluator() Evaluator { return u }
func (u unequivalent) Score(v int, parents []int) float64 {
	s := u.pairScore.Score(v, parents)
	for _, p := range parents {
		if p > v {
			s += 3
		}
	}
	return s
}

func (u unequivalent) Additions(dst []float64, v int, parents []int) {
	for x := range dst {
		if at, known := slices.BinarySearch(parents, x); !known && x != v {
			dst[x] = u.Score(v, slices.Insert(slices.Clone(parents), at, x))
		}
	}
}

func ExampleScore() {
	// Any numbers will do: here each variable wants the one before it as its only parent.
	s := chain(4)
	res, err := Search(context.Background(), Problem{Score: s}, DefaultSettings(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Parents, res.Score, res.Status)
	// Output: [[] [0] [1] [2]] 10 optimal
}

// chain is a score of n variables.
type chain int

func (c chain) Variables() int       { return int(c) }
func (c chain) Price() float64       { return 2 }
func (c chain) Equivalent() bool     { return false }
func (c chain) Evaluator() Evaluator { return c }

func (c chain) Score(v int, parents []int) float64 {
	s := 4 + 2*float64(len(parents)) // the price of the parents is part of it
	if slices.Contains(parents, v-1) {
		s -= 4
	}
	return s
}

func (c chain) Additions(dst []float64, v int, parents []int) {
	for x := range dst {
		if x != v && !slices.Contains(parents, x) {
			dst[x] = c.Score(v, append(slices.Clone(parents), x))
		}
	}
}
