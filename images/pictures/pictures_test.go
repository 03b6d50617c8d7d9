package pictures

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

var (
	red  = color.RGBA{200, 20, 20, 255}
	blue = color.RGBA{20, 20, 200, 255}
)

// drawn returns an image of one colour, with the left half in another.
func drawn(w, h int, left, right color.Color) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			if 2*x < w {
				m.Set(x, y, left)
			} else {
				m.Set(x, y, right)
			}
		}
	}
	return m
}

func encoded(t *testing.T, kind string, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch kind {
	case "png":
		err = png.Encode(&b, m)
	case "jpg":
		err = jpeg.Encode(&b, m, nil)
	case "gif":
		err = gif.Encode(&b, m, nil)
	}
	must.Succeed(t, err)
	return b.Bytes()
}

func write(t *testing.T, dir, name string, b []byte) {
	t.Helper()
	p := filepath.Join(dir, name)
	must.Succeed(t, os.MkdirAll(filepath.Dir(p), 0o755))
	must.Succeed(t, os.WriteFile(p, b, 0o644))
}

func read(t *testing.T, c Columns, columns ...dataset.MemoryColumn) *Rows {
	t.Helper()
	src := must.Get(dataset.Memory(columns).Source(context.Background()))
	defer src.Close()
	if c.Image == "" {
		c.Image = "image"
	}
	rows := must.Get(Read(context.Background(), src, c))
	return rows
}

func opened(t *testing.T, dir string) *Folder {
	t.Helper()
	f := must.Get(Open(dir))
	t.Cleanup(func() { f.Close() })
	return f
}

// scenes are n images: red or blue, the shape large or small, and a third attribute without a picture.
func scenes(t *testing.T, n int) (dir string, columns []dataset.MemoryColumn) {
	t.Helper()
	dir = t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	names, isRed, isLarge, third := make([]string, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		c, size := blue, 20
		if random.Float64() < 0.5 {
			isRed[i], c = 1, red
		}
		if random.Float64() < 0.2+0.6*isRed[i] {
			isLarge[i], size = 1, 40
		}
		third[i] = float64(random.IntN(2))
		names[i] = fmt.Sprintf("part/%03d.png", i)
		write(t, dir, names[i], encoded(t, "png", drawn(size, size, c, c)))
	}
	return dir, []dataset.MemoryColumn{{Name: "image", Text: names}, {Name: "red", Numbers: isRed}, {Name: "large", Numbers: isLarge}, {Name: "third", Numbers: third}}
}

// pixel returns the colour in the middle of a quarter of an embedded thumbnail.
func pixel(t *testing.T, p Picture, fx, fy float64) color.RGBA {
	t.Helper()
	b := must.Get(base64.StdEncoding.DecodeString(p.Source))
	m := must.Get(jpeg.Decode(bytes.NewReader(b)))
	r := m.Bounds()
	return color.RGBAModel.Convert(m.At(int(fx*float64(r.Dx())), int(fy*float64(r.Dy())))).(color.RGBA)
}

func isColour(a, b color.RGBA) bool {
	near := func(x, y uint8) bool { return math.Abs(float64(x)-float64(y)) < 40 }
	return near(a.R, b.R) && near(a.G, b.G) && near(a.B, b.B)
}

// links returns edges from pairs of names.
func links(names ...string) []graph.Link {
	var list []graph.Link
	for k := 0; k < len(names); k += 2 {
		list = append(list, graph.Link{From: names[k], To: names[k+1]})
	}
	return list
}

var attributes = []string{"red", "large", "third"}

func TestCellsShowTheirCombination(t *testing.T) {
	dir, columns := scenes(t, 200)
	rows := read(t, Columns{Names: attributes}, columns...)
	set, log, err := Make(context.Background(), rows, opened(t, dir), links("red", "large", "large", "red", "red", "gone"), nil, DefaultSettings())
	must.Succeed(t, err)
	if len(set.Edges) != 1 || len(set.Variables) != 3 || log.Images != 200 || set.Missing+set.Refused != 0 || set.Full {
		t.Fatalf("%d edges, %d variables, log %+v, set %+v", len(set.Edges), len(set.Variables), log, set)
	}
	grid := set.Edges[0]
	if !slices.Equal(grid.Rows, []string{"yes", "no"}) || !slices.Equal(grid.Cols, []string{"yes", "no"}) {
		t.Errorf("labels %v %v", grid.Rows, grid.Cols)
	}
	value := func(name string, i int) float64 {
		return columns[1+slices.Index(attributes, name)].Numbers[i]
	}
	row := func(k int) int { return slices.Index(columns[0].Text, set.Pictures[k].Name) }
	share := func(f func(i int) bool) float64 {
		n := 0.0
		for i := range 200 {
			if f(i) {
				n++
			}
		}
		return n / 200
	}
	for r, line := range grid.Cells {
		for c, cell := range line {
			isRed, isLarge := float64(1-r), float64(1-c)
			both := share(func(i int) bool { return value("red", i) == isRed && value("large", i) == isLarge })
			expected := share(func(i int) bool { return value("red", i) == isRed }) * share(func(i int) bool { return value("large", i) == isLarge })
			if !(math.Abs(cell.Share-both) <= 1e-12) || !(math.Abs(cell.Expected-expected) <= 1e-12) {
				t.Errorf("cell %d %d: share %v, expected %v; want %v and %v", r, c, cell.Share, cell.Expected, both, expected)
			}
			if (cell.Share < cell.Expected) != (r != c) {
				t.Errorf("cell %d %d: red and large go together, share %v, expected %v", r, c, cell.Share, cell.Expected)
			}
			if len(cell.Pictures) != min(mostShown, int(math.Round(both*200))) {
				t.Errorf("cell %d %d has %d pictures", r, c, len(cell.Pictures))
			}
			for _, k := range cell.Pictures {
				if i := row(k); value("red", i) != isRed || value("large", i) != isLarge {
					t.Errorf("cell %d %d shows %s", r, c, set.Pictures[k].Name)
				}
				if want := map[float64]color.RGBA{0: blue, 1: red}[isRed]; !isColour(pixel(t, set.Pictures[k], 0.5, 0.5), want) {
					t.Errorf("%s has another colour", set.Pictures[k].Name)
				}
			}
		}
	}
	for _, v := range set.Variables {
		for g, cell := range v.Groups {
			for _, k := range cell.Pictures {
				if value(v.Name, row(k)) != float64(1-g) {
					t.Errorf("%s %s shows %s", v.Name, cell.Label, set.Pictures[k].Name)
				}
			}
		}
	}
	shown := map[string]bool{}
	for _, p := range set.Pictures {
		if shown[p.Name] {
			t.Errorf("%s is embedded twice", p.Name)
		}
		shown[p.Name] = true
	}
}

// TestTypicalSlowly compares the order of rows with one that is written down from its definition.
func TestTypicalSlowly(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		n := 1 + random.IntN(60)
		var others []*grouping
		for range 1 + random.IntN(4) {
			g := &grouping{labels: []string{"a", "b", "c"}, codes: make([]uint8, n)}
			for i := range g.codes {
				if g.codes[i] = uint8(random.IntN(4)); g.codes[i] == 3 {
					g.codes[i] = noGroup
				}
			}
			others = append(others, g)
		}
		var cell []int32
		for i := range n {
			if random.IntN(3) > 0 {
				cell = append(cell, int32(i))
			}
		}
		agree := func(row int32) (sum int) {
			for _, g := range others {
				best, most := -1, 0
				for c := range 3 {
					k := 0
					for _, r := range cell {
						if int(g.codes[r]) == c {
							k++
						}
					}
					if k > most {
						best, most = c, k
					}
				}
				if int(g.codes[row]) == best {
					sum++
				}
			}
			return sum
		}
		want := slices.Clone(cell)
		slices.SortStableFunc(want, func(a, b int32) int { return agree(b) - agree(a) })
		if got := typical(cell, others); !slices.Equal(got, want[:min(len(want), mostTried)]) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func TestSameOnAnyThreads(t *testing.T) {
	dir, columns := scenes(t, 120)
	var first []byte
	for _, threads := range []int{1, 3, 8} {
		set := DefaultSettings()
		set.Threads, set.Budget = threads, 30_000
		got, log, err := Make(context.Background(), read(t, Columns{Names: attributes}, columns...), opened(t, dir), links("red", "large", "third", "red"), []Effect{{Cause: "red", Outcome: "large", Set: []string{"third"}}}, set)
		must.Succeed(t, err)
		if !got.Full || log.Bytes > set.Budget || log.Bytes < set.Budget-2000 {
			t.Errorf("%d bytes of %d, full %v", log.Bytes, set.Budget, got.Full)
		}
		b := must.Get(json.Marshal(got))
		if first == nil {
			first = b
		}
		if !bytes.Equal(first, b) {
			t.Errorf("%d threads give another set", threads)
		}
	}
}

// TestNamesOfFiles finds files by names with and without folder, extension and leading zeros.
func TestNamesOfFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.png", "sub/b.jpeg", "sub/000012.jpg", "sub/000.jpg", "x/same.png", "y/same.png", "noextension", `sub/c d#1.png`} {
		write(t, dir, name, nil)
	}
	f := opened(t, dir)
	for name, want := range map[string]string{
		"a.png": "a.png", "a": "a.png", "./a.png": "a.png", "sub/b.jpeg": "sub/b.jpeg", "b": "sub/b.jpeg", "b.jpeg": "sub/b.jpeg", `sub\b.jpeg`: "sub/b.jpeg",
		"12": "sub/000012.jpg", "0": "sub/000.jpg", "000012": "sub/000012.jpg", "x/same": "x/same.png", "noextension": "noextension", "c d#1": "sub/c d#1.png", "sub/../a.png": "a.png",
	} {
		if got, err := f.Find(name); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", name, got, err, want)
		}
	}
	for name, want := range map[string]error{
		"same.png": errAmbiguous, "gone.png": errMissing, "sub/gone.png": errMissing, "/etc/passwd": errOutside, "../a.png": errOutside, "sub/../../a.png": errOutside,
		`..\a.png`: errOutside, `C:\a.png`: errOutside, "c:/a.png": errOutside, "..": errOutside, `\\server\a.png`: errOutside,
		"https://example.org/a.png": errName, "a\x00.png": errName, "a\n.png": errName, ".": errName, "\xff\xfe.png": errName,
	} {
		if got, err := f.Find(name); err != want {
			t.Errorf("%q: %q, %v; want %v", name, got, err, want)
		}
	}
}

// pngHeader is the start of a PNG file of the given size, without pixels.
func pngHeader(t *testing.T, w, h int) []byte {
	return encoded(t, "png", headerOnly{w, h})[:33]
}

// headerOnly is an image that claims a size.
type headerOnly struct{ w, h int }

func (headerOnly) ColorModel() color.Model   { return color.GrayModel }
func (m headerOnly) Bounds() image.Rectangle { return image.Rect(0, 0, m.w, m.h) }
func (headerOnly) At(x, y int) color.Color   { return color.Gray{} }

func TestHostileImagesAreSkipped(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside, "secret.png", encoded(t, "png", drawn(8, 8, red, red)))
	good := encoded(t, "png", drawn(8, 8, red, red))
	write(t, dir, "good.png", good)
	write(t, dir, "other.png", good)
	write(t, dir, "text.png", []byte("this is not an image"))
	write(t, dir, "short.png", good[:40])
	bomb := pngHeader(t, 60_000, 2)
	copy(bomb[20:24], []byte{0, 0, 0xea, 0x60}) // 60,000 high; the checksum is wrong then, so that it is computed again below
	write(t, dir, "bomb.png", withChecksum(bomb))
	write(t, dir, "bomb.webp", webpOf(16383, 16383, 0, 0))
	write(t, dir, "two.webp", webpOf(16383, 16383, 4, 4))
	write(t, dir, "folder.png/inner.png", good)
	list := []string{"good.png", "other.png", "text.png", "short.png", "bomb.png", "bomb.webp", "two.webp", "../secret.png", "/etc/passwd", "gone.png", ""}
	if os.Symlink(filepath.Join(outside, "secret.png"), filepath.Join(dir, "link.png")) == nil {
		must.Succeed(t, os.Symlink(outside, filepath.Join(dir, "linked")))
		must.Succeed(t, os.Symlink("good.png", filepath.Join(dir, "inside.png")))
		list = append(list, "link.png", "linked/secret.png", "inside.png")
	}
	values := make([]float64, len(list))
	for i := range values {
		values[i] = float64(i % 2)
	}
	rows := read(t, Columns{Names: []string{"v"}}, dataset.MemoryColumn{Name: "image", Text: list}, dataset.MemoryColumn{Name: "v", Numbers: values})
	for _, link := range []bool{false, true} {
		s := DefaultSettings()
		s.Link, s.PageDir = link, dir
		set, log, err := Make(context.Background(), rows, opened(t, dir), nil, nil, s)
		must.Succeed(t, err)
		var shown []string
		for _, p := range set.Pictures {
			shown = append(shown, p.Name)
		}
		slices.Sort(shown)
		want := []string{"good.png", "inside.png", "other.png"}
		if link { // linked files are not decoded
			want = append(want, "short.png")
		}
		if len(list) == 11 {
			want = slices.DeleteFunc(want, func(s string) bool { return s == "inside.png" })
		}
		if !slices.Equal(shown, want) {
			t.Errorf("link %v: shown %v, want %v", link, shown, want)
		}
		if set.Missing != 1 || log.FirstMissing != "gone.png" || set.Refused != len(list)-2-len(want) {
			t.Errorf("link %v: %d missing, %d refused: %v", link, set.Missing, set.Refused, log.Refused)
		}
		for _, r := range log.Refused {
			want := map[string]string{
				"text.png": "not a JPEG", "short.png": "damaged", "bomb.png": "60000 × 60000 pixels", "bomb.webp": "16383 × 16383 pixels", "two.webp": "two different sizes",
				"../secret.png": "out of the folder", "/etc/passwd": "out of the folder", "link.png": "out of the folder", "linked/secret.png": "out of the folder",
			}[r.Name]
			if want == "" || !strings.Contains(r.Reason.Error(), want) {
				t.Errorf("%s: %v, want %q", r.Name, r.Reason, want)
			}
		}
	}
}

// TestDamagedImages cuts and changes images: an error or pixels, no panic.
func TestDamagedImages(t *testing.T) {
	lossless := must.Get(base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="))
	random := rand.New(rand.NewPCG(5, 6))
	for kind, b := range map[string][]byte{
		"webp": lossless, "png": encoded(t, "png", drawn(9, 7, red, blue)), "jpg": withOrientation(encoded(t, "jpg", drawn(9, 7, red, blue)), 6), "gif": encoded(t, "gif", drawn(9, 7, red, blue)),
	} {
		try := func(b []byte) error {
			r := bytes.NewReader(b)
			f, _, err := header(r)
			if err != nil {
				return err
			}
			orientation(bytes.NewReader(b))
			_, err = decoded(f, r)
			return err
		}
		if err := try(b); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		for n := range b {
			try(b[:n])
			broken := slices.Clone(b)
			broken[n] = byte(random.Uint32())
			try(broken)
		}
	}
}
