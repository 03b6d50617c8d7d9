package knowledge

import "slices"

// A set is an ascending list of column indices. It is immutable, so terms share it.
type set struct {
	at    []int32
	words []uint64 // the same as bits, computed on demand
}

func (s *set) has(i int) bool {
	_, ok := slices.BinarySearch(s.at, int32(i))
	return ok
}

// bits returns the set as d bits.
func (s *set) bits(d int) []uint64 {
	if s.words == nil {
		s.words = make([]uint64, (d+63)/64)
		for _, i := range s.at {
			setBit(s.words, int(i))
		}
	}
	return s.words
}

func joined(parts []*set) *set {
	s := &set{}
	for _, p := range parts {
		s.at = append(s.at, p.at...)
	}
	slices.Sort(s.at)
	s.at = slices.Compact(s.at)
	return s
}

func setBit(words []uint64, i int)      { words[i>>6] |= 1 << (i & 63) }
func hasBit(words []uint64, i int) bool { return words[i>>6]>>(i&63)&1 != 0 }
