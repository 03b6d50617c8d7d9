package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
)

// A rowPlan has everything about a score of rows that does not depend on the GPU: its memory layout and the
// partition of the rows. The table X is n × inputs, the parameters begin with a matrix of inputs × outputs, and
// an evaluation is
//
//	predictors = X·parameters,   slopes and sums of them row by row,   gradient = Xᵀ·slopes,
//
// where the gradient is computed in parts of the rows, so that there are blocks for all multiprocessors, and
// then summed. With networks, the sums over rows of another matrix are the gradient of the remaining
// parameters.
type rowPlan struct {
	device.Problem
	inputs, outputs, rows int // padded to whole tiles
	beside                int // padded columns of the matrix next to the predictors; 0 if there is none
	parts, partRows       int

	kinds []byte // losses in the format of the kernel
	at    []int  // offset of each piece in bytes
	bytes int
}

// These are the pieces of the memory of a score of rows.
const (
	rowTable = iota
	rowKinds
	rowSent // parameters as received and the gradient as sent, followed by the sums of the blocks
	rowFound
	rowSums
	rowFirst // the first matrix of the parameters
	rowPredictors
	rowSlopes // slopes, if they are not stored in place
	rowBeside
	rowParts
	rowTails // sums over the rows of each part
	rowPieces
)

// rowBlocks is the target number of blocks of an evaluation: about two per multiprocessor of a large GPU.
// rowSumBlocks is the largest number of blocks with a sum each.
const (
	rowBlocks    = 264
	rowSumBlocks = 512
)

func newRowPlan(p device.Problem) (*rowPlan, error) {
	r := p.Rows
	if p.Bits != 32 && p.Bits != 64 || p.Batch != 1 || r.N < 1 || r.Inputs < 2 || r.Outputs < 1 || r.Hidden < 0 {
		return nil, fmt.Errorf("values of %d scores of %d rows with %d and %d columns, %d units and %d bits", p.Batch, r.N, r.Inputs, r.Outputs, r.Hidden, p.Bits)
	}
	if r.N > mostRows || max(r.Inputs, r.Outputs, r.Hidden) > mostWidth {
		return nil, fmt.Errorf("%d rows with %d and %d columns and %d units are too many for the card", r.N, r.Inputs, r.Outputs, r.Hidden)
	}
	if r.Hidden > 0 && (p.Bits != 64 || r.Outputs != r.Hidden*(r.Inputs-1)) || r.Hidden == 0 && r.Outputs != r.Inputs-1 {
		return nil, fmt.Errorf("%d columns with ones make %d predictors, %d for each column, in %d bits", r.Inputs, r.Outputs, r.Hidden, p.Bits)
	}
	if r.Deep && (r.Hidden == 0 || !(r.Leak > 0)) {
		return nil, fmt.Errorf("two layers of %d units with a slope of %v below zero", r.Hidden, r.Leak)
	}
	kinds, err := lossKinds(r)
	if err != nil {
		return nil, err
	}
	pl := &rowPlan{Problem: p, kinds: kinds, inputs: filled(r.Inputs, ptx.Side), outputs: filled(r.Outputs, ptx.Side)}
	if r.Hidden > 0 {
		pl.beside = filled(r.Tail(), 32)
	}
	blocks := tiles(pl.inputs, pl.outputs)
	pl.parts = max(1, min((rowBlocks+blocks-1)/blocks, (r.N+ptx.Side-1)/ptx.Side))
	pl.partRows = filled((r.N+pl.parts-1)/pl.parts, ptx.Slab)
	pl.rows = filled(pl.parts*pl.partRows, ptx.Side)
	number := p.Bits / 8
	sizes := [rowPieces]int{
		rowTable: number * pl.rows * pl.inputs, rowKinds: len(kinds),
		rowSent: number * r.Parameters(), rowFound: number * r.Parameters(), rowSums: 8 * pl.sums(),
		rowFirst: number * pl.inputs * pl.outputs, rowPredictors: number * pl.rows * pl.outputs, rowBeside: number * pl.rows * pl.beside,
		rowParts: number * pl.parts * pl.inputs * pl.outputs, rowTails: number * pl.parts * pl.beside,
	}
	if most := number * max(r.N*r.Inputs, r.Parameters()); most > device.MaxBlob {
		return nil, fmt.Errorf("a table or parameters of %d MiB: a message to the card has at most %d MiB", most>>20, device.MaxBlob>>20)
	}
	if r.Deep {
		sizes[rowSlopes] = sizes[rowPredictors]
	}
	if most := slices.Max(sizes[:]); most/number > 1<<31 { // the kernels index entries with 32 bits
		return nil, fmt.Errorf("a matrix of %d MiB: %d rows with %d predictors are too many for the card", most>>20, r.N, r.Outputs)
	}
	pl.at, pl.bytes = pieces(sizes[:])
	return pl, nil
}

func lossKinds(r *device.Rows) ([]byte, error) {
	var out []byte
	if r.Hidden > 0 {
		return nil, nil
	}
	numbers := map[device.LossKind]uint32{
		device.SquaredLoss: ptx.LossSquared, device.LogisticLoss: ptx.LossLogistic, device.PoissonLoss: ptx.LossPoisson, device.SoftmaxLoss: ptx.LossSoftmax,
	}
	left := r.Outputs
	for _, l := range r.Losses {
		number, ok := numbers[l.Kind]
		if !ok || l.Width < 1 || l.Width > 1 && l.Kind != device.SoftmaxLoss {
			return nil, fmt.Errorf("the loss %q of %d predictors is not known here", l.Kind, l.Width)
		}
		if left -= l.Width; left < 0 {
			break
		}
		out = binary.LittleEndian.AppendUint32(out, number|uint32(l.Width)<<8)
		for range l.Width - 1 {
			out = binary.LittleEndian.AppendUint32(out, ptx.LossInside)
		}
	}
	if left != 0 { // the GPU would read and write out of bounds
		return nil, fmt.Errorf("the losses of the columns are not those of %d predictors", r.Outputs)
	}
	return out, nil
}

// items returns the number of work items between the products: columns of rows.
func (p *rowPlan) items() int {
	if p.Rows.Hidden > 0 {
		return p.Rows.N * (p.Rows.Inputs - 1)
	}
	return p.Rows.N * p.Rows.Outputs
}

func (p *rowPlan) sums() int { return min((p.items()+ptx.Threads-1)/ptx.Threads, rowSumBlocks) }

func (p *rowPlan) launches() []start {
	r, number := p.Rows, p.Bits/8
	at := func(piece int) argument { return argument{true, p.at[piece]} }
	behind := func(piece, entries int) argument { return argument{true, p.at[piece] + number*entries} }
	first := r.Inputs * r.Outputs
	out := []start{
		{"spread", across(first), 1, 1, []argument{at(rowSent), at(rowFirst), is(first), is(r.Outputs), is(p.outputs), is(1)}},
		{"by_row", tiles(p.rows, p.outputs), 1, 1, []argument{
			at(rowTable), at(rowFirst), at(rowPredictors), is(p.inputs), is(p.outputs), is(p.outputs), is(p.inputs), is(0), is(p.outputs / ptx.Side),
		}},
	}
	slopes, tail := rowPredictors, first+r.Middle()
	switch {
	case r.Deep:
		deviates := 1
		if r.Constant {
			deviates = 0
		}
		slopes = rowSlopes
		out = append(out,
			start{"deep", p.sums(), 1, 1, []argument{
				at(rowTable), is(p.inputs), at(rowPredictors), at(rowSlopes), is(p.outputs), at(rowBeside), is(p.beside),
				behind(rowSent, first), is(r.N), is(r.Inputs - 1), is(r.Hidden), is(deviates), is(int(math.Float64bits(r.Leak))), at(rowSums),
			}},
			start{"joints", across(r.Middle()), 1, 1, []argument{
				at(rowPredictors), is(p.outputs), at(rowBeside), is(p.beside), behind(rowFound, first), is(r.Middle()), is(r.Hidden), is(r.N),
			}})
	case r.Hidden > 0:
		out = append(out, start{"units", p.sums(), 1, 1, []argument{
			at(rowTable), is(p.inputs), at(rowPredictors), is(p.outputs), at(rowBeside), is(p.beside), behind(rowSent, first), is(r.N), is(r.Inputs - 1), is(r.Hidden), at(rowSums),
		}})
	default:
		out = append(out, start{"losses", p.sums(), 1, 1, []argument{
			at(rowTable), is(p.inputs), at(rowPredictors), is(p.outputs), at(rowKinds), is(r.N), is(r.Outputs), at(rowSums),
		}})
	}
	if r.Hidden > 0 {
		out = append(out,
			start{"sum_rows", p.beside / 32, 1, p.parts, []argument{at(rowBeside), at(rowTails), is(p.beside), is(p.partRows)}},
			start{"gather", across(r.Tail()), 1, 1, []argument{at(rowTails), behind(rowFound, tail), is(r.Tail()), is(r.Tail()), is(p.beside), is(p.parts), is(p.beside)}})
	}
	part := p.inputs * p.outputs
	return append(out,
		start{"by_column", tiles(p.inputs, p.outputs), 1, p.parts, []argument{
			at(rowTable), at(slopes), at(rowParts), is(p.inputs), is(p.outputs), is(p.outputs), is(p.partRows), is(number * part), is(p.outputs / ptx.Side),
		}},
		start{"gather", across(first), 1, 1, []argument{at(rowParts), at(rowFound), is(first), is(r.Outputs), is(p.outputs), is(p.parts), is(part)}})
}
