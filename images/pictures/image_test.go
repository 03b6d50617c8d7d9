package pictures

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image/color"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// withChecksum corrects the checksum of the header of a PNG file.
func withChecksum(b []byte) []byte {
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

// webpOf returns the start of a WebP file whose pixels have the first size and whose canvas has the second, unless it is 0.
func webpOf(w, h, canvasW, canvasH int) []byte {
	chunk := func(kind string, body []byte) []byte {
		return append(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(body))), body...)
	}
	var b []byte
	if canvasW > 0 {
		b = chunk("VP8X", []byte{0, 0, 0, 0, byte(canvasW - 1), 0, 0, byte(canvasH - 1), 0, 0})
	}
	bits := uint32(w-1) | uint32(h-1)<<14
	b = append(b, chunk("VP8L", append([]byte{0x2f}, binary.LittleEndian.AppendUint32(nil, bits)...))...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(b)+4)), append([]byte("WEBP"), b...)...)
}

// withOrientation adds EXIF data to a JPEG file.
func withOrientation(b []byte, o int) []byte {
	exif := []byte("Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00")
	exif = append(exif, byte(o), 0, 0, 0, 0, 0, 0)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xd8, 0xff, 0xe1}, uint16(len(exif)+2))
	return slices.Concat(head, exif, b[2:])
}

// TestOrientation shows images upright. The file is red on its left half, blue on its right; the orientation says where its
// left and top sides belong, by the EXIF standard.
func TestOrientation(t *testing.T) {
	dir := t.TempDir()
	var list []string
	var values []float64
	for o := 1; o <= 8; o++ {
		name := fmt.Sprintf("%d.jpg", o)
		write(t, dir, name, withOrientation(encoded(t, "jpg", drawn(200, 100, red, blue)), o))
		list, values = append(list, name), append(values, float64(o%2))
	}
	rows := read(t, Columns{Names: []string{"v"}}, dataset.MemoryColumn{Name: "image", Text: list}, dataset.MemoryColumn{Name: "v", Numbers: values})
	set, _, err := Make(context.Background(), rows, opened(t, dir), nil, nil, DefaultSettings())
	if err != nil || len(set.Pictures) != 8 {
		t.Fatalf("%v, %d pictures", err, len(set.Pictures))
	}
	for _, p := range set.Pictures {
		// The red side is shown at the left, right, top or bottom.
		side := map[string][2]float64{"1": {0.1, 0.5}, "2": {0.9, 0.5}, "3": {0.9, 0.5}, "4": {0.1, 0.5}, "5": {0.5, 0.1}, "6": {0.5, 0.1}, "7": {0.5, 0.9}, "8": {0.5, 0.9}}[p.Name[:1]]
		for want, at := range map[color.RGBA][2]float64{red: side, blue: {1 - side[0], 1 - side[1]}} {
			if got := pixel(t, p, at[0], at[1]); !isColour(got, want) {
				t.Errorf("%s at %v: %v, want %v", p.Name, at, got, want)
			}
		}
	}
}

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not allow these names")
	}
	images := filepath.Join(dir, "all images")
	write(t, images, "a#b?/c%d.png", encoded(t, "png", drawn(4, 4, red, red)))
	write(t, images, "ee:f.png", encoded(t, "png", drawn(4, 4, red, red)))
	rows := read(t, Columns{Names: []string{"v"}}, dataset.MemoryColumn{Name: "image", Text: []string{"a#b?/c%d.png", "ee:f.png"}}, dataset.MemoryColumn{Name: "v", Numbers: []float64{0, 1}})
	for page, want := range map[string][]string{
		dir:                                {"./all%20images/a%23b%3F/c%25d.png", "./all%20images/ee:f.png"},
		images:                             {"./a%23b%3F/c%25d.png", "./ee:f.png"},
		filepath.Join(dir, "reports", "x"): {"./../../all%20images/a%23b%3F/c%25d.png", "./../../all%20images/ee:f.png"},
	} {
		s := DefaultSettings()
		s.Link, s.PageDir = true, page
		set, _, err := Make(context.Background(), rows, opened(t, images), nil, nil, s)
		must.Succeed(t, err)
		var got []string
		for _, p := range set.Pictures {
			got = append(got, p.Source)
		}
		slices.Sort(got)
		if !set.Linked || !slices.Equal(got, want) {
			t.Errorf("from %s: %q, want %q", page, got, want)
		}
	}
}

// TestBlur makes the halves of an image alike near their border, and omits the names.
func TestBlur(t *testing.T) {
	dir := t.TempDir()
	stripes := drawn(300, 300, red, blue)
	for x := range 300 {
		for y := range 300 {
			if x/10%2 == 0 {
				stripes.Set(x, y, red)
			} else {
				stripes.Set(x, y, blue)
			}
		}
	}
	write(t, dir, "a.png", encoded(t, "png", stripes))
	rows := read(t, Columns{Names: []string{"v"}}, dataset.MemoryColumn{Name: "image", Text: []string{"a.png", "a.png"}}, dataset.MemoryColumn{Name: "v", Numbers: []float64{0, 1}})
	s := DefaultSettings()
	s.Blur = true
	set, _, err := Make(context.Background(), rows, opened(t, dir), nil, nil, s)
	if err != nil || len(set.Pictures) != 1 || set.Pictures[0].Name != "" {
		t.Fatalf("%v, %+v", err, set)
	}
	mixed := color.RGBA{110, 20, 110, 255}
	for x := range 10 {
		if got := pixel(t, set.Pictures[0], 0.05+0.1*float64(x), 0.5); !isColour(got, mixed) {
			t.Errorf("column %d is %v, want about %v", x, got, mixed)
		}
	}
}

func TestGroups(t *testing.T) {
	number := func(values ...float64) *variable { return &variable{values: values} }
	ramp := make([]float64, 100)
	ties := make([]float64, 100)
	for i := range ramp {
		ramp[i] = float64(i)
		ties[i] = float64(max(0, i-90))
	}
	for _, c := range []struct {
		name        string
		v           *variable
		alone, grid []string
		counts      []int // rows in the groups of alone
	}{
		{"0 and 1", number(0, 1, 1), []string{"yes", "no"}, []string{"yes", "no"}, []int{2, 1}},
		{"−1 and 1", number(-1, 1, 1), []string{"yes", "no"}, []string{"yes", "no"}, []int{2, 1}},
		{"few numbers", number(3, 1, 2, 2), []string{"1", "2", "3"}, []string{"1", "2", "3"}, []int{1, 2, 1}},
		{"numbers", number(ramp...), []string{"high (≥ 75)", "low (≤ 24)"}, []string{"high (≥ 50)", "low (≤ 49)"}, []int{25, 25}},
		{"mostly 0", number(ties...), []string{"high (≥ 1)", "low (≤ 0)"}, []string{"high (≥ 1)", "low (≤ 0)"}, []int{9, 91}},
		{"constant", number(2, 2, 2), nil, nil, nil},
		{"codes", &variable{values: []float64{1, 2, 3, 4, 5, 6, 7, 7, 6}, categorical: true}, []string{"1", "2", "3", "6", "7", "2 other values"}, []string{"1", "6", "7", "4 other values"}, []int{1, 1, 1, 2, 2, 2}},
	} {
		alone, grid := c.v.groups()
		if c.alone == nil {
			if alone != nil || grid != nil {
				t.Errorf("%s has groups", c.name)
			}
			continue
		}
		if !slices.Equal(alone.labels, c.alone) || !slices.Equal(grid.labels, c.grid) {
			t.Errorf("%s: %q and %q", c.name, alone.labels, grid.labels)
		}
		counts := make([]int, len(alone.labels))
		for _, k := range alone.codes {
			if k != noGroup {
				counts[k]++
			}
		}
		if !slices.Equal(counts, c.counts) {
			t.Errorf("%s: counts %v, want %v", c.name, counts, c.counts)
		}
	}
	words := read(t, Columns{Names: []string{"w"}}, dataset.MemoryColumn{Name: "image", Text: []string{"1", "2", "3", "4"}}, dataset.MemoryColumn{Name: "w", Text: []string{"b", "a", "", "b"}})
	alone, _ := words.variables[0].groups()
	if alone == nil || !slices.Equal(alone.labels, []string{"a", "b"}) || !slices.Equal(alone.codes, []uint8{1, 0, noGroup, 1}) {
		t.Errorf("words: %+v", alone)
	}
}

// TestLargeTablesAreThinned keeps every second, fourth, … row of a table that is too large.
func TestLargeTablesAreThinned(t *testing.T) {
	n := 1000
	list, values := make([]string, n), make([]float64, n)
	for i := range n {
		list[i], values[i] = fmt.Sprint("n", i), float64(i)
	}
	for _, c := range []Columns{{mostCells: 100}, {mostCells: 300, First: 8, Last: 900}, {mostCells: 1 << 20, First: 3}} {
		c.Names = []string{"v"}
		rows := read(t, c, dataset.MemoryColumn{Name: "image", Text: list}, dataset.MemoryColumn{Name: "v", Numbers: values})
		var want []string
		for i := max(0, c.First-1); i < n && (c.Last == 0 || i < c.Last); i++ {
			if i%rows.Every == 0 {
				want = append(want, list[i])
			}
		}
		if !slices.Equal(rows.images, want) || len(rows.images)*2 > c.mostCells {
			t.Errorf("every %d: %d rows, want %d", rows.Every, len(rows.images), len(want))
		}
		for i, name := range rows.images {
			if fmt.Sprint("n", rows.variables[0].values[i]) != name {
				t.Fatalf("row %d: %s with %v", i, name, rows.variables[0].values[i])
			}
		}
	}
}

func TestErrors(t *testing.T) {
	image := dataset.MemoryColumn{Name: "image", Text: []string{"a.png", "b.png"}}
	v := dataset.MemoryColumn{Name: "v", Numbers: []float64{0, 1}}
	src := must.Get(dataset.Memory{image, v}.Source(context.Background()))
	if _, err := Read(context.Background(), src, Columns{Image: "file"}); !errors.Is(err, ErrColumn) || !strings.Contains(err.Error(), "image, v") {
		t.Errorf("no image column: %v", err)
	}
	rows := read(t, Columns{Names: []string{"v"}}, image, v)
	dir := t.TempDir()
	if _, _, err := Make(context.Background(), rows, opened(t, dir), nil, nil, DefaultSettings()); !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), `none of 2 files is in the folder (first: "a.png")`) {
		t.Errorf("empty folder: %v", err)
	}
	write(t, dir, "a.png", encoded(t, "png", drawn(40, 40, red, blue)))
	s := DefaultSettings()
	s.Budget = 100
	if _, _, err := Make(context.Background(), rows, opened(t, dir), nil, nil, s); !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "budget") {
		t.Errorf("small budget: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Make(ctx, rows, opened(t, dir), nil, nil, DefaultSettings()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := (Settings{Blur: true, Link: true}).Validate(); err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("settings: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "none")); err == nil {
		t.Error("no folder")
	}
}
