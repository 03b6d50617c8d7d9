package pictures

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/polydag/polydag/internal/splitmix"
)

const (
	// mostComparedPairs is the largest number of rows of a match that are compared with each other.
	mostComparedPairs = 1500
	// keptPartners is the number of nearest partners of each row from which pairs are chosen.
	keptPartners = 4
	// mostInByte is the largest number of values that a byte holds beside two codes for missing values.
	mostInByte = 254
)

// thin chooses at most most rows to compare. Rows that agree on all columns of the set with a row of another group of the cause come
// first, as evenly as possible over the combinations of values; the rest is evenly spaced.
func thin(rows []int32, cause *grouping, set []*covariate, most int) []int32 {
	if len(rows) <= most {
		return rows
	}
	groups := len(cause.labels)
	keys, sizes := blocks(rows, cause, set)
	mixed := 0
	for _, size := range sizes {
		if size.mixed() {
			mixed++
		}
	}
	each := int32(max(1, most/max(1, mixed*groups)))
	limit := ^uint64(0) // of the hash, if there are more blocks than rows to choose
	if mixed*groups > most {
		limit = limit / uint64(mixed) * uint64(most/groups)
	}
	var kept, rest []int32
	for k, row := range rows {
		size := sizes[keys[k]]
		if g := cause.codes[row]; size.mixed() && keys[k] <= limit && size[g] > 0 && len(kept) < most {
			if size[g] = min(size[g], each) - 1; size[g] == 0 {
				size[g] = -1 // the block has enough rows of the group
			}
			kept = append(kept, row)
		} else {
			rest = append(rest, row)
		}
	}
	for n, k := most-len(kept), 0; k < n; k++ {
		kept = append(kept, rest[k*len(rest)/n])
	}
	slices.Sort(kept)
	return kept
}

// blockSize has the number of rows of each group of the cause in a block.
type blockSize []int32

// mixed reports whether rows of several groups are in a block.
func (b blockSize) mixed() bool {
	groups := 0
	for _, n := range b {
		if n != 0 {
			groups++
		}
	}
	return groups > 1
}

// blocks returns a hash of the values of each row, which rows share that agree on all columns, and the sizes of the sets of rows
// with the same hash. A row with a missing value is in none of them.
func blocks(rows []int32, cause *grouping, set []*covariate) (keys []uint64, sizes map[uint64]blockSize) {
	keys, sizes = make([]uint64, len(rows)), map[uint64]blockSize{}
next:
	for at, row := range rows {
		key := uint64(0)
		for _, c := range set {
			k, ok := c.block(row)
			if !ok {
				continue next
			}
			key = splitmix.Mix(key ^ splitmix.Mix(uint64(k)))
		}
		key = max(key, 1) // 0 is a row with a missing value
		keys[at] = key
		size := sizes[key]
		if size == nil {
			size = make(blockSize, len(cause.labels))
			sizes[key] = size
		}
		size[cause.codes[row]]++
	}
	return keys, sizes
}

// nearest returns pairs of rows of different groups of the cause, nearest first. No row is in two pairs. O(rows²·columns).
func nearest(rows []int32, cause *grouping, set []*covariate, others []*grouping) []pairing {
	var rest []*covariate              // columns whose values are not bytes
	var first, second, alike [][]uint8 // a missing value differs from a missing value
	for _, c := range set {
		if c.numbers != nil || c.levels > mostInByte {
			rest = append(rest, c)
			continue
		}
		first, second = append(first, c.bytes(rows, 0xff)), append(second, c.bytes(rows, 0xfe))
	}
	for _, g := range others {
		codes := make([]uint8, len(rows))
		for p, row := range rows {
			codes[p] = g.codes[row]
		}
		alike = append(alike, codes)
	}
	left, right, words := pack(first, len(rows)), pack(second, len(rows)), pack(alike, len(rows))
	var all []pairing
	for p, i := range rows {
		best, order := make([]pairing, 0, keptPartners+1), make([]uint64, 0, keptPartners+1)
		for q := p + 1; q < len(rows); q++ {
			j := rows[q]
			if cause.codes[i] == cause.codes[j] {
				continue
			}
			now := pairing{a: i, b: j}
			for k, w := range left[p] {
				now.count += differing(w ^ right[q][k])
			}
			full := len(best) == keptPartners
			if full && now.count > best[keptPartners-1].count {
				continue
			}
			for _, c := range rest {
				differ, d := c.compare(i, j)
				if differ {
					now.count++
				}
				now.distance += d
			}
			for k, w := range words[p] {
				now.unlike += differing(w ^ words[q][k])
			}
			if full && now.compare(best[keptPartners-1]) > 0 {
				continue
			}
			tie := splitmix.Mix(uint64(i)<<32 | uint64(j)) // so that not all rows have the same partners
			at := len(best)
			for at > 0 && cmp.Or(now.compare(best[at-1]), cmp.Compare(tie, order[at-1])) < 0 {
				at--
			}
			best, order = slices.Insert(best, at, now), slices.Insert(order, at, tie)
			best, order = best[:min(len(best), keptPartners)], order[:min(len(order), keptPartners)]
		}
		all = append(all, best...)
	}
	slices.SortFunc(all, func(x, y pairing) int { return cmp.Or(x.compare(y), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) })
	return apart(all, cause, set)
}

// apart chooses the first pairs of a list in which no row occurs twice.
func apart(all []pairing, cause *grouping, set []*covariate) []pairing {
	used := map[int32]bool{}
	var out []pairing
	for _, p := range all {
		if used[p.a] || used[p.b] {
			continue
		}
		used[p.a], used[p.b] = true, true
		if cause.codes[p.b] < cause.codes[p.a] {
			p.a, p.b = p.b, p.a
		}
		for k, c := range set {
			if differ, _ := c.compare(p.a, p.b); differ {
				p.differ = append(p.differ, k)
			}
		}
		if out = append(out, p); len(out) == mostTriedPairs {
			break
		}
	}
	return out
}

// pack puts the bytes of the columns of each row into words.
func pack(columns [][]uint8, rows int) [][]uint64 {
	out := make([][]uint64, rows)
	for p := range out {
		out[p] = make([]uint64, (len(columns)+7)/8)
		for k, bytes := range columns {
			out[p][k/8] |= uint64(bytes[p]) << (k % 8 * 8)
		}
	}
	return out
}

// bytes returns the codes of rows, with a byte for missing ones.
func (c *covariate) bytes(rows []int32, missing uint8) []uint8 {
	out := make([]uint8, len(rows))
	for p, row := range rows {
		if out[p] = missing; c.codes[row] >= 0 {
			out[p] = uint8(c.codes[row])
		}
	}
	return out
}

// differing counts the bytes of x that are not 0.
func differing(x uint64) int {
	x |= x >> 4
	x |= x >> 2
	x |= x >> 1
	return bits.OnesCount64(x & 0x0101010101010101)
}
