package files

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
)

// An array is a member of an archive: zeros where data is nil.
type array struct {
	descr string
	shape []int
	bytes int64
	data  []byte
}

// archive packs arrays as numpy.savez_compressed does.
func archive(t *testing.T, arrays map[string]array) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, a := range arrays {
		w, err := z.Create(name + ".npy")
		must.Succeed(t, err)
		w.Write(npyHead(a.descr, a.shape))
		if a.data != nil {
			w.Write(a.data)
		} else if _, err := io.CopyN(w, zeros{}, a.bytes); err != nil {
			t.Fatal(err)
		}
	}
	must.Succeed(t, z.Close())
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// text is the bytes of an array of letters.
func text(s string) (b []byte) {
	for _, r := range s {
		b = append(b, byte(r), byte(r>>8), 0, 0)
	}
	return b
}

// twoRows is the arrays of a table with the rows 0 and 1, each once.
func twoRows() map[string]array {
	return map[string]array{
		"schema": {descr: "<U16", data: text(countsSchema)},
		"names":  {descr: "<U1", shape: []int{1}, data: text("a")},
		"kinds":  {descr: "<U7", shape: []int{1}, data: text("unknown")},
		"levels": {descr: "<U1", shape: []int{2}, data: text("01")},
		"number": {descr: "|u1", shape: []int{2}, data: []byte{1, 1}},
		"start":  {descr: "<i8", shape: []int{2}, data: []byte{0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}},
		"codes":  {descr: "|u1", shape: []int{2, 1}, data: []byte{0, 1}},
		"times":  {descr: "|u1", shape: []int{2}, data: []byte{1, 1}},
	}
}

// TestCountsOfOthers checks that arrays of other programs are read, compressed or not, and that errors state
// how to write them.
func TestCountsOfOthers(t *testing.T) {
	read := func(arrays map[string]array) (*dataset.Counts, error) {
		b := archive(t, arrays)
		return ReadCounts("own.npz", bytes.NewReader(b), int64(len(b)))
	}
	if c, err := read(twoRows()); err != nil || c.Rows() != 2 || c.Levels[0][1].Number != 1 {
		t.Fatalf("%v, %v", c, err)
	}
	for want, change := range map[string]func(map[string]array){
		`np.ascontiguousarray(times, "<u8")`: func(a map[string]array) { a["times"] = array{descr: "<f8", shape: []int{2}, bytes: 16} },
		`np.ascontiguousarray(codes, "<u4")`: func(a map[string]array) { a["codes"] = array{descr: ">u2", shape: []int{2, 1}, bytes: 4} },
		`np.ascontiguousarray(start, "<i8")`: func(a map[string]array) { a["start"] = array{descr: "<U1", shape: []int{2}, bytes: 8} },
	} {
		arrays := twoRows()
		change(arrays)
		_, err := read(arrays)
		if !errors.Is(err, ErrType) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "own.npz: the array") || strings.Contains(err.Error(), "astype") {
			t.Errorf("%s: %v", want, err)
		}
	}
	arrays := twoRows()
	arrays["times"] = array{descr: "<u4", shape: []int{2}, data: []byte{255, 255, 255, 255, 1, 0, 0, 0}}
	_, err := read(arrays)
	if !errors.Is(err, dataset.ErrDistinct) || errors.Is(err, ErrDamaged) || !strings.HasPrefix(err.Error(), "own.npz: the counts represent more than 4294967295 rows; ") {
		t.Error(err)
	}
	arrays["times"] = array{descr: "<u4", shape: []int{2}, data: []byte{254, 255, 255, 255, 1, 0, 0, 0}}
	if c, err := read(arrays); err != nil || c.Rows() != dataset.MostCounted {
		t.Errorf("%v, %v", c, err)
	}
	arrays["codes"] = array{descr: "<u8", shape: []int{2, 1}, data: []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}}
	if _, err := read(arrays); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "array codes: number 2 is 4294967296") {
		t.Error(err)
	}
}

// TestCountsThatSwell checks that a small file with a huge claimed or real content is refused by its headers,
// in little memory.
func TestCountsThatSwell(t *testing.T) {
	const many = 20 << 20
	for want, change := range map[string]func(map[string]array){
		"do not belong together": func(a map[string]array) { a["codes"] = array{descr: "|u1", shape: []int{many, 1}, bytes: many} },
		"need 340 MB of memory": func(a map[string]array) {
			a["codes"] = array{descr: "|u1", shape: []int{many, 1}, bytes: many}
			a["times"] = array{descr: "<u4", shape: []int{many}, bytes: 4 * many}
		},
		"need 87031808 MB": func(a map[string]array) {
			a["names"], a["kinds"] = array{descr: "<U1", shape: []int{1 << 40}}, array{descr: "<U1", shape: []int{1 << 40}}
			a["start"], a["codes"] = array{descr: "|i1", shape: []int{1<<40 + 1}}, array{descr: "|u1", shape: []int{2, 1 << 40}}
			a["times"] = array{descr: "<u4", shape: []int{2}}
		},
	} {
		arrays := twoRows()
		change(arrays)
		b := archive(t, arrays)
		var err error
		if used := tabletest.Allocated(func() { _, err = ReadCounts("big.npz", bytes.NewReader(b), int64(len(b))) }); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "big.npz: ") || used > 4<<20 {
			t.Errorf("%s: %d bytes of file take %d of memory: %v", want, len(b), used, err)
		}
	}
}

// TestCountsThatAreRead checks that written counts can be read up to the limit of the reader, and that nothing
// is written beyond it.
func TestCountsThatAreRead(t *testing.T) {
	of := func(values int) *dataset.Counts {
		c := &dataset.Counts{Columns: []dataset.Column{{Name: "a", Kind: dataset.Text}}, Levels: make([][]dataset.Level, 1)}
		for k := range values {
			word := fmt.Sprintf("%06d", k)
			if k == 0 {
				word += strings.Repeat("ß", 1<<14-6)
			}
			c.Levels[0] = append(c.Levels[0], dataset.Level{Word: word, IsWord: true})
			c.Codes, c.Times = append(c.Codes, uint32(k)), append(c.Times, 1)
		}
		return c
	}
	most := mostText / 4 >> 14
	b := countsBytes(t, of(most))
	if back, err := ReadCounts("c.npz", bytes.NewReader(b), int64(len(b))); err != nil || len(back.Times) != most {
		t.Error(err)
	}
	var none bytes.Buffer
	if err := WriteCounts(&none, of(most+1)); !errors.Is(err, dataset.ErrDistinct) || !strings.Contains(err.Error(), "drop") || none.Len() > 0 {
		t.Errorf("%d bytes: %v", none.Len(), err)
	}
}
