package solve_test

import (
	"testing"

	"github.com/polydag/polydag/internal/contract"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

func TestPenaltiesKeepTheLaws(t *testing.T) {
	t.Run("float64", testPenalties[float64])
	t.Run("float32", testPenalties[float32])
}

func testPenalties[T matrix.Float](t *testing.T) {
	for name, c := range map[string]struct {
		p    solve.Penalty[T]
		size float64
	}{
		"L1":  {solve.L1[T]{Lambda: 0.3}, 1},
		"MCP": {solve.MCP[T]{Lambda: 0.3, Width: 0.6}, 0.4},
	} {
		for seed := range uint64(3) {
			if err := contract.Penalty(c.p, 4, 5, c.size, seed); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
