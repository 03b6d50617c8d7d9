package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/cmd/wings"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// realTable is a small table as people have them: columns of text, the first one named in the header.
type realTable struct {
	names []string
	cells [][]string // one slice per column
}

func (t *realTable) add(name string, cell func(row int) string) *realTable {
	rows := 120
	if len(t.cells) > 0 {
		rows = len(t.cells[0])
	}
	column := make([]string, rows)
	for i := range column {
		column[i] = cell(i)
	}
	t.names, t.cells = append(t.names, name), append(t.cells, column)
	return t
}

func (t *realTable) String() string {
	var b strings.Builder
	b.WriteString(strings.Join(t.names, ",") + "\n")
	for i := range t.cells[0] {
		for j := range t.cells {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(t.cells[j][i])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// chainTable has three columns a → b → c of linear effects and Gaussian noise.
func chainTable(seed uint64, rows int) (t *realTable, a, b, c []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	a, b, c = make([]float64, rows), make([]float64, rows), make([]float64, rows)
	for i := range a {
		a[i] = rng.NormFloat64()
		b[i] = a[i] + 0.6*rng.NormFloat64()
		c[i] = b[i] + 0.6*rng.NormFloat64()
	}
	t = &realTable{}
	for _, x := range []struct {
		name   string
		values []float64
	}{{"a", a}, {"b", b}, {"c", c}} {
		t.names = append(t.names, x.name)
		column := make([]string, rows)
		for i, v := range x.values {
			column[i] = fmt.Sprintf("%.3f", v)
		}
		t.cells = append(t.cells, column)
	}
	return t, a, b, c
}

// terminal runs polydag in a folder of its own and returns what it wrote and its exit code.
func terminal(t *testing.T, files map[string]string, args ...string) (out string, code int) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		must.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	for i, a := range args {
		args[i] = strings.ReplaceAll(a, "@", dir+string(filepath.Separator))
	}
	var b bytes.Buffer
	code = command.Run(context.Background(), lab.All, args, strings.NewReader(""), &b, &b, wings.All...)
	return b.String(), code
}

// learnedTable learns a table and returns its result file, parsed, and what polydag printed.
func learnedTable(t *testing.T, table string, flags ...string) (result map[string]any, printed string) {
	t.Helper()
	dir := t.TempDir()
	output := filepath.Join(dir, "result.json")
	printed, code := terminal(t, map[string]string{"table.csv": table}, append([]string{"learn", "@table.csv", "-o", output}, flags...)...)
	if code != 0 {
		t.Fatalf("exit code %d:\n%s", code, printed)
	}
	data := must.Get(os.ReadFile(output))
	must.Succeed(t, json.Unmarshal(data, &result))
	return result, printed
}

func edgesOf(result map[string]any) (edges []map[string]any) {
	list, _ := result["edges"].([]any)
	for _, e := range list {
		edges = append(edges, e.(map[string]any))
	}
	return edges
}

func TestUnusableColumnsAreExcluded(t *testing.T) {
	table, _, b, _ := chainTable(1, 120)
	table.add("", func(i int) string { return fmt.Sprint(i + 1) }).
		add("id", func(i int) string { return fmt.Sprintf("P%04d", i) }).
		add("note", func(i int) string { return fmt.Sprintf("visit %d of the patient", i*7919%1000) }).
		add("site", func(int) string { return "north" }).
		add("copy", func(i int) string { return fmt.Sprintf("%.3f", b[i]) }).
		add("account", func(i int) string { return fmt.Sprint(9007199254740993 + int64(i)*2) })
	result, printed := learnedTable(t, table.String())
	if len(edgesOf(result)) != 2 {
		t.Errorf("edges %v, want the 2 of the chain", edgesOf(result))
	}
	for _, name := range []string{"id", "note", "site", "copy", "account"} {
		if !strings.Contains(printed, name) {
			t.Errorf("the output does not name the excluded column %s:\n%s", name, printed)
		}
	}
}

func TestMarkersOfMissingValues(t *testing.T) {
	for _, marker := range []string{"*", ".", "-"} {
		table, a, _, _ := chainTable(2, 120)
		table.add("d", func(i int) string {
			if i%20 == 3 {
				return marker
			}
			return fmt.Sprintf("%.2f", a[i]*a[i])
		})
		if result, printed := learnedTable(t, table.String()); len(edgesOf(result)) < 2 {
			t.Errorf("marker %s: %s", marker, printed)
		}
	}
}

func TestMissingMarkersOfOneColumn(t *testing.T) {
	table, a, _, _ := chainTable(3, 120)
	table.add("age", func(i int) string {
		if i%10 == 0 {
			return []string{"-1", "999"}[i/10%2]
		}
		return fmt.Sprintf("%.0f", 40+10*a[i])
	})
	if result, printed := learnedTable(t, table.String(), "--set", "na=age=-1,999"); !strings.Contains(fmt.Sprint(result["edges"]), "age") {
		t.Error(printed)
	}
}

func TestQuotedTextIsNeverMissing(t *testing.T) {
	table, a, _, _ := chainTable(4, 200)
	table.add("garage", func(i int) string {
		if a[i] > 0 != (i%7 == 0) {
			return `"None"`
		}
		return "attached"
	})
	result, printed := learnedTable(t, table.String())
	if !strings.Contains(fmt.Sprint(result["edges"]), "garage") {
		t.Errorf("garage has no edge:\n%s", printed)
	}
}

func TestNumbersWithCurrencyAndUnits(t *testing.T) {
	table, a, _, _ := chainTable(5, 200)
	table.add("salary", func(i int) string { return fmt.Sprintf(`"$%d,%03d.50"`, 50+int(20*a[i]+0.5), i%1000) }).
		add("share", func(i int) string { return fmt.Sprintf("%.1f%%", 50+10*a[i]+float64(i%5)) }).
		add("height", func(i int) string { return fmt.Sprintf("%.0f cm", 170+5*a[i]+float64(i%7)) })
	result, printed := learnedTable(t, table.String())
	for _, name := range []string{"salary", "share", "height"} {
		if !strings.Contains(fmt.Sprint(result["edges"]), name) && !strings.Contains(printed, name+": duplicate") {
			t.Errorf("%s has no edge:\n%s", name, printed)
		}
	}
}

func TestDaysBeforeMonths(t *testing.T) {
	table, _, _, _ := chainTable(6, 120)
	table.add("day", func(i int) string { return fmt.Sprintf("%02d/%02d/2024", i*7%28+1, i*5%12+1) })
	_, printed := learnedTable(t, table.String(), "--set", "date-order=dmy")
	if strings.Contains(printed, "day: ") && strings.Contains(printed, "identifier") {
		t.Error(printed)
	}
}

func TestEncodingsAndLineEnds(t *testing.T) {
	table, a, _, _ := chainTable(7, 120)
	table.add("région", func(i int) string {
		if a[i] > 0 != (i%7 == 0) {
			return "Île"
		}
		return "Côte"
	})
	latin := make([]byte, 0, 4096)
	for _, r := range table.String() {
		latin = append(latin, byte(r))
	}
	for _, content := range []string{string(latin), strings.ReplaceAll(table.String(), "\n", "\r")} {
		result, printed := learnedTable(t, content)
		if !strings.Contains(fmt.Sprint(result["edges"]), "région") {
			t.Errorf("région has no edge:\n%s", printed)
		}
	}
}

func TestTetradCovarianceFile(t *testing.T) {
	out, code := terminal(t, map[string]string{"x.cov.txt": "500\na\tb\tc\n1.0\n0.8\t1.0\n0.64\t0.8\t1.0\n"}, "learn", "@x.cov.txt")
	if code != 0 || !strings.Contains(out, "2 edges") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestReadingIsRemembered(t *testing.T) {
	table, _, _, _ := chainTable(8, 120)
	for i := 0; i < 120; i += 15 {
		table.cells[0][i] = "unknown value"
	}
	dir := t.TempDir()
	data, output := filepath.Join(dir, "table.csv"), filepath.Join(dir, "result.json")
	must.Succeed(t, os.WriteFile(data, []byte(strings.ReplaceAll(table.String(), ",", "!")), 0o644))
	if out, code := terminal(t, nil, "learn", data, "--set", "na=unknown value", "--set", "delimiter=!", "--missing", "drop", "-o", output); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	for _, args := range [][]string{{"effect", output, "--of", "b", "--on", "c", "--data", data, "--set", "replicates=3"}, {"confidence", output, "--data", data, "--bootstrap", "5"}} {
		if out, code := terminal(t, nil, args...); code != 0 {
			t.Errorf("%v: exit code %d:\n%s", args[0], code, out)
		}
	}
}

func TestExactLinearRelation(t *testing.T) {
	table, a, b, c := chainTable(9, 120)
	table.add("sum", func(i int) string { return fmt.Sprintf("%.3f", a[i]+b[i]+c[i]) })
	result, printed := learnedTable(t, table.String())
	if n := len(edgesOf(result)); n > 3 {
		t.Errorf("%d edges:\n%s", n, printed)
	}
}

func TestEveryEdgeHasBothProbabilities(t *testing.T) {
	table, _, _, _ := chainTable(10, 400)
	result, _ := learnedTable(t, table.String())
	if len(edgesOf(result)) == 0 {
		t.Fatal("no edges")
	}
	for _, e := range edgesOf(result) {
		for _, name := range []string{"p_adjacent", "p_direction", "confidence"} {
			if p, ok := e[name].(float64); !ok || math.IsNaN(p) || p <= 0 || p > 1 {
				t.Errorf("%s = %v of the edge %v", name, e[name], e)
			}
		}
	}
}

// A failed check concerns the edges of its columns only.
func TestUnrelatedCountsChangeNoVerdict(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	table, _, _, c := chainTable(11, 1000)
	table.add("d", func(i int) string { return fmt.Sprintf("%.3f", rng.NormFloat64()) })
	d := table.cells[3]
	table.add("e", func(i int) string {
		var x float64
		fmt.Sscan(d[i], &x)
		return fmt.Sprintf("%.3f", x+c[i]+0.5*rng.NormFloat64())
	})
	want := directionsOf(t, table.String())
	for _, name := range []string{"n1", "n2", "n3", "n4", "n5"} {
		table.add(name, func(int) string { // a Poisson count of mean 2
			k, p := 0, rng.Float64()
			for p > math.Exp(-2) {
				p, k = p*rng.Float64(), k+1
			}
			return fmt.Sprint(k)
		})
	}
	got := directionsOf(t, table.String())
	if len(want) != 4 || len(got) != 4 {
		t.Fatalf("edges %v with the counts, %v without, want 4", got, want)
	}
	for edge, p := range want { // the penalty of an edge grows a little with the number of columns
		if q, ok := got[edge]; !ok || p == 0 || !(math.Abs(p-q) <= 0.1) {
			t.Errorf("%s: probability of the direction %v with the counts, %v without", edge, q, p)
		}
	}
}

// directionsOf learns a table and returns the probability of the direction of each edge.
func directionsOf(t *testing.T, table string) map[string]float64 {
	result, _ := learnedTable(t, table)
	out := map[string]float64{}
	for _, e := range edgesOf(result) {
		p, _ := e["p_direction"].(float64)
		out[fmt.Sprint(e["from"], " ", e["to"])] = p
	}
	return out
}

// A column that is modelled as categories has no square.
func TestChecksTestTheFittedModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	table := &realTable{}
	table.add("month", func(i int) string { return fmt.Sprint(i%5 + 5) }).
		add("temp", func(i int) string {
			return fmt.Sprintf("%.1f", []float64{65, 79, 84, 83, 76}[i%5]+4*rng.NormFloat64())
		}).
		add("ozone", func(i int) string { return fmt.Sprintf("%.1f", 40+10*rng.NormFloat64()) })
	_, printed := learnedTable(t, table.String())
	if strings.Contains(printed, "square of month") || strings.Contains(printed, "(month)") {
		t.Error(printed)
	}
}

// More columns than rows: independent noise has no edges.
func TestNoiseHasNoEdges(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	table := &realTable{}
	for j := range 300 {
		table.add(fmt.Sprintf("x%d", j), func(int) string {
			z, chi := rng.NormFloat64(), 0.0
			for range 3 {
				g := rng.NormFloat64()
				chi += g * g
			}
			return fmt.Sprintf("%.4f", z/math.Sqrt(chi/3)) // t with 3 degrees of freedom
		})
	}
	if result, printed := learnedTable(t, table.String()); len(edgesOf(result)) != 0 {
		t.Errorf("%d edges:\n%s", len(edgesOf(result)), printed)
	}
}

// A remedy that a message names does not lead to another refusal.
func TestMissingValuesNeedNoFlag(t *testing.T) {
	table, _, _, _ := chainTable(14, 200)
	for j := range table.cells {
		for i := j; i < 200; i += 9 {
			table.cells[j][i] = ""
		}
	}
	if result, printed := learnedTable(t, table.String()); len(edgesOf(result)) != 2 {
		t.Error(printed)
	}
}

func TestCheckNamesOneHotColumns(t *testing.T) {
	table, a, _, _ := chainTable(15, 200)
	department := func(i int) int { return int(math.Abs(a[i]*10)) % 3 }
	table.add("department", func(i int) string { return []string{"ops", "law", "it"}[department(i)] })
	for k, name := range []string{"dept_ops", "dept_law", "dept_it"} {
		table.add(name, func(i int) string {
			if department(i) == k {
				return "1"
			}
			return "0"
		})
	}
	out, code := terminal(t, map[string]string{"table.csv": table.String()}, "check", "@table.csv", "--keep", "dept_ops,dept_law,dept_it")
	if code != 0 || !strings.Contains(out, "one-hot encode") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestOutputRespectsTheWidth(t *testing.T) {
	t.Setenv("COLUMNS", "60")
	table, _, _, _ := chainTable(16, 200)
	_, printed := learnedTable(t, table.String())
	for line := range strings.SplitSeq(printed, "\n") {
		if len([]rune(line)) > 60 && !strings.Contains(line, string(filepath.Separator)) {
			t.Errorf("%d characters: %s", len([]rune(line)), line)
		}
	}
}
