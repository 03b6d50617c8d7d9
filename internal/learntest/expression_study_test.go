package learntest

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// ranked returns the areas under the ROC and the precision-recall curves of scores of pairs. Pairs with equal scores count together.
func ranked(scores []float64, truth []bool) (auroc, aupr float64) {
	order := make([]int, len(scores))
	positives := 0
	for i := range order {
		order[i] = i
		if truth[i] {
			positives++
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	tp, fp := 0, 0
	for i := 0; i < len(order); {
		hits, all := 0, 0
		for start := i; i < len(order) && scores[order[i]] == scores[order[start]]; i++ {
			if all++; truth[order[i]] {
				hits++
			}
		}
		auroc += (float64(tp) + float64(hits)/2) * float64(all-hits)
		tp, fp = tp+hits, fp+all-hits
		aupr += float64(hits) * float64(tp) / float64(tp+fp)
	}
	return auroc / float64(positives) / float64(len(scores)-positives), aupr / float64(positives)
}

// TestRanked checks the areas of a ranking that is right, of one that is wrong, and of ties.
func TestRanked(t *testing.T) {
	truth := []bool{true, false, true, false}
	for _, c := range []struct {
		scores      []float64
		auroc, aupr float64
	}{{[]float64{4, 1, 3, 2}, 1, 1}, {[]float64{1, 4, 2, 3}, 0, (1.0/3 + 0.5) / 2}, {[]float64{0, 0, 0, 0}, 0.5, 0.5}} {
		if roc, pr := ranked(c.scores, truth); !(math.Abs(roc-c.auroc) <= 1e-12) || !(math.Abs(pr-c.aupr) <= 1e-12) {
			t.Errorf("%v: %v %v", c, roc, pr)
		}
	}
}

// dream4 returns the tables of a challenge of DREAM4, as text by network, with the names of the genes and the true edges. Rows of
// knockouts and knockdowns name their gene in the column target.
func dream4(t *testing.T, challenge string) (tables map[string]string, genes []string, truth map[string]map[[2]string]bool) {
	t.Helper()
	file := map[string]string{"size100": "dream4/dream4_size100_expression.csv.gz", "size100_multifactorial": "dream4/dream4_size100_multifactorial.csv.gz"}[challenge]
	rows := must.Get(csv.NewReader(bufio.NewReader(published(t, file))).ReadAll())
	at := map[string]int{}
	for j, name := range rows[0] {
		at[name] = j
		if strings.HasPrefix(name, "G") {
			genes = append(genes, name)
		}
	}
	tables = map[string]string{}
	first := at[genes[0]]
	for _, row := range rows[1:] {
		target := ""
		if k, ok := at["kind"]; ok {
			if row[k] != "knockouts" && row[k] != "knockdowns" {
				continue
			}
			target = "G" + row[at["series"]]
		}
		if tables[row[0]] == "" {
			tables[row[0]] = strings.Join(genes, ",") + ",target\n"
		}
		tables[row[0]] += strings.Join(row[first:first+len(genes)], ",") + "," + target + "\n"
	}
	root := cmp.Or(os.Getenv("POLYDAG_DATA"), filepath.Join("..", "..", "..", "shared", "data"))
	gold, err := os.Open(filepath.Join(root, "dream4", "dream4_goldstandard.csv"))
	if err != nil {
		t.Skip(err)
	}
	defer gold.Close()
	list := must.Get(csv.NewReader(gold).ReadAll())
	truth = map[string]map[[2]string]bool{}
	for _, e := range list {
		if e[0] == challenge {
			if truth[e[1]] == nil {
				truth[e[1]] = map[[2]string]bool{}
			}
			truth[e[1]][[2]string{e[2], e[3]}] = true
		}
	}
	return tables, genes, truth
}

// TestStudyDREAM4 learns the networks of 100 genes of DREAM4, which all have cycles, and ranks all ordered pairs by the probability of
// their edge. docs/evidence/methods.md has the figures.
func TestStudyDREAM4(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it takes a minute: set POLYDAG_STUDY=1")
	}
	for _, challenge := range []string{"size100_multifactorial", "size100"} {
		tables, genes, truth := dream4(t, challenge)
		for _, k := range []string{"1", "2", "3", "4", "5"} {
			p := polydag.DefaultPreparation()
			if p.Targets = "target"; challenge != "size100" {
				p.Targets, p.Drop = "", []string{"target"}
			}
			table := must.Get(polydag.Prepare(t.Context(), written{text: tables[k]}, p))
			began := time.Now()
			res := learnedFrom(t, table, nil)
			seconds := time.Since(began).Seconds()
			prob, sure, wrong, right, skeleton := map[[2]string]float64{}, 0, 0, 0, 0
			for _, e := range res.Edges {
				prob[[2]string{e.From, e.To}], prob[[2]string{e.To, e.From}] = e.PAdjacent*e.PDirection, e.PAdjacent*(1-e.PDirection)
				there, back := truth[k][[2]string{e.From, e.To}], truth[k][[2]string{e.To, e.From}]
				if there {
					right++
				}
				if there || back {
					skeleton++
				}
				if e.PAdjacent >= 0.9 {
					if sure++; !there && !back {
						wrong++
					}
				}
			}
			var scores, plain []float64
			var is []bool
			m := table.Moments.Correlation()
			index := map[string]int{}
			for j, name := range table.Moments.Names {
				index[name] = j
			}
			for _, a := range genes {
				for _, b := range genes {
					i, known := index[a]
					j, also := index[b]
					if a == b {
						continue
					}
					r := 0.0
					if known && also {
						r = math.Abs(m.At(i, j))
					}
					scores, plain, is = append(scores, prob[[2]string{a, b}]), append(plain, r), append(is, truth[k][[2]string{a, b}])
				}
			}
			roc, pr := ranked(scores, is)
			rocPlain, prPlain := ranked(plain, is)
			t.Logf("| %s, network %s | %d | %d | %d | %d | %d (%d) | %.3f, %.3f | %.3f, %.3f | %.1f |", challenge, k, len(truth[k]), len(res.Edges), skeleton, right, sure, wrong, roc, pr, rocPlain, prPlain, seconds)
		}
	}
}

// TestStudyChanceEdges counts the edges in tables of the shape of expression data whose columns are independent, or correlated in
// blocks of 20 by a hidden factor: there, only edges between blocks are false.
func TestStudyChanceEdges(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it takes some minutes: set POLYDAG_STUDY=1")
	}
	for _, c := range []struct{ n, d, block int }{{100, 1000, 1}, {1000, 1000, 1}, {100, 200, 20}, {300, 200, 20}, {1000, 200, 20}} {
		for _, tail := range []string{"lognormal", "t3"} {
			total, sure, across, acrossSure, seconds := 0, 0, 0, 0, 0.0
			const tables = 3
			for seed := range uint64(tables) {
				rng := rand.New(rand.NewPCG(seed, 77))
				values := make([][]float64, c.n)
				for i := range values {
					values[i] = make([]float64, c.d)
					factor := 0.0
					for j := range values[i] {
						if j%c.block == 0 {
							factor = rng.NormFloat64()
						}
						x := rng.NormFloat64()
						if c.block > 1 {
							x = 0.7*factor + 0.7*x
						}
						if tail == "t3" {
							sum := 0.0
							for range 3 {
								z := rng.NormFloat64()
								sum += z * z
							}
							x /= math.Sqrt(sum / 3)
						} else {
							x = math.Exp(x)
						}
						values[i][j] = x
					}
				}
				s := &sheet{}
				for j := range c.d {
					s.add(fmt.Sprintf("G%d", j), c.n, func(i int) string { return fmt.Sprintf("%.6g", values[i][j]) })
				}
				table := prepared(t, s.plain())
				began := time.Now()
				res := learnedFrom(t, table, nil)
				seconds += time.Since(began).Seconds()
				for _, e := range res.Edges {
					var from, to int
					_, _ = fmt.Sscanf(e.From+" "+e.To, "G%d G%d", &from, &to)
					total++
					if e.PAdjacent >= 0.9 {
						sure++
					}
					if from/c.block != to/c.block {
						if across++; e.PAdjacent >= 0.9 {
							acrossSure++
						}
					}
				}
			}
			t.Logf("| %d × %d | blocks of %d, %s | %d | %d | %d | %d | %.1f |", c.n, c.d, c.block, tail, total, sure, across, acrossSure, seconds/tables)
		}
	}
}

// TestStudyPerturbedCells learns from simulated cells with and without the perturbed genes. POLYDAG_STUDY=large adds 500 genes.
func TestStudyPerturbedCells(t *testing.T) {
	study := os.Getenv("POLYDAG_STUDY")
	if study == "" {
		t.Skip("it takes some minutes: set POLYDAG_STUDY=1")
	}
	sizes := []struct{ genes, cells int }{{50, 5_000}, {200, 10_000}}
	if study == "large" {
		sizes = append(sizes, struct{ genes, cells int }{500, 20_000})
	}
	for _, c := range sizes {
		e := simulateExpression(1, c.genes, c.cells, 0.7)
		dir := t.TempDir()
		e.write(t, dir)
		for _, targets := range []string{"", "perturbation:control="} {
			began := time.Now()
			res := e.learn(t, dir, targets, "linear")
			conf := e.directed(res)
			t.Logf("| %d genes, %d cells | %q | %d | %d | %d | %.3f | %.3f | %.0f |", c.genes, c.cells, targets, e.truth.NumEdges(), len(res.Edges), conf.TP, conf.Precision(), conf.Recall(), time.Since(began).Seconds())
		}
	}
}
