package scene

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
)

// PendulumFactors are the factors of an image by DrawPendulum, in their order: the angle of the pendulum in degrees, and three
// numbers in units of the width of the image.
var PendulumFactors = []string{"pendulum_angle", "light_position", "shadow_length", "shadow_position"}

// PendulumEdges are the true edges between the factors, by index.
var PendulumEdges = [][2]int{{0, 2}, {0, 3}, {1, 2}, {1, 3}}

// A Swing has the ranges of the two factors without a cause. Both are uniform.
type Swing struct {
	Angle, Light [2]float64
}

// FullSwing is symmetric, as the pendulum of Yang et al. (2021): the shadow is longest at either end, so that neither cause is
// correlated with its length.
func FullSwing() Swing { return Swing{Angle: [2]float64{-40, 40}, Light: [2]float64{0.2, 0.8}} }

// HalfSwing keeps the light to the left and the pendulum from the light, so that the effects are monotone.
func HalfSwing() Swing { return Swing{Angle: [2]float64{-40, 5}, Light: [2]float64{0.2, 0.5}} }

// These are places in units of the width, from the bottom left.
const (
	pivotX, pivotY = 0.5, 0.55
	rod            = 0.35
	lightY         = 0.92
	ground         = 0.06
	groundNoise    = 0.02 // standard deviation of the noise of the shadow
)

// Pendulum draws factors: two independent causes, and the shadow that the light casts from the rod on the ground, with noise.
func Pendulum(s Swing, rng *rand.Rand) []float64 {
	uniform := func(r [2]float64) float64 { return r[0] + (r[1]-r[0])*rng.Float64() }
	angle, light := uniform(s.Angle), uniform(s.Light)
	top, end := shadow(light, pivotX, pivotY), shadow(light, pivotX+rod*math.Sin(angle*math.Pi/180), pivotY-rod*math.Cos(angle*math.Pi/180))
	return []float64{angle, light, math.Abs(math.Abs(end-top) + groundNoise*rng.NormFloat64()), (end+top)/2 + groundNoise*rng.NormFloat64()}
}

// shadow is the place on the ground behind the point (x, y), seen from the light.
func shadow(light, x, y float64) float64 { return light + (x-light)*(lightY-ground)/(lightY-y) }

// DrawPendulum returns a square image of the given side: a yellow light, a red pendulum, and its black shadow on the ground. Edges
// are smooth, so that small changes of a factor change pixels. The pixels are noisy.
func DrawPendulum(factors []float64, side int, rng *rand.Rand) *image.RGBA {
	angle := factors[0] * math.Pi / 180
	ballX, ballY := pivotX+rod*math.Sin(angle), pivotY-rod*math.Cos(angle)
	parts := []struct {
		x1, y1, x2, y2, radius float64
		color                  [3]float64
	}{
		{factors[3] - factors[2]/2, ground, factors[3] + factors[2]/2, ground, 0.03, [3]float64{10, 10, 10}},
		{factors[1], lightY, factors[1], lightY, 0.06, [3]float64{255, 230, 60}},
		{pivotX, pivotY, ballX, ballY, 0.02, [3]float64{200, 40, 40}},
		{ballX, ballY, ballX, ballY, 0.06, [3]float64{200, 40, 40}},
	}
	m := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		x, y := (float64(i%side)+0.5)/float64(side), 1-(float64(i/side)+0.5)/float64(side)
		p := [3]float64{120, 150, 180}
		for _, s := range parts {
			share := min(max((s.radius-toSegment(x, y, s.x1, s.y1, s.x2, s.y2))*float64(side)+0.5, 0), 1)
			for c := range p {
				p[c] += share * (s.color[c] - p[c])
			}
		}
		var v [3]uint8
		for c := range p {
			v[c] = uint8(min(max(p[c]+8*rng.NormFloat64(), 0), 255))
		}
		m.SetRGBA(i%side, i/side, color.RGBA{v[0], v[1], v[2], 255})
	}
	return m
}

// toSegment is the distance of the point (x, y) to a segment.
func toSegment(x, y, x1, y1, x2, y2 float64) float64 {
	dx, dy := x2-x1, y2-y1
	along := 0.0
	if square := dx*dx + dy*dy; square > 0 {
		along = min(max(((x-x1)*dx+(y-y1)*dy)/square, 0), 1)
	}
	return math.Hypot(x-x1-along*dx, y-y1-along*dy)
}
