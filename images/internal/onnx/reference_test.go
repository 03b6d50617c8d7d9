package onnx

import (
	"encoding/json"
	"flag"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/polydag/polydag/images/internal/onnx/onnxtest"
	"github.com/polydag/polydag/internal/must"
)

// The stored outputs are those of onnxruntime-node 1.30.0:
//
//	npm install --ignore-scripts onnxruntime-node@1.30.0
//	NODE_PATH=$PWD/node_modules go test ./images/internal/onnx -run TestReference -update
var update = flag.Bool("update", false, "compute the reference outputs again with onnxruntime")

// references are models that together use every operator, with the shape of their input.
func references() map[string]reference {
	type attr = onnxtest.Attributes
	out := map[string]reference{
		"mobilenet": {onnxtest.MobileNetV2(64, 8), []int{1, 3, 64, 64}},
		"resnet":    {onnxtest.ResNet18(64, 8), []int{1, 3, 64, 64}},
	}
	add := func(name string, shape []int, build func(g *onnxtest.Graph, x string) string) {
		g := onnxtest.New(uint64(len(name)))
		g.Input("input", shape...)
		g.Name("output", build(g, "input"))
		out[name] = reference{g.Bytes(), shape}
	}
	image := []int{2, 4, 9, 7}
	add("windows", image, func(g *onnxtest.Graph, x string) string { // strides, dilations, groups, uneven padding
		w := g.Random(0, 0.3, 6, 2, 3, 2)
		a := g.With("Conv", attr{"group": 2, "pads": []int{2, 0, 1, 3}, "strides": []int{2, 3}, "dilations": []int{2, 1}}, x, w)
		b := g.With("Conv", attr{"auto_pad": "SAME_UPPER", "strides": []int{2, 2}}, x, g.Random(0, 0.3, 6, 4, 3, 2))
		c := g.With("Conv", attr{"auto_pad": "SAME_LOWER", "group": 4, "strides": []int{3, 2}}, x, g.Random(0, 0.3, 8, 1, 4, 3), g.Random(0, 1, 8))
		d := g.With("Conv", attr{"auto_pad": "VALID", "group": 4, "dilations": []int{3, 2}}, x, g.Random(0, 0.3, 4, 1, 2, 2))
		flat := func(v string) string { return g.With("Flatten", attr{"axis": 1}, v) }
		return g.With("Concat", attr{"axis": 1}, flat(a), flat(b), flat(c), flat(d))
	})
	add("pools", image, func(g *onnxtest.Graph, x string) string {
		var parts []string
		for _, v := range []string{
			g.With("MaxPool", attr{"kernel_shape": []int{3, 2}, "strides": []int{2, 2}, "pads": []int{1, 0, 1, 1}, "ceil_mode": 1}, x),
			g.With("AveragePool", attr{"kernel_shape": []int{3, 3}, "strides": []int{2, 2}, "pads": []int{1, 1, 1, 1}}, x),
			g.With("AveragePool", attr{"kernel_shape": []int{3, 3}, "strides": []int{2, 2}, "pads": []int{1, 1, 1, 1}, "count_include_pad": 1}, x),
			g.Node("GlobalMaxPool", x), g.Node("GlobalAveragePool", x),
			g.With("LRN", attr{"size": 3, "alpha": 0.2, "beta": 0.5, "bias": 1.5}, x),
		} {
			parts = append(parts, g.With("Flatten", nil, v))
		}
		return g.With("Concat", attr{"axis": 1}, parts...)
	})
	add("activations", image, func(g *onnxtest.Graph, x string) string {
		x = g.Node("Mul", x, g.Weights([]float32{5}))
		positive := g.Node("Add", g.Node("Abs", x), g.Weights([]float32{0.5}, 1))
		var parts []string
		for _, op := range []string{"Relu", "LeakyRelu", "Elu", "HardSigmoid", "HardSwish", "Sigmoid", "Tanh", "Softplus", "Erf", "Exp", "Neg", "Floor", "Ceil", "Round"} {
			parts = append(parts, g.Node(op, x))
		}
		for _, op := range []string{"Log", "Sqrt", "Reciprocal"} {
			parts = append(parts, g.Node(op, positive))
		}
		parts = append(parts, g.Node("PRelu", x, g.Random(0.2, 0.1, 4, 1, 1)), g.Node("Clip", x, "", g.Weights([]float32{1.5})))
		return g.With("Concat", attr{"axis": 0}, parts...)
	})
	add("pairs", image, func(g *onnxtest.Graph, x string) string {
		y, z := g.Random(2, 0.3, 4, 1, 1), g.Random(1, 0.3, 9, 1)
		wide := g.Node("Sub", g.Node("Div", g.Node("Mul", x, y), z), g.Random(0, 1, 2, 1, 1, 7))
		wide = g.Node("Max", wide, g.Node("Min", x, y), g.Node("Pow", y, g.Weights([]float32{1.5})))
		same := g.Node("Sum", x, wide, x)
		less := g.Node("Or", g.Node("Less", x, wide), g.Node("Not", g.Node("GreaterOrEqual", same, g.Weights([]float32{0.2}))))
		less = g.Node("And", less, g.Node("LessOrEqual", x, g.Weights([]float32{0.9})))
		chosen := g.Node("Where", less, same, g.Node("Expand", y, g.Ints(2, 4, 9, 7)))
		counted := g.With("Cast", attr{"to": 1}, g.Node("Greater", x, g.Node("Pow", x, g.Weights([]float32{2}))))
		return g.Node("Add", chosen, counted)
	})
	add("norms", image, func(g *onnxtest.Graph, x string) string {
		ones := func() string { return g.Random(1, 0.2, 4) }
		a := g.With("BatchNormalization", attr{"epsilon": 1e-3}, x, ones(), ones(), ones(), ones())
		b := g.Node("InstanceNormalization", x, ones(), ones())
		c := g.With("LayerNormalization", attr{"axis": 2, "epsilon": 1e-4}, x, g.Random(1, 0.1, 9, 7), g.Random(0, 0.1, 9, 7))
		d := g.With("Softmax", attr{"axis": 1}, x)
		e := g.With("LogSoftmax", attr{"axis": -1}, x)
		mean := g.With("ReduceMean", attr{"axes": []int{1, -1}}, x)
		top := g.With("Squeeze", nil, g.With("ReduceMax", attr{"axes": []int{2}, "keepdims": 1}, x), g.Ints(2))
		low := g.With("ReduceMin", attr{"axes": []int{2}, "keepdims": 0}, x)
		long := g.With("ReduceL2", attr{"axes": []int{2}, "keepdims": 0}, x)
		sum := g.With("ReduceSum", attr{"keepdims": 0}, x, g.Ints(2))
		place := g.With("Cast", attr{"to": 1}, g.With("ArgMax", attr{"axis": 2, "keepdims": 0}, x))
		small := g.Node("Sum", top, low, long, sum, place)
		return g.Node("Sum", a, b, c, d, e, mean, g.Node("Unsqueeze", small, g.Ints(2)))
	})
	add("attention", []int{1, 3, 16, 16}, func(g *onnxtest.Graph, x string) string { // a vision transformer of one layer
		x = g.With("Conv", attr{"strides": []int{4, 4}}, x, g.Random(0, 0.2, 12, 3, 4, 4), g.Random(0, 0.1, 12))
		shape := g.Node("Shape", x)
		batch := g.Node("Gather", shape, g.Ints(0))
		x = g.Node("Reshape", x, g.With("Concat", attr{"axis": 0}, batch, g.Ints(12, -1)))
		x = g.With("Transpose", attr{"perm": []int{0, 2, 1}}, x)
		first := g.Node("Expand", g.Random(0, 1, 1, 1, 12), g.With("Concat", attr{"axis": 0}, batch, g.Ints(1, 12)))
		x = g.Node("Add", g.With("Concat", attr{"axis": 1}, first, x), g.Random(0, 0.3, 1, 17, 12))
		norm := g.Node("LayerNormalization", x, g.Random(1, 0.1, 12), g.Random(0, 0.1, 12))
		parts := g.Many("Split", 3, attr{"axis": 2}, g.Node("Add", g.Node("MatMul", norm, g.Random(0, 0.4, 12, 36)), g.Random(0, 0.1, 36)), g.Ints(12, 12, 12))
		heads := func(v string, order []int) string {
			return g.With("Transpose", attr{"perm": order}, g.Node("Reshape", v, g.Ints(0, -1, 3, 4)))
		}
		weights := g.Node("MatMul", heads(parts[0], []int{0, 2, 1, 3}), heads(parts[1], []int{0, 2, 3, 1}))
		weights = g.With("Softmax", attr{"axis": -1}, g.Node("Div", weights, g.Weights([]float32{2})))
		mixed := g.With("Transpose", attr{"perm": []int{0, 2, 1, 3}}, g.Node("MatMul", weights, heads(parts[2], []int{0, 2, 1, 3})))
		x = g.Node("Add", x, g.Node("Reshape", mixed, g.Ints(0, 0, 12)))
		return g.With("Gather", attr{"axis": 1}, x, g.Ints(0, -2))
	})
	add("shapes", []int{2, 3, 4}, func(g *onnxtest.Graph, x string) string {
		a := g.Node("Slice", x, g.Ints(-1, 3), g.Ints(-9, 0), g.Ints(1, 2), g.Ints(-2, -1))
		b := g.With("Pad", nil, a, g.Ints(0, 1, 0, 0, 0, 2), g.Weights([]float32{0.5}))
		c := g.Node("Slice", x, g.Ints(1), g.Ints(100), g.Ints(2))
		parts := g.Many("Split", 2, attr{"axis": 1}, x, g.Ints(1, 2))
		zeros := g.Node("ConstantOfShape", g.Ints(2, 1))
		fill := g.With("Constant", attr{"value_floats": []float32{1, 2}})
		flat := func(v string) string { return g.Node("Reshape", v, g.Ints(2, -1)) }
		squeezed := g.Node("Squeeze", parts[0], g.Ints(1))
		last := g.With("Gemm", attr{"alpha": 0.5, "beta": 2.0, "transA": 1}, g.Node("Dropout", squeezed), g.Random(0, 1, 2, 3), g.Random(0, 1, 3))
		return g.With("Concat", attr{"axis": 1}, flat(b), flat(c), flat(parts[1]), zeros, g.With("Transpose", nil, g.Node("Add", g.Node("Transpose", zeros), fill)), flat(last),
			flat(g.Node("MatMul", x, g.Random(0, 1, 4))))
	})
	return out
}

type reference struct {
	model []byte
	shape []int
}

func TestReference(t *testing.T) {
	const file = "testdata/onnxruntime.json"
	models := references()
	if *update {
		updateReferences(t, models, file)
	}
	text := must.Get(os.ReadFile(file))
	var want map[string][]float32
	must.Succeed(t, json.Unmarshal(text, &want))
	for _, name := range slices.Sorted(maps.Keys(models)) {
		t.Run(name, func(t *testing.T) {
			got := runModel(t, models[name])
			if len(got) != len(want[name]) {
				t.Fatalf("%d values, want %d", len(got), len(want[name]))
			}
			scale := 1.0
			for _, v := range want[name] {
				scale = max(scale, math.Abs(float64(v)))
			}
			for i, v := range want[name] {
				if !(math.Abs(float64(got[i]-v)) <= 1e-5*scale) {
					t.Fatalf("value %d = %v, want %v", i, got[i], v)
				}
			}
		})
	}
}

// compile returns the program of a model.
func compile(model []byte) (*Program, error) {
	m, err := Read(model)
	if err != nil {
		return nil, err
	}
	return m.Compile()
}

// runModel runs a model twice in one session, because the second run reuses the memory of the first.
func runModel(t *testing.T, r reference) []float32 {
	t.Helper()
	p := must.Get(compile(r.model))
	s := p.Session()
	var first []float32
	for range 2 {
		out := must.Get(s.Run(wave(r.shape...)))
		if first != nil && !slices.Equal(first, out[0].F) {
			t.Fatal("the second run differs from the first")
		}
		first = slices.Clone(out[0].F)
	}
	return first
}

func updateReferences(t *testing.T, models map[string]reference, file string) {
	t.Helper()
	dir := t.TempDir()
	shapes := map[string][]int{}
	for name, r := range models {
		shapes[name] = r.shape
		must.Succeed(t, os.WriteFile(filepath.Join(dir, name+".onnx"), r.model, 0o644))
	}
	list, err := json.Marshal(shapes)
	must.Succeed(t, err)
	node := exec.Command("node", "testdata/onnxruntime.cjs", dir, string(list))
	node.Stderr = os.Stderr
	out, err := node.Output()
	if err != nil {
		t.Fatalf("onnxruntime: %v", err)
	}
	must.Succeed(t, os.WriteFile(file, out, 0o644))
}

// TestNormalizationOfAnEvenWindow checks LRN by its definition: a window of two channels has the channel and the next one. The factor is
// 1/(1 + Σ x²).
func TestNormalizationOfAnEvenWindow(t *testing.T) {
	g := onnxtest.New(1)
	g.Input("input", 1, 3, 1, 1)
	g.Name("output", g.With("LRN", onnxtest.Attributes{"size": 2, "alpha": 2.0, "beta": 1.0, "bias": 1.0}, "input"))
	p := must.Get(compile(g.Bytes()))
	out := must.Get(p.Session().Run(&Tensor{Shape: []int{1, 3, 1, 1}, F: []float32{1, 2, 3}}))
	for k, want := range []float64{1. / 6, 2. / 14, 3. / 10} {
		must.Near(t, float64(out[0].F[k]), want, 1e-6, "channel %d", k)
	}
}

// TestTiesAndCeiling checks what the operators define: ArgMax returns the first of equal values, and a mean that counts the padding does not
// count what rounding up adds to the last window.
func TestTiesAndCeiling(t *testing.T) {
	x := &Tensor{Shape: []int{1, 1, 3, 3}, F: []float32{1, 2, 3, 4, 5, 6, 9, 9, 9}}
	for _, c := range []struct {
		build func(g *onnxtest.Graph) string
		want  []float32
	}{
		{func(g *onnxtest.Graph) string {
			return g.With("Cast", onnxtest.Attributes{"to": 1}, g.With("ArgMax", onnxtest.Attributes{"axis": 3, "keepdims": 0}, "input"))
		}, []float32{2, 2, 0}},
		{func(g *onnxtest.Graph) string {
			return g.With("AveragePool", onnxtest.Attributes{"kernel_shape": []int{2, 2}, "strides": []int{2, 2}, "ceil_mode": 1, "count_include_pad": 1}, "input")
		}, []float32{3, 4.5, 9, 9}},
	} {
		g := onnxtest.New(1)
		g.Input("input", x.Shape...)
		g.Name("output", c.build(g))
		out := must.Get(must.Get(compile(g.Bytes())).Session().Run(x))
		if !slices.Equal(out[0].F, c.want) {
			t.Errorf("%v, want %v", out[0].F, c.want)
		}
	}
}

// TestCeiling checks rounding up: a window may end in the padding at the end, and beyond it, but not start there.
func TestCeiling(t *testing.T) {
	for _, c := range []struct{ in, size, pad, want int }{{4, 2, 0, 2}, {2, 1, 1, 1}, {5, 2, 0, 2}, {3, 2, 1, 1}, {6, 2, 1, 2}} {
		w := window{size: [2]int{c.size, c.size}, stride: [2]int{3, 3}, dilation: [2]int{1, 1}, pads: [4]int{0, 0, c.pad, c.pad}, ceil: true}
		out, _, _, err := w.over(c.in, c.in)
		must.Succeed(t, err)
		must.Same(t, out, [2]int{c.want, c.want}, c)
	}
}
