package graph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// latentClasses returns all MAGs on n nodes without undirected edges, grouped by their PAG.
func latentClasses(n int) (pags []*PAG, members [][]*PAG) {
	var pairs []Edge
	for j := range n {
		for i := range j {
			pairs = append(pairs, Edge{i, j})
		}
	}
	index := map[string]int{}
	m := NewPAG(n)
	var fill func(k int)
	fill = func(k int) {
		if k < len(pairs) {
			e := pairs[k]
			fill(k + 1)
			for _, f := range [][2]Mark{{Tail, Arrow}, {Arrow, Tail}, {Arrow, Arrow}} {
				m.Set(e.From, e.To, f[0], f[1])
				fill(k + 1)
			}
			m.Remove(e.From, e.To)
			return
		}
		if m.CheckMAG() != nil {
			return
		}
		class := m.Class(false)
		key := fmt.Sprint(class.Mixed().Edges())
		at, ok := index[key]
		if !ok {
			at = len(pags)
			index[key] = at
			pags, members = append(pags, class), append(members, nil)
		}
		members[at] = append(members[at], m.Clone())
	}
	fill(0)
	return pags, members
}

// linearModel is a linear model of a DAG with noise of variance 1.
type linearModel struct{ effect, cov [][]float64 }

// modelOf draws weights for the DAG of a MAG, which has a hidden cause for each i ↔ j and for each of the edges also.
func modelOf(mag *PAG, also []Edge, rng *rand.Rand) linearModel {
	n := mag.N()
	g := New(n + mag.NumEdges() + len(also))
	next := n
	join := func(e Edge) {
		g.AddEdge(next, e.From)
		g.AddEdge(next, e.To)
		next++
	}
	for _, e := range mag.Skeleton() {
		switch {
		case mag.directed(e.From, e.To):
			g.AddEdge(e.From, e.To)
		case mag.directed(e.To, e.From):
			g.AddEdge(e.To, e.From)
		default:
			join(e)
		}
	}
	for _, e := range also {
		join(e)
	}
	order, err := g.Order()
	if err != nil {
		panic(err)
	}
	all := make([][]float64, g.N()) // effects of every node on every other
	for i := range all {
		all[i] = make([]float64, g.N())
		all[i][i] = 1
	}
	for _, v := range order {
		for _, u := range g.Parents(v) {
			w := (0.5 + rng.Float64()) * float64(1-2*rng.IntN(2))
			for i := range all {
				if i != v {
					all[i][v] += all[i][u] * w
				}
			}
		}
	}
	m := linearModel{effect: all, cov: make([][]float64, n)}
	for i := range n {
		m.cov[i] = make([]float64, n)
		for j := range n {
			for u := range all {
				m.cov[i][j] += all[u][i] * all[u][j]
			}
		}
	}
	return m
}

// slope returns the coefficient of x in the regression of y on x and the set, by elimination.
func (m linearModel) slope(x, y int, set []int) float64 {
	left := append(slices.Clone(set), x)
	a := make([][]float64, len(left))
	for i, u := range left {
		for _, v := range append(slices.Clone(left), y) {
			a[i] = append(a[i], m.cov[u][v])
		}
		for k := range i {
			f := a[i][k] / a[k][k]
			for j := range a[i] {
				a[i][j] -= f * a[k][j]
			}
		}
	}
	k := len(left) - 1
	return a[k][k+1] / a[k][k]
}

// value returns the effect that an adjustment gives; ok is false if it gives none.
func (m linearModel) value(x, y int, a Adjustment) (v float64, ok bool) {
	if a.Path {
		if !a.Exists {
			return 0, false
		}
		v = m.slope(x, y, a.Set)
	}
	return v, true
}

// invisible lists the edges of a MAG with a possible hidden common cause of their ends.
func invisible(mag *PAG) (out []Edge) {
	for _, e := range mag.Directed().Edges() {
		if !mag.Visible(e.From, e.To) {
			out = append(out, e)
		}
	}
	return out
}

func same(a, b float64) bool { return math.Abs(a-b) < 1e-7*(1+math.Abs(a)+math.Abs(b)) }

// TestAdjustmentsAreThoseOfTheDefinition checks all PAGs on four nodes against the linear models of all DAGs that they represent: a set
// identifies the effect exactly if the regression gives the effect in each of them.
func TestAdjustmentsAreThoseOfTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	pags, members := latentClasses(4)
	counts := map[string]int{}
	for k, p := range pags {
		var models []linearModel
		for _, m := range members[k] {
			models = append(models, modelOf(m, nil, rng))
			for _, e := range invisible(m) {
				models = append(models, modelOf(m, []Edge{e}, rng))
			}
		}
		for x := range 4 {
			for y := range 4 {
				if x == y {
					continue
				}
				list := must.Get(p.Adjustments(x, y, 1<<20))
				none := func() bool {
					return !slices.ContainsFunc(models, func(m linearModel) bool { return m.effect[x][y] != 0 })
				}
				valid := func(set []int) bool {
					return !slices.ContainsFunc(models, func(m linearModel) bool { return !same(m.effect[x][y], m.slope(x, y, set)) })
				}
				switch one := len(list) == 1 && list[0].Identifies(); {
				case one && !list[0].Path:
					counts["none"]++
					if !none() {
						t.Fatalf("%v: %d has an effect on %d", p.Mixed().Edges(), x, y)
					}
				case one:
					counts["identified"]++
					if !valid(list[0].Set) || none() {
						t.Fatalf("%v: %v does not identify the effect of %d on %d", p.Mixed().Edges(), list[0].Set, x, y)
					}
				default:
					counts["open"]++
					rest := slices.DeleteFunc([]int{0, 1, 2, 3}, func(v int) bool { return v == x || v == y })
					for _, set := range [][]int{nil, rest[:1], rest[1:], rest} {
						if valid(set) {
							t.Fatalf("%v: %v identifies the effect of %d on %d", p.Mixed().Edges(), set, x, y)
						}
					}
				}
			}
		}
	}
	t.Logf("%d PAGs: %v", len(pags), counts)
	if counts["none"] < 100 || counts["identified"] < 50 || counts["open"] < 100 {
		t.Errorf("%v", counts)
	}
}

// compareEach compares the list of a PAG with the lists of each MAG of its class by itself, on one covariance matrix: the same effects,
// and the same answers to whether a hidden cause is possible or no set exists.
func compareEach(t *testing.T, rng *rand.Rand, p *PAG, members []*PAG) {
	t.Helper()
	model := modelOf(members[rng.IntN(len(members))], nil, rng)
	for x := range p.N() {
		for y := range p.N() {
			if x == y {
				continue
			}
			gather := func(graphs ...*PAG) (values []float64, hidden, without bool) {
				for _, g := range graphs {
					list := must.Get(g.Adjustments(x, y, 1<<20))
					for _, a := range list {
						hidden = hidden || len(a.Hidden) > 0
						v, ok := model.value(x, y, a)
						without = without || !ok
						if ok && !slices.ContainsFunc(values, func(u float64) bool { return same(u, v) }) {
							values = append(values, v)
						}
					}
				}
				slices.Sort(values)
				return values, hidden, without
			}
			values, hidden, without := gather(p)
			want, wantHidden, wantWithout := gather(members...)
			if !slices.EqualFunc(values, want, same) || hidden != wantHidden || without != wantWithout {
				t.Errorf("%v, effect of %d on %d: %v %v %v, want %v %v %v", p.Mixed().Edges(), x, y, values, hidden, without, want, wantHidden, wantWithout)
			}
		}
	}
}

// TestAdjustmentsCoverEveryMAG compares a third of the PAGs on four nodes, and random ones on five and six.
func TestAdjustmentsCoverEveryMAG(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	pags, members := latentClasses(4)
	for k := 0; k < len(pags); k += 3 {
		compareEach(t, rng, pags[k], members[k])
	}
	for range 30 {
		n, hidden := 5+rng.IntN(2), 1+rng.IntN(3)
		full := New(n + hidden)
		for v := range n {
			for u := range v {
				if rng.Float64() < 0.35 {
					full.AddEdge(u, v)
				}
			}
		}
		var unseen []int
		for h := n; h < n+hidden; h++ {
			unseen = append(unseen, h)
			for _, v := range rng.Perm(n)[:2] {
				full.AddEdge(h, v)
			}
		}
		mag, _, err := LatentMAG(full, unseen, nil)
		must.Succeed(t, err)
		if p := mag.Class(false); circles(p) <= 8 {
			compareEach(t, rng, p, slices.DeleteFunc(filled(p), func(m *PAG) bool { return m.CheckMAG() != nil || !m.Class(false).Equal(p) }))
		}
	}
}

func circles(p *PAG) (n int) {
	for _, ends := range p.ends {
		for _, m := range ends {
			if m == Circle {
				n++
			}
		}
	}
	return n
}

// filled returns the graphs with either mark in place of each circle, and no undirected edge.
func filled(p *PAG) (out []*PAG) {
	if i, j, ok := p.nextCircle(0); ok {
		for _, mark := range []Mark{Tail, Arrow} {
			q := p.Clone()
			if q.Mark(i, j, mark); mark == Tail {
				q.Mark(j, i, Arrow)
			}
			out = append(out, filled(q)...)
		}
		return out
	}
	return []*PAG{p}
}

// TestAdjustmentsListHiddenCauses has the chain 1 o-o 0 o-o 2. Its MAGs are 1 ← 0 → 2, in which 0 and 2 may have a hidden common cause,
// 1 → 0 → 2 and 1 ↔ 0 → 2, in which they have none, and 1 ← 0 ← 2 and 1 ← 0 ↔ 2, in which 0 has no effect on 2.
func TestAdjustmentsListHiddenCauses(t *testing.T) {
	p := NewPAG(3)
	p.Set(1, 0, Circle, Circle)
	p.Set(0, 2, Circle, Circle)
	list, err := p.Adjustments(0, 2, 100)
	var hidden, visible, none int
	for _, a := range list {
		switch {
		case !a.Path:
			none++
		case len(a.Hidden) > 0:
			hidden++
		default:
			visible++
		}
	}
	if err != nil || hidden != 1 || visible != 1 || none != 1 {
		t.Errorf("%+v, %v; want one list each with a hidden cause, without one, and without an effect", list, err)
	}
}

// TestAdjustmentsAgainstPcalg checks two PAGs of Perković, Textor, Kalisch and Maathuis (2015, "A complete generalized adjustment
// criterion", figure 4) with the sets that pcalg accepts for the effect of 3 on 4 (tests/test_gac.R, cran/pcalg ba8400a18966): in the first
// {6} and its supersets with 1 and 2, in the second none.
func TestAdjustmentsAgainstPcalg(t *testing.T) {
	both := []MarkedEdge{{Edge{1, 3}, Circle, Arrow}, {Edge{2, 3}, Circle, Arrow}, {Edge{3, 5}, Tail, Arrow}, {Edge{6, 4}, Tail, Arrow}}
	for want, more := range map[string][]MarkedEdge{
		"[6]":  {{Edge{6, 3}, Circle, Arrow}, {Edge{3, 4}, Tail, Arrow}, {Edge{5, 4}, Circle, Arrow}, {Edge{6, 5}, Tail, Arrow}},
		"none": {{Edge{6, 3}, Arrow, Arrow}, {Edge{5, 4}, Tail, Arrow}, {Edge{6, 5}, Arrow, Arrow}},
	} {
		p := NewPAG(7) // 0 is isolated
		for _, e := range append(slices.Clone(both), more...) {
			p.Set(e.From, e.To, e.AtFrom, e.AtTo)
		}
		list := must.Get(p.Adjustments(3, 4, 1<<20))
		got := "none"
		if list[0].Identifies() {
			got = fmt.Sprint(list[0].Set)
		}
		if got != want || len(list) != 1 {
			t.Errorf("%+v, want %s", list, want)
		}
	}
}

// TestIdentifiedAgainstPcalg checks the PAG of a DAG with the hidden nodes 2 and 6. pcalg finds a set by the generalized back-door
// criterion (Maathuis and Colombo 2015) for the pairs below and no other, and so the effect is not identified, unless the graph excludes it
// (tests/test_backdoor.Rout.save, cran/pcalg 8d0be112c201; the observed nodes are counted from 1, and the fourth is isolated).
func TestIdentifiedAgainstPcalg(t *testing.T) {
	with := map[int][]int{1: {2, 5, 6}, 2: {1, 3, 5, 6, 10}, 3: {2, 5, 6}, 5: {1, 2, 3, 6, 7, 8, 10}, 6: {1, 2, 3, 5, 7, 10}, 7: {3, 5, 6, 8, 9, 10}, 8: {2, 5, 9, 10}, 9: {2, 3, 10}, 10: {2, 5, 6}}
	g := New(12)
	for from, to := range map[int][]int{1: {4, 6, 9, 10, 11, 12}, 2: {6, 8, 11}, 3: {9}, 4: {10}, 7: {11}, 8: {10}, 9: {10, 11}, 10: {11}} {
		for _, v := range to {
			g.AddEdge(from-1, v-1)
		}
	}
	mag, _, err := LatentMAG(g, []int{1, 5}, nil)
	must.Succeed(t, err)
	p := mag.Class(false)
	for x := range with {
		for y := range with {
			if x == y {
				continue
			}
			list := must.Get(p.Adjustments(x-1, y-1, 1<<20))
			identified := !slices.ContainsFunc(list, func(a Adjustment) bool { return !a.Identifies() })
			excluded := p.Adjacent(x-1, y-1) && p.At(y-1, x-1) == Arrow
			if identified != (excluded || slices.Contains(with[x], y)) {
				t.Errorf("effect of %d on %d: %+v", x, y, list)
			}
		}
	}
}
