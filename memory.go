package polydag

import "github.com/polydag/polydag/order"

// cacheBytes bounds the memory of a search's node cache. A cache that is full is emptied, which changes no result: where the
// graph is dense (d = 1000, 4d edges) a search without bound keeps 361 MB, and with this one evaluates 15 % more
// parent sets; where it is sparse (2d edges) the bound is not reached.
func cacheBytes(columns int) int64 {
	return min(order.DefaultSettings().CacheBytes, 16<<20+int64(columns)<<16)
}

// Memory returns about how many bytes a run on so many columns takes at most, the moments included: twice what it holds at a
// time, since the garbage collector lets as much again pile up, and what the process takes by itself. With a checkpoint add
// CheckpointMemory.
func (c Config) Memory(columns int) int64 {
	own := int64(6<<20) + int64(c.Threads)<<21
	var most int64
	if n, bits := c.solverMatrices(); n > 0 {
		whole := 2 // the moments and the matrix that it learns from, beside the solver's own
		if !c.Method.ofPaper() {
			whole = 4 // W and the correlations, for the smallest threshold and for pruning
		}
		most = matrixBytes(columns, 64, whole) + matrixBytes(columns, bits, n)
	}
	if c.Method == Auto || c.Method == Order {
		most = max(most, matrixBytes(columns, 64, 5)+cacheBytes(columns)*9/8)
	}
	if c.checksScale() {
		most += matrixBytes(columns, 64, 2) // the first answer waits
	}
	return own + 2*most
}

// CheckpointMemory returns about how many bytes a checkpoint takes besides: W and two moments of Adam, encoded, and the copies on
// the way to the disk; where the answer is compared with that in other units, the first answer too. The state of a search is small.
func (c Config) CheckpointMemory(columns int) int64 {
	need := int64(columns) << 10
	if n, bits := c.solverMatrices(); n > 0 {
		need += matrixBytes(columns, bits, 20)
		if c.checksScale() {
			need += matrixBytes(columns, 64, 5)
		}
	}
	return need
}

// matrixBytes is the size of n matrices.
func matrixBytes(columns, bits, n int) int64 {
	return int64(n) * int64(columns) * int64(columns) * int64(bits/8)
}

// solverMatrices counts the matrices of the method's continuous stage, and the bits of their numbers; 0 where it has none. They
// are W and its last value, two gradients and two moments of Adam, one of least squares or five of a likelihood, and those
// of the constraint.
func (c Config) solverMatrices() (n, bits int) {
	switch {
	case c.Method.ofPaper():
		return 6 + 1 + constraintMatrices(string(c.Method), c.Paper.K), c.Paper.Precision
	case c.Method == Polydag:
		return 6 + 5 + constraintMatrices(c.Path.Constraint, c.Path.K), c.Path.Precision
	}
	return 0, 0
}

func constraintMatrices(name string, k int) int {
	switch name {
	case string(PolydagPoly), "poly":
		return 4
	case string(NotearsExp), "exp":
		return 6
	}
	if k == 16 { // the scheme with the fewest
		return 8
	}
	return 12
}
