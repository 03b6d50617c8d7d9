package counts

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// faces is a table of the size of CelebA's attributes: 202,599 rows of 40 binary columns, each dependent on earlier ones.
func faces(tb testing.TB, o Rows) *Data {
	rng := rand.New(rand.NewPCG(9, 9))
	columns := make([][]uint8, 40)
	for v := range columns {
		columns[v] = make([]uint8, 202599)
		share := 0.02 + 0.5*rng.Float64()
		for i := range columns[v] {
			p := share
			if v > 0 && columns[rng.IntN(v)][i] == 1 {
				p = 1.5 * share
			}
			if rng.Float64() < p {
				columns[v][i] = 1
			}
		}
	}
	return must.Get(New(columns, o))
}

func upTo(p int) []int {
	set := make([]int, p)
	for i := range set {
		set[i] = 2*i + 1
	}
	return set
}

func BenchmarkFamily(b *testing.B) {
	t := faces(b, Rows{})
	for _, p := range []int{0, 1, 2, 3, 5, 8, 10} {
		c := t.Counter()
		b.Run(fmt.Sprintf("parents=%d/way=bits", p), func(b *testing.B) {
			for b.Loop() {
				c.familyBits(0, upTo(p))
			}
		})
		b.Run(fmt.Sprintf("parents=%d/way=dense", p), func(b *testing.B) {
			for b.Loop() {
				c.familyDense(0, upTo(p), 2<<p)
			}
		})
		b.Run(fmt.Sprintf("parents=%d/way=sparse", p), func(b *testing.B) {
			c.limit = 1
			for b.Loop() {
				c.familySparse(0, upTo(p))
			}
		})
	}
}

func BenchmarkExtend(b *testing.B) {
	t := faces(b, Rows{})
	visit := func(*Tally) {}
	ones := make([]uint32, t.rows)
	for i := range ones {
		ones[i] = 1
	}
	weighted := faces(b, Rows{Weights: ones})
	for _, p := range []int{0, 1, 2, 3, 5, 8} {
		c := t.Counter()
		b.Run(fmt.Sprintf("parents=%d/way=lanes", p), func(b *testing.B) {
			for b.Loop() {
				c.Extend(0, upTo(p), visit)
			}
		})
		c = weighted.Counter()
		b.Run(fmt.Sprintf("parents=%d/way=weighted", p), func(b *testing.B) {
			for b.Loop() {
				c.Extend(0, upTo(p), visit)
			}
		})
	}
}
