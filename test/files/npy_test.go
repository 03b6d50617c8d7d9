package files_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
)

// Every element type in both byte orders and both orders of storage.
func TestNPYTypes(t *testing.T) {
	values := []float64{0, 1, 2, 3, 100, 7} // fit every type
	half := map[float64]uint16{0: 0, 1: 0x3c00, 2: 0x4000, 3: 0x4200, 100: 0x5640, 7: 0x4700}
	for _, descr := range []string{"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"} {
		for _, order := range []string{"<", ">"} {
			for _, fortran := range []bool{false, true} {
				var b bytes.Buffer
				var endian binary.ByteOrder = binary.LittleEndian
				if order == ">" {
					endian = binary.BigEndian
				}
				for k := range values {
					v := values[k]
					if fortran {
						v = values[k%2*3+k/2] // 2×3: element k of the columns
					}
					var x any
					switch descr {
					case "f2":
						x = half[v]
					case "f4":
						x = float32(v)
					case "f8":
						x = v
					case "i1":
						x = int8(v)
					case "i2":
						x = int16(v)
					case "i4":
						x = int32(v)
					case "i8":
						x = int64(v)
					case "u1":
						x = uint8(v)
					case "u2":
						x = uint16(v)
					case "u4":
						x = uint32(v)
					case "u8":
						x = uint64(v)
					case "b1":
						x = v != 0
					}
					must.Succeed(t, binary.Write(&b, endian, x))
				}
				prefix := order
				if descr[1] == '1' {
					prefix = "|"
				}
				data := rawNPY("'"+prefix+descr+"'", fortran, "(2, 3)", b.Bytes())
				for name, file := range map[string][]byte{"t.npy": data, "t.npy.gz": gzipped(t, data), "t.npz": zipOf(t, zip.Deflate, "x.npy", data)} {
					got := readBytes(t, name, file, options())
					for k, w := range values {
						if descr == "b1" && w != 0 {
							w = 1
						}
						if got.values[k] != w {
							t.Fatalf("%s%s, fortran = %v, %s: %v, want %v", prefix, descr, fortran, name, got.values, values)
						}
					}
				}
			}
		}
	}
}

// Fortran order in many batches, with columns chosen.
func TestNPYFortranAgreesWithC(t *testing.T) {
	s := numbers(20_000, 13, 41)
	x := s.dense()
	f := make([]byte, 8*len(x))
	for i := range 20_000 {
		for j := range 13 {
			binary.LittleEndian.PutUint64(f[8*(j*20_000+i):], math.Float64bits(x[i*13+j]))
		}
	}
	data := rawNPY("'<f8'", true, "(20000, 13)", f)
	for name, file := range map[string][]byte{"t.npy": data, "t.npy.zst": zstandard(t, data), "t.npz": zipOf(t, zip.Store, "x.npy", data), "p.npz": zipOf(t, zip.Deflate, "x.npy", data)} {
		got := readBytes(t, name, file, options())
		got.names = s.names
		same(t, got, s.want(false))
		part := tableOf(t, openBytes(t, name, file, options()), 12, 3)
		for i := range 20_000 {
			if part.values[2*i] != x[i*13+12] || part.values[2*i+1] != x[i*13+3] {
				t.Fatalf("%s: row %d is %v", name, i, part.values[2*i:2*i+2])
			}
		}
	}
}

func TestNPYFaults(t *testing.T) {
	eight := make([]byte, 8*6)
	for _, c := range []struct {
		name string
		data []byte
		err  error
		text string
	}{
		{"one dimension", rawNPY("'<f8'", false, "(6,)", eight), ErrNoTable, "shape (6)"},
		{"three dimensions", rawNPY("'<f8'", false, "(1, 2, 3)", eight), ErrNoTable, "shape (1, 2, 3)"},
		{"structured", rawNPY("[('a', '<f8'), ('b', '<f8')]", false, "(3,)", eight), ErrType, "structured array"},
		{"objects", rawNPY("'|O'", false, "(2, 3)", eight), ErrType, "astype(float)"},
		{"complex", rawNPY("'<c16'", false, "(1, 3)", eight), ErrType, "complex"},
		{"text", rawNPY("'<U2'", false, "(2, 3)", eight), ErrType, "text"},
		{"absurd shape", rawNPY("'<f8'", false, "(1000000000000, 1000000)", eight), ErrDamaged, "1000000000000"},
		{"overflowing shape", rawNPY("'<f8'", false, "(9223372036854775807, 1048576)", eight), ErrDamaged, "9223372036854775807"},
		{"absurd width", rawNPY("'<f8'", false, "(1, 1000000000000)", eight), dataset.ErrTooWide, "1000000000000"},
		{"too short", rawNPY("'<f8'", false, "(2, 4)", eight), ErrDamaged, "takes 64 bytes and there are 48"},
		{"too long", rawNPY("'<f8'", false, "(2, 2)", eight), ErrDamaged, "takes 32 bytes and there are 48"},
		{"no columns", rawNPY("'<f8'", false, "(5, 0)", nil), ErrNoTable, "no columns"},
		{"no header", []byte("\x93NUMPY\x01\x00\xff"), ErrDamaged, "ends early"},
		{"long header", []byte("\x93NUMPY\x02\x00\xff\xff\xff\x7f"), ErrDamaged, "claims 2147483647 bytes"},
		{"bad header", rawNPY("'<f8', 'x'", false, "(2, 3)", eight), ErrDamaged, "cannot be read"},
	} {
		err := firstFault(t, save(t, "t.npy", c.data), options())
		if !errors.Is(err, c.err) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%s: %v", c.name, err)
		}
		// Packed, the length is not known before.
		if err := firstFault(t, save(t, "t.npy.gz", gzipped(t, c.data)), options()); err == nil {
			t.Errorf("%s, packed: no error", c.name)
		}
	}
}

func TestNPZChoice(t *testing.T) {
	x := rawNPY("'<f8'", false, "(2, 2)", make([]byte, 32))
	vector := rawNPY("'<f8'", false, "(4,)", make([]byte, 32))
	two := zipOf(t, zip.Store, "train.npy", x, "test.npy", x, "y.npy", vector)
	err := firstFault(t, save(t, "t.npz", two), options())
	if !errors.Is(err, ErrChoice) || !strings.Contains(err.Error(), "train (2, 2), test (2, 2), y (4)") {
		t.Errorf("two arrays: %v", err)
	}
	opt := options()
	opt.Array = "test"
	if got := readBytes(t, "t.npz", two, opt); got.rows != 2 {
		t.Errorf("%d rows", got.rows)
	}
	path := save(t, "q.npz", two)
	if err := firstFault(t, path+"?array=train", options()); err != nil {
		t.Errorf("?array=train: %v", err)
	}
	if err := firstFault(t, path+"?array=nosuch", options()); !errors.Is(err, ErrNoTable) || !strings.Contains(err.Error(), `"nosuch"`) {
		t.Errorf("?array=nosuch: %v", err)
	}
	if err := firstFault(t, path+"?array=train&x=1", options()); err == nil || !strings.Contains(err.Error(), `unknown word "x"`) {
		t.Errorf("?x=1: %v", err)
	}
	one := zipOf(t, zip.Store, "y.npy", vector, "x.npy", x, "columns.npy", namesNPY([]string{"left", "rechts ü"}))
	if got := readBytes(t, "t.npz", one, options()); fmt.Sprintf("%q", got.names) != `["left" "rechts ü"]` {
		t.Errorf("names %q", got.names)
	}
	objects := zipOf(t, zip.Store, "x.npy", x, "columns.npy", rawNPY("'|O'", false, "(2,)", []byte("pickle")))
	if err := firstFault(t, save(t, "o.npz", objects), options()); err == nil || !strings.Contains(err.Error(), "dtype=str") {
		t.Errorf("pickled names: %v", err)
	}
	three := zipOf(t, zip.Store, "x.npy", x, "names.npy", namesNPY([]string{"a", "b", "c"}))
	if err := firstFault(t, save(t, "n.npz", three), options()); err == nil || !strings.Contains(err.Error(), "3 names") {
		t.Errorf("three names: %v", err)
	}
}

// A wrong checksum of a packed member is found.
func TestNPZDamaged(t *testing.T) {
	data := numbers(500, 4, 42).npz(t, zip.Deflate)
	bad := bytes.Clone(data)
	bad[2000] ^= 1
	if err := firstFault(t, save(t, "t.npz", bad), options()); err == nil {
		t.Error("a changed byte goes unnoticed")
	}
	for k := 1; k < 20; k++ {
		if err := firstFault(t, save(t, "t.npz", data[:len(data)*k/20]), options()); !errors.Is(err, ErrDamaged) {
			t.Errorf("cut at %d/20: %v", k, err)
		}
	}
}
