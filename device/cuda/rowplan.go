package cuda

import (
	"encoding/binary"
	"fmt"

	"github.com/polydag/polydag/device"
	"github.com/polydag/polydag/device/cuda/internal/ptx"
)

// A rowPlan is everything about a score of rows that is known before a card is: where its matrices lie, and how the rows are parted. The table X is
// n × inputs, the parameters begin with a matrix of inputs × outputs, and an evaluation is
//
//	predictors = X·parameters,   slopes and sums of them row by row,   gradient = Xᵀ·slopes,
//
// the last as parts over some of the rows each, so that there are blocks for all processors of a card, which are then summed. With networks, the sums over
// rows of a further matrix are the gradient of the parameters behind.
type rowPlan struct {
	device.Problem
	inputs, outputs, rows int // filled up to whole tiles
	beside                int // columns of the matrix beside the predictors, filled up likewise; 0 where there is none
	parts, partRows       int

	kinds []byte         // of the losses, as the kernel reads them
	at    [rowPieces]int // offset of each piece in bytes
	bytes int
}

// The pieces of the memory of a score of rows.
const (
	rowTable = iota
	rowKinds
	rowSent // parameters as they come, and the gradient as it goes, with the sums of the blocks behind it
	rowFound
	rowSums
	rowFirst // the matrix that the parameters begin with
	rowPredictors
	rowBeside
	rowParts
	rowTails // sums over the rows of each part
	rowPieces
)

// rowBlocks is the number of blocks that an evaluation is to have at least where there is enough to do: about two for each processor of a large card. rowSumBlocks is the
// most that leave a sum each.
const (
	rowBlocks    = 264
	rowSumBlocks = 512
)

func newRowPlan(p device.Problem) (*rowPlan, error) {
	r := p.Rows
	if p.Bits != 32 && p.Bits != 64 || p.Batch != 1 || r.N < 1 || r.Inputs < 2 || r.Outputs < 1 || r.Hidden < 0 {
		return nil, fmt.Errorf("values of %d scores of %d rows with %d and %d columns, %d units and %d bits", p.Batch, r.N, r.Inputs, r.Outputs, r.Hidden, p.Bits)
	}
	if r.Hidden > 0 && (p.Bits != 64 || r.Outputs != r.Hidden*(r.Inputs-1)) || r.Hidden == 0 && r.Outputs != r.Inputs-1 {
		return nil, fmt.Errorf("%d columns with ones make %d predictors, %d for each column, in %d bits", r.Inputs, r.Outputs, r.Hidden, p.Bits)
	}
	kinds, err := lossKinds(r)
	if err != nil {
		return nil, err
	}
	up := func(n, to int) int { return (n + to - 1) / to * to }
	pl := &rowPlan{Problem: p, kinds: kinds, inputs: up(r.Inputs, ptx.Side), outputs: up(r.Outputs, ptx.Side)}
	if r.Hidden > 0 {
		pl.beside = up(r.Tail(), 32)
	}
	tiles := pl.inputs / ptx.Side * (pl.outputs / ptx.Side)
	pl.parts = max(1, min((rowBlocks+tiles-1)/tiles, (r.N+ptx.Side-1)/ptx.Side))
	pl.partRows = up((r.N+pl.parts-1)/pl.parts, ptx.Slab)
	pl.rows = up(pl.parts*pl.partRows, ptx.Side)
	number := p.Bits / 8
	for piece, size := range [rowPieces]int{
		rowTable: number * pl.rows * pl.inputs, rowKinds: len(kinds),
		rowSent: number * r.Parameters(), rowFound: number * r.Parameters(), rowSums: 8 * pl.sums(),
		rowFirst: number * pl.inputs * pl.outputs, rowPredictors: number * pl.rows * pl.outputs, rowBeside: number * pl.rows * pl.beside,
		rowParts: number * pl.parts * pl.inputs * pl.outputs, rowTails: number * pl.parts * pl.beside,
	} {
		if size/number > 1<<31 { // the kernels count entries in words
			return nil, fmt.Errorf("a matrix of %d MiB: %d rows with %d predictors are too many for the card", size>>20, r.N, r.Outputs)
		}
		pl.at[piece] = pl.bytes
		pl.bytes += up(size, 256)
	}
	return pl, nil
}

// lossKinds writes a word for each predictor.
func lossKinds(r *device.Rows) ([]byte, error) {
	var out []byte
	if r.Hidden > 0 {
		return nil, nil
	}
	numbers := map[device.LossKind]uint32{
		device.SquaredLoss: ptx.LossSquared, device.LogisticLoss: ptx.LossLogistic, device.PoissonLoss: ptx.LossPoisson, device.SoftmaxLoss: ptx.LossSoftmax,
	}
	for _, l := range r.Losses {
		number, ok := numbers[l.Kind]
		if !ok || l.Width < 1 || l.Width > 1 && l.Kind != device.SoftmaxLoss {
			return nil, fmt.Errorf("the loss %q of %d predictors is not known here", l.Kind, l.Width)
		}
		out = binary.LittleEndian.AppendUint32(out, number|uint32(l.Width)<<8)
		for range l.Width - 1 {
			out = binary.LittleEndian.AppendUint32(out, ptx.LossInside)
		}
	}
	if len(out) != 4*r.Outputs { // the card would read and write beyond
		return nil, fmt.Errorf("losses of %d predictors, want %d", len(out)/4, r.Outputs)
	}
	return out, nil
}

// items is the number of pieces of work between the products: columns of rows.
func (p *rowPlan) items() int {
	if p.Rows.Hidden > 0 {
		return p.Rows.N * (p.Rows.Inputs - 1)
	}
	return p.Rows.N * p.Rows.Outputs
}

// sums is the number of blocks between the products.
func (p *rowPlan) sums() int { return min((p.items()+ptx.Threads-1)/ptx.Threads, rowSumBlocks) }

// A rowLaunch is one launch of an evaluation. Arguments that are pieces of the memory are marked, so that a plan has no addresses.
type rowLaunch struct {
	kernel  string
	x, y, z int
	args    []rowArg
}

type rowArg struct {
	piece bool
	value int
}

// launches of an evaluation, one after the other.
func (p *rowPlan) launches() []rowLaunch {
	r, number := p.Rows, p.Bits/8
	at := func(piece int) rowArg { return rowArg{true, p.at[piece]} }
	is := func(v int) rowArg { return rowArg{false, v} }
	behind := func(piece, entries int) rowArg { return rowArg{true, p.at[piece] + number*entries} }
	over := func(entries int) int { return min((entries+ptx.Threads-1)/ptx.Threads, 1024) }
	first := r.Inputs * r.Outputs
	out := []rowLaunch{
		{"spread", over(first), 1, 1, []rowArg{at(rowSent), at(rowFirst), is(first), is(r.Outputs), is(p.outputs)}},
		{"by_row", p.outputs / ptx.Side, p.rows / ptx.Side, 1, []rowArg{
			at(rowTable), at(rowFirst), at(rowPredictors), is(p.inputs), is(p.outputs), is(p.outputs), is(p.inputs), is(0),
		}},
	}
	if r.Hidden > 0 {
		out = append(out,
			rowLaunch{"units", p.sums(), 1, 1, []rowArg{
				at(rowTable), is(p.inputs), at(rowPredictors), is(p.outputs), at(rowBeside), is(p.beside), behind(rowSent, first), is(r.N), is(r.Inputs - 1), is(r.Hidden), at(rowSums),
			}},
			rowLaunch{"sum_rows", p.beside / 32, 1, p.parts, []rowArg{at(rowBeside), at(rowTails), is(p.beside), is(p.partRows)}},
			rowLaunch{"gather", over(r.Tail()), 1, 1, []rowArg{at(rowTails), behind(rowFound, first), is(r.Tail()), is(r.Tail()), is(p.beside), is(p.parts), is(p.beside)}})
	} else {
		out = append(out, rowLaunch{"losses", p.sums(), 1, 1, []rowArg{
			at(rowTable), is(p.inputs), at(rowPredictors), is(p.outputs), at(rowKinds), is(r.N), is(r.Outputs), at(rowSums),
		}})
	}
	part := p.inputs * p.outputs
	return append(out,
		rowLaunch{"by_column", p.outputs / ptx.Side, p.inputs / ptx.Side, p.parts, []rowArg{
			at(rowTable), at(rowPredictors), at(rowParts), is(p.inputs), is(p.outputs), is(p.outputs), is(p.partRows), is(number * part),
		}},
		rowLaunch{"gather", over(first), 1, 1, []rowArg{at(rowParts), at(rowFound), is(first), is(r.Outputs), is(p.outputs), is(p.parts), is(part)}})
}
