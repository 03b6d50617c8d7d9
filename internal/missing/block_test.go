package missing

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// tables returns a network of categories with random probability tables.
func tables(levels []int, parents [][]int, random *rand.Rand) *Network {
	g := &Network{}
	for v, k := range levels {
		c := netColumn{}
		for l := range k {
			c.levels = append(c.levels, float64(l))
		}
		g.columns, g.order = append(g.columns, c), append(g.order, v)
	}
	g.connect(parents)
	for v := range g.nodes {
		x := &g.nodes[v]
		x.table = &cpt{parents: x.parents, levels: levels[v]}
		size := levels[v]
		for _, p := range x.parents {
			x.table.stride = append(x.table.stride, size)
			size *= levels[p]
		}
		x.table.p, x.tables = make([]float64, size), true
		for at := 0; at < size; at += levels[v] {
			p := x.table.p[at : at+levels[v]]
			for k := range p {
				p[k] = random.ExpFloat64() + 0.02
			}
			share(p)
		}
	}
	return g
}

// posterior returns the probability of each configuration of the missing values, by enumeration.
func posterior(g *Network, row []float64, lacks []int32) map[string]float64 {
	out, sum := map[string]float64{}, 0.0
	own := slices.Clone(row)
	var each func(i int)
	each = func(i int) {
		if i < len(lacks) {
			for k := range g.columns[lacks[i]].levels {
				own[lacks[i]] = float64(k)
				each(i + 1)
			}
			return
		}
		p := 1.0
		for v := range g.nodes {
			t := g.nodes[v].table
			p *= t.p[t.base(own, -1)+int(own[v])]
		}
		out[key(own, lacks)] = p
		sum += p
	}
	each(0)
	for k := range out {
		out[k] /= sum
	}
	return out
}

func key(row []float64, lacks []int32) string {
	text := ""
	for _, v := range lacks {
		text += fmt.Sprint(row[v], " ")
	}
	return text
}

// Categories are drawn from their joint distribution given the row, whatever values they had before.
func TestBlocksAgainstEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 7))
	levels := []int{2, 3, 2, 3, 2, 4}
	parents := [][]int{nil, {0}, {0}, {1, 2}, {3}, {1, 3}}
	g := tables(levels, parents, random)
	s := newGibbs(g)
	s.random = random
	for _, lacks := range [][]int32{{1, 2}, {0, 1, 2}, {0, 2, 3, 5}, {0, 1, 3, 4}} {
		row := []float64{1, 2, 0, 1, 0, 3}
		want := posterior(g, row, lacks)
		const n = 20_000
		got := map[string]float64{}
		for range n {
			for _, v := range lacks {
				row[v] = 0
			}
			if !s.sweep(row, lacks) {
				t.Fatal("the draw depends on the values before")
			}
			got[key(row, lacks)] += 1. / n
		}
		for k, p := range want {
			near(t, "share of "+k, got[k], p, 0.015)
		}
	}
}

// Three parents with 12 levels and an observed child have too large a table: one of them keeps its value while the others are drawn, and
// is then drawn by itself.
func TestLargeBlocksHoldAValue(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 7))
	g := tables([]int{12, 12, 12, 2}, [][]int{nil, nil, nil, {0, 1, 2}}, random)
	s := newGibbs(g)
	s.random = random
	lacks := []int32{0, 1, 2}
	want := map[float64]float64{}
	row := []float64{0, 0, 0, 1}
	for k, p := range posterior(g, row, lacks) {
		var first float64
		must.Get(fmt.Sscan(k, &first))
		want[first] += p
	}
	const n = 20_000
	got := map[float64]float64{}
	for range n {
		if alone := s.block.draw(s, row, lacks); len(alone) != 1 || alone[0] != 0 {
			t.Fatalf("columns %v are drawn by themselves", alone)
		}
		if s.sweep(row, lacks) {
			t.Fatal("the draw is said to be exact")
		}
		got[row[0]] += 1. / n
	}
	for level, p := range want {
		near(t, "share of a level", got[level], p, 0.012)
	}
	// While it is held, the others follow their distribution given its value.
	row[0] = 5
	given := posterior(g, row, []int32{1, 2})
	counts := map[string]float64{}
	for range n {
		row[0] = 5
		s.block.draw(s, row, lacks)
		counts[key(row, []int32{1, 2})] += 1. / n
	}
	for k, p := range given {
		near(t, "share of "+k, counts[k], p, 0.012)
	}
}
