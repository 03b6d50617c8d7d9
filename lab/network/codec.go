package network

import (
	"math"

	"github.com/polydag/polydag/internal/wire"
)

// A Codec writes the fields of a state, or reads them, in the same order.
type Codec struct {
	w *wire.Writer // nil when reading
	r *wire.Reader
}

// Encode returns a state with the name of its layout.
func Encode(layout string, fields func(*Codec)) []byte {
	c := &Codec{w: wire.NewWriter(layout)}
	fields(c)
	return c.w.Seal()
}

// Decode reads what Encode wrote.
func Decode(layout string, state []byte, fields func(*Codec)) error {
	c := &Codec{r: wire.NewReader(layout, state)}
	fields(c)
	return c.r.Close()
}

// Int has integers.
func (c *Codec) Int(fields ...*int) {
	for _, v := range fields {
		if c.w != nil {
			c.w.Int(*v)
		} else {
			*v = c.r.Int()
		}
	}
}

// Count has the length of a list. When it reads a number outside 0 to most, the state cannot be read.
func (c *Codec) Count(n, most int) int {
	if c.w != nil {
		c.w.Int(n)
		return n
	}
	return c.r.Between(0, most)
}

// Float has numbers.
func (c *Codec) Float(fields ...*float64) {
	for _, v := range fields {
		if c.w != nil {
			c.w.Float(*v)
		} else {
			*v = c.r.Float()
		}
	}
}

// Bools has a list of known length.
func (c *Codec) Bools(list []bool) {
	for i, v := range list {
		if c.w != nil {
			c.w.Bool(v)
		} else {
			list[i] = c.r.Bool()
		}
	}
}

// Words has a list of known length.
func (c *Codec) Words(list []uint64) {
	for i, v := range list {
		if c.w != nil {
			c.w.Uint64(v)
		} else {
			list[i] = c.r.Uint64()
		}
	}
}

// Counts has a list of known length of numbers from 0 on.
func (c *Codec) Counts(list []int) {
	if c.w != nil {
		wire.Ints(c.w, list)
	} else {
		copy(list, wire.ReadInts[int](c.r, 0, math.MaxInt32))
	}
}

// Floats has lists of known lengths.
func Floats[T float32 | float64](c *Codec, lists ...[]T) {
	for _, list := range lists {
		if c.w != nil {
			wire.Floats(c.w, list)
		} else {
			wire.ReadFloats(c.r, list)
		}
	}
}
