package matfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zlib"

	"github.com/polydag/polydag/internal/must"
)

// TestFilesOfSciPy reads files that testdata/write.py wrote.
func TestFilesOfSciPy(t *testing.T) {
	for _, name := range []string{"plain", "packed"} {
		f, err := os.Open("testdata/" + name + ".mat")
		must.Succeed(t, err)
		defer f.Close()
		list := must.Get(Read(f))
		got := map[string]Array{}
		for _, a := range list {
			got[a.Name] = a
		}
		numbers := func(name string, rows, cols int, want ...float64) {
			t.Helper()
			if a := got[name]; a.Rows != rows || a.Cols != cols || !slices.Equal(a.Numbers, want) {
				t.Errorf("%+v", a)
			}
		}
		numbers("labels_cv", 2, 3, 0, 2.0/3, 1.0/3, 1, 1, 0)
		numbers("small", 2, 2, 1, 3, 2, 4)
		numbers("single", 1, 1, -1.5)
		numbers("wide", 1, 1, 1<<40)
		numbers("flag", 1, 2, 1, 0)
		if a := got["deep"]; a.Rows != 2 || a.Cols != 12 || !slices.Equal(a.Numbers[:6], []float64{0, 12, 4, 16, 8, 20}) {
			t.Errorf("%+v", a)
		}
		var words []string
		for _, c := range got["words"].Cells {
			words = append(words, c.Text)
		}
		if !slices.Equal(words, []string{"sailing/ boating", "ärgerlich", "猫", ""}) || got["words"].Rows != 4 {
			t.Errorf("%q", words)
		}
		if c := got["nested"].Cells; len(c) != 1 || len(c[0].Cells) != 1 || c[0].Cells[0].Text != "a/sun_x.jpg" {
			t.Errorf("%+v", c)
		}
		if !got["record"].Other || !got["many"].Other || len(list) != 10 {
			t.Errorf("%d arrays: %+v", len(list), got)
		}
	}
}

// header returns the start of a file.
func header(order string) []byte {
	b := []byte(strings.Repeat(" ", 124) + "\x00\x01" + order)
	if order == "MI" {
		b[124], b[125] = 1, 0
	}
	return b
}

// matrix returns an array of numbers as an element, with the type and the bytes of the numbers.
func matrix(order binary.AppendByteOrder, rows, cols int, kind uint32, content []byte) []byte {
	part := func(kind uint32, b []byte) []byte {
		out := order.AppendUint32(order.AppendUint32(nil, kind), uint32(len(b)))
		return append(append(out, b...), make([]byte, -len(b)&7)...)
	}
	body := part(miUint32, order.AppendUint32(order.AppendUint32(nil, mxDouble), 0))
	body = append(body, part(miInt32, order.AppendUint32(order.AppendUint32(nil, uint32(rows)), uint32(cols)))...)
	body = append(body, part(miInt8, []byte("x"))...)
	return part(miMatrix, append(body, part(kind, content)...))
}

// TestBigEndian reads a file of a machine with the other byte order, whose numbers are stored as small integers.
func TestBigEndian(t *testing.T) {
	b := append(header("MI"), matrix(binary.BigEndian, 1, 2, miInt16, []byte{0xff, 0xfe, 1, 0})...)
	list, err := Read(bytes.NewReader(b))
	if err != nil || len(list) != 1 || !slices.Equal(list[0].Numbers, []float64{-2, 256}) {
		t.Errorf("%+v, %v", list, err)
	}
}

// packed compresses an element.
func packed(t *testing.T, b []byte) []byte {
	t.Helper()
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	must.Get(w.Write(b))
	must.Succeed(t, w.Close())
	return append(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, miCompressed), uint32(z.Len())), z.Bytes()...)
}

// cellsOf returns an array of empty cells, which take more memory than bytes.
func cellsOf(n int) []byte {
	b := matrix(binary.LittleEndian, n, 1, miInt8, nil)
	b[16] = mxCell
	empty := binary.LittleEndian.AppendUint32(nil, miMatrix)
	b = append(b[:len(b)-8], bytes.Repeat(append(empty, 0, 0, 0, 0), n)...)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

func TestDamaged(t *testing.T) {
	little := binary.LittleEndian
	good := matrix(little, 2, 2, miUint8, []byte{1, 2, 3, 4})
	huge := matrix(little, 1<<20, 1<<20, miUint8, nil)
	for want, body := range map[string][]byte{
		"truncated":                   good[:len(good)-6],
		"the numbers of an array are": matrix(little, 1, 1, miUTF8, []byte{1}),
		"3 bytes for 4 numbers":       matrix(little, 2, 2, miUint8, []byte{1, 2, 3}),
		"too many values":             huge,
		"compressed data":             packed(t, nil),
		"it is too large":             little.AppendUint32(little.AppendUint32(nil, miInt8), 1<<31),
	} {
		if _, err := Read(bytes.NewReader(append(header("IM"), body...))); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	for want, b := range map[string][]byte{"with -v7": append([]byte("MATLAB 7.3 MAT-file"), header("IM")[19:]...), "level 5": []byte("image,red\n"), "not a": header("  ")} {
		if _, err := Read(bytes.NewReader(b)); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	if _, err := read(bytes.NewReader(append(header("IM"), packed(t, cellsOf(2000))...)), 100_000); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "too large") {
		t.Errorf("%v", err)
	}
	nested := matrix(little, 1, 1, miUint8, []byte{1})
	for range mostDepth + 2 { // cells in cells
		inner := nested
		nested = matrix(little, 1, 1, miMatrix, inner[8:])
		nested[16] = mxCell
	}
	if _, err := Read(bytes.NewReader(append(header("IM"), nested...))); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "nested") {
		t.Errorf("%v", err)
	}
}

// FuzzRead checks that no input makes Read panic or return arrays that contradict their sizes.
func FuzzRead(f *testing.F) {
	must.AddMutants(f, 500, must.Get(os.ReadFile("testdata/plain.mat")), must.Get(os.ReadFile("testdata/packed.mat")),
		append(header("MI"), matrix(binary.BigEndian, 1, 2, miInt16, []byte{0xff, 0xfe, 1, 0})...))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		var check func(a Array)
		check = func(a Array) {
			if a.Numbers != nil && len(a.Numbers) != a.Rows*a.Cols || a.Cells != nil && len(a.Cells) != a.Rows*a.Cols {
				t.Errorf("%d × %d: %d numbers, %d cells", a.Rows, a.Cols, len(a.Numbers), len(a.Cells))
			}
			for _, c := range a.Cells {
				check(c)
			}
		}
		for _, a := range list {
			check(a)
		}
	})
}
