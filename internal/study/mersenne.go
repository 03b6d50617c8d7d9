package study

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
