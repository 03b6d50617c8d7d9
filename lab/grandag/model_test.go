package grandag

import (
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/must"
)

// TestPaths compares entry (i, j) of the edges with a sum over all paths; a column outside a network has no
// path.
func TestPaths(t *testing.T) {
	for _, constant := range []bool{false, true} {
		m := model{columns: 3, hidden: 2, constant: constant, threads: 1}
		theta := m.start(1)
		d, h := 3, 2
		for k := range h {
			theta[(1*d+2)*h+k] = 0 // column 1 does not enter the network of column 2
		}
		g, edges := m.acyclic(&acyclic.Exp[float64]{})
		g.Load(theta)
		must.Get(g.Forward(g.Out))
		units := d * h
		second, mean := theta[d*units+units:], theta[d*units+units+units*h+units:]
		deviation := mean[units+2*d:]
		for i := range d {
			for j := range d {
				sum, paths := 0.0, 0.0
				for a := range h {
					for b := range h {
						outs := []float64{mean[j*h+b]}
						if !constant {
							outs = append(outs, deviation[j*h+b])
						}
						for _, out := range outs {
							sum += math.Abs(theta[(i*d+j)*h+a] * second[(j*h+a)*h+b] * out)
							paths++
						}
					}
				}
				if got := edges.Value.At(i, j); !(math.Abs(got-sum/paths) <= 1e-12) || (i == 1 && j == 2) != (got == 0) {
					t.Errorf("constant %v, edge %d → %d: %v, want %v", constant, i, j, got, sum/paths)
				}
			}
		}
	}
}

// TestLikelihood compares the loss of a batch with the likelihood of each entry, and its gradient with
// differences.
func TestLikelihood(t *testing.T) {
	for _, constant := range []bool{false, true} {
		m := model{columns: 3, hidden: 2, constant: constant, threads: 1}
		theta := m.start(2)
		d, h, units := 3, 2, 6
		rows := [][]float64{{0.5, -1, 2}, {1, 0.3, -0.7}}
		slow := func(theta []float64) float64 {
			first, bias := theta, theta[d*units:]
			second, bias2 := bias[units:], bias[units+units*h:]
			mean := bias2[units:]
			meanBias, logSD, deviation := mean[units:], mean[units+d:], mean[units+2*d:]
			rect := func(v float64) float64 { return max(v, leak*v) }
			sum := 0.0
			for _, x := range rows {
				for j := range d {
					var one, two [2]float64
					for a := range h {
						v := bias[j*h+a]
						for i := range d {
							v += first[(i*d+j)*h+a] * x[i]
						}
						one[a] = rect(v)
					}
					mu, s := meanBias[j], logSD[j]
					for b := range h {
						v := bias2[j*h+b]
						for a := range h {
							v += one[a] * second[(j*h+a)*h+b]
						}
						two[b] = rect(v)
						mu += two[b] * mean[j*h+b]
						if !constant {
							s += two[b] * deviation[j*h+b]
						}
					}
					e := (x[j] - mu) / math.Exp(s)
					sum += e*e/2 + s + math.Log(2*math.Pi)/2
				}
			}
			return sum / float64(d)
		}
		g := m.loss(2)
		copy(g.X.Value.Data, slices.Concat(rows...))
		g.Load(theta)
		v, err := g.Forward(g.Out)
		if want := slow(theta); err != nil || !(math.Abs(v-want) <= 1e-10) {
			t.Fatalf("constant %v: %v, want %v, %v", constant, v, want, err)
		}
		grad := make([]float64, len(theta))
		g.Backward(g.Out, 1)
		g.AddGradient(grad)
		for k := range theta {
			at := func(x float64) float64 {
				moved := slices.Clone(theta)
				moved[k] = x
				return slow(moved)
			}
			if diff := (at(theta[k]+1e-6) - at(theta[k]-1e-6)) / 2e-6; !(math.Abs(diff-grad[k]) <= 1e-5*(1+math.Abs(diff))) {
				t.Errorf("constant %v, parameter %d: gradient %v, differences %v", constant, k, grad[k], diff)
			}
		}
	}
}
