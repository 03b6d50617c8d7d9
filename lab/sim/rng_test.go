package sim

import (
	"slices"
	"testing"
)

// TestStreamsAreFrozen checks frozen values: if it fails, every published seed has changed its meaning.
func TestStreamsAreFrozen(t *testing.T) {
	for _, c := range []struct {
		seed uint64
		p    Purpose
		want []uint64
	}{
		{0, streamGraph, []uint64{0xc43865c5aa7f454, 0x966239cc1c55cb67, 0x230dcebc3a76fec7}},
		{0, streamWeights, []uint64{0x78d1e6efe95402b7, 0x38c096809c57aa0a, 0x5c13e2170d9b0b56}},
		{0, streamScales, []uint64{0x3e08ebba90f0e839, 0xe22529c5647d0af8, 0x1b1526a40f55e0f0}},
		{0, StreamNoise, []uint64{0xf73d8242e58aa0ab, 0xfd684e55846ae228, 0x2233a95e304a0877}},
		{1, streamGraph, []uint64{0x66216dc0affb68ff, 0x837c46e42e9fc998, 0x399d2b3dd20fc30a}},
		{1, StreamNoise, []uint64{0x18a6f78711a7c9b9, 0x4e67c360d1f62652, 0x5d6ef89171e0da6a}},
		{^uint64(0), StreamNoise, []uint64{0x78f42c2b890ca2d9, 0xce932a3eba4a3830, 0x360e61995a2b83db}},
	} {
		rng := Stream(c.seed, c.p)
		var got []uint64
		for range 3 {
			got = append(got, rng.Uint64())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("Stream(%#x, %d) gives %#x, want %#x", c.seed, c.p, got, c.want)
		}
	}
}

// TestStreamsDiffer checks that no two streams of small seeds share a number at the start.
func TestStreamsDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	n := 0
	for seed := range uint64(200) {
		for p := streamGraph; p <= StreamNoise; p++ {
			rng := Stream(seed, p)
			for range 10 {
				seen[rng.Uint64()] = true
				n++
			}
		}
	}
	if len(seen) != n {
		t.Errorf("%d of %d numbers are repeated", n-len(seen), n)
	}
}
