package score

import "testing"

// Terms that are remembered are those that are computed: in the table, and beyond it also where two counts share a place.
func TestRememberedTerms(t *testing.T) {
	for _, drawn := range []bool{false, true} {
		plain, own := newTerms(0.25, 1, drawn, 1<<40, gammaCounts), newTerms(0.25, 1, drawn, 1<<40, gammaCounts)
		own.keep(2 * remembered)
		if own.table[2*remembered] != unknown || own.table[gammaCounts] == unknown {
			t.Fatal("the table has no place for larger counts, or lost its own")
		}
		for range 2 {
			for c := uint32(0); c < 5*remembered; c += 7 {
				for _, k := range []uint32{c, c + remembered, c} {
					if got, want := own.of(k), plain.of(k); got != want {
						t.Fatalf("drawn %v, count %d: %d, want %d", drawn, k, got, want)
					}
				}
			}
		}
		if len(own.table) != 2*remembered+1 || own.table[2*remembered-2] == unknown || own.latest == nil {
			t.Error("nothing was remembered")
		}
	}
}
