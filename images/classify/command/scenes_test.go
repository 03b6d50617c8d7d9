package command

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/polydag/polydag/images/internal/onnx/onnxtest"
	"github.com/polydag/polydag/images/scene"
	"github.com/polydag/polydag/internal/must"
)

const (
	side       = 64 // width and height of a scene in pixels
	attributes = 9
	pooled     = 4 // side of the squares whose mean the model reads
)

// features are the mean colors of small squares, as the first layer of the model computes them.
func features(m *image.RGBA) []float32 {
	n := side / pooled
	out := make([]float32, 3*n*n)
	for i := range side * side {
		x, y := i%side, i/side
		for c := range 3 {
			out[c*n*n+y/pooled*n+x/pooled] += (float32(m.Pix[y*m.Stride+4*x+c])/255 - 0.5) / 0.25 / (pooled * pooled)
		}
	}
	return out
}

// train returns a model with one hidden layer, trained on scenes with independent attributes. It ends with the
// scores before the sigmoid.
func train(scenes, hidden, epochs int) []byte {
	rng := rand.New(rand.NewPCG(7, 7))
	var x [][]float32
	var y [][]int
	for range scenes {
		a := make([]int, attributes)
		for j := range a {
			a[j] = rng.IntN(2)
		}
		x, y = append(x, features(scene.Draw(a, side, rng))), append(y, a)
	}
	d := len(x[0])
	net := &network{d: d, h: hidden, w1: make([]float32, hidden*d), b1: make([]float32, hidden), w2: make([]float32, attributes*hidden), b2: make([]float32, attributes)}
	for i := range net.w1 {
		net.w1[i] = float32(rng.NormFloat64() / math.Sqrt(float64(d)))
	}
	for i := range net.w2 {
		net.w2[i] = float32(rng.NormFloat64() / math.Sqrt(float64(hidden)))
	}
	for epoch := range epochs {
		for _, i := range rng.Perm(scenes) {
			net.step(x[i], y[i], 0.02/(1+float32(epoch)/4))
		}
	}
	g := onnxtest.New(1)
	g.Input("input", 1, 3, side, side)
	v := g.With("AveragePool", onnxtest.Attributes{"kernel_shape": []int{pooled, pooled}, "strides": []int{pooled, pooled}}, "input")
	v = g.Node("Flatten", v)
	v = g.Node("Relu", g.With("Gemm", onnxtest.Attributes{"transB": 1}, v, g.Weights(net.w1, hidden, d), g.Weights(net.b1, hidden)))
	v = g.With("Gemm", onnxtest.Attributes{"transB": 1}, v, g.Weights(net.w2, attributes, hidden), g.Weights(net.b2, attributes))
	g.Name("output", v, 1, attributes)
	return g.Bytes()
}

// network has one hidden layer of rectified units.
type network struct {
	d, h           int
	w1, b1, w2, b2 []float32
}

// step follows the gradient of the logistic loss for one scene.
func (n *network) step(x []float32, y []int, rate float32) {
	hidden, back := make([]float32, n.h), make([]float32, n.h)
	for i := range hidden {
		s := n.b1[i]
		for k, v := range x {
			s += n.w1[i*n.d+k] * v
		}
		hidden[i] = max(s, 0)
	}
	for j := range n.b2 {
		s := n.b2[j]
		for i, v := range hidden {
			s += n.w2[j*n.h+i] * v
		}
		e := rate * (float32(y[j]) - float32(1/(1+math.Exp(-float64(s)))))
		n.b2[j] += e
		for i, v := range hidden {
			back[i] += e * n.w2[j*n.h+i]
			n.w2[j*n.h+i] += e * v
		}
	}
	for i, e := range back {
		if hidden[i] > 0 && e != 0 {
			n.b1[i] += e
			for k, v := range x {
				n.w1[i*n.d+k] += e * v
			}
		}
	}
}

// folderOf draws scenes with random attributes and returns the attributes by file name.
func folderOf(t *testing.T, dir string, n int) map[string][]int {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 9))
	truth := map[string][]int{}
	for i := range n {
		a := make([]int, attributes)
		for j := range a {
			a[j] = rng.IntN(2)
		}
		name := fmt.Sprintf("s%04d.png", i)
		truth[name] = a
		writeImage(t, filepath.Join(dir, name), scene.Draw(a, side, rng))
	}
	return truth
}

func writeImage(t *testing.T, file string, m image.Image) {
	t.Helper()
	var b bytes.Buffer
	must.Succeed(t, png.Encode(&b, m))
	write(t, file, b.Bytes())
}

func write(t *testing.T, file string, b []byte) {
	t.Helper()
	must.Succeed(t, os.WriteFile(file, b, 0o644))
}

// small is a model that is trained in a moment and makes errors, with its labels and preprocessing beside it.
var small = sync.OnceValue(func() []byte { return train(800, 16, 6) })

var labels = strings.Fields("a b c d e f g h i")

// writeModel writes the small model to a folder and returns the flags for it.
func writeModel(t *testing.T, dir string) []string {
	t.Helper()
	model, list := filepath.Join(dir, "model.onnx"), filepath.Join(dir, "labels.txt")
	write(t, model, small())
	write(t, list, []byte(strings.Join(labels, "\n")+"\n"))
	write(t, filepath.Join(dir, "model.json"), []byte(`{"mean": [0.5, 0.5, 0.5], "std": [0.25, 0.25, 0.25], "activation": "sigmoid"}`))
	return []string{"--model", model, "--labels", list}
}
