package onnx

import (
	"math"
	"testing"

	"github.com/polydag/polydag/images/internal/onnx/onnxtest"
	"github.com/polydag/polydag/internal/must"
)

func BenchmarkMobileNetV2(b *testing.B) { benchmark(b, onnxtest.MobileNetV2(224, 40)) }

func BenchmarkResNet18(b *testing.B) { benchmark(b, onnxtest.ResNet18(224, 40)) }

// benchmark runs a model on one image at a time, one session per thread.
func benchmark(b *testing.B, model []byte) {
	p := must.Get(compile(model))
	run := func(s *Session, x *Tensor) {
		if _, err := s.Run(x); err != nil {
			b.Error(err)
		}
	}
	x := wave(1, 3, 224, 224)
	b.Run("threads=1", func(b *testing.B) {
		s := p.Session()
		run(s, x)
		for b.Loop() {
			run(s, x)
		}
	})
	b.Run("threads=all", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			s := p.Session()
			for pb.Next() {
				run(s, x)
			}
		})
	})
}

// wave returns an input with values between -1 and 1.
func wave(shape ...int) *Tensor {
	t := &Tensor{Shape: shape, F: make([]float32, size(shape))}
	for i := range t.F {
		t.F[i] = float32(math.Sin(float64(i) * 0.01))
	}
	return t
}
