package confidence_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/vec"
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
	source   string // edges of one source are held out together
	pair     bool
	right    bool
	failed   bool // a check failed at one of its ends
	directed bool
	rules    float64 // sum of the two rules: positive for the direction of the edge
	p        float64 // the current p_direction
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

// knownEdges learns from the real tables.
func knownEdges(t *testing.T) (out []knownEdge) {
	t.Helper()
	learn := func(table *polydag.Table, source string, pair bool, known func(from, to string) (right, ok bool)) int {
		res, err := table.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{})
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		count := 0
		for _, e := range res.Edges {
			right, ok := known(e.From, e.To)
			if !ok {
				continue
			}
			count++
			k := knownEdge{source: source, pair: pair, right: right, directed: e.Verdict == polydag.Directed, p: e.PDirection, rules: rulesOf(table, res, e)}
			for _, r := range e.Evidence {
				switch r.Source {
				case trust.FromChecks:
					k.failed = true
				case trust.FromTables:
					if want := k.usual(shippedOdds); k.failed && !(math.Abs(r.P-want) <= 1e-6) {
						t.Errorf("%s: %s → %s has %v by real tables, want %v", source, e.From, e.To, r.P, want)
					}
				}
			}
			out = append(out, k)
		}
		return count
	}
	for _, tiered := range tieredTables {
		tiers := readTiers(t, tiered.knowledge+".knowledge.txt.gz")
		opened := must.Get(files.Open(realPath(tiered.file+".txt.gz"), nil, files.DefaultSettings()))
		table := must.Get(polydag.Prepare(context.Background(), opened, polydag.DefaultPreparation()))
		learn(table, tiered.source, false, func(from, to string) (right, ok bool) {
			a, hasA := tiers[from]
			b, hasB := tiers[to]
			return a < b, hasA && hasB && a != b
		})
		opened.Close()
	}
	empty := 0
	for lines := bufio.NewScanner(openReal(t, "pairs/ground_truth.txt")); lines.Scan(); {
		words := strings.Split(lines.Text(), "\t")
		number := must.Get(strconv.Atoi(strings.TrimPrefix(words[0], "pair")))
		x, ok := readPair(t, fmt.Sprintf("pairs/pair.%d.txt.gz", number))
		if !ok {
			continue
		}
		first := strings.Contains(words[len(words)-2], "->")
		if learn(prepared(t, []string{"a", "b"}, x, nil), words[len(words)-3], true, func(from, _ string) (right, ok bool) { return (from == "a") == first, true }) == 0 {
			empty++
		}
	}
	t.Logf("%d pairs have no edge", empty)
	return out
}

// rulesOf computes the sum of the rules of trust/asymmetry.go from their definition, in the rows of the sample.
func rulesOf(table *polydag.Table, res *polydag.Result, e polydag.Edge) float64 {
	from, to := slices.Index(res.Names, e.From), slices.Index(res.Names, e.To)
	var x, y []float64
	s := table.Sample
	for i := 0; i < s.Rows() && len(x) < 3000; i++ {
		if row := s.Row(i); !slices.ContainsFunc(row, math.IsNaN) {
			x, y = append(x, row[from]), append(y, row[to])
		}
	}
	distinct := func(v []float64) float64 {
		seen := map[float64]bool{}
		for _, a := range v {
			seen[a] = true
		}
		return float64(len(seen))
	}
	nominal := func(v int, values []float64) bool {
		return table.Kinds != nil && table.Kinds[v].Kind == kind.Categorical && distinct(values) > 2
	}
	if min(distinct(x), distinct(y)) <= 2 {
		return 0
	}
	sum := math.Tanh(math.Log(distinct(y)/distinct(x)) / 2)
	if !nominal(from, x) && !nominal(to, y) {
		sum += math.Tanh(math.Log(cubicError(y, x) / cubicError(x, y)))
	}
	return sum
}

// cubicError is the mean squared error of the cubic polynomial in x that predicts y best, both scaled to the range 0 to 1.
func cubicError(x, y []float64) float64 {
	scale := func(v []float64) []float64 {
		low, high := slices.Min(v), slices.Max(v)
		out := make([]float64, len(v))
		for i := range v {
			out[i] = (v[i] - low) / max(high-low, 1e-300)
		}
		return out
	}
	x, y = scale(x), scale(y)
	basis := make([][]float64, 4)
	left := slices.Clone(y)
	for k := range basis {
		b := make([]float64, len(x))
		for i, v := range x {
			b[i] = math.Pow(v, float64(k))
		}
		norm := vec.Dot(b, b)
		for range 2 {
			for _, c := range basis[:k] {
				if c != nil {
					vec.Axpy(b, -vec.Dot(b, c), c)
				}
			}
		}
		if s := vec.Dot(b, b); s > 1e-12*norm {
			for i := range b {
				b[i] /= math.Sqrt(s)
			}
			basis[k] = b
			vec.Axpy(left, -vec.Dot(left, b), b)
		}
	}
	return max(vec.Dot(left, left)/float64(len(left)), 1e-12)
}
