package study

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// Released draws the graph and the sample of the paper's released code from the same seed, up to float32
// rounding. So published numbers can be compared graph by graph.
//
// With numpy and torch both seeded, every ordered pair is an edge with probability degree/(d-1), and rows and
// columns are permuted. Only the upper triangle is kept, which makes the node indices a causal order and leaves
// degree·d/2 edges, an expected in-degree of degree/2. Weights are ±[0.5, 2]; X = Z(I - W)⁻¹ with Z standard
// normal.
//
// n·d must be a multiple of 16: torch fills the remainder differently, and no experiment needs it.
func Released(d int, degree float64, n int, seed uint64) (w, x *matrix.Dense[float64], err error) {
	if n*d%16 != 0 {
		return nil, nil, fmt.Errorf("generator released: samples × nodes = %d × %d is not a multiple of 16; use sim", n, d)
	}
	if seed > math.MaxUint32 {
		return nil, nil, fmt.Errorf("generator released: seed %d, want at most 2³²-1", seed)
	}
	np, torch := newMersenne(uint32(seed)), newMersenne(uint32(seed))

	p := min(degree/math.Max(float64(d-1), 1), 1)
	edge := make([]bool, d*d)
	for i := range edge {
		edge[i] = np.rand53() < p
	}
	perm := np.permutation(d)

	size, sign := make([]float32, d*d), make([]float32, d*d)
	for i := range size {
		size[i] = torch.rand24()*(2-0.5) + 0.5
	}
	for i := range sign {
		sign[i] = torch.rand24() - 0.5
	}
	w = matrix.New[float64](d, d)
	for i := range d {
		for j := i + 1; j < d; j++ {
			if !edge[perm[i]*d+perm[j]] || sign[i*d+j] == 0 {
				continue
			}
			w.Set(i, j, math.Copysign(float64(size[i*d+j]), float64(sign[i*d+j])))
		}
	}
	x = matrix.New[float64](n, d)
	torch.normal(x.Data)
	for i := range n { // x = z + xW, column by column, because W is upper triangular
		row := x.Row(i)
		for j := range d {
			for k := range j {
				if v := w.At(k, j); v != 0 {
					row[j] += v * row[k]
				}
			}
		}
	}
	return w, x, nil
}

// normal is torch's randn for 16 or more float32 on a CPU: all uniform numbers first, then Box and Muller
// (1958) within blocks of 16, where the first half gives radii and the second angles.
func (m *mersenne) normal(out []float64) {
	for i := range out {
		out[i] = float64(m.rand24())
	}
	for at := 0; at+16 <= len(out); at += 16 {
		b := out[at : at+16]
		for j := range 8 {
			radius := math.Sqrt(-2 * math.Log(1-b[j]))
			sin, cos := math.Sincos(2 * math.Pi * b[j+8])
			b[j], b[j+8] = float64(float32(radius*cos)), float64(float32(radius*sin))
		}
	}
}

// support returns the graph of the nonzero entries of w.
func support(w *matrix.Dense[float64]) *graph.Graph {
	g := graph.New(w.Rows)
	for i := range w.Rows {
		for j := range w.Cols {
			if w.At(i, j) != 0 {
				g.AddEdge(i, j)
			}
		}
	}
	return g
}

// mersenne is MT19937 (Matsumoto and Nishimura 1998), the generator behind numpy.random.seed and
// torch.manual_seed, with the functions of those libraries that the released code uses.
type mersenne struct {
	state [624]uint32
	next  int
}

func newMersenne(seed uint32) *mersenne {
	m := &mersenne{next: 624}
	m.state[0] = seed
	for i := 1; i < 624; i++ {
		prev := m.state[i-1]
		m.state[i] = 1812433253*(prev^prev>>30) + uint32(i)
	}
	return m
}

func (m *mersenne) uint32() uint32 {
	if m.next == 624 {
		for i := range 624 {
			y := m.state[i]&0x80000000 | m.state[(i+1)%624]&0x7fffffff
			v := m.state[(i+397)%624] ^ y>>1
			if y&1 != 0 {
				v ^= 0x9908b0df
			}
			m.state[i] = v
		}
		m.next = 0
	}
	y := m.state[m.next]
	m.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// rand53 is numpy's rand: 53 bits from two words.
func (m *mersenne) rand53() float64 {
	a, b := m.uint32()>>5, m.uint32()>>6
	return (float64(a)*67108864 + float64(b)) / 9007199254740992
}

// permutation is numpy's permutation: the Fisher-Yates shuffle from the end, with indices by masked rejection.
func (m *mersenne) permutation(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	for i := n - 1; i > 0; i-- {
		mask := uint32(1)
		for mask < uint32(i) {
			mask = mask<<1 | 1
		}
		j := m.uint32() & mask
		for j > uint32(i) {
			j = m.uint32() & mask
		}
		p[i], p[j] = p[j], p[i]
	}
	return p
}

// rand24 is torch's rand for float32: the low 24 bits of a word.
func (m *mersenne) rand24() float32 { return float32(m.uint32()&0xffffff) / 0x1000000 }
