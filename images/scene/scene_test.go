package scene

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestDraw: the same seed gives the same image, and an attribute changes the pixels of its own cell only.
func TestDraw(t *testing.T) {
	draw := func(categories ...int) []uint8 { return Draw(categories, 64, rand.New(rand.NewPCG(1, 2))).Pix }
	a := draw(1, 0, 1, 0)
	if !bytes.Equal(a, draw(1, 0, 1, 0)) {
		t.Error("the same seed gives another image")
	}
	changed := 0
	for i, v := range draw(1, 2, 1, 0) {
		if x, y := i/4%64, i/4/64; v != a[i] {
			if changed++; x < 32 || y >= 32 {
				t.Fatalf("pixel %d, %d changes, outside of the second cell", x, y)
			}
		}
	}
	if changed < 300 {
		t.Errorf("%d values change", changed)
	}
}
