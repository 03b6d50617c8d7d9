package learntest

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/metric"
)

var (
	weightStudy = flag.String("weight-study", "", "tables of the study of row weights, as in -missing-study")
	weightSeeds = flag.Int("weight-seeds", 5, "number of seeds in the study of row weights")
)

// biased draws rows with a probability that depends on two columns: 0.9 where neither is above its threshold, 0.3 for each that is. The
// last column has the weights, 1 over the probability.
func biased(columns polydag.Columns, seed uint64) polydag.Columns {
	random := rand.New(rand.NewPCG(seed, 31))
	n := max(len(columns[0].Numbers), len(columns[0].Text))
	pick := random.Perm(len(columns))[:2]
	out := make(polydag.Columns, len(columns)+1)
	out[len(columns)].Name = "weight"
	for j, c := range columns {
		out[j].Name = c.Name
	}
	for i := range n {
		p := 0.9
		for _, j := range pick {
			if c := &columns[j]; c.Text != nil && c.Text[i] > "c0" || c.Text == nil && c.Numbers[i] > 0 {
				p *= 0.33
			}
		}
		if random.Float64() >= p {
			continue
		}
		for j, c := range columns {
			if c.Text != nil {
				out[j].Text = append(out[j].Text, c.Text[i])
			} else {
				out[j].Numbers = append(out[j].Numbers, c.Numbers[i])
			}
		}
		out[len(columns)].Numbers = append(out[len(columns)].Numbers, 1/p)
	}
	return out
}

// atRandom draws as many rows of a table with equal probabilities as the weights of a biased sample are worth by Kish's formula.
func atRandom(columns polydag.Columns, weights []float64, seed uint64) polydag.Columns {
	sum, squares := 0.0, 0.0
	for _, w := range weights {
		sum += w
		squares += w * w
	}
	rows := rand.New(rand.NewPCG(seed, 32)).Perm(max(len(columns[0].Numbers), len(columns[0].Text)))[:int(sum*sum/squares)]
	out := make(polydag.Columns, len(columns))
	for j, c := range columns {
		out[j].Name = c.Name
		for _, i := range rows {
			if c.Text != nil {
				out[j].Text = append(out[j].Text, c.Text[i])
			} else {
				out[j].Numbers = append(out[j].Numbers, c.Numbers[i])
			}
		}
	}
	return out
}

// TestWeightStudy compares the graph of a whole table with those of a biased sample of its rows, with and without weights, and of a
// random sample with as many rows as the weighted ones are worth, which no use of the weights can be expected to exceed:
//
//	go test ./internal/learntest -run WeightStudy -weight-study time,child -weight-seeds 5 -v -timeout 0
func TestWeightStudy(t *testing.T) {
	if *weightStudy == "" {
		t.Skip("no -weight-study")
	}
	fmt.Println("| table | rows | rows in the sample | treatment | F1 | skeleton F1 | CPDAG SHD | lost | extra |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, name := range strings.Split(*weightStudy, ",") {
		for _, how := range []string{"whole table", "sample, weighted", "sample, not weighted", "random sample"} {
			var f1, skeleton, shd, lost, extra, rows, sampled float64
			for seed := range *weightSeeds {
				columns, truth := gapTable(t, name, uint64(seed+2000))
				n := max(len(columns[0].Numbers), len(columns[0].Text))
				some := biased(columns, uint64(seed))
				p := polydag.DefaultPreparation()
				switch how {
				case "sample, weighted":
					columns, p.RowWeights = some, "weight"
				case "sample, not weighted":
					columns = slices.Clone(some[:len(some)-1])
				case "random sample":
					columns = atRandom(columns, some[len(some)-1].Numbers, uint64(seed))
				}
				table := must.Get(polydag.Prepare(t.Context(), columns, p))
				res := must.Get(table.Learn(t.Context(), polydag.DefaultConfig(), polydag.Run{}))
				r := metric.Compare(truth, res.Graph)
				f1, skeleton = f1+r.F1, skeleton+r.SkeletonF1
				lost, extra = lost+float64(r.Missing), extra+float64(r.Extra)
				rows, sampled = rows+float64(n), sampled+float64(len(some[len(some)-1].Numbers))
				if r.CPDAGSHD != nil {
					shd += float64(*r.CPDAGSHD)
				}
			}
			k := float64(*weightSeeds)
			fmt.Printf("| %s | %.0f | %.0f | %s | %.3f | %.3f | %.1f | %.1f | %.1f |\n", name, rows/k, math.Round(sampled/k), how, f1/k, skeleton/k, shd/k, lost/k, extra/k)
		}
	}
}
