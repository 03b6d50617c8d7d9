package files

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// numpyArray returns an array of NumPy with these bytes.
func numpyArray(descr string, fortran bool, shape []int, data []byte) []byte {
	head := npyHead(descr, shape)
	if fortran {
		head = bytes.Replace(head, []byte("False"), []byte("True "), 1)
	}
	return append(head, data...)
}

// TestNumbersOfNPZ checks that an array in column order is returned in row order, and that it needs 16 bytes for each number.
func TestNumbersOfNPZ(t *testing.T) {
	const rows, columns = 20, 50
	var raw []byte
	for k := range rows * columns {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(k))
	}
	for _, fortran := range []bool{false, true} {
		for memory, fits := range map[int64]bool{16 * rows * columns: true, 16*rows*columns - 1: false} {
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			w, err := z.Create("x.npy")
			must.Succeed(t, err)
			w.Write(numpyArray("<i8", fortran, []int{rows, columns}, raw))
			must.Succeed(t, z.Close())
			opt := DefaultSettings()
			opt.MaxMemory = memory
			f, err := openNPZ("x.npz", bytes.NewReader(b.Bytes()), int64(b.Len()), opt)
			must.Succeed(t, err)
			x, shape, err := f.numbers(f.member("x"), 1<<20)
			if (err == nil) != fits || err != nil && !errors.Is(err, ErrLimit) {
				t.Errorf("%d bytes: %v, want it to fit: %v", memory, err, fits)
			}
			if err != nil {
				continue
			}
			if len(shape) != 2 || shape[0] != rows || shape[1] != columns {
				t.Errorf("shape %v, want 20 and 50", shape)
			}
			for k, v := range x {
				want := float64(k)
				if fortran {
					want = float64(k%columns*rows + k/columns)
				}
				if v != want {
					t.Fatalf("column order %v: number %d is %v, want %v", fortran, k, v, want)
				}
			}
		}
	}
}

// TestVersionOfParquet checks that a footer starts with version 1: the first field is an integer with the value 1.
func TestVersionOfParquet(t *testing.T) {
	p := &parquetWriter{names: []string{"a"}, words: make([][]string, 1)}
	r := thriftReader{b: p.footer()}
	version := int64(0)
	r.structure(func(id int, typ byte) {
		if id == 1 {
			version = r.int()
			return
		}
		r.skip(typ)
	})
	if version != 1 {
		t.Errorf("version %d, want 1", version)
	}
}
