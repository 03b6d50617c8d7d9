package gonumblas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"
	"gonum.org/v1/gonum/mat"
)

// gonum's own kit for implementations.
func TestGonumKit(t *testing.T) {
	testblas.TestDgemm(t, BLAS{})
	testblas.DsyrkTest(t, BLAS{})
	testblas.DtrsmTest(t, BLAS{})
}

func random(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func single(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// distance is the largest difference relative to the largest entry.
func distance(got, want []float64) float64 {
	var d, scale float64
	for i := range want {
		d = max(d, math.Abs(got[i]-want[i]))
		scale = max(scale, math.Abs(want[i]))
		if math.IsNaN(got[i]) != math.IsNaN(want[i]) {
			return math.Inf(1)
		}
	}
	return d / scale
}

func double(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// The twins are gonum's; the sizes reach several levels of the recursion.
func TestSyrkAgainstGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
		for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			for _, beta := range []float64{0, 0.5} {
				const n, k, ldc = 131, 67, 140
				lda := 135
				a, want := random(rng, n*lda), random(rng, n*ldc)
				got, got32 := append([]float64(nil), want...), single(want)
				gonum.Implementation{}.Dsyrk(ul, tA, n, k, -0.5, a, lda, beta, want, ldc)
				BLAS{Threads: 2}.Dsyrk(ul, tA, n, k, -0.5, a, lda, beta, got, ldc)
				BLAS{}.Ssyrk(ul, tA, n, k, -0.5, single(a), lda, float32(beta), got32, ldc)
				if d := distance(got, want); !(d < 1e-14) {
					t.Errorf("Dsyrk %c %c beta=%v: distance %g", ul, tA, beta, d)
				}
				if d := distance(double(got32), want); !(d < 1e-5) {
					t.Errorf("Ssyrk %c %c beta=%v: distance %g", ul, tA, beta, d)
				}
			}
		}
	}
}

func TestTrsmAgainstGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, s := range []blas.Side{blas.Left, blas.Right} {
		for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
			for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
				for _, d := range []blas.Diag{blas.NonUnit, blas.Unit} {
					const m, n, lda, ldb = 131, 97, 140, 101
					a, want := random(rng, lda*lda), random(rng, m*ldb)
					for i := range lda {
						for j := range lda {
							a[i*lda+j] /= lda // a well conditioned triangle
						}
						a[i*lda+i] += 2
					}
					got, got32 := append([]float64(nil), want...), single(want)
					gonum.Implementation{}.Dtrsm(s, ul, tA, d, m, n, 0.75, a, lda, want, ldb)
					BLAS{Threads: 2}.Dtrsm(s, ul, tA, d, m, n, 0.75, a, lda, got, ldb)
					BLAS{}.Strsm(s, ul, tA, d, m, n, 0.75, single(a), lda, got32, ldb)
					if e := distance(got, want); !(e < 1e-14) {
						t.Errorf("Dtrsm %c %c %c %c: distance %g", s, ul, tA, d, e)
					}
					if e := distance(double(got32), want); !(e < 1e-5) {
						t.Errorf("Strsm %c %c %c %c: distance %g", s, ul, tA, d, e)
					}
				}
			}
		}
	}
}

func TestSgemmAgainstGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const m, n, k = 37, 41, 53
	a, b, want := single(random(rng, m*k)), single(random(rng, k*n)), single(random(rng, m*n))
	got := append([]float32(nil), want...)
	gonum.Implementation{}.Sgemm(blas.Trans, blas.NoTrans, m, n, k, 2, a, m, b, n, 0.5, want, n)
	BLAS{}.Sgemm(blas.Trans, blas.NoTrans, m, n, k, 2, a, m, b, n, 0.5, got, n)
	if d := distance(double(got), double(want)); !(d < 1e-6) {
		t.Errorf("distance %g", d)
	}
}

// under runs f with b in the place of gonum's BLAS.
func under(b blas.Float64, f func()) {
	blas64.Use(b)
	defer blas64.Use(gonum.Implementation{})
	f()
}

// factor returns what gonum makes of one matrix: LU solution, Cholesky factor, exponential,
// product.
func factor(n int) [][]float64 {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	a := mat.NewDense(n, n, random(rng, n*n))
	b := mat.NewDense(n, 20, random(rng, n*20))

	var lu mat.LU
	lu.Factorize(a)
	var x mat.Dense
	if err := lu.SolveTo(&x, false, b); err != nil {
		panic(err)
	}

	var gram mat.Dense
	gram.Mul(a.T(), a)
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			sym.SetSym(i, j, gram.At(i, j))
			if i == j {
				sym.SetSym(i, i, gram.At(i, i)+1)
			}
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(sym) {
		panic("not positive definite")
	}
	var l mat.TriDense
	chol.LTo(&l)

	var small, e mat.Dense
	small.Scale(1/math.Sqrt(float64(n)), a)
	e.Exp(&small)
	return [][]float64{x.RawMatrix().Data, l.RawTriangular().Data, e.RawMatrix().Data, gram.RawMatrix().Data}
}

func TestFactorizationsRideOnIt(t *testing.T) {
	for _, n := range []int{1, 5, 64, 65, 150, 300} {
		plain := factor(n)
		for _, threads := range []int{1, 2} {
			var ours [][]float64
			under(BLAS{Threads: threads}, func() { ours = factor(n) })
			for i, name := range []string{"LU solution", "Cholesky factor", "exponential", "product"} {
				if d := distance(ours[i], plain[i]); !(d < 1e-9) {
					t.Errorf("n=%d threads=%d: %s is %g from gonum's", n, threads, name, d)
				}
			}
		}
	}
}

func TestBadArgumentsPanic(t *testing.T) {
	x := make([]float64, 4)
	for name, call := range map[string]func(){
		"transpose": func() { BLAS{}.Dgemm('x', blas.NoTrans, 2, 2, 2, 1, x, 2, x, 2, 0, x, 2) },
		"triangle":  func() { BLAS{}.Dtrsm(blas.Left, 'x', blas.NoTrans, blas.Unit, 2, 2, 1, x, 2, x, 2) },
		"side":      func() { BLAS{}.Dtrsm('x', blas.Upper, blas.NoTrans, blas.Unit, 2, 2, 1, x, 2, x, 2) },
		"short":     func() { BLAS{}.Dgemm(blas.NoTrans, blas.NoTrans, 3, 3, 3, 1, x, 3, x, 3, 0, x, 3) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic for a bad %s", name)
				}
			}()
			call()
		}()
	}
}

func BenchmarkGonum(b *testing.B) {
	for _, n := range []int{100, 500} {
		rng := rand.New(rand.NewPCG(9, uint64(n)))
		a := mat.NewDense(n, n, random(rng, n*n))
		spd := mat.NewSymDense(n, nil)
		spd.SymOuterK(1, a)
		for i := range n {
			spd.SetSym(i, i, spd.At(i, i)+1)
		}
		var lu mat.LU
		var chol mat.Cholesky
		var e mat.Dense
		for _, op := range []struct {
			name string
			run  func()
		}{
			{"lu", func() { lu.Factorize(a) }},
			{"chol", func() { chol.Factorize(spd) }},
			{"exp", func() { e.Exp(a) }},
		} {
			for _, impl := range []struct {
				name string
				blas blas.Float64
			}{{"gonum", gonum.Implementation{}}, {"gemm", BLAS{}}} {
				b.Run(fmt.Sprintf("op=%s/d=%d/blas=%s", op.name, n, impl.name), func(b *testing.B) {
					under(impl.blas, func() {
						for b.Loop() {
							op.run()
						}
					})
				})
			}
		}
	}
}
