package splitmix

import "testing"

// TestReferenceNumbers checks the first three numbers of the reference implementation (Vigna, splitmix64.c)
// with the seed 1234567.
func TestReferenceNumbers(t *testing.T) {
	state := uint64(1234567)
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		if got := Mix(state); got != want {
			t.Errorf("%d, want %d", got, want)
		}
		state += Step
	}
	if got := Mix(0); got != 0xe220a8397b1dcdaf {
		t.Errorf("the first number of the seed 0 is %#x", got)
	}
}
