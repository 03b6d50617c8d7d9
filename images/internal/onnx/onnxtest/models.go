package onnxtest

import "math"

// Conv adds a convolution with a square window, random weights and padding that keeps the size.
func (g *Graph) Conv(x string, ins, outs, window, stride, group int) string {
	w := g.Random(0, math.Sqrt(2/float64(ins/group*window*window)), outs, ins/group, window, window)
	p := window / 2
	return g.With("Conv", Attributes{"kernel_shape": []int{window, window}, "strides": []int{stride, stride}, "pads": []int{p, p, p, p}, "group": group},
		x, w, g.Random(0, 0.05, outs))
}

// relu6 adds the activation of MobileNet.
func (g *Graph) relu6(x string) string {
	return g.Node("Clip", x, g.Weights([]float32{0}), g.Weights([]float32{6}))
}

// head adds the mean over the image and a linear layer, and ends the model.
func (g *Graph) head(x string, channels, labels int) []byte {
	x = g.With("Flatten", Attributes{"axis": 1}, g.Node("GlobalAveragePool", x))
	x = g.With("Gemm", Attributes{"transB": 1}, x, g.Random(0, 0.03, labels, channels), g.Random(0, 0.01, labels))
	g.Name("output", x, -1, labels)
	return g.Bytes()
}

// MobileNetV2 returns a model with the layers of MobileNetV2 and random weights. Reference: Sandler et al., "MobileNetV2:
// inverted residuals and linear bottlenecks", CVPR 2018, Table 2.
func MobileNetV2(side, labels int) []byte {
	g := New(1)
	g.Input("input", -1, 3, side, side)
	x, c := g.relu6(g.Conv("input", 3, 32, 3, 2, 1)), 32
	for _, l := range [][4]int{{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}} {
		for i := range l[2] {
			stride, wide, y := 1, c*l[0], x
			if i == 0 {
				stride = l[3]
			}
			if l[0] != 1 {
				y = g.relu6(g.Conv(y, c, wide, 1, 1, 1))
			}
			y = g.Conv(g.relu6(g.Conv(y, wide, wide, 3, stride, wide)), wide, l[1], 1, 1, 1)
			if stride == 1 && c == l[1] {
				y = g.Node("Add", x, y)
			}
			x, c = y, l[1]
		}
	}
	return g.head(g.relu6(g.Conv(x, c, 1280, 1, 1, 1)), 1280, labels)
}

// norm adds a batch normalization.
func (g *Graph) norm(x string, channels int) string {
	variance := make([]float32, channels)
	for i := range variance {
		variance[i] = 0.5 + float32(i%7)/7
	}
	return g.With("BatchNormalization", Attributes{"epsilon": 1e-5}, x, g.Random(1, 0.1, channels), g.Random(0, 0.1, channels), g.Random(0, 0.1, channels), g.Weights(variance, channels))
}

// ResNet18 returns a model with the layers of ResNet-18 and random weights. Reference: He et al., "Deep residual learning
// for image recognition", CVPR 2016, Table 1.
func ResNet18(side, labels int) []byte {
	g := New(2)
	g.Input("input", -1, 3, side, side)
	relu := func(x string) string { return g.Node("Relu", x) }
	x := relu(g.norm(g.Conv("input", 3, 64, 7, 2, 1), 64))
	x = g.With("MaxPool", Attributes{"kernel_shape": []int{3, 3}, "strides": []int{2, 2}, "pads": []int{1, 1, 1, 1}}, x)
	c := 64
	for i, o := range []int{64, 128, 256, 512} {
		for block := range 2 {
			stride, beside := 1, x
			if block == 0 && i > 0 {
				stride = 2
				beside = g.norm(g.Conv(x, c, o, 1, 2, 1), o)
			}
			y := relu(g.norm(g.Conv(x, c, o, 3, stride, 1), o))
			y = g.norm(g.Conv(y, o, o, 3, 1, 1), o)
			x, c = relu(g.Node("Add", y, beside)), o
		}
	}
	return g.head(x, 512, labels)
}
