package score_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

func bge(tb testing.TB, r *matrix.Dense[float64], n int, s score.BGeSettings) *score.BGe {
	return must.Get(score.NewBGe(r, n, s))
}

func TestBGeKit(t *testing.T) {
	for seed := range uint64(3) {
		for _, n := range []int{9, 300} {
			s := score.BGeSettings{AlphaMu: 0.5 + float64(seed), AlphaW: 1 + float64(seed)/2, T: 0.7, Gamma: float64(seed) / 4}
			if err := kit.LocalScore(bge(t, correlations(8, n, 1, seed), n, s), kit.LocalScoreSettings{MaxParents: 6}, seed); err != nil {
				t.Error(err)
			}
		}
	}
}

// The control: the exponents have to count the parents, which is what the correction of 2014 is about. Without that the determinant of
// the parents drops out, and graphs of one class are told apart. The kit sees it.
func TestBGeControl(t *testing.T) {
	r := correlations(8, 300, 1, 1)
	err := kit.LocalScore(uncorrected{bge(t, r, 300, score.DefaultBGe()), r}, kit.LocalScoreSettings{}, 1)
	if err == nil || !strings.Contains(err.Error(), "equivalent") {
		t.Errorf("the kit says %v", err)
	}
}

// uncorrected leaves the determinant of the parents out.
type uncorrected struct {
	search.Score
	r *matrix.Dense[float64]
}

func (u uncorrected) Evaluator() search.Evaluator {
	return uncorrectedEval{u.Score.Evaluator(), u.r}
}

type uncorrectedEval struct {
	search.Evaluator
	r *matrix.Dense[float64]
}

func (u uncorrectedEval) Score(v int, parents []int) float64 {
	m := matrix.New[float64](len(parents), len(parents))
	for i, p := range parents {
		for j, q := range parents {
			m.Set(i, j, u.r.At(p, q))
		}
	}
	if len(parents) == 0 {
		return u.Evaluator.Score(v, nil)
	}
	return u.Evaluator.Score(v, parents) - math.Log(det(m))
}

func (u uncorrectedEval) Additions(dst []float64, v int, parents []int) {
	search.AdditionsByScore(dst, u, v, parents)
}

// The slow twin is the chain rule: the rows come one after the other, and each is predicted from those before it by the multivariate
// t distribution that the posterior of mean and precision gives (Geiger and Heckerman 2002, section 4). No formula is shared.
func TestBGeAgainstPrediction(t *testing.T) {
	const n, d = 7, 4
	rng := rand.New(rand.NewPCG(4, 4))
	x := matrix.New[float64](n, d)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	for i := range n {
		x.Set(i, 2, x.At(i, 2)+x.At(i, 0)-x.At(i, 1))
	}
	standardizeColumns(x)
	r := matrix.New[float64](d, d)
	matrix.MulTA(r, x, x, 1)
	for i := range r.Data {
		r.Data[i] /= n
	}
	for i := range d {
		r.Set(i, i, 1)
	}
	s := score.BGeSettings{AlphaMu: 1.5, AlphaW: 2.5, T: 0.8}
	eval := bge(t, r, n, s).Evaluator()
	for v, parents := range map[int][]int{0: nil, 1: {0}, 2: {0, 1}, 3: {0, 1, 2}} {
		t.Run(fmt.Sprint(v, parents), func(t *testing.T) {
			want := -2 * (predicted(x, append([]int{v}, parents...), s) - predicted(x, parents, s))
			if got := eval.Score(v, parents); !(math.Abs(got-want) <= 1e-8) {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
}

// standardizeColumns centres the columns and divides them by their standard deviations.
func standardizeColumns(x *matrix.Dense[float64]) {
	n := float64(x.Rows)
	for j := range x.Cols {
		mean, sum := 0.0, 0.0
		for i := range x.Rows {
			mean += x.At(i, j) / n
		}
		for i := range x.Rows {
			sum += (x.At(i, j) - mean) * (x.At(i, j) - mean) / n
		}
		for i := range x.Rows {
			x.Set(i, j, (x.At(i, j)-mean)/math.Sqrt(sum))
		}
	}
}

// predicted is the logarithm of the marginal likelihood of some columns. Among d columns a normal-Wishart prior with α_w degrees of
// freedom is one with α_w - d + l for l of them.
func predicted(x *matrix.Dense[float64], set []int, s score.BGeSettings) float64 {
	l := len(set)
	if l == 0 {
		return 0
	}
	mean := make([]float64, l)
	scale := matrix.New[float64](l, l) // the scale matrix of the Wishart posterior
	for i := range l {
		scale.Set(i, i, s.T)
	}
	kappa, nu := s.AlphaMu, s.AlphaW+float64(l)
	total := 0.0
	for row := range x.Rows {
		off := make([]float64, l)
		for i, v := range set {
			off[i] = x.At(row, v) - mean[i]
		}
		// A t distribution with nu - l + 1 degrees of freedom and scale matrix scale·(kappa + 1)/(kappa·free).
		free := nu - float64(l) + 1
		with := scale.Clone()
		for i := range l {
			for j := range l {
				with.Set(i, j, scale.At(i, j)+off[i]*off[j]*kappa/(kappa+1))
			}
		}
		up, _ := math.Lgamma((free + float64(l)) / 2)
		down, _ := math.Lgamma(free / 2)
		logScale := math.Log(det(scale)) + float64(l)*math.Log((kappa+1)/kappa)
		// |with| = |scale|·(1 + offᵀ scale⁻¹ off·kappa/(kappa + 1))
		total += up - down - float64(l)/2*math.Log(math.Pi) - logScale/2 - (free+float64(l))/2*(math.Log(det(with))-math.Log(det(scale)))
		scale = with
		for i := range l {
			mean[i] += off[i] / (kappa + 1)
		}
		kappa++
		nu++
	}
	return total
}

// TestBGePrice checks that the price of an edge has the charge of Gamma that a parent has in the score, and ln n besides.
func TestBGePrice(t *testing.T) {
	const d, n = 8, 300
	r, parents := correlations(d, n, 1, 1), []int{1, 2}
	s := score.DefaultBGe()
	with := bge(t, r, n, s)
	s.Gamma = 0
	without := bge(t, r, n, s)
	charge := (with.Evaluator().Score(0, parents) - without.Evaluator().Score(0, parents)) / 2
	must.Near(t, charge, 4*0.5*math.Log(d), 1e-9, "a parent is charged")
	if math.Abs(with.Price()-math.Log(n)-charge) > 1e-9 || math.Abs(without.Price()-math.Log(n)) > 1e-9 {
		t.Errorf("prices %v and %v without charge, want %v and %v", with.Price(), without.Price(), math.Log(n)+charge, math.Log(n))
	}
}

func TestBGeSettingsFaults(t *testing.T) {
	err := score.BGeSettings{AlphaMu: 0, AlphaW: -1, T: math.NaN(), Gamma: -1}.Validate()
	for _, name := range []string{"AlphaMu", "AlphaW", "T =", "Gamma"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not reported: %v", name, err)
		}
	}
}

// FitBGe chooses the T of the largest marginal likelihood among the powers of √10 from 0.001 to 31.6. The likelihoods are
// written out here from Kuipers, Moffa and Heckerman (2014): of two columns of correlation ρ with an edge, which reach the small
// powers, and of a complete graph over uncorrelated columns, which reach the large ones.
func TestFitBGeGrid(t *testing.T) {
	prior := score.DefaultBGe()
	term := func(n, T float64, parents int, r, logdet float64) float64 {
		k := prior.AlphaW + float64(parents) + 1
		after, _ := math.Lgamma((n + k) / 2)
		before, _ := math.Lgamma(k / 2)
		return after - before + (k+float64(parents))/2*math.Log(T) - (n+k)/2*math.Log(r) - logdet/2
	}
	seen := map[int]bool{}
	check := func(name string, r *matrix.Dense[float64], n int, parents [][]int, likelihood func(T float64) float64) {
		best, most := 0, math.Inf(-1)
		for k := -6; k <= 3; k++ {
			if l := likelihood(math.Pow(10, float64(k)/2)); l > most {
				best, most = k, l
			}
		}
		seen[best] = true
		s := must.Get(score.FitBGe(r, n, parents, prior))
		if want := math.Pow(10, float64(best)/2); !(math.Abs(s.T-want) <= 1e-12*want) {
			t.Errorf("%s, %d rows: T = %v, want %v", name, n, s.T, want)
		}
	}
	for _, rows := range []int{10, 30, 100, 1000} {
		n := float64(rows)
		for _, rho := range []float64{0, 0.3, 0.5, 0.7, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999, 0.999999999} {
			check(fmt.Sprintf("ρ = %v", rho), matrix.Of(2, 2, []float64{1, rho, rho, 1}), rows, [][]int{nil, {0}}, func(T float64) float64 {
				return term(n, T, 0, T+n, 0) + term(n, T, 1, T+n-n*n*rho*rho/(T+n), math.Log(T+n))
			})
		}
		for _, d := range []int{3, 4, 6, 8, 12, 20, 30, 60} {
			r, parents := matrix.New[float64](d, d), make([][]int, d)
			for v := range d {
				r.Set(v, v, 1)
				for p := range v {
					parents[v] = append(parents[v], p)
				}
			}
			check(fmt.Sprintf("%d uncorrelated columns", d), r, rows, parents, func(T float64) (sum float64) {
				for v := range d {
					sum += term(n, T, v, T+n, float64(v)*math.Log(T+n))
				}
				return sum
			})
		}
	}
	if len(seen) != 10 {
		t.Errorf("the cases reach only the powers %v of √10, want -6 to 3", seen)
	}
}
