package score_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/bif"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// openData opens a compressed file of published data, from the folder that POLYDAG_DATA names or ../shared/data beside the
// repository.
func openData(tb testing.TB, name string) *bufio.Scanner {
	tb.Helper()
	z := unzip(tb, name)
	lines := bufio.NewScanner(z)
	lines.Buffer(make([]byte, 1<<16), 1<<20)
	return lines
}

func unzip(tb testing.TB, name string) *gzip.Reader {
	tb.Helper()
	root := os.Getenv("POLYDAG_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		tb.Skipf("the data are not part of the repository, and %s is not there: set POLYDAG_DATA to a folder that has it", name)
	}
	tb.Cleanup(func() { f.Close() })
	return must.Get(gzip.NewReader(f))
}

// network reads a published network and its published sample of 10,000 rows.
func network(tb testing.TB, name string) (*bif.Network, [][]int) {
	tb.Helper()
	net := must.Get(bif.Read(unzip(tb, "networks/bif/"+name+".bif.gz")))
	lines := openData(tb, "networks/discrete_samples/"+name+"_10000.txt.gz")
	columns := make([][]int, len(net.Variables))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != len(columns) {
			tb.Fatalf("%s: %d fields, want %d", name, len(fields), len(columns))
		}
		if fields[0] == "X1" {
			continue
		}
		for v, f := range fields {
			k := must.Get(strconv.Atoi(f))
			columns[v] = append(columns[v], k)
		}
	}
	if len(columns[0]) != 10000 {
		tb.Fatalf("%s: %d rows", name, len(columns[0]))
	}
	return net, columns
}

// first returns the first n rows.
func first(columns [][]int, n int) [][]int {
	out := make([][]int, len(columns))
	for v := range columns {
		out[v] = columns[v][:n]
	}
	return out
}

// seenOnly is BIC with another number of parameters: what the cells that occur leave free. It is evaluated set by set.
type seenOnly struct {
	t    *counts.Data
	c    *counts.Counter
	rule string // "cells": Σ_jk [N_jk > 0] - Σ_j [N_j > 0]; "configurations": (r - 1)·Σ_j [N_j > 0]
}

func (s *seenOnly) Score(v int, parents []int) float64 {
	cells, configs := s.c.Family(v, parents)
	size := float64(len(cells))
	fit, seenCells, seenConfigs := 0.0, 0.0, 0.0
	for _, n := range configs {
		if n > 0 {
			fit += float64(n) * math.Log(float64(n))
			seenConfigs++
		}
	}
	for _, n := range cells {
		if n > 0 {
			fit -= float64(n) * math.Log(float64(n))
			seenCells++
		}
	}
	if size > 5*float64(s.t.Total(v)) {
		return math.Inf(1)
	}
	free := seenCells - seenConfigs
	if s.rule == "configurations" {
		free = float64(s.t.Levels(v)-1) * seenConfigs
	}
	return 2*fit + math.Log(float64(s.t.Total(v)))*free
}

func (s *seenOnly) Additions(dst []float64, v int, parents []int) {
	search.AdditionsByScore(dst, s, v, parents)
}

// judged is the outcome of a search with one score.
type judged struct {
	shd, edges  int
	found, true float64
	took        time.Duration
	sets        int
}

func judge(tb testing.TB, e evaluator, truth *graph.Graph, rounds int) judged {
	start := time.Now()
	s := newPlainSearch(e, truth.N())
	g, found := s.search(rounds, 1)
	j := judged{found: found, took: time.Since(start), sets: len(s.sets), edges: g.NumEdges(), true: total(e, truth)}
	want := must.Get(graph.CPDAG(truth))
	got := must.Get(graph.CPDAG(g))
	j.shd = metric.CPDAGDistance(want, got)
	return j
}

var sampled = []string{"asia", "sachs", "alarm", "hepar2", "win95pts"}

// The bars of published results at n = 10,000: the distance between CPDAGs is at most what good searches with
// other programs reach, and the score found is no worse than the true graph's. The search is the plain one of the tests, which takes
// seconds on the two largest networks; TestNetworks has those too.
func TestDiscreteNetworks(t *testing.T) {
	most := map[string]int{"asia": 2, "sachs": 1, "alarm": 5}
	for _, name := range sampled[:len(most)] {
		for _, s := range []score.DiscreteSettings{score.DefaultDiscrete(), bic()} {
			t.Run(fmt.Sprint(name, " ", s.Criterion), func(t *testing.T) {
				net, columns := network(t, name)
				j := judge(t, discrete(t, columns, counts.Rows{}, s).Evaluator(), graph.FromParents(net.Parents()), 20)
				if bar := most[name]; j.shd > bar {
					t.Errorf("distance %d, want at most %d", j.shd, bar)
				}
				if j.found > j.true+1e-6 {
					t.Errorf("score %v, the true graph has %v", j.found, j.true)
				}
				t.Logf("%v", j)
			})
		}
	}
}

// String is one line of the study.
func (j judged) String() string {
	return fmt.Sprintf("SHD %3d  edges %3d  found-true %9.1f  %6.2f s  %d sets", j.shd, j.edges, j.found-j.true, j.took.Seconds(), j.sets)
}

// study skips a test that prints tables and takes minutes.
func study(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("a study of minutes: set POLYDAG_STUDY=1 and -v to see its table")
	}
}

// How each criterion and each rule of counting parameters does on published samples.
func TestDiscreteStudy(t *testing.T) {
	study(t)
	for _, name := range sampled {
		net, all := network(t, name)
		truth := graph.FromParents(net.Parents())
		for _, n := range []int{1000, 10000} {
			columns := first(all, n)
			table := must.Get(counts.New(columns, counts.Rows{}))
			for _, c := range []struct {
				name string
				e    evaluator
			}{
				{"BIC", discrete(t, columns, counts.Rows{}, bic()).Evaluator()},
				{"BIC seen cells", &seenOnly{table, table.Counter(), "cells"}},
				{"BIC seen configs", &seenOnly{table, table.Counter(), "configurations"}},
				{"BDeu 1", discrete(t, columns, counts.Rows{}, bdeu(1)).Evaluator()},
				{"BDeu 10", discrete(t, columns, counts.Rows{}, bdeu(10)).Evaluator()},
				{"BDeu 1, 2 ln d", discrete(t, columns, counts.Rows{}, charged(bdeu(1), 0.5)).Evaluator()},
			} {
				if len(net.Variables)*n > 37000 && strings.Contains(c.name, "seen") {
					continue // graphs too dense to be searched
				}
				t.Logf("%-9s n=%-6d %-17s %v", name, n, c.name, judge(t, c.e, truth, 20))
			}
		}
	}
}

// Criteria and charges on fresh samples of eight networks; the mean distance between CPDAGs and the mean over networks.
func TestDiscreteStudyFresh(t *testing.T) {
	study(t)
	settings := []score.DiscreteSettings{
		bic(), charged(bic(), 0.5),
		bdeu(1), charged(bdeu(1), 0.25), charged(bdeu(1), 0.5), charged(bdeu(1), 1), charged(bdeu(1), 2),
		bdeu(10), charged(bdeu(10), 0.5), charged(bdeu(10), 1),
	}
	const seeds, rounds = 3, 10
	for _, n := range []int{1000, 10000} {
		for _, name := range []string{"asia", "sachs", "child", "insurance", "alarm", "hailfinder", "hepar2", "win95pts"} {
			net := must.Get(bif.Read(unzip(t, "networks/bif/"+name+".bif.gz")))
			truth := graph.FromParents(net.Parents())
			line := fmt.Sprintf("n=%-5d %-10s", n, name)
			sum, worse := make([]float64, len(settings)), 0
			for seed := range uint64(seeds) {
				table := must.Get(counts.New(net.Sample(rand.New(rand.NewPCG(seed, 8)), n), counts.Rows{}))
				for i, s := range settings {
					sc := must.Get(score.NewDiscrete(table, s))
					j := judge(t, sc.Evaluator(), truth, rounds)
					sum[i] += float64(j.shd) / seeds
					if j.found > j.true+1e-6 {
						worse++
					}
				}
			}
			for i, s := range settings {
				line += fmt.Sprintf("  %v %v/%v %5.1f", s.Criterion, s.Ess, s.Gamma, sum[i])
			}
			t.Logf("%s  (%d ended above the true graph's score)", line, worse)
		}
	}
}

// What the bound on configurations a row does.
func TestDiscreteStudyBound(t *testing.T) {
	study(t)
	for _, name := range []string{"alarm", "hepar2", "win95pts"} {
		net, all := network(t, name)
		truth := graph.FromParents(net.Parents())
		for _, s := range []score.DiscreteSettings{bic(), bdeu(1), bdeu(10)} {
			for _, most := range []float64{0.1, 1, 5, 100} {
				s.CellsPerRow = most
				e := discrete(t, first(all, 1000), counts.Rows{}, s).Evaluator()
				t.Logf("%-9s %v %v, %v cells a row: %v", name, s.Criterion, s.Ess, most, judge(t, e, truth, 5))
			}
		}
	}
}

// CelebA whole: the seconds, and the edges.
func TestDiscreteStudyCelebA(t *testing.T) {
	study(t)
	e := discrete(t, celeba(t), counts.Rows{}, bic()).Evaluator()
	start := time.Now()
	s := newPlainSearch(e, 40)
	g, found := s.search(0, 1)
	t.Logf("%d edges, score %.0f, %.1f s, %d sets", g.NumEdges(), found, time.Since(start).Seconds(), len(s.sets))
}

// celeba reads the attributes of CelebA.
func celeba(tb testing.TB) [][]int {
	lines := openData(tb, "celeba/list_attr_celeba.txt.gz")
	columns := make([][]int, 40)
	for row := 0; lines.Scan(); row++ {
		if fields := strings.Fields(lines.Text()); row > 1 {
			for v, f := range fields[1:] {
				columns[v] = append(columns[v], len(f)) // "-1" and "1"
			}
		}
	}
	return columns
}

func BenchmarkDiscreteCelebA(b *testing.B) {
	columns := celeba(b)
	for _, s := range []score.DiscreteSettings{bic(), bdeu(1)} {
		e := discrete(b, columns, counts.Rows{}, s).Evaluator()
		dst := make([]float64, 40)
		for _, p := range []int{0, 2, 5, 8} {
			parents := rand.New(rand.NewPCG(1, 1)).Perm(39)[:p]
			slices.Sort(parents)
			b.Run(fmt.Sprintf("%v/parents=%d/Score", s.Criterion, p), func(b *testing.B) {
				for b.Loop() {
					e.Score(39, parents)
				}
			})
			b.Run(fmt.Sprintf("%v/parents=%d/Additions", s.Criterion, p), func(b *testing.B) {
				for b.Loop() {
					e.Additions(dst, 39, parents)
				}
			})
		}
	}
}
