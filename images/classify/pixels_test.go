package classify

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/polydag/polydag/images/pictures"
	"github.com/polydag/polydag/internal/must"
)

// TestPixels checks the values of an image of one color, and that a broken image is skipped and leaves no row.
func TestPixels(t *testing.T) {
	dir := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "a.png"), []byte("broken"), 0o644))
	f, err := os.Create(filepath.Join(dir, "b.png"))
	must.Succeed(t, err)
	defer f.Close()
	m := image.NewRGBA(image.Rect(0, 0, 20, 10))
	for i := range 200 {
		m.SetRGBA(i%20, i/20, color.RGBA{255, 51, 0, 255})
	}
	must.Succeed(t, png.Encode(f, m))
	folder := must.Get(pictures.Open(dir))
	defer folder.Close()
	for _, colors := range []bool{false, true} {
		names, x, skipped, err := Pixels(t.Context(), folder, 8, colors, 2)
		if err != nil || len(names) != 1 || names[0] != "b.png" || len(skipped) != 1 || skipped[0].Image != "a.png" {
			t.Fatalf("images %v, skipped %v, %v", names, skipped, err)
		}
		want := []float64{0.4}
		if colors {
			want = []float64{1, 0.2, 0}
		}
		if x.Rows != 1 || x.Cols != 64*len(want) {
			t.Fatalf("%d × %d numbers", x.Rows, x.Cols)
		}
		for k, v := range x.Data {
			if !(math.Abs(v-want[k%len(want)]) <= 1e-6) {
				t.Fatalf("value %d is %v, want %v", k, v, want[k%len(want)])
			}
		}
	}
	if _, _, _, err := Pixels(t.Context(), folder, 1<<14, false, 1); !errors.Is(err, ErrPixels) {
		t.Errorf("a large side: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, _, _, err := Pixels(ctx, folder, 8, false, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled run: %v", err)
	}
}
