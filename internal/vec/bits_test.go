package vec

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestCountBits compares every version with a loop over rows and bits, for any width, number of rows and share of set bits.
func TestCountBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	for _, isa := range available() {
		t.Run(fmt.Sprintf("kernel=%v", isa), func(t *testing.T) {
			for _, width := range []int{1, 2, 3, 4, 5, 7, 8, 13} {
				table := make([]uint64, 50*width)
				for i := range table {
					if table[i] = rng.Uint64(); i%3 == 0 {
						table[i] |= rng.Uint64() | rng.Uint64()
					}
				}
				for _, n := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 64, 100, 255, 300, 1500} {
					rows := make([]uint32, n)
					want := make([]int, 64*width)
					for i := range rows {
						rows[i] = uint32(rng.IntN(50))
						for k := range want {
							want[k] += int(table[int(rows[i])*width+k/64] >> (k % 64) & 1)
						}
					}
					depth := Planes(n)
					planes := make([]uint64, depth*width+1)
					for i := range planes {
						planes[i] = canary
					}
					countBits(isa, planes[:depth*width], table, width, rows)
					if planes[depth*width] != canary {
						t.Fatal("the word after the planes was overwritten")
					}
					checkPlanes(t, isa, planes, width, min(8, depth), want)
					got := make([]int, len(want))
					for k := range got {
						for b := range depth {
							got[k] |= int(planes[b*width+k/64]>>(k%64)&1) << b
						}
						if got[k] != want[k] {
							t.Fatalf("width %d, %d rows, bit %d: %d, want %d", width, n, k, got[k], want[k])
						}
					}
				}
			}
		})
	}
}

// checkPlanes compares the lowest bits of the counts with SpreadBits.
func checkPlanes(t *testing.T, isa isa, planes []uint64, width, depth int, want []int) {
	t.Helper()
	dst := make([]uint8, 64*width+1)
	dst[64*width] = 77
	for d := 1; d <= depth; d++ {
		spreadBits(isa, dst[:64*width], planes, width, d)
		if dst[64*width] != 77 {
			t.Fatal("the byte after the counts was overwritten")
		}
		for k, n := range want {
			if int(dst[k]) != n&(1<<d-1) {
				t.Fatalf("width %d, depth %d, bit %d: %d, want the lowest bits of %d", width, d, k, dst[k], n)
			}
		}
	}
}

func TestCountBitsRefuses(t *testing.T) {
	for name, f := range map[string]func(){
		"too few planes":   func() { CountBits(make([]uint64, 3), make([]uint64, 5), 1, []uint32{0}) },
		"part of a row":    func() { CountBits(make([]uint64, 40), make([]uint64, 5), 2, []uint32{0}) },
		"too many planes":  func() { SpreadBits(make([]uint8, 64), make([]uint64, 9), 1, 9) },
		"too small output": func() { SpreadBits(make([]uint8, 63), make([]uint64, 9), 1, 4) },
	} {
		panics(t, name, "", f)
	}
	planes := []uint64{1, 2, 3, 4}
	CountBits(planes, []uint64{5}, 1, nil)
	if planes[0]|planes[1]|planes[2]|planes[3] != 0 {
		t.Errorf("no rows: %v", planes)
	}
}

func BenchmarkCountBits(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 2))
	const n = 10000
	for _, width := range []int{2, 4, 14} {
		table := make([]uint64, n*width)
		for i := range table {
			table[i] = rng.Uint64() & rng.Uint64()
		}
		for _, cell := range []int{5, 40, 400} {
			rows := make([]uint32, cell)
			planes, dst := make([]uint64, width*Planes(cell)), make([]uint8, 64*width)
			for i := range rows {
				rows[i] = uint32(rng.IntN(n))
			}
			for _, isa := range available() {
				b.Run(fmt.Sprintf("width=%d/rows=%d/kernel=%v", width, cell, isa), func(b *testing.B) {
					for b.Loop() {
						countBits(isa, planes, table, width, rows)
						spreadBits(isa, dst, planes, width, min(8, Planes(cell)))
					}
				})
			}
		}
	}
}
