package sim

import (
	"math"
	"math/rand/v2"
)

// A curve is a sum of functions of parents, and sd·noise.
type curve struct {
	functions []process
	sd        float64
}

func (c curve) value(row []float64, noise float64) float64 {
	v := c.sd * noise
	for i := range c.functions {
		v += c.functions[i].at(row)
	}
	return v
}

// processFeatures is the number of cosines that approximate a Gaussian process: the error of its kernel is about 1/√300 = 0.06.
const processFeatures = 300

// A process is a function drawn from a Gaussian process with mean 0 and kernel exp(-|x-x'|²/2), by random Fourier
// features (Rahimi and Recht 2007):
//
//	f(x) = √(2/m)·Σ a_i·cos(w_i·x + phase_i),  a_i ~ N(0, 1), w_i ~ N(0, I), phase_i ~ U(0, 2π).
//
// It keeps m·(parents + 2) numbers.
type process struct {
	parents     []int
	w, phase, a []float64
}

func drawProcess(parents []int, rng *rand.Rand) process {
	const m = processFeatures
	p := process{parents, make([]float64, m*len(parents)), make([]float64, m), make([]float64, m)}
	for i := range p.w {
		p.w[i] = rng.NormFloat64()
	}
	for i := range m {
		p.phase[i], p.a[i] = 2*math.Pi*rng.Float64(), rng.NormFloat64()*math.Sqrt(2.0/m)
	}
	return p
}

func (p *process) at(row []float64) float64 {
	sum, k := 0.0, len(p.parents)
	for i, t := range p.phase {
		for j, w := range p.w[i*k : (i+1)*k] {
			t += w * row[p.parents[j]]
		}
		sum += p.a[i] * math.Cos(t)
	}
	return sum
}

// hiddenUnits is the width of the hidden layer, as in Zheng et al. (2020).
const hiddenUnits = 100

// A perceptron is Σ_h out_h·σ(in_h·x) + sd·noise with σ the logistic function and weights uniform on ±[0.5, 2].
type perceptron struct {
	parents []int
	in, out []float64 // by hidden unit and parent, and by hidden unit
	sd      float64
}

func drawPerceptron(parents []int, sd float64, rng *rand.Rand) *perceptron {
	p := &perceptron{parents: parents, sd: sd}
	if len(parents) == 0 {
		return p
	}
	p.in, p.out = make([]float64, hiddenUnits*len(parents)), make([]float64, hiddenUnits)
	for i := range p.in {
		p.in[i] = signed(0.5, 2, rng)
	}
	for i := range p.out {
		p.out[i] = signed(0.5, 2, rng)
	}
	return p
}

func (p *perceptron) value(row []float64, noise float64) float64 {
	v, k := p.sd*noise, len(p.parents)
	for h, out := range p.out {
		t := 0.0
		for j, w := range p.in[h*k : (h+1)*k] {
			t += w * row[p.parents[j]]
		}
		v += out / (1 + math.Exp(-t))
	}
	return v
}
