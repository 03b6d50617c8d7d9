package wire

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// everything writes one value of each kind.
func everything() *Writer {
	w := NewWriter("test/1")
	w.Int(-7)
	w.Int(math.MaxInt)
	w.Uint64(math.MaxUint64)
	w.Float(math.NaN())
	w.Float(math.Copysign(0, -1))
	w.Bool(true)
	w.Raw([]byte("abc"))
	Ints(w, []int32{3, 0, 2})
	Floats(w, []float32{1.5, float32(math.Inf(1))})
	Floats(w, []float64{math.SmallestNonzeroFloat64})
	return w
}

func readEverything(b []byte) (bool, error) {
	r := NewReader("test/1", b)
	f32, f64 := make([]float32, 2), make([]float64, 1)
	ok := r.Int() == -7 && r.Int() == math.MaxInt && r.Uint64() == math.MaxUint64 &&
		math.Float64bits(r.Float()) == math.Float64bits(math.NaN()) && math.Signbit(r.Float()) && r.Bool() &&
		string(r.Raw()) == "abc" && slices.Equal(ReadInts[int32](r, 0, 4), []int32{3, 0, 2})
	ReadFloats(r, f32)
	ReadFloats(r, f64)
	return ok && f32[0] == 1.5 && math.IsInf(float64(f32[1]), 1) && f64[0] == math.SmallestNonzeroFloat64, r.Close()
}

func TestRoundTrip(t *testing.T) {
	if ok, err := readEverything(everything().Seal()); !ok || err != nil {
		t.Errorf("read back: %v, %v", ok, err)
	}
}

// TestDamage checks that every prefix, every prolongation and every changed byte is refused.
func TestDamage(t *testing.T) {
	b := everything().Seal()
	for n := range b {
		if _, err := readEverything(b[:n]); !errors.Is(err, ErrState) {
			t.Errorf("%d of %d bytes: %v", n, len(b), err)
		}
		c := slices.Clone(b)
		c[n] ^= 0x10
		if _, err := readEverything(c); !errors.Is(err, ErrState) {
			t.Errorf("byte %d of %d changed: %v", n, len(b), err)
		}
	}
	if _, err := readEverything(append(slices.Clone(b), 0)); !errors.Is(err, ErrState) {
		t.Errorf("a byte too many: %v", err)
	}
	if err := NewReader("test/2", b).Err(); !errors.Is(err, ErrState) {
		t.Errorf("another layout: %v", err)
	}
}

// TestContent checks that missing, extra and too long content is refused even with a valid checksum, before
// memory is allocated for it.
func TestContent(t *testing.T) {
	long := func(w *Writer) { w.Int(math.MaxInt) }
	for name, c := range map[string]struct {
		write func(*Writer)
		read  func(*Reader)
	}{
		"ints":      {long, func(r *Reader) { ReadInts[int](r, 0, 1) }},
		"floats":    {long, func(r *Reader) { ReadFloats(r, make([]float64, 3)) }},
		"raw":       {long, func(r *Reader) { r.Raw() }},
		"missing":   {func(*Writer) {}, func(r *Reader) { r.Float() }},
		"left over": {long, func(*Reader) {}},
		"range":     {long, func(r *Reader) { r.Between(0, 5) }},
	} {
		w := NewWriter("test/1")
		c.write(w)
		r := NewReader("test/1", w.Seal())
		if c.read(r); !errors.Is(r.Close(), ErrState) {
			t.Errorf("%s: no error", name)
		}
	}
}
