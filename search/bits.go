package search

import "math/bits"

// bitRows is a square matrix of bits, d²/8 bytes.
type bitRows struct {
	stride int
	words  []uint64
}

func newBitRows(d int) bitRows {
	stride := (d + 63) / 64
	return bitRows{stride: stride, words: make([]uint64, d*stride)}
}

func (b *bitRows) row(i int) []uint64 { return b.words[i*b.stride : (i+1)*b.stride] }
func (b *bitRows) has(i, j int) bool  { return b.words[i*b.stride+j>>6]>>(j&63)&1 != 0 }
func (b *bitRows) set(i, j int)       { b.words[i*b.stride+j>>6] |= 1 << (j & 63) }
func (b *bitRows) clear(i, j int)     { b.words[i*b.stride+j>>6] &^= 1 << (j & 63) }

// appendRow appends the members of row i to dst in ascending order.
func (b *bitRows) appendRow(dst []int32, i int) []int32 {
	for w, word := range b.row(i) {
		for ; word != 0; word &= word - 1 {
			dst = append(dst, int32(w<<6+bits.TrailingZeros64(word)))
		}
	}
	return dst
}
