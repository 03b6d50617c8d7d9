package cuda

import (
	"fmt"
	"slices"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
)

// A coderPlan has the memory layout of an autoencoder and the launches for a batch. Matrices of rows are n × d
// and those of the graph d × d, both padded with zeros to whole tiles. The gradients in z, in u = z + noise + c
// and in v = uY are adjacent, so that one launch computes their sums over rows, which form the gradient in c.
type coderPlan struct {
	device.Coder
	rows, columns int // padded
	at            []int
	bytes         int
}

// These are the pieces of the memory of an autoencoder: first the inputs, then the outputs.
const (
	coderSentX = iota
	coderSentNoise
	coderSentS
	coderSentY
	coderTail
	coderFoundS
	coderFoundY
	coderFoundTail // except c
	coderFoundSums // sums over the rows of three gradients
	coderLosses    // by block
	coderX
	coderNoise
	coderS
	coderTurnedS
	coderY
	coderTurnedY
	coderE
	coderM // eS, later ∂z·Sᵀ
	coderZ
	coderU
	coderV // and the input of the decoder
	coderR // x̂ - x
	coderGradE
	coderGrads // in z, u and v
	coderPartS
	coderPartY
	coderPieces
)

func newCoderPlan(p device.Problem) (*coderPlan, error) {
	c := p.Coder
	if p.Bits != 64 || p.Batch != 1 || c.Rows < 1 || c.Columns < 1 || c.Hidden < 1 {
		return nil, fmt.Errorf("%d autoencoders of %d rows and %d columns with %d units in %d bits", p.Batch, c.Rows, c.Columns, c.Hidden, p.Bits)
	}
	if c.Rows > mostRows || max(c.Columns, c.Hidden) > mostWidth {
		return nil, fmt.Errorf("%d rows of %d columns with %d units are too many for the card", c.Rows, c.Columns, c.Hidden)
	}
	pl := &coderPlan{Coder: *c, rows: filled(c.Rows, ptx.Side), columns: filled(c.Columns, ptx.Side)}
	batch, graph := 8*c.Rows*c.Columns, 8*c.Columns*c.Columns // sizes as sent
	table, square := 8*pl.rows*pl.columns, 8*pl.columns*pl.columns
	sizes := [coderPieces]int{
		coderSentX: batch, coderSentNoise: batch, coderSentS: graph, coderSentY: graph, coderTail: 8 * c.Tail(),
		coderFoundS: graph, coderFoundY: graph, coderFoundTail: 8 * (c.Tail() - 1), coderFoundSums: 8 * 3 * pl.columns, coderLosses: 8 * across(c.Rows*c.Columns),
		coderX: table, coderNoise: table, coderS: square, coderTurnedS: square, coderY: square, coderTurnedY: square,
		coderE: table, coderM: table, coderZ: table, coderU: table, coderV: table, coderR: table, coderGradE: table, coderGrads: 3 * table,
		coderPartS: square, coderPartY: square,
	}
	if most := slices.Max(sizes[:]); most/8 > 1<<31 { // the kernels index entries with 32 bits
		return nil, fmt.Errorf("a matrix of %d MiB: %d rows of %d columns are too many for the card", most>>20, c.Rows, c.Columns)
	}
	pl.at, pl.bytes = pieces(sizes[:])
	return pl, nil
}

func (p *coderPlan) launches() []start {
	d, m, ld := p.Columns, p.Hidden, p.columns
	batch, graph, wide := p.Rows*d, d*d, 3*ld
	at := func(piece int) argument { return argument{true, p.at[piece]} }
	behind := func(piece, numbers int) argument { return argument{true, p.at[piece] + 8*numbers} }
	encoder, decoder := 1, 2+3*m // in the tail, whose first number is c
	spread := func(from, to, entries, down, right int) start {
		return start{"spread", across(entries), 1, 1, []argument{at(from), at(to), is(entries), is(d), is(down), is(right)}}
	}
	byRow := func(a argument, strideA, b int, c argument, strideC int) start {
		return start{"by_row", tiles(p.rows, ld), 1, 1, []argument{a, at(b), c, is(strideA), is(ld), is(strideC), is(ld), is(0), is(ld / ptx.Side)}}
	}
	byColumn := func(a int, b argument, c int) start {
		return start{"by_column", tiles(ld, ld), 1, 1, []argument{at(a), b, at(c), is(ld), is(wide), is(ld), is(p.rows), is(0), is(ld / ptx.Side)}}
	}
	gather := func(from, to int) start {
		return start{"gather", across(graph), 1, 1, []argument{at(from), at(to), is(graph), is(d), is(ld), is(1), is(0)}}
	}
	each := func(kernel string, args ...argument) start { return start{kernel, across(batch), 1, 1, args} }
	slopes := func(x, g, net int) start {
		return start{"slopes", m + 1, 1, 1, []argument{at(x), at(g), is(ld), is(batch), is(d), behind(coderTail, net), is(m), behind(coderFoundTail, net-1)}}
	}
	gradZ, gradU, gradV := at(coderGrads), behind(coderGrads, ld), behind(coderGrads, 2*ld)
	out := []start{spread(coderSentX, coderX, batch, ld, 1)}
	if p.Noise {
		out = append(out, spread(coderSentNoise, coderNoise, batch, ld, 1))
	}
	return append(out,
		spread(coderSentS, coderS, graph, ld, 1), spread(coderSentS, coderTurnedS, graph, 1, ld),
		spread(coderSentY, coderY, graph, ld, 1), spread(coderSentY, coderTurnedY, graph, 1, ld),
		each("encode", at(coderX), at(coderE), is(ld), is(batch), is(d), behind(coderTail, encoder), is(m), at(coderTail)),
		byRow(at(coderE), ld, coderS, at(coderM), ld),
		each("between", at(coderE), at(coderM), at(coderNoise), at(coderZ), at(coderU), is(ld), is(batch), is(d), at(coderTail)),
		byRow(at(coderU), ld, coderY, at(coderV), ld),
		each("decode", at(coderV), at(coderX), at(coderZ), at(coderR), is(ld), gradV, is(wide), is(batch), is(d), behind(coderTail, decoder), is(m), at(coderTail), at(coderLosses)),
		byRow(gradV, wide, coderTurnedY, gradU, wide),
		each("plus", at(coderZ), is(ld), gradU, is(wide), gradZ, is(wide), is(batch), is(d)),
		byRow(gradZ, wide, coderTurnedS, at(coderM), ld),
		each("minus", gradZ, is(wide), at(coderM), is(ld), at(coderGradE), is(ld), is(batch), is(d)),
		byColumn(coderE, gradZ, coderPartS), byColumn(coderU, gradV, coderPartY), gather(coderPartS, coderFoundS), gather(coderPartY, coderFoundY),
		slopes(coderX, coderGradE, encoder), slopes(coderV, coderR, decoder),
		start{"sum_rows", wide / 32, 1, 1, []argument{at(coderGrads), at(coderFoundSums), is(wide), is(p.rows)}})
}
