package role_test

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/role"
)

// An ordered table is one whose columns have a known order of tiers.
type ordered struct {
	name    string
	columns []role.Column
	tier    []int // -1: not known
}

// unzip opens a file of the real data, or skips the test.
func unzip(t *testing.T, name string) io.Reader {
	t.Helper()
	root := os.Getenv("POLYDAG_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(root, name))
	if err != nil {
		t.Skipf("the data are not part of the repository, and %s is not there: set POLYDAG_DATA to a folder that has it", name)
	}
	t.Cleanup(func() { f.Close() })
	if !strings.HasSuffix(name, ".gz") {
		return f
	}
	return must.Get(gzip.NewReader(f))
}

// described returns the columns of a table of text.
func described(rows [][]string) []role.Column {
	columns := make([]role.Column, len(rows[0]))
	for j, name := range rows[0] {
		seen, words := map[string]bool{}, false
		for _, r := range rows[1:] {
			if v := r[j]; v != "" && v != "NA" && v != "*" {
				_, err := strconv.ParseFloat(v, 64)
				words = words || err != nil
				seen[v] = true
			}
		}
		columns[j] = role.Column{Name: name, Distinct: len(seen)}
		if words {
			columns[j].Categories = slices.Sorted(maps.Keys(seen))
		}
	}
	return columns
}

// orderedTables reads the tables of R packages and those with knowledge in Tetrad format.
func orderedTables(t *testing.T) (out []ordered) {
	t.Helper()
	var tiers map[string][][]string
	must.Succeed(t, json.NewDecoder(unzip(t, "known-order/tiers.json")).Decode(&tiers))
	for _, file := range slices.Sorted(maps.Keys(tiers)) {
		table := ordered{name: file, columns: described(must.Get(csv.NewReader(unzip(t, "known-order/"+file+".gz")).ReadAll()))}
		for _, c := range table.columns {
			is := func(group []string) bool { return slices.Contains(group, c.Name) }
			tier := slices.IndexFunc(tiers[file], is)
			if tier < 0 {
				tier = slices.IndexFunc(tiers[file], func(group []string) bool { return slices.Contains(group, "*") })
			}
			table.tier = append(table.tier, tier)
		}
		out = append(out, table)
	}
	for _, file := range []string{"abalone/abalone.mixed.maximum.3", "airfoil-self-noise/airfoil-self-noise.continuous", "auto-mpg/auto-mpg.data.mixed.max.3.categories",
		"dry-bean/drybean.data.mixed.numeric", "pima-diabetes/pima-diabetes.mixed.maximum.2", "student-performance/student-performance.data.mixed.maximum.3", "wine-quality/winequality-red-white.mixed.maximum.2"} {
		var rows [][]string
		for lines := bufio.NewScanner(unzip(t, "real/"+file+".txt.gz")); lines.Scan(); {
			rows = append(rows, strings.Split(strings.TrimSpace(lines.Text()), "\t"))
		}
		folder := filepath.Dir(file)
		known := tetradTiers(unzip(t, "real/"+folder+"/"+strings.Replace(folder, "wine-quality", "wine.quality", 1)+".knowledge.txt.gz"))
		table := ordered{name: folder, columns: described(rows)}
		for _, c := range table.columns {
			tier, ok := known[c.Name]
			if !ok {
				tier = -1
			}
			table.tier = append(table.tier, tier)
		}
		out = append(out, table)
	}
	return out
}

// tetradTiers reads the tiers of a knowledge file.
func tetradTiers(r io.Reader) map[string]int {
	tiers, on := map[string]int{}, false
	for lines := bufio.NewScanner(r); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 0:
		case words[0] == "addtemporal":
			on = true
		case strings.HasPrefix(words[0], "forbid"):
			return tiers
		case on:
			for _, w := range words[1:] {
				tiers[w] = must.Get(strconv.Atoi(strings.TrimSuffix(words[0], "*")))
			}
		}
	}
	return tiers
}

// A tally counts the pairs that a claim decides, by table.
type tally struct {
	decided, right int
	tables         map[string][2]int
}

type tallies map[string]*tally

func (m tallies) add(key, table string, right bool) {
	if m[key] == nil {
		m[key] = &tally{tables: map[string][2]int{}}
	}
	c, n := m[key], m[key].tables[table]
	c.decided++
	n[0]++
	if right {
		c.right++
		n[1]++
	}
	c.tables[table] = n
}

// share is the mean share of right pairs over tables, drawn to a mean as if four more tables had it.
func (c *tally) share(mean float64) float64 {
	sum := 4 * mean
	for _, name := range slices.Sorted(maps.Keys(c.tables)) {
		n := c.tables[name]
		sum += float64(n[1]) / float64(n[0])
	}
	return sum / float64(4+len(c.tables))
}

// TestStudyNames counts how many pairs of columns with a known order the names decide, and how many of these rightly.
func TestStudyNames(t *testing.T) {
	pairs := 0
	all, claims, meanings := tallies{}, tallies{}, tallies{}
	for _, table := range orderedTables(t) {
		readings := role.Read(table.columns)
		for i := range table.columns {
			for j := range table.columns {
				if table.tier[i] < 0 || table.tier[i] >= table.tier[j] {
					continue
				}
				pairs++
				odds, reason := readings.Odds(i, j)
				if odds == 0 {
					continue
				}
				a, b := i, j
				if odds < 0 {
					a, b = j, i
					t.Logf("wrong: %s: %s → %s, %s", table.name, table.columns[a].Name, table.columns[b].Name, reason)
				}
				all.add("", table.name, odds > 0)
				claims.add(fmt.Sprintf("%v < %v", readings[a].Role, readings[b].Role), table.name, odds > 0)
				for _, r := range []role.Reading{readings[a], readings[b]} {
					if r.Role != role.Unknown {
						meanings.add(r.Meaning, table.name, odds > 0)
					}
				}
			}
		}
	}
	mean := float64(all[""].right) / float64(all[""].decided)
	for _, m := range []tallies{claims, meanings} {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			c, p := m[key], m[key].share(mean)
			t.Logf("%-28s %3d tables %4d decided %4d right, log odds %.1f", key, len(c.tables), c.decided, c.right, math.Log(p/(1-p)))
		}
	}
	t.Logf("%d pairs, %d decided (%.2f), %d right (%.3f)", pairs, all[""].decided, float64(all[""].decided)/float64(pairs), all[""].right, mean)
	if mean < 0.95 || 2*all[""].decided < pairs {
		t.Errorf("names decide %d of %d pairs, %.3f right; want half and 0.95", all[""].decided, pairs, mean)
	}
}
