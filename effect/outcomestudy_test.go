package effect

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// An outcomeKind draws an outcome after a treatment and an age with mean 0, and gives the figure of it that effects change.
type outcomeKind struct {
	name string
	draw func(rng *rand.Rand, treat, age float64) float64
	of   func(y float64) float64 // the figure is its mean
	at   int                     // of the figure in the answer
}

// horizon is the end of the restricted mean of censored times.
const horizon = 8

func outcomeKinds() []outcomeKind {
	self := func(y float64) float64 { return y }
	logit := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	amount := func(rng *rand.Rand, treat, age float64) float64 {
		if rng.Float64() > logit(-0.3+0.8*treat+0.5*age) {
			return 0
		}
		return math.Exp(1 + 0.3*treat + 0.2*age + 0.5*rng.NormFloat64())
	}
	return []outcomeKind{
		{"continuous", func(rng *rand.Rand, treat, age float64) float64 { return 0.5*treat + 0.6*age + rng.NormFloat64() }, self, 0},
		{"binary", func(rng *rand.Rand, treat, age float64) float64 {
			return indicator(rng.Float64() < logit(-0.5+0.9*treat+0.6*age))
		}, self, 0},
		{"zero-inflated, mean", amount, self, 0},
		{"zero-inflated, share of zeros", amount, func(y float64) float64 { return indicator(y == 0) }, 1},
		{"count", func(rng *rand.Rand, treat, age float64) float64 {
			left, count := math.Exp(0.8+0.4*treat+0.3*age), 0.0
			for left -= rng.ExpFloat64(); left > 0; left -= rng.ExpFloat64() {
				count++
			}
			return count
		}, self, 0},
		{"censored", func(rng *rand.Rand, treat, age float64) float64 {
			return math.Exp(1.5 + 0.5*treat - 0.3*age + 0.6*math.Log(rng.ExpFloat64()))
		}, func(y float64) float64 { return min(y, horizon) }, 0},
	}
}

// TestStudyOutcomes prints how often 90 % intervals over relearned graphs contain the effect of a treatment that age confounds, by kind of
// the outcome. Prior knowledge has the order of the columns; the default method finds the edges.
func TestStudyOutcomes(t *testing.T) {
	tables, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if tables == 0 {
		t.Skip("it takes minutes: set POLYDAG_STUDY to the number of tables, such as 60")
	}
	const n = 400
	for _, kind := range outcomeKinds() {
		rng, truth := rand.New(rand.NewPCG(1, 99)), 0.0
		const many = 400_000
		for range many {
			age := rng.NormFloat64()
			truth += (kind.of(kind.draw(rng, 1, age)) - kind.of(kind.draw(rng, 0, age))) / many
		}
		covered, width, mean, exists := 0, 0.0, 0.0, 0.0
		for seed := range tables {
			rng := rand.New(rand.NewPCG(uint64(seed), 5))
			var age, treat, y, other []float64
			var happened []bool
			for range n {
				a := rng.NormFloat64()
				on := indicator(rng.Float64() < 1/(1+math.Exp(-0.7*a)))
				age, treat, y, other = append(age, a), append(treat, on), append(y, kind.draw(rng, on, a)), append(other, rng.NormFloat64())
			}
			if kind.name == "censored" {
				for i := range y {
					end := 16 * rng.Float64()
					happened = append(happened, y[i] <= end)
					y[i] = min(y[i], end)
				}
				y, _ = dataset.Censoring{Time: "y", Event: "e", Horizon: horizon}.Pseudo(y, happened)
			}
			table := must.Get(polydag.FromColumns(polydag.Column{Name: "a", Numbers: age}, polydag.Column{Name: "t", Numbers: treat}, polydag.Column{Name: "o", Numbers: other}, polydag.Column{Name: "y", Numbers: y}))
			cfg := polydag.DefaultConfig()
			cfg.Knowledge.Tiers = [][]string{{"a", "o"}, {"t"}, {"y"}}
			res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
			q := NewQuestion("t", "y")
			q.Replicates, q.Start, q.End = 39, "0", "1"
			a := must.Get(Ask(context.Background(), res, table, q))
			e := a.Effects[kind.at].Total
			if *e.Low <= truth && truth <= *e.High {
				covered++
			}
			width += (*e.High - *e.Low) / float64(tables)
			mean += e.Value / float64(tables)
			exists += *a.Interval.Paths / float64(tables)
		}
		share := float64(covered) / float64(tables)
		t.Logf("%-30s coverage %.3f ± %.3f, width %.3g, estimate %.4g, truth %.4g, paths %.2f", kind.name, share, math.Sqrt(0.09/float64(tables)), width, mean, truth, exists)
	}
}
