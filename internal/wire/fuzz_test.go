package wire

import (
	"errors"
	"hash/crc32"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// FuzzReader reads any bytes under a right checksum in any order of calls. No call panics or returns more than the bytes allow, every call after
// a fault returns zero, and Close says what is wrong.
func FuzzReader(f *testing.F) {
	calls := []byte{0, 1, 2, 3, 4, 5, 6, 5, 4}
	w := NewWriter("x/1")
	w.Int(42)
	w.Uint64(7)
	w.Float(0.5)
	w.Bool(true)
	w.Raw([]byte("raw"))
	Ints(w, []int{1, 2, 3})
	Floats(w, []float64{1, 2})
	Ints(w, []int{-1})
	w.Raw(nil)
	sealed := w.Seal()
	for _, text := range must.Mutants(2000, append(sealed[:len(sealed)-crc32.Size:len(sealed)-crc32.Size], calls...)) {
		f.Add(text, len(calls))
	}
	f.Fuzz(func(t *testing.T, text []byte, n int) {
		cut := max(0, len(text)-min(max(n, 0), len(text)))
		w := &Writer{b: text[:cut:cut]}
		r := NewReader("x/1", w.Seal())
		for _, call := range text[cut:] {
			failed := r.Err() != nil
			var size int
			switch call % 7 {
			case 0:
				size = min(1, max(r.Int(), -r.Int()))
			case 1:
				size = int(min(1, r.Uint64()))
			case 2:
				r.Float()
			case 3:
				r.Bool()
			case 4:
				size = len(r.Raw())
			case 5:
				size = len(ReadInts[int32](r, -5, 5))
			default:
				ReadFloats(r, make([]float64, 2))
			}
			if failed && size != 0 || size > len(text) {
				t.Fatalf("call %d gives %d of %d bytes, after a fault: %t", call%7, size, len(text), failed)
			}
		}
		if failed := r.Err(); failed != nil && (!errors.Is(failed, ErrState) || r.Close() != failed) {
			t.Fatalf("fault %v, at the end %v", failed, r.Close())
		}
	})
}
