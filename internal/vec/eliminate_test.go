package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestEliminate(t *testing.T) {
	t.Run("float32", testEliminate[float32])
	t.Run("float64", testEliminate[float64])
}

// Every version against the definition, with numbers around the rows that must stay; the assembly versions agree bit for bit.
func testEliminate[T Float](t *testing.T) {
	const width = EliminateWidth
	for rows := range 20 {
		for _, k := range []int{0, 7, 8, 15} {
			rng := rand.New(rand.NewPCG(uint64(rows), uint64(k)))
			y, x := random[T](rng, (rows+2)*width), random[T](rng, width)
			var first []T
			for at, version := range available() {
				got := append([]T(nil), y...)
				inner := got[width : (rows+1)*width]
				if rows > 0 {
					eliminate(version, inner, k, x)
				}
				for i, v := range got {
					want := float64(y[i])
					if r := i/width - 1; r >= 0 && r < rows {
						want += float64(y[(r+1)*width+k]) * float64(x[i%width])
					}
					checkNear(t, fmt.Sprintf("%v, %d rows, column %d: [%d]", version, rows, k, i), float64(v), want, 2*unit[T]()*math.Abs(want))
				}
				if at == 1 {
					first = got
				}
				for i := range first {
					if got[i] != first[i] {
						t.Fatalf("%v, %d rows, column %d: [%d] is %v, in another instruction set %v", version, rows, k, i, got[i], first[i])
					}
				}
			}
		}
	}
	Eliminate[T](nil, 0, make([]T, width))
}

func TestEliminateRefuses(t *testing.T) {
	for _, c := range []struct{ y, k, x int }{{15, 0, 16}, {16, 16, 16}, {16, -1, 16}, {16, 0, 15}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was accepted", c)
				}
			}()
			Eliminate(make([]float64, c.y), c.k, make([]float64, c.x))
		}()
	}
}
