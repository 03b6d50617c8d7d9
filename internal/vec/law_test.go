package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// outputs runs every kernel of version k on copies of the four inputs and returns
// the destinations in a fixed order, each with the sums appended.
func outputs[T Float](k isa, w, x, y, z []T) map[string][]T {
	c := func(s []T) []T { return append([]T(nil), s...) }
	out := map[string][]T{}
	d := c(w)
	axpy(k, d, T(1.3), x)
	out["Axpy"] = d
	d = c(w)
	scale(k, d, T(1.3), x)
	out["Scale"] = d
	d = c(w)
	lin3(k, d, T(1.3), x, T(0.4), y, T(-2), z)
	out["Lin3"] = d
	d = c(w)
	s := chainRule(k, d, x, y)
	out["ChainRule"] = append(d, T(s))
	d = c(w)
	s = addL1(k, d, T(0.1), x)
	out["AddL1"] = append(d, T(s))
	out["Dot"] = []T{T(dot(k, x, y))}
	d, m, v := c(w), c(y), c(z)
	adam(k, d, T(1.3), x, T(0.4), w, m, v, newAdamStep[T](AdamParams{Rate: 1e-3, Beta1: 0.9, Beta2: 0.99, Eps: 1e-8, Corr1: 0.5, Corr2: 0.1}))
	out["Adam"], out["Adam m"], out["Adam v"] = d, m, v
	return out
}

func random[T Float](rng *rand.Rand, n int) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = T(rng.Float64() + 0.1)
	}
	return s
}

// TestAssemblyAgrees: the two instruction sets give the same bits, sums included.
func TestAssemblyAgrees(t *testing.T) {
	sets := available()
	if len(sets) < 3 {
		t.Skipf("needs AVX-512 and AVX2, this build and machine have %v", sets)
	}
	t.Run("float32", testAgree[float32])
	t.Run("float64", testAgree[float64])
}

func testAgree[T Float](t *testing.T) {
	sets := available()
	for _, n := range lengths() {
		rng := rand.New(rand.NewPCG(8, uint64(n)))
		w, x, y, z := random[T](rng, n), random[T](rng, n), random[T](rng, n), random[T](rng, n)
		a, b := outputs(sets[1], w, x, y, z), outputs(sets[2], w, x, y, z)
		for name := range a {
			for i := range a[name] {
				if a[name][i] != b[name][i] {
					t.Fatalf("%s, n %d: entry %d is %v with %v and %v with %v", name, n, i, a[name][i], sets[1], b[name][i], sets[2])
				}
			}
		}
	}
}

// TestSumIgnoresAlignment: a sum depends on the values alone.
func TestSumIgnoresAlignment(t *testing.T) {
	for _, k := range available() {
		rng := rand.New(rand.NewPCG(9, 9))
		for _, n := range []int{3, 31, 65, 1000} {
			x := random[float32](rng, n)
			want := dot(k, x, x)
			for off := range 16 {
				moved := append(make([]float32, off, off+n), x...)[off:]
				if got := dot(k, moved, moved); got != want {
					t.Fatalf("%v, n %d, offset %d: %v, want %v", k, n, off, got, want)
				}
			}
		}
	}
}

// TestNotFinitePropagates: NaN or Inf at one place of one input reaches that place of the
// output and the sum, and no other place.
func TestNotFinitePropagates(t *testing.T) {
	t.Run("float32", testNotFinite[float32])
	t.Run("float64", testNotFinite[float64])
}

func testNotFinite[T Float](t *testing.T) {
	reads := map[string]string{ // the inputs that reach the output; some kernels only overwrite w
		"Axpy": "wx", "Scale": "x", "Lin3": "xyz", "ChainRule": "xy", "AddL1": "wx", "Dot": "xy",
		"Adam": "wxyz", "Adam m": "wxy", "Adam v": "wxz",
	}
	for _, k := range available() {
		for _, n := range []int{1, 5, 16, 33, 67} {
			for bad := range n {
				for input := range 4 {
					for _, value := range []float64{math.NaN(), math.Inf(1)} {
						rng := rand.New(rand.NewPCG(10, uint64(n)))
						in := [4][]T{random[T](rng, n), random[T](rng, n), random[T](rng, n), random[T](rng, n)}
						in[input][bad] = T(value)
						for name, out := range outputs(k, in[0], in[1], in[2], in[3]) {
							reaches := strings.Contains(reads[name], "wxyz"[input:input+1])
							if math.IsInf(value, 1) && (name == "Adam" && input == 3 || name == "AddL1" && input == 1) {
								reaches = false // m/(sqrt(Inf) + eps) = 0, and sign(Inf) = 1
							}
							for i, v := range out {
								if name == "Dot" || i == n {
									continue
								}
								if finite := v-v == 0; finite == (reaches && i == bad) {
									t.Fatalf("%s, %v, n %d: %v at %d of input %d: entry %d is %v", name, k, n, value, bad, input, i, v)
								}
							}
							if name == "Dot" || len(out) > n {
								sum := float64(out[len(out)-1])
								summed := name == "AddL1" && input == 1 || name != "AddL1" && (input == 1 || input == 2)
								if finite := sum-sum == 0; finite == summed {
									t.Fatalf("%s, %v, n %d: %v at %d of input %d: sum %v", name, k, n, value, bad, input, sum)
								}
							}
						}
					}
				}
			}
		}
	}
}

// TestAdamFirstStep: from m = v = 0 the first step is Rate against the sign of the gradient.
func TestAdamFirstStep(t *testing.T) {
	w, g := []float64{1, 1, 1}, []float64{1e-3, -50, 0}
	m, v := make([]float64, 3), make([]float64, 3)
	Adam(w, g, m, v, AdamParams{Rate: 0.1, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Corr1: 1 - 0.9, Corr2: 1 - 0.999})
	for i, want := range []float64{0.9, 1.1, 1} {
		checkNear(t, fmt.Sprintf("w[%d]", i), w[i], want, 1e-5)
	}
}

func TestLengthMismatchPanics(t *testing.T) {
	a, b := make([]float64, 4), make([]float64, 5)
	calls := map[string]func(){
		"Axpy":        func() { Axpy(b, 1, a) },
		"Scale":       func() { Scale(a, 1, b) },
		"Lin3 x":      func() { Lin3(a, 1, b, 1, a, 1, a) },
		"Lin3 y":      func() { Lin3(a, 1, a, 1, b, 1, a) },
		"Lin3 z":      func() { Lin3(a, 1, a, 1, a, 1, b) },
		"Dot":         func() { Dot(b, a) },
		"ChainRule":   func() { ChainRule(a, a, b) },
		"ChainRule w": func() { ChainRule(a, b, a) },
		"AddL1":       func() { AddL1(b, 1, a) },
		"Adam g":      func() { Adam(a, b, a, a, AdamParams{}) },
		"Adam m":      func() { Adam(a, a, b, a, AdamParams{}) },
		"Adam v":      func() { Adam(a, a, a, b, AdamParams{}) },
	}
	for name, call := range calls {
		panics(t, name, "vec: "+strings.Fields(name)[0], call)
	}
}

// panics checks that f panics with a text that begins with want.
func panics(t *testing.T, name, want string, f func()) {
	t.Helper()
	defer func() {
		if msg := recover(); msg == nil || !strings.HasPrefix(fmt.Sprint(msg), want) {
			t.Errorf("%s: recovered %v, want a panic with %q", name, msg, want)
		}
	}()
	f()
}

func TestNoAllocation(t *testing.T) {
	x, y, z, w := make([]float32, 100), make([]float32, 100), make([]float32, 100), make([]float32, 100)
	allocs := testing.AllocsPerRun(10, func() {
		Axpy(y, 0.5, x)
		Scale(y, 0.5, x)
		Lin3(w, 1, x, 2, y, 3, z)
		ChainRule(w, x, y)
		AddL1(w, 0.1, x)
		Dot(x, y)
		Adam(w, x, y, z, AdamParams{Corr1: 1, Corr2: 1, Eps: 1})
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
