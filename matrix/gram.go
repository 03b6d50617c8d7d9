package matrix

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/internal/vec"
)

// A Gram is the d×d matrix of the inner products of d vectors of length 1, such as the correlations of a table with
// more columns than rows. It does not store its entries: At computes one from the vectors. For screening it holds every
// entry in 16 bits, accurate to Slack, and for speed the largest entries as At computes them. With n components it takes
// at most 14·n·d + 2·d² bytes instead of the 8·d² of a Dense.
//
// A Gram never changes, and several goroutines may read it.
type Gram struct {
	n       int
	vectors [][]float64
	squares []int64 // see Squares

	// coarse has the entries in units of CoarseUnit, in the order of the vectors that NewGram got. Its rows are padded with zeros.
	coarse []int16
	stride int
	place  []int32 // row of coarse of each vector
	vector []int32 // vector of each row of coarse
	large  []largeRow
}

// largeRow has the largest entries of a row of coarse off the diagonal: their places, ascending, and their exact values.
type largeRow struct {
	places []int32
	values []float64
}

// CoarseUnit is the unit of the 16-bit entries of a Gram.
const CoarseUnit = 1.0 / math.MaxInt16

// gramTile is the number of rows and columns that NewGram and Of compute at once.
const gramTile = 256

// NewGram returns the inner products of vectors of n components and length 1. They stand one after the other in data,
// which the Gram keeps. It costs n·d² multiplications and as many additions.
func NewGram(data []float64, n, threads int) *Gram {
	if n < 1 || len(data)%n != 0 {
		panic(fmt.Sprintf("matrix: a Gram of %d values with %d components per vector", len(data), n))
	}
	d := len(data) / n
	stride := (d + vec.CoarseColumns - 1) / vec.CoarseColumns * vec.CoarseColumns
	g := &Gram{n: n, vectors: make([][]float64, d), squares: make([]int64, d), coarse: make([]int16, d*stride), stride: stride, place: make([]int32, d), vector: make([]int32, d)}
	for i := range g.vectors {
		g.vectors[i], g.place[i], g.vector[i] = data[i*n:(i+1)*n], int32(i), int32(i)
	}
	threads = max(1, threads)
	sums := make([][]int64, threads)
	tiles := (d + gramTile - 1) / gramTile
	parallel.Each(context.Background(), tiles, threads, func(worker int) func(int) {
		sums[worker] = make([]int64, d)
		c, q := make([]float64, gramTile*gramTile), make([]int16, gramTile*gramTile)
		return func(tile int) {
			i0 := tile * gramTile
			i1 := min(i0+gramTile, d)
			for j0 := i0; j0 < d; j0 += gramTile {
				j1 := min(j0+gramTile, d)
				gemm.Gemm(false, true, i1-i0, j1-j0, n, 1, data[i0*n:], n, data[j0*n:], n, 0, c, gramTile, 1)
				g.round(c, q, i0, i1, j0, j1, sums[worker])
			}
		}
	})
	for _, s := range sums {
		for i, v := range s {
			g.squares[i] += v
		}
	}
	g.keepLarge(threads)
	return g
}

// keepLarge stores the entries that chance rarely reaches, three and a half standard errors, but at most about n/2 per
// row. The searches ask for most of these again and again.
func (g *Gram) keepLarge(threads int) {
	d := g.Len()
	var count [math.MaxInt16 + 1]int // counts for a part of the rows
	step := max(1, d/512)
	for i := 0; i < d; i += step {
		for _, q := range g.coarse[i*g.stride : i*g.stride+d] {
			count[max(q, -q)]++
		}
	}
	bound, kept := math.MaxInt16, 0
	for most := (d + step - 1) / step * (g.n/2 + 1); bound > 1 && kept+count[bound] <= most; bound-- {
		kept += count[bound]
	}
	bound = max(bound, int(3.5/math.Sqrt(float64(g.n))/CoarseUnit))
	g.large = make([]largeRow, d)
	parallel.For(d, threads, func(i int) {
		row := &g.large[i]
		for x, q := range g.coarse[i*g.stride : i*g.stride+d] {
			if int(max(q, -q)) >= bound && x != i {
				row.places = append(row.places, int32(x))
				row.values = append(row.values, g.product(i, x))
			}
		}
		row.places, row.values = slices.Clip(row.places), slices.Clip(row.values)
	})
}

// product computes the entry between two vectors.
func (g *Gram) product(i, j int) float64 {
	return max(-1, min(1, vec.Dot(g.vectors[i], g.vectors[j])))
}

// round stores a tile of products c on or above the diagonal in 16 bits, in both triangles, and adds the squares to sums.
func (g *Gram) round(c []float64, q []int16, i0, i1, j0, j1 int, sums []int64) {
	for i := i0; i < i1; i++ {
		from, to := c[(i-i0)*gramTile:], q[(i-i0)*gramTile:][:j1-j0]
		own := int64(0)
		for j := range to {
			r := from[j]
			to[j] = int16(math.Round(max(-1, min(1, r)) / CoarseUnit))
			if j0+j > i {
				square := int64(min(1, r*r) * (1 << squareBits))
				own += square
				sums[j0+j] += square
			}
		}
		sums[i] += own
		copy(g.coarse[i*g.stride+j0:], to)
	}
	if i0 == j0 {
		return // a tile on the diagonal is symmetric
	}
	for j := j0; j < j1; j++ {
		to := g.coarse[j*g.stride+i0:][:i1-i0]
		for i := range to {
			to[i] = q[i*gramTile+j-j0]
		}
	}
}

// Len returns d.
func (g *Gram) Len() int { return len(g.vectors) }

// Components returns the length of the vectors, n.
func (g *Gram) Components() int { return g.n }

// Vector returns vector i, which must not be changed.
func (g *Gram) Vector(i int) []float64 { return g.vectors[i] }

// At returns entry (i, j) in double precision, from n multiplications or from memory. It lies in [-1, 1], and is exactly 1 on the diagonal.
func (g *Gram) At(i, j int) float64 {
	if i == j {
		return 1
	}
	row := &g.large[g.place[i]]
	if at, ok := slices.BinarySearch(row.places, g.place[j]); ok {
		return row.values[at]
	}
	return g.product(i, j)
}

// Fill writes the entries between vector i and the vectors at the given places of a row of Coarse, ascending, to dst, or NaN
// where At would compute them.
func (g *Gram) Fill(dst []float64, i int, places []int32) {
	row := &g.large[g.place[i]]
	at := 0
	for k, x := range places {
		for at < len(row.places) && row.places[at] < x {
			at++
		}
		dst[k] = math.NaN()
		if at < len(row.places) && row.places[at] == x {
			dst[k] = row.values[at]
		}
	}
}

// Of returns the entries between the vectors of these indices, a new matrix.
func (g *Gram) Of(index []int) *Dense[float64] {
	d := len(index)
	r := New[float64](d, d)
	for i0 := 0; i0 < d; i0 += gramTile {
		for j0 := 0; j0 <= i0; j0 += gramTile {
			for i := i0; i < min(i0+gramTile, d); i++ {
				for j := j0; j < min(j0+gramTile, i+1); j++ {
					v := g.At(index[i], index[j])
					r.Set(i, j, v)
					r.Set(j, i, v)
				}
			}
		}
	}
	return r
}

// Dense returns all entries, a new matrix.
func (g *Gram) Dense() *Dense[float64] {
	all := make([]int, g.Len())
	for i := range all {
		all[i] = i
	}
	return g.Of(all)
}

// Arranged returns the matrix with vector order[i] in place i. It shares memory with g. O(d).
func (g *Gram) Arranged(order []int) *Gram {
	out := *g
	d := len(order)
	out.vectors, out.squares, out.place, out.vector = make([][]float64, d), make([]int64, d), make([]int32, d), make([]int32, d)
	for i, v := range order {
		out.vectors[i], out.squares[i], out.place[i] = g.vectors[v], g.squares[v], g.place[v]
		out.vector[out.place[i]] = int32(i)
	}
	return &out
}

// squareBits is the number of binary digits of Squares.
const squareBits = 40

// Squares returns the sum of the squares of row i without the diagonal, in multiples of 2⁻⁴⁰ to which each is rounded
// down. As a sum of integers it does not depend on the order of the vectors.
func (g *Gram) Squares(i int) int64 { return g.squares[i] }

// Coarse returns row i in units of CoarseUnit, padded with zeros to a multiple of vec.CoarseColumns. Entry x belongs to
// vector Column(x). It must not be changed.
func (g *Gram) Coarse(i int) []int16 {
	at := int(g.place[i]) * g.stride
	return g.coarse[at : at+g.stride]
}

// Column returns the vector of entry x of a row of Coarse, or -1 for the padding.
func (g *Gram) Column(x int) int32 {
	if x >= len(g.vector) {
		return -1
	}
	return g.vector[x]
}

// Slack bounds the error of an entry of Coarse: half a unit, and the rounding of a sum of n products.
func (g *Gram) Slack() float64 { return CoarseUnit/2 + float64(g.n)*0x1p-50 }

// Near returns the vectors other than i whose entry with it is at least least in size, ascending, and a few that are
// slightly below.
func (g *Gram) Near(i int, least float64) []int {
	bound := int16(max(0, (least-g.Slack())/CoarseUnit))
	var out []int
	for x, q := range g.Coarse(i)[:len(g.vectors)] {
		if j := int(g.vector[x]); (q >= bound || q <= -bound) && j != i {
			out = append(out, j)
		}
	}
	slices.Sort(out)
	return out
}
