package emulator

import (
	"fmt"
	"strings"
)

// decodeShuffle decodes shfl.sync.mode.b32 d, a, b, c, lanes, which gives each lane the a of another lane of
// its warp: b below for up, b above for down, xor b for bfly, b for idx. c limits the lanes. All named lanes
// must participate.
func decodeShuffle(k *kernel, in *instruction, parts, operands []string) error {
	mode := strings.Join(parts, ".")
	other := map[string]func(lane, b, least uint64) uint64{
		"sync.up.b32":   func(lane, b, least uint64) uint64 { return lane - b },
		"sync.down.b32": func(lane, b, least uint64) uint64 { return lane + b },
		"sync.bfly.b32": func(lane, b, least uint64) uint64 { return lane ^ b },
		"sync.idx.b32":  func(lane, b, least uint64) uint64 { return least | b },
	}[mode]
	if other == nil || len(operands) != 5 {
		return fmt.Errorf("the instruction %s of %d operands is not known here", in.name, len(operands))
	}
	up := mode == "sync.up.b32"
	in.run = func(b *block, in *instruction, on []int32) {
		to, from, by, bound, wanted := in.at[0], in.at[1], in.at[2], in.at[3], in.at[4]
		var values [lanes]uint64
		for first := 0; first < len(on); {
			warp, end, here := on[first]/lanes, first, uint64(0)
			for ; end < len(on) && on[end]/lanes == warp; end++ {
				here |= 1 << (on[end] % lanes)
				values[on[end]%lanes] = from[on[end]]
			}
			for _, t := range on[first:end] {
				lane := uint64(t) % lanes
				if wanted[t]&^here != 0 || here&^wanted[t] != 0 {
					b.fail(t, "lanes %08x of its warp are here, and %08x have to be", here, wanted[t])
					return
				}
				segment := bound[t] >> 8 & 31
				least, most := lane&segment, lane&segment|bound[t]&31&^segment
				at := other(lane, by[t]&31, least)
				if inside := int64(at) <= int64(most); up && int64(at) < int64(most) || !up && !inside {
					at = lane
				}
				to[t] = values[at]
			}
			first = end
		}
	}
	return k.operands(in, 1, []string{"b32", "b32", "u32", "u32", "b32"}, operands)
}
