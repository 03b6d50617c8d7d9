package onnx

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/images/internal/onnx/onnxtest"
)

// TestDamaged: a model with changed bytes gives a result or an error, and never a panic.
func TestDamaged(t *testing.T) {
	models := references()
	for _, name := range []string{"windows", "pools", "attention", "shapes", "norms"} {
		whole := models[name].model
		rng := rand.New(rand.NewPCG(4, 5))
		for trial := range 300 {
			b := append([]byte(nil), whole...)
			switch trial % 3 {
			case 0:
				b = b[:rng.IntN(len(b))]
			default:
				for range 1 + trial%3 {
					b[rng.IntN(len(b))] = byte(rng.IntN(256))
				}
			}
			if p, err := compile(b); err == nil {
				p.Session().Run(wave(models[name].shape...))
			}
		}
	}
}

func TestRefused(t *testing.T) {
	model := func(build func(g *onnxtest.Graph)) []byte {
		g := onnxtest.New(1)
		g.Input("input", 1, 3, 4, 4)
		build(g)
		return g.Bytes()
	}
	for _, c := range []struct {
		model []byte
		want  string
	}{
		{[]byte("GIF89a"), "not an ONNX model"},
		{nil, "not an ONNX model"},
		{model(func(g *onnxtest.Graph) { g.Name("output", g.Node("Bernoulli", g.Node("Einsum", "input"))) }), "operators that are not supported: [Bernoulli Einsum]"},
		{model(func(g *onnxtest.Graph) { g.Name("output", g.Node("Relu", "nowhere")) }), `operand "nowhere" is not computed before it`},
		{model(func(g *onnxtest.Graph) { g.Input("second", 1); g.Name("output", g.Node("Relu", "input")) }), "needs one input"},
		{model(func(g *onnxtest.Graph) { g.Name("output", g.Node("Conv", "input", g.Random(0, 1, 2, 5, 1, 1))) }), "want 5 channels"},
		{model(func(g *onnxtest.Graph) {
			g.Name("output", g.With("Conv", onnxtest.Attributes{"pads": []int{1 << 20, 1 << 20, 1 << 20, 1 << 20}}, "input", g.Random(0, 1, 2, 3, 1, 1)))
		}), "limit"},
		{model(func(g *onnxtest.Graph) {
			g.Name("output", g.Node("Expand", "input", g.Ints(1<<20, 3, 4, 4)))
		}), ""},
	} {
		p, err := compile(c.model)
		if err == nil {
			_, err = p.Session().Run(wave(1, 3, 4, 4))
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

func TestExp(t *testing.T) {
	for x := float32(-110); x < 95; x += 0.0137 {
		got, want := float64(exp(x)), math.Exp(float64(x))
		if float32(want) == inf && exp(x) == inf {
			continue
		}
		if !(math.Abs(got-want) <= 1.3e-7*want+1e-45) {
			t.Fatalf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if v := exp(float32(math.NaN())); v == v {
		t.Errorf("exp(NaN) = %v", v)
	}
}

func TestHalfPrecision(t *testing.T) {
	for bits, want := range map[uint16]float64{0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0001: math.Ldexp(1, -24), 0x8000: 0, 0x7c00: math.Inf(1)} {
		if got := float64(smallFloat(bits, typeFloat16)); got != want {
			t.Errorf("float16 %#x = %v, want %v", bits, got, want)
		}
	}
	if got := smallFloat(0x4049, typeBfloat16); got != 3.140625 {
		t.Errorf("bfloat16 0x4049 = %v, want 3.140625", got)
	}
}
