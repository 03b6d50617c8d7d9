package alias

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/search"
)

// keptSets limits the parent sets whose scores are kept, over all columns. A column with too many forgets them all, which changes no result.
const keptSets = 1 << 21

// A scorer computes scores of graphs from the local scores of a table. Smaller is better.
type scorer struct {
	table   *scores.ScoredTable
	problem *search.Problem // set if the noise variances are equal
	price   float64
	words   int
	known   []map[string]float64 // local score of the parents of each column
	bare    []float64            // local scores without parents
	workers []*worker
	shares  []float64 // unexplained shares of the variances
}

type worker struct {
	eval    search.Evaluator
	key     []byte
	parents []int
}

func newScorer(t *scores.ScoredTable, equal *search.Problem, words, threads int) *scorer {
	d := len(t.Order)
	s := &scorer{table: t, problem: equal, price: t.Score.Price(), words: words, known: make([]map[string]float64, d), bare: make([]float64, d), shares: make([]float64, d)}
	for range max(1, threads) {
		s.workers = append(s.workers, &worker{eval: t.Score.Evaluator(), key: make([]byte, 0, 8*words)})
	}
	for v := range d {
		s.known[v] = map[string]float64{}
		s.bare[v] = s.workers[0].eval.Score(v, nil)
	}
	return s
}

// locals writes the local score of column v in graph k to dst[k·d + v]. graphs has the parents of every column in every graph. Columns are
// evaluated in parallel; those that do not begin before the context ends are left out.
func (s *scorer) locals(ctx context.Context, dst []float64, graphs []uint64) {
	d := len(s.bare)
	parallel.Each(ctx, d, len(s.workers), func(k int) func(int) {
		return func(v int) {
			for at := 0; at < len(dst)/d; at++ {
				from := (at*d + v) * s.words
				dst[at*d+v] = s.local(s.workers[k], v, graphs[from:from+s.words])
			}
		}
	})
}

// local returns the score of column v with the given set of parents.
func (s *scorer) local(w *worker, v int, set []uint64) float64 {
	w.key = w.key[:0]
	for _, word := range set {
		w.key = binary.LittleEndian.AppendUint64(w.key, word)
	}
	if value, ok := s.known[v][string(w.key)]; ok {
		return value
	}
	w.parents = members(w.parents[:0], set)
	value := w.eval.Score(v, w.parents)
	if len(s.known[v]) >= max(1, keptSets/len(s.bare)) {
		clear(s.known[v])
	}
	s.known[v][string(w.key)] = value
	return value
}

// total returns the score of a graph with these local scores and parents: their sum or, if the noise variances are equal, the BIC of the
// residuals that they imply.
func (s *scorer) total(locals []float64, parents []uint64) float64 {
	if s.problem == nil {
		sum := 0.0
		for _, v := range locals {
			sum += v
		}
		return sum
	}
	edges := 0
	for v, local := range locals {
		count := 0
		for _, word := range parents[v*s.words : (v+1)*s.words] {
			count += bits.OnesCount64(word)
		}
		s.shares[v] = math.Exp((local - s.bare[v] - s.price*float64(count)) / float64(s.problem.N))
		edges += count
	}
	return search.Compare(*s.problem, s.shares, edges, s.price).Equal
}

// graph returns the score of one graph.
func (s *scorer) graph(parents []uint64) float64 {
	locals := make([]float64, len(s.bare))
	s.locals(context.Background(), locals, parents)
	return s.total(locals, parents)
}

// prune removes edges, each time the one whose removal improves the score most, until no removal improves it. It returns the score.
func (s *scorer) prune(parents []uint64, required func(from, to int) bool) float64 {
	d, w := len(s.bare), s.workers[0]
	locals := make([]float64, d)
	s.locals(context.Background(), locals, parents)
	now := s.total(locals, parents)
	for {
		best, column, bit := now, -1, 0
		for v := range d {
			set, old := parents[v*s.words:(v+1)*s.words], locals[v]
			for _, p := range members(nil, set) {
				if required(p, v) {
					continue
				}
				set[p/64] ^= 1 << (p % 64)
				locals[v] = s.local(w, v, set)
				if value := s.total(locals, parents); value < best {
					best, column, bit = value, v, p
				}
				set[p/64] ^= 1 << (p % 64)
			}
			locals[v] = old
		}
		if column < 0 {
			return now
		}
		set := parents[column*s.words : (column+1)*s.words]
		set[bit/64] ^= 1 << (bit % 64)
		locals[column], now = s.local(w, column, set), best
	}
}

// members appends the columns of a set to dst, ascending.
func members(dst []int, set []uint64) []int {
	for k, word := range set {
		for ; word != 0; word &= word - 1 {
			dst = append(dst, 64*k+bits.TrailingZeros64(word))
		}
	}
	return dst
}
