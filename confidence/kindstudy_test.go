package confidence_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/metric"
)

// columnKinds are distributions of real columns. A column of one kind has additive effects of its parents on the scale that is natural for
// it: logarithms of counts and amounts, log odds of shares and categories. "all kinds" gives every column the next of them.
var columnKinds = []string{
	"log-normal", "bounded", "heavy tails", "counts, Poisson", "counts, negative binomial", "counts, zero-inflated", "ordinal", "12 categories", "products", "unequal noise",
}

// kindTable draws a table of 20 columns and 30 edges. The effects are 0.4 to 0.9 per standard deviation of the parent.
func kindTable(t *testing.T, kind string, n int, seed uint64) (*graph.Graph, *polydag.Table) {
	t.Helper()
	const d, edges = 20, 30
	rng := rand.New(rand.NewPCG(seed, 43))
	perm, truth := rng.Perm(d), graph.New(d)
	for truth.NumEdges() < edges {
		if a, b := rng.IntN(d), rng.IntN(d); a < b {
			truth.AddEdge(perm[a], perm[b])
		}
	}
	x, z := matrix.New[float64](n, d), matrix.New[float64](d, n) // values, and what the children see of them
	names, rules := make([]string, d), []string{}
	own := make([]string, d)
	for v := range d {
		names[v] = fmt.Sprintf("x%02d", v)
		if own[v] = kind; kind == "all kinds" {
			own[v] = columnKinds[v%len(columnKinds)]
		}
		if own[v] == "12 categories" {
			rules = append(rules, names[v]+"=categorical")
		}
	}
	for _, v := range perm {
		parents := truth.Parents(v)
		weights := make([]float64, len(parents))
		for k := range weights {
			weights[k] = math.Copysign(0.4+0.5*rng.Float64(), rng.Float64()-0.5)
		}
		kindColumn(rng, own[v], own, x, z, v, parents, weights)
	}
	table := prepared(t, names, x, nil)
	must.Succeed(t, table.Overrule(rules))
	return truth, table
}

// kindColumn draws column v. A category has an effect of its own: a standard normal number for each pair of categories, or for each category.
func kindColumn(rng *rand.Rand, kind string, kinds []string, x, z *matrix.Dense[float64], v int, parents []int, weights []float64) {
	const levels = 12
	n := x.Rows
	normal := func(size int) []float64 {
		out := make([]float64, size)
		for k := range out {
			out[k] = rng.NormFloat64()
		}
		return out
	}
	shift, choice := make([][]float64, len(parents)), make([][]float64, len(parents))
	for k := range parents {
		shift[k], choice[k] = normal(levels), normal(levels*levels)
	}
	for i := range n {
		mean := 0.0
		logits := make([]float64, levels)
		for k, p := range parents {
			effect := weights[k] * z.At(p, i)
			if kinds[p] == "12 categories" {
				effect = math.Abs(weights[k]) * shift[k][int(x.At(i, p))]
			}
			mean += effect
			for l := range logits {
				if kinds[p] == "12 categories" {
					logits[l] += 1.5 * choice[k][int(x.At(i, p))*levels+l]
				} else {
					logits[l] += 1.5 * effect * choice[k][l]
				}
			}
		}
		e, y := rng.NormFloat64(), 0.0
		switch kind {
		case "log-normal":
			z.Set(v, i, mean+e)
			y = math.Exp(mean + e)
		case "bounded":
			z.Set(v, i, mean+e)
			y = 1 / (1 + math.Exp(-1.5*(mean+e)))
		case "heavy tails":
			s := 0.0
			for range 3 {
				g := rng.NormFloat64()
				s += g * g
			}
			y = mean + e/math.Sqrt(s)
			z.Set(v, i, y)
		case "counts, Poisson", "counts, negative binomial", "counts, zero-inflated":
			rate := math.Exp(min(4, 1+0.6*mean))
			if kind == "counts, negative binomial" { // a gamma rate of shape 3
				u := rng.Float64() * rng.Float64() * rng.Float64()
				rate *= -math.Log(u) / 3
			}
			y = poisson(rate, rng)
			if kind == "counts, zero-inflated" && rng.Float64() < 0.25 {
				y = 0
			}
			z.Set(v, i, math.Log1p(y))
		case "ordinal":
			for _, cut := range []float64{-1.2, -0.4, 0.4, 1.2} {
				if mean+e > cut {
					y++
				}
			}
			z.Set(v, i, y)
		case "12 categories":
			best := math.Inf(-1)
			for l := range logits {
				if value := logits[l] - math.Log(-math.Log(rng.Float64())); value > best {
					best, y = value, float64(l)
				}
			}
		case "products":
			for k := 1; k < len(parents); k += 2 {
				if kinds[parents[k]] != "12 categories" && kinds[parents[k-1]] != "12 categories" {
					mean += 0.7 * z.At(parents[k], i) * z.At(parents[k-1], i)
				}
			}
			y = mean + e
			z.Set(v, i, y)
		case "unequal noise":
			if len(parents) > 0 {
				e *= math.Exp(0.5 * math.Tanh(z.At(parents[0], i)))
			}
			y = mean + e
			z.Set(v, i, y)
		}
		x.Set(i, v, y)
	}
	standardizeRow(z.Row(v))
}

func standardizeRow(z []float64) {
	var sum, square float64
	for _, y := range z {
		sum, square = sum+y, square+y*y
	}
	n := float64(len(z))
	mean := sum / n
	sd := math.Sqrt(max(square/n-mean*mean, 1e-300))
	for i := range z {
		z[i] = (z[i] - mean) / sd
	}
}

// TestStudyKinds prints how well graphs of tables of real kinds of columns are learned. docs/explanation/models.md has the table. POLYDAG_STUDY is
// the first seed, POLYDAG_TABLES the number of tables (default 3), POLYDAG_FAMILIES chooses kinds, and POLYDAG_MODEL is a model (default auto).
func TestStudyKinds(t *testing.T) {
	seed := studySeed(t)
	tables, err := strconv.Atoi(os.Getenv("POLYDAG_TABLES"))
	if err != nil {
		tables = 3
	}
	t.Log("| columns | rows | model | skeleton F1 | F1 | p_direction ≥ 0.9 | right | seconds |")
	for k, kind := range append(columnKinds, "all kinds") {
		if only := os.Getenv("POLYDAG_FAMILIES"); only != "" && !(family{name: kind}).asked() {
			continue
		}
		for _, rows := range []int{1000, 5000} {
			var f1, skeleton, seconds float64
			stated, right := 0, 0
			models := map[string]int{}
			for at := range tables {
				truth, table := kindTable(t, kind, rows, seed*1_000_000+uint64(1000*k+100*at+rows/100))
				cfg := polydag.DefaultConfig()
				if m := os.Getenv("POLYDAG_MODEL"); m != "" {
					by := order.New()
					by.Model = order.Model(m)
					cfg.Method = by
				}
				res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
				models[string(res.Model)]++
				f1 += metric.Compare(truth, res.Graph).F1 / float64(tables)
				skeleton += metric.Skeleton(truth, res.Graph).F1() / float64(tables)
				seconds += res.Timing.SolveSeconds / float64(tables)
				for e, edge := range res.Edges {
					if edge.PDirection < 0.9 || edge.Verdict != polydag.Directed {
						continue
					}
					stated++
					if m := res.Marked.Edges()[e]; truth.HasEdge(m.From, m.To) {
						right++
					}
				}
			}
			t.Logf("| %s | %d | %s | %.2f | %.2f | %d | %d | %.1f |", kind, rows, strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(models), "map["), "]"), skeleton, f1, stated, right, seconds)
		}
	}
}
