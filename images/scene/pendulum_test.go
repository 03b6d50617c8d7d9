package scene

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// TestPendulum checks the shadow against a ray from the light, and that each factor changes its own part of the image.
func TestPendulum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, swing := range []Swing{FullSwing(), HalfSwing()} {
		var square float64
		const n = 2000
		for range n {
			f := Pendulum(swing, rng)
			if f[0] < swing.Angle[0] || f[0] > swing.Angle[1] || f[1] < swing.Light[0] || f[1] > swing.Light[1] {
				t.Fatalf("causes %v outside of %v", f[:2], swing)
			}
			// A ray falls by a share s of the height of the light and moves by the same share of its way.
			angle := f[0] * math.Pi / 180
			ground := func(x, y float64) float64 {
				s := (0.92 - 0.06) / (0.92 - y)
				return f[1]*(1-s) + x*s
			}
			top, ball := ground(0.5, 0.55), ground(0.5+0.35*math.Sin(angle), 0.55-0.35*math.Cos(angle))
			e := f[3] - (top+ball)/2
			square += e * e / n
			if !(math.Abs(f[2]-math.Abs(top-ball)) <= 0.15) {
				t.Fatalf("factors %v: a shadow from %v to %v", f, top, ball)
			}
		}
		if sd := math.Sqrt(square); !(math.Abs(sd-0.02) <= 0.002) {
			t.Errorf("the noise of the position has standard deviation %v", sd)
		}
	}
	base := []float64{10, 0.3, 0.2, 0.5}
	draw := func(f []float64) []uint8 { return DrawPendulum(f, 32, rand.New(rand.NewPCG(1, 2))).Pix }
	a := draw(base)
	if !bytes.Equal(a, draw(base)) {
		t.Error("the same seed gives another image")
	}
	for j, rows := range [][2]int{{12, 30}, {0, 7}, {27, 32}, {27, 32}} {
		f := append([]float64(nil), base...)
		f[j] += []float64{-30, 0.3, 0.2, 0.3}[j]
		changed := 0
		for i, v := range draw(f) {
			if y := i / 4 / 32; v != a[i] {
				if changed++; y < rows[0] || y >= rows[1] {
					t.Fatalf("%s changes row %d", PendulumFactors[j], y)
				}
			}
		}
		if changed < 20 {
			t.Errorf("%s changes %d values", PendulumFactors[j], changed)
		}
	}
}
