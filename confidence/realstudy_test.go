package confidence_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/study/figure"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/trust"
)

// tieredTables are real tables whose columns have a known order of tiers. source is the name of the same data among the pairs.
var tieredTables = []struct{ file, knowledge, source string }{
	{"abalone/abalone.mixed.maximum.3", "abalone/abalone", "Abalone"},
	{"airfoil-self-noise/airfoil-self-noise.continuous", "airfoil-self-noise/airfoil-self-noise", "airfoil"},
	{"auto-mpg/auto-mpg.data.mixed.max.3.categories", "auto-mpg/auto-mpg", "auto-mpg"},
	{"dry-bean/drybean.data.mixed.numeric", "dry-bean/dry-bean", "dry-bean"},
	{"htru2/pulsar.mixed.maximum.2", "htru2/htr2", "htru2"},
	{"pima-diabetes/pima-diabetes.mixed.maximum.2", "pima-diabetes/pima-diabetes", "pima indian diabetes"},
	{"student-performance/student-performance.data.mixed.maximum.3", "student-performance/student-performance", "student-performance"},
	{"wine-quality/winequality-red-white.mixed.maximum.2", "wine-quality/wine.quality", "wine-quality"},
}

// otherNames are the columns of the abalone table under the names of its tiers.
var otherNames = map[string]string{"ShkW": "Shucked", "ShlW": "Shell", "VisW": "Viscera", "WhW": "Whole"}

// knownEdge is an edge of a real table whose direction is known.
type knownEdge struct {
	right, directed bool
	p               float64 // p_direction
	basis           trust.Basis
}

func realPath(name string) string {
	root := os.Getenv("POLYDAG_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "data")
	}
	return filepath.Join(root, "real", name)
}

func openReal(t *testing.T, name string) io.Reader {
	t.Helper()
	f, err := os.Open(realPath(name))
	if err != nil {
		t.Skipf("the data are not part of the repository, and real/%s is not there: set POLYDAG_DATA to a folder that has it", name)
	}
	t.Cleanup(func() { f.Close() })
	if !strings.HasSuffix(name, ".gz") {
		return f
	}
	z := must.Get(gzip.NewReader(f))
	return z
}

// readTiers returns the tier of each column of a knowledge file.
func readTiers(t *testing.T, name string) map[string]int {
	t.Helper()
	tiers, on := map[string]int{}, false
	for lines := bufio.NewScanner(openReal(t, name)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 0:
		case words[0] == "addtemporal":
			on = true
		case strings.HasPrefix(words[0], "forbid"):
			return tiers
		case on:
			tier := must.Get(strconv.Atoi(strings.TrimSuffix(words[0], "*")))
			for _, w := range words[1:] {
				if other, ok := otherNames[w]; ok {
					w = other
				}
				tiers[w] = tier
			}
		}
	}
	return tiers
}

// readPair returns the two columns of a pair; ok is false if it has more.
func readPair(t *testing.T, name string) (x *matrix.Dense[float64], ok bool) {
	t.Helper()
	var rows [][]string
	for lines := bufio.NewScanner(openReal(t, name)); lines.Scan(); {
		rows = append(rows, strings.Fields(lines.Text()))
	}
	rows = rows[1:] // the header
	var columns []int
	for j := range rows[0] {
		if slices.ContainsFunc(rows, func(r []string) bool { return r[j] != "*" }) {
			columns = append(columns, j)
		}
	}
	if len(columns) != 2 {
		return nil, false
	}
	var values []float64
	for _, r := range rows {
		a, errA := strconv.ParseFloat(r[columns[0]], 64)
		b, errB := strconv.ParseFloat(r[columns[1]], 64)
		if errA == nil && errB == nil {
			values = append(values, a, b)
		}
	}
	return matrix.Of(len(values)/2, 2, values), true
}

// knownOrder returns the known order of two columns of a table in known-order/tiers.json: a list of groups, earlier ones first, in which *
// stands for all columns that are not named.
func knownOrder(tiers [][]string) func(from, to string) (right, ok bool) {
	place := func(name string) int {
		rest := -1
		for k, tier := range tiers {
			if slices.Contains(tier, name) {
				return k
			}
			if slices.Contains(tier, "*") {
				rest = k
			}
		}
		return rest
	}
	return func(from, to string) (right, ok bool) {
		a, b := place(from), place(to)
		return a < b, a >= 0 && b >= 0 && a != b
	}
}

// edgesOf learns from a table with or without the names of its columns, and returns the edges whose direction is known.
func edgesOf(t *testing.T, name string, table *polydag.Table, names polydag.Names, known func(from, to string) (right, ok bool)) (out []knownEdge) {
	t.Helper()
	cfg := polydag.DefaultConfig()
	cfg.Names = names
	res, err := table.Learn(context.Background(), cfg, polydag.Run{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, e := range res.Edges {
		if right, ok := known(e.From, e.To); ok && e.Directed() {
			out = append(out, knownEdge{right, e.Verdict == polydag.Directed, e.PDirection, e.Basis})
			if e.Verdict == polydag.Directed && !right {
				t.Logf("wrong: %s: %s → %s %.2f by %s", name, e.From, e.To, e.PDirection, e.Basis)
			}
		}
	}
	return out
}

// openedTable reads a table of the real data.
func openedTable(t *testing.T, path string) *polydag.Table {
	t.Helper()
	opened := must.Get(files.Open(path, nil, files.DefaultSettings()))
	t.Cleanup(func() { opened.Close() })
	return must.Get(polydag.Prepare(context.Background(), opened, polydag.DefaultPreparation()))
}

// orderedTables returns the edges of 56 tables of R packages.
func orderedTables(t *testing.T, names polydag.Names) (out []knownEdge) {
	t.Helper()
	folder := filepath.Join(realPath(""), "..", "known-order")
	text, err := os.ReadFile(filepath.Join(folder, "tiers.json"))
	if err != nil {
		t.Skip("the data are not part of the repository, and known-order/tiers.json is not there: set POLYDAG_DATA to a folder that has it")
	}
	var tiers map[string][][]string
	must.Succeed(t, json.Unmarshal(text, &tiers))
	for _, file := range slices.Sorted(maps.Keys(tiers)) {
		out = append(out, edgesOf(t, file, openedTable(t, filepath.Join(folder, file+".gz")), names, knownOrder(tiers[file]))...)
	}
	return out
}

// tieredEdges returns the edges of the tables with tiers.
func tieredEdges(t *testing.T, names polydag.Names) (out []knownEdge) {
	t.Helper()
	for _, tiered := range tieredTables {
		tiers := readTiers(t, tiered.knowledge+".knowledge.txt.gz")
		out = append(out, edgesOf(t, tiered.source, openedTable(t, realPath(tiered.file+".txt.gz")), names, func(from, to string) (right, ok bool) {
			a, hasA := tiers[from]
			b, hasB := tiers[to]
			return a < b, hasA && hasB && a != b
		})...)
	}
	return out
}

// pairEdges returns the edges of pairs of real variables, whose columns have no names.
func pairEdges(t *testing.T) (out []knownEdge) {
	t.Helper()
	for lines := bufio.NewScanner(openReal(t, "pairs/ground_truth.txt")); lines.Scan(); {
		words := strings.Split(lines.Text(), "\t")
		number := must.Get(strconv.Atoi(strings.TrimPrefix(words[0], "pair")))
		x, ok := readPair(t, fmt.Sprintf("pairs/pair.%d.txt.gz", number))
		if !ok {
			continue
		}
		first := strings.Contains(words[len(words)-2], "->")
		out = append(out, edgesOf(t, words[0], prepared(t, []string{"a", "b"}, x, nil), polydag.NamesOff, func(from, _ string) (right, ok bool) { return (from == "a") == first, true })...)
	}
	return out
}

// decided is how directions come out: forced is the more probable direction of every edge.
type decided struct {
	bins                               tenths
	edges, forced, stated, statedRight int
}

func (d *decided) add(k knownEdge) {
	d.bins.add(k.p, k.right)
	d.bins.add(1-k.p, !k.right) // the direction of an open edge in the graph is a convention, and so is the order of the columns of a pair
	d.edges++
	if (k.p >= 0.5) == k.right {
		d.forced++
	}
	if k.directed {
		d.stated++
		if k.right {
			d.statedRight++
		}
	}
}

func (d *decided) row(name string) string {
	return fmt.Sprintf("| %s | %d | %.3f | %.3f | %.2f | %d | %d |", name, d.edges, d.bins.ece(), d.bins.chance(), float64(d.forced)/float64(max(1, d.edges)), d.stated, d.statedRight)
}

// TestStudyRealTables measures p_direction on real tables with a known order, with and without the names of their columns.
// docs/evidence/calibration.md has the tables. POLYDAG_STUDY starts it, and POLYDAG_FIGURE is a file for the reliability diagram.
func TestStudyRealTables(t *testing.T) {
	studySeed(t)
	sets := []struct {
		name  string
		edges []knownEdge
	}{
		{"tables of R packages", orderedTables(t, polydag.NamesOn)}, {"the same without names", orderedTables(t, polydag.NamesOff)},
		{"tables with tiers", tieredEdges(t, polydag.NamesOn)}, {"the same without names", tieredEdges(t, polydag.NamesOff)}, {"pairs", pairEdges(t)},
	}
	t.Log("| edges of | edges | error of p_direction | by chance | more probable direction right | stated | of these right |")
	var panels []figure.Panel
	for _, set := range sets {
		var all decided
		by := map[trust.Basis]*decided{}
		for _, k := range set.edges {
			all.add(k)
			if by[k.basis] == nil {
				by[k.basis] = new(decided)
			}
			by[k.basis].add(k)
		}
		t.Log(all.row(set.name))
		for _, b := range slices.Sorted(maps.Keys(by)) {
			t.Log(by[b].row("- by " + string(b)))
		}
		panels = append(panels, figure.Panel{Title: set.name, Series: []figure.Series{all.bins.curve("p_direction", 1)}})
	}
	drawReliability(t, panels)
}
