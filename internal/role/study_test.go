package role_test

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/role"
)

// A tiered table is one whose columns have a known order.
type tiered struct {
	name    string
	columns []role.Column
	tier    []int // -1: unknown
}

func dataPath(name string) string {
	root := os.Getenv("POLYDAG_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	return filepath.Join(root, name)
}

// describe returns the columns of a table of text.
func describe(rows [][]string) []role.Column {
	columns := make([]role.Column, len(rows[0]))
	for j, name := range rows[0] {
		seen, words := map[string]bool{}, false
		for _, r := range rows[1:] {
			if v := r[j]; v != "" && v != "NA" {
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

// knownOrder reads the tables of R packages with their tiers.
func knownOrder(t *testing.T) (out []tiered) {
	t.Helper()
	text, err := os.ReadFile(dataPath("known-order/tiers.json"))
	if err != nil {
		t.Skip("the data are not part of the repository, and known-order is not there: set POLYDAG_DATA to a folder that has it")
	}
	var tiers map[string][][]string
	must.Succeed(t, json.Unmarshal(text, &tiers))
	for _, file := range slices.Sorted(maps.Keys(tiers)) {
		f := must.Get(os.Open(dataPath("known-order/" + file + ".gz")))
		rows := must.Get(csv.NewReader(must.Get(gzip.NewReader(f))).ReadAll())
		f.Close()
		table := tiered{name: file, columns: describe(rows)}
		for _, c := range table.columns {
			tier, rest := -1, -1
			for k, group := range tiers[file] {
				if slices.Contains(group, c.Name) {
					tier = k
				}
				if slices.Contains(group, "*") {
					rest = k
				}
			}
			if tier < 0 {
				tier = rest
			}
			table.tier = append(table.tier, tier)
		}
		out = append(out, table)
	}
	return out
}

var _ = bufio.NewReader

func TestStudyNames(t *testing.T) {
	decided, right, pairs := 0, 0, 0
	type count struct{ n, right int }
	roles, meanings := map[string]*count{}, map[string]*count{}
	add := func(m map[string]*count, key string, ok bool) {
		if m[key] == nil {
			m[key] = &count{}
		}
		m[key].n++
		if ok {
			m[key].right++
		}
	}
	for _, table := range knownOrder(t) {
		readings := role.Read(table.columns)
		d, r, n := 0, 0, 0
		var wrong []string
		for i := range table.columns {
			for j := range table.columns {
				if table.tier[i] < 0 || table.tier[j] < 0 || table.tier[i] >= table.tier[j] {
					continue
				}
				n++
				l, reason := readings.Odds(i, j)
				if l == 0 {
					continue
				}
				d++
				a, b := i, j
				if l > 0 {
					r++
				} else {
					a, b = j, i
					wrong = append(wrong, fmt.Sprintf("%s→%s (%s)", table.columns[a].Name, table.columns[b].Name, reason))
				}
				add(roles, fmt.Sprintf("%v < %v", readings[a].Role, readings[b].Role), l > 0)
				for _, m := range []string{readings[a].Meaning, readings[b].Meaning} {
					if m != "" {
						add(meanings, m, l > 0)
					}
				}
			}
		}
		decided, right, pairs = decided+d, right+r, pairs+n
		t.Logf("%-28s pairs %4d decided %4d right %4d", table.name, n, d, r)
		if testing.Verbose() && os.Getenv("SHOW") != "" {
			for j, c := range table.columns {
				t.Logf("     %d %-20s %v %s", table.tier[j], c.Name, readings[j].Role, readings[j].Meaning)
			}
			for _, w := range wrong {
				t.Logf("     WRONG %s", w)
			}
		}
	}
	for _, m := range []map[string]*count{roles, meanings} {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			t.Logf("%-40s %5d %5d %.3f", k, m[k].n, m[k].right, float64(m[k].right)/float64(m[k].n))
		}
	}
	t.Logf("%d pairs, %d decided (%.2f), %d right (%.3f)", pairs, decided, float64(decided)/float64(pairs), right, float64(right)/float64(decided))
	_ = strings.ToLower
}
