package score

import (
	"math"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestBits checks the conversion on a fair coin that an edge determines: 1 bit per row, and ln 2 per row in each of the two log-likelihoods.
func TestBits(t *testing.T) {
	must.Same(t, Bits(2*50*math.Ln2, 50), 1)
	must.Same(t, DeltaBIC(1, 50), 2*50*math.Ln2)
}
