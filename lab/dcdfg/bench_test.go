package dcdfg

import "testing"

// BenchmarkStep measures one step with its share of the held-out rows, on one thread.
func BenchmarkStep(b *testing.B) {
	for name, c := range map[string]struct {
		d         int
		mechanism Mechanism
	}{"d=100/linear": {100, Linear}, "d=1000/linear": {1000, Linear}, "d=1000/network": {1000, Network}} {
		b.Run(name, func(b *testing.B) {
			set := New()
			set.Mechanism = c.mechanism
			l := newLearner(set, noise(2000, c.d), 1, 1)
			b.ReportAllocs()
			for b.Loop() {
				l.Advance()
			}
		})
	}
}
