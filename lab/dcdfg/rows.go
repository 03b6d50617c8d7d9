package dcdfg

import (
	"context"
	"math/rand/v2"

	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/method"
)

const (
	// keptValues limits the values in memory. Of a longer table every second, third, … row is used.
	keptValues = 1 << 26
	heldEvery  = 5    // one row in this many is held out
	mostHeld   = 1024 // most rows that are held out
)

// rows are the rows of a table, standardized unless their scale is raw.
type rows struct {
	n, d        int
	values      []float32
	environment []int
	targets     [][]int // intervention targets of each environment
	training    []int32
	held        []int32
}

// readRows reads the table and sets rows apart. Environments with unknown targets count as having none.
func readRows(ctx context.Context, in *method.Input, scale network.Scale) (*rows, error) {
	read, err := network.ReadEnvironments(ctx, in, keptValues)
	if err != nil {
		return nil, err
	}
	x := &rows{n: read.N, d: read.D, environment: read.Environment, targets: read.Targets}
	if x.values, err = read.Standardized(in.Names(), scale); err != nil {
		return nil, err
	}
	x.divide(max(1, x.n/in.Copied()))
	return x, nil
}

// divide chooses the rows that are held out. The copies of a row with missing values are held out together; copy is their distance.
func (x *rows) divide(copy int) {
	every := max(heldEvery, x.n/mostHeld)
	for i := range x.n {
		if i%copy%every == every-1 {
			x.held = append(x.held, int32(i))
		} else {
			x.training = append(x.training, int32(i))
		}
	}
	if len(x.held) == 0 {
		x.held = x.training
	}
}

// row returns row i.
func (x *rows) row(i int32) []float32 { return x.values[int(i)*x.d : (int(i)+1)*x.d] }

// draw sets dst to random training rows, with replacement.
func (x *rows) draw(dst []int32, rng *rand.PCG) {
	for k := range dst {
		dst[k] = x.training[(rng.Uint64()>>32)*uint64(len(x.training))>>32]
	}
}
