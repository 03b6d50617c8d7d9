package sample

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// Windows have 2 to d variables, each power of two equally often: 2·2^u with u uniform up to log₂(d/2 + ½).
func TestSizesOfWindows(t *testing.T) {
	const d, draws = 64, 50_000
	c := &chain{rng: rand.New(rand.NewPCG(1, 2)), order: make([]int32, d)}
	var times [d + 1]float64
	for range draws {
		times[c.size()]++
	}
	if times[0]+times[1] > 0 || times[2] == 0 || times[d] == 0 {
		t.Errorf("sizes 0 and 1 came %v times, 2 %v times and %d %v times", times[0]+times[1], times[2], d, times[d])
	}
	for low := 2; low < d; low *= 2 {
		share := 0.0
		for _, n := range times[low : 2*low] {
			share += n / draws
		}
		must.Near(t, share, 1/math.Log2(d/2+0.5), 0.01, "sizes %d to %d have the share", low, 2*low-1)
	}
}

// A node has two numbers of 8 bytes for each subset of its candidates and each variable, and at least 4 candidates are kept.
func TestCandidatesFitMemory(t *testing.T) {
	for _, c := range []struct {
		bytes   int64
		most, d int
		want    int
	}{
		{16 * 100 * 100 * 1024, 20, 100, 10},
		{16*100*100*1024 - 1600, 20, 100, 9},
		{16 * 100 * 100 * 1024, 8, 100, 8},
		{1, 20, 100, 4},
		{1 << 40, 20, 6, 5},
		{1 << 40, 20, 1, 1},
	} {
		if got := (Settings{Bytes: c.bytes, Candidates: c.most}).candidates(c.d); got != c.want {
			t.Errorf("%d bytes, at most %d of %d columns: %d candidates, want %d", c.bytes, c.most, c.d, got, c.want)
		}
	}
}

func TestWalksInRange(t *testing.T) {
	for _, c := range []struct {
		walk  Walk
		valid bool
	}{
		{Walk{Samples: 1, Thin: 1}, true},
		{Walk{Samples: 1e6, Thin: 1e6}, true},
		{Walk{Samples: 1e6, Thin: 1e6, Burn: 1}, false},
		{Walk{Samples: 1e6 + 1, Thin: 1}, false},
		{Walk{Samples: 1, Thin: 1, Chain: -1}, false},
		{Walk{Samples: 1, Thin: 1, Burn: -1}, false},
		{Walk{Thin: 1}, false},
		{Walk{Samples: 1}, false},
	} {
		if err := c.walk.Validate(); (err == nil) != c.valid {
			t.Errorf("%+v: %v", c.walk, err)
		}
	}
}

// A constant trace has nothing to explore: all its samples count.
func TestConstantTrace(t *testing.T) {
	same := trace{{3, 3, 3, 3, 3}, {3, 3, 3, 3, 3}}
	if ess, rhat := same.ess(), same.rhat(); ess != 10 || rhat != 1 {
		t.Errorf("effective sample size %v and R-hat %v, want 10 and 1", ess, rhat)
	}
}
