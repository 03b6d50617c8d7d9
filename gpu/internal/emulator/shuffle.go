package emulator

import (
	"fmt"
	"strings"
)

// decodeShuffle decodes shfl.sync.down.b32 d, a, b, 31, lanes, which gives each lane of a warp the a of the lane that is b
// further, or its own a if there is none. All named lanes must participate.
func decodeShuffle(k *kernel, in *instruction, parts, operands []string) error {
	if strings.Join(parts, ".") != "sync.down.b32" || len(operands) != 5 || operands[3] != "31" {
		return fmt.Errorf("the instruction %s of %d operands is not known here", in.name, len(operands))
	}
	in.run = func(b *block, in *instruction, on []int32) {
		to, from, by, wanted := in.at[0], in.at[1], in.at[2], in.at[4]
		var values [lanes]uint64
		for first := 0; first < len(on); {
			warp, end, here := on[first]/lanes, first, uint64(0)
			for ; end < len(on) && on[end]/lanes == warp; end++ {
				here |= 1 << (on[end] % lanes)
				values[on[end]%lanes] = from[on[end]]
			}
			for _, t := range on[first:end] {
				if wanted[t] != here {
					b.fail(t, "lanes %08x of its warp are here, and %08x have to be", here, wanted[t])
					return
				}
				lane := uint64(t) % lanes
				if at := lane + by[t]&31; at < lanes {
					lane = at
				}
				to[t] = values[lane]
			}
			first = end
		}
	}
	return k.operands(in, 1, []string{"b32", "b32", "u32", "u32", "b32"}, operands)
}
