package eliminate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/must"
)

// TestRoom checks that simultaneous allocations do not overlap and that free memory is reused.
func TestRoom(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	var r room
	var held []span
	all := 0
	for range 2000 {
		if len(held) > 0 && (len(held) > 20 || rng.IntN(2) == 0) {
			i := rng.IntN(len(held))
			r.free(held[i])
			held = append(held[:i], held[i+1:]...)
			continue
		}
		s := r.take(1 + rng.IntN(50))
		all += s.n
		for _, x := range held {
			if s.at < x.at+x.n && x.at < s.at+s.n {
				t.Fatalf("%v and %v are held at the same time", s, x)
			}
		}
		if s.at+s.n > r.most {
			t.Fatalf("%v is beyond the %d cells of the memory", s, r.most)
		}
		held = append(held, s)
	}
	if r.most > all/10 {
		t.Errorf("%d cells for %d of which few are held at a time", r.most, all)
	}
}

// binary is a model over columns of two levels, without rows: enough to plan with.
func binary(g *graph.Graph) *Model {
	d := &mechanism.Rows{Levels: make([][]float64, g.N())}
	for v := range d.Levels {
		d.Levels[v] = []float64{0, 1}
	}
	return NewModel(g, d, 0)
}

// TestRoomOfChain checks that a chain of any length holds two messages at a time.
func TestRoomOfChain(t *testing.T) {
	g := graph.New(50)
	for v := range 49 {
		g.AddEdge(v, v+1)
	}
	m := binary(g)
	n := m.network(nil)
	target := m.place(n, m.set(n, map[int]int{}, 0, 0), 49)
	if p := NewPlan(n, target); p.room > 4 {
		t.Errorf("an elimination along a chain holds %d cells, want two messages of 2", p.room)
	}
}

// TestRoomOfPassIsBounded checks on a complete graph that a pass with too large products is refused, and one of
// half their size is not. A single elimination needs less memory and is not refused.
func TestRoomOfPassIsBounded(t *testing.T) {
	for _, d := range []int{20, 21} {
		g := graph.New(d)
		for v := range d {
			for u := range v {
				g.AddEdge(u, v)
			}
		}
		m := binary(g)
		p, n := m.NewPass(0, []int{d - 1})
		if (p == nil) != (d == 21) || p != nil && p.room > passRoom {
			t.Errorf("a pass over %d columns: %t", d, p != nil)
		}
		if plan := NewPlan(n, len(n.Nodes)-1); plan == nil || plan.room > passRoom {
			t.Errorf("there is no elimination over %d columns within the room of a pass", d)
		}
	}
}

// binaryRows draws n rows of d binary columns.
func binaryRows(seed uint64, d, n int) *mechanism.Rows {
	rng := rand.New(rand.NewPCG(seed, 4))
	columns, levels := make([][]float64, d), make([][]float64, d)
	for v := range d {
		levels[v] = []float64{0, 1}
		for range n {
			columns[v] = append(columns[v], float64(rng.IntN(2)))
		}
	}
	return mechanism.New(columns, levels)
}

// A network of 150 columns, each with the two before it as parents, has the distribution that follows column by column from the joint one of
// the last two.
func TestManyColumns(t *testing.T) {
	const d = 150
	g := graph.New(d)
	for v := 1; v < d; v++ {
		g.AddEdge(v-1, v)
		if v > 1 {
			g.AddEdge(v-2, v)
		}
	}
	m := NewModel(g, binaryRows(1, d, 60), 1)
	table := func(v int, codes ...int) []float64 { // codes of v-1 and v-2
		f := must.Get(m.Table(v))
		at := make([]int, len(codes))
		for j, p := range g.Parents(v) {
			at[j] = codes[v-1-p]
		}
		return f.At(at)
	}
	for _, x := range []int{0, 1} { // do(column 0 = x)
		var joint [2][2]float64 // the joint distribution of a column and the one before it
		for y, p := range table(1, x) {
			joint[y][x] = p
		}
		for v := 2; v < d; v++ {
			var next [2][2]float64
			for a := range 2 {
				for b := range 2 {
					for y, p := range table(v, a, b) {
						next[y][a] += p * joint[a][b]
					}
				}
			}
			joint = next
		}
		n, target := m.Given(0, d-1, x, nil)
		got, exact, _, err := n.Query(target)
		if err != nil || !exact {
			t.Fatalf("exact %v, %v", exact, err)
		}
		for y, p := range got {
			if want := joint[y][0] + joint[y][1]; !(math.Abs(p-want) <= 1e-12) {
				t.Errorf("do(%d): probability %v of %d, want %v", x, p, y, want)
			}
		}
	}
}

// A product has at most 2^20 cells. A column with 20 binary parents, one of them known, has as many, and with 21 the answer is sampled with the
// standard error of a share.
func TestCellsOfAProduct(t *testing.T) {
	for parents, want := range map[int]bool{20: true, 21: false} {
		g := graph.New(parents + 1)
		for p := range parents {
			g.AddEdge(p, parents)
		}
		m := NewModel(g, binaryRows(2, parents+1, 40), 1)
		n, target := m.Given(0, parents, 1, nil)
		p, exact, standard, err := n.Query(target)
		if err != nil || exact != want {
			t.Errorf("%d parents: exact %v, %v, want %v", parents, exact, err, want)
		}
		if se := math.Sqrt(p[0] * p[1] / Draws); exact && standard != 0 || !exact && !(math.Abs(standard-se) <= 1e-9) {
			t.Errorf("%d parents: standard error %v, want %v if sampled", parents, standard, se)
		}
	}
}
