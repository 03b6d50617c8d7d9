package questions

import "slices"

// An order is a strict partial order of columns, closed under transitivity.
type order struct {
	d, words int
	after    []uint64 // bit b of row a: a comes before b
}

func newOrder(d int) order {
	words := (d + 63) / 64
	return order{d, words, make([]uint64, d*words)}
}

func (o order) clone() order {
	o.after = slices.Clone(o.after)
	return o
}

func (o order) has(a, b int) bool { return o.after[a*o.words+b/64]>>(b%64)&1 == 1 }

// add puts a before b, and all that come before a before all that come after b. It changes nothing if b is a or comes before it.
func (o order) add(a, b int) {
	if a == b || o.has(b, a) || o.has(a, b) {
		return
	}
	later := o.after[b*o.words : (b+1)*o.words]
	for x := range o.d {
		if x != a && !o.has(x, a) {
			continue
		}
		row := o.after[x*o.words : (x+1)*o.words]
		row[b/64] |= 1 << (b % 64)
		for w := range later {
			row[w] |= later[w]
		}
	}
}
