package kit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/polydag/polydag/search"
)

// LocalScoreSettings configure LocalScore. The zero value has the defaults.
type LocalScoreSettings struct {
	MaxParents int
	Tolerance  float64
}

// LocalScore reports every check that a local score fails, on random parent sets drawn from seed. Variables, Price and Equivalent
// are constant, and the penalty is finite and > 0. A score is a number or +Inf, and finite without parents. It has the same bits
// after other queries, from another evaluator, and on several goroutines. Parents are neither changed nor kept. Additions agrees
// with Score up to rounding, with the same bits every time, and leaves the rest of dst. Removals, if implemented, agrees exactly
// with Score without each parent. Cost, if implemented, is finite and > 0. If Equivalent is true, random graphs of one Markov
// equivalence class have the same total.
func LocalScore(s search.Score, o LocalScoreSettings, seed uint64) error {
	d := s.Variables()
	if d < 3 {
		return fmt.Errorf("kit: a score of %d variables; bring one of at least 3", d)
	}
	if o.MaxParents == 0 {
		o.MaxParents = 4
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-9
	}
	k := &localScore{s: s, d: d, o: o, price: s.Price(), rng: rand.New(rand.NewPCG(seed, 0x10ca1))}
	if !k.constants() {
		return k.Verdict()
	}
	k.ask()
	k.pure()
	k.kept()
	k.additions()
	k.removals()
	if s.Equivalent() {
		k.equivalent()
	}
	return k.Verdict()
}

type localScore struct {
	List
	s     search.Score
	d     int
	o     LocalScoreSettings
	price float64
	rng   *rand.Rand
	asked []family
}

// family is a query with the result of a fresh evaluator.
type family struct {
	v       int
	parents []int
	score   float64
}

func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// close reports whether two numbers are equal up to rounding.
func (k *localScore) close(a, b float64) bool {
	return same(a, b) || !math.IsInf(a-b, 0) && math.Abs(a-b) <= k.o.Tolerance*max(math.Abs(a), math.Abs(b), k.price)
}

// constants reports false if the number of variables changes, since the other checks need it.
func (k *localScore) constants() bool {
	price, equivalent := k.price, k.s.Equivalent()
	if !(price > 0) || math.IsInf(price, 0) {
		k.Broken("price", "%v, want a finite number > 0", price)
	}
	d := k.s.Variables()
	if d != k.d || !same(k.s.Price(), price) || k.s.Equivalent() != equivalent {
		k.Broken("constant", "%d variables, price %v, equivalent %v; at first %d, %v, %v", d, k.s.Price(), k.s.Equivalent(), k.d, price, equivalent)
	}
	return d == k.d
}

// ask draws queries and evaluates each with a fresh evaluator.
func (k *localScore) ask() {
	for v := range k.d {
		k.asked = append(k.asked, family{v: v})
	}
	for range 60 {
		p := k.rng.Perm(k.d)
		parents := p[1 : 1+1+k.rng.IntN(min(k.o.MaxParents, k.d-1))]
		slices.Sort(parents)
		k.asked = append(k.asked, family{v: p[0], parents: parents})
	}
	for i := range k.asked {
		q := &k.asked[i]
		before := slices.Clone(q.parents)
		q.score = k.s.Evaluator().Score(q.v, q.parents)
		if !slices.Equal(before, q.parents) {
			k.Broken("untouched", "Score changed the parents %v to %v", before, q.parents)
			q.parents = before
		}
		switch {
		case len(before) == 0 && q.score-q.score != 0:
			k.Broken("empty", "variable %d without parents: %v, want a finite number", q.v, q.score)
		case math.IsNaN(q.score) || math.IsInf(q.score, -1):
			k.Broken("number", "variable %d given %v: %v, want a number or +Inf", q.v, before, q.score)
		}
	}
}

// pure repeats all queries on one evaluator in another order, and then on several at once.
func (k *localScore) pure() {
	eval := k.s.Evaluator()
	for _, i := range k.rng.Perm(len(k.asked)) {
		q := k.asked[i]
		if again := eval.Score(q.v, slices.Clone(q.parents)); !same(again, q.score) {
			k.Broken("pure", "variable %d given %v: %v at first and %v after other questions", q.v, q.parents, q.score, again)
		}
	}
	const goroutines = 4
	answers := make([][]float64, goroutines)
	evals := make([]search.Evaluator, goroutines)
	for g := range evals {
		evals[g], answers[g] = k.s.Evaluator(), make([]float64, len(k.asked))
	}
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for t := range k.asked {
				i := (t + g*len(k.asked)/goroutines) % len(k.asked)
				answers[g][i] = evals[g].Score(k.asked[i].v, slices.Clone(k.asked[i].parents))
			}
		})
	}
	all.Wait()
	for g := range goroutines {
		for i, q := range k.asked {
			if !same(answers[g][i], q.score) {
				k.Broken("goroutines", "variable %d given %v: %v alone and %v beside others", q.v, q.parents, q.score, answers[g][i])
			}
		}
	}
}

// kept passes different sets in the same memory, which an evaluator that keeps the slice confuses.
func (k *localScore) kept() {
	eval := k.s.Evaluator()
	memory := make([]int, k.d)
	dst := make([]float64, k.d)
	for _, q := range k.asked {
		for _, other := range k.asked {
			if other.v != q.v || len(other.parents) != len(q.parents) || slices.Equal(other.parents, q.parents) {
				continue
			}
			set := memory[:len(q.parents)]
			for _, before := range []func(){
				func() { eval.Score(q.v, set) },
				func() { eval.Additions(dst, q.v, set) },
			} {
				copy(set, q.parents)
				before()
				copy(set, other.parents)
				if got := eval.Score(q.v, set); !same(got, other.score) {
					k.Broken("kept", "variable %d given %v: %v, but %v where the same memory held %v before", q.v, set, other.score, got, q.parents)
				}
			}
		}
	}
}

func (k *localScore) additions() {
	eval, fresh := k.s.Evaluator(), k.s.Evaluator()
	dst, again := make([]float64, k.d), make([]float64, k.d)
	mark := math.Float64frombits(0x7ff8000000abcdef) // a NaN that no arithmetic makes
	for _, q := range k.asked {
		for x := range dst {
			dst[x] = mark
		}
		parents := slices.Clone(q.parents)
		eval.Additions(dst, q.v, parents)
		if !slices.Equal(parents, q.parents) {
			k.Broken("untouched", "Additions changed the parents %v to %v", q.parents, parents)
		}
		k.s.Evaluator().Additions(again, q.v, parents)
		for x, got := range dst {
			at, known := slices.BinarySearch(q.parents, x)
			if known || x == q.v {
				if !same(got, mark) {
					k.Broken("rest", "variable %d given %v: Additions wrote %v for %d", q.v, q.parents, got, x)
				}
				continue
			}
			if !same(got, again[x]) {
				k.Broken("pure", "variable %d given %v and %d: Additions says %v, and %v at first", q.v, q.parents, x, got, again[x])
			}
			if want := fresh.Score(q.v, slices.Insert(slices.Clone(q.parents), at, x)); !k.close(got, want) {
				k.Broken("additions", "variable %d given %v and %d: %v, Score says %v", q.v, q.parents, x, got, want)
			}
		}
	}
}

// removals compares Removals with Score.
func (k *localScore) removals() {
	if c, ok := k.s.(search.Coster); ok && !(c.Cost() > 0 && !math.IsInf(c.Cost(), 1)) {
		k.Broken("cost", "Cost() = %v, want a finite number > 0", c.Cost())
	}
	eval := k.s.Evaluator()
	if r, ok := eval.(search.RoundingRemover); ok {
		k.without(r.RoundedRemovals, k.close)
	}
	if r, ok := eval.(search.Remover); ok {
		k.without(r.Removals, same)
	}
}

// without compares the scores without each parent with those of another evaluator.
func (k *localScore) without(removals func(dst []float64, v int, parents []int), equal func(a, b float64) bool) {
	fresh := k.s.Evaluator()
	for _, q := range k.asked {
		dst, parents := make([]float64, len(q.parents)), slices.Clone(q.parents)
		removals(dst, q.v, parents)
		if !slices.Equal(parents, q.parents) {
			k.Broken("untouched", "Removals changed the parents %v to %v", q.parents, parents)
		}
		for j, got := range dst {
			if want := fresh.Score(q.v, slices.Delete(slices.Clone(q.parents), j, j+1)); !equal(got, want) {
				k.Broken("removals", "variable %d given %v without %d: %v, Score says %v", q.v, q.parents, q.parents[j], got, want)
			}
		}
	}
}

// equivalent visits equivalent graphs by reversals of covered edges, p → v with parents(v) = parents(p) and p (Chickering 1995).
func (k *localScore) equivalent() {
	eval := k.s.Evaluator()
	for range 20 {
		parents := k.graph()
		first := k.total(eval, parents)
		for range 10 * k.d {
			v := k.rng.IntN(k.d)
			if len(parents[v]) == 0 {
				continue
			}
			j := k.rng.IntN(len(parents[v]))
			p := parents[v][j]
			rest := slices.Delete(slices.Clone(parents[v]), j, j+1)
			if !slices.Equal(rest, parents[p]) {
				continue
			}
			at, _ := slices.BinarySearch(rest, v)
			parents[v], parents[p] = rest, slices.Insert(slices.Clone(rest), at, v)
		}
		if last := k.total(eval, parents); !k.close(first, last) {
			k.Broken("equivalent", "two graphs of one class have totals %v and %v; one of them has the parents %v", first, last, parents)
		}
	}
}

// graph draws a DAG along a random order with many covered edges.
func (k *localScore) graph() [][]int {
	order := k.rng.Perm(k.d)
	parents := make([][]int, k.d)
	for i, v := range order[1:] {
		u := order[k.rng.IntN(i+1)]
		set := append(slices.Clone(parents[u]), u)
		for len(set) > k.o.MaxParents || len(set) > 1 && k.rng.IntN(3) == 0 {
			j := k.rng.IntN(len(set))
			set = slices.Delete(set, j, j+1)
		}
		slices.Sort(set)
		parents[v] = set
	}
	return parents
}

func (k *localScore) total(eval search.Evaluator, parents [][]int) float64 {
	sum := 0.0
	for v, set := range parents {
		sum += eval.Score(v, slices.Clone(set))
	}
	return sum
}
