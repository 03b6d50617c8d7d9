package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// found learns a graph and returns how many of its edges join columns that are joined in the truth, and how many do not.
func found(t *testing.T, dir, table string, flags ...string) (right, wrong int) {
	t.Helper()
	var r struct{ Edges []struct{ From, To string } }
	result := filepath.Join(dir, "found.json")
	program(t, append([]string{"learn", table, "--output", result}, flags...)...)
	must.Succeed(t, json.Unmarshal(must.Get(os.ReadFile(result)), &r))
	truth := map[string]bool{}
	for _, line := range strings.Fields(string(must.Get(os.ReadFile(filepath.Join(dir, "edges.csv")))))[1:] {
		ends := strings.Split(line, ",")
		truth[ends[0]+" "+ends[1]], truth[ends[1]+" "+ends[0]] = true, true
	}
	for _, e := range r.Edges {
		if truth[e.From+" "+e.To] {
			right++
		} else {
			wrong++
		}
	}
	return right, wrong
}

// errorsOf returns the mean share of wrong labels.
func errorsOf(t *testing.T, table, truth string) float64 {
	t.Helper()
	read := func(file string) (rows [][]string) {
		for line := range strings.Lines(string(must.Get(os.ReadFile(file)))) {
			rows = append(rows, strings.Split(strings.TrimSpace(line), ","))
		}
		return rows
	}
	a, b := read(table), read(truth)
	at := map[string]int{}
	for j, name := range b[0] {
		at[name] = j
	}
	wrong, all := 0.0, 0.0
	for i, row := range a[1:] {
		for j, name := range a[0] {
			k, ok := at[name]
			if !ok || !strings.HasPrefix(name, "x") {
				continue
			}
			all++
			if (must.Get(strconv.ParseFloat(row[j], 64)) >= 0.5) != (b[i+1][k] == "1") {
				wrong++
			}
		}
	}
	return wrong / all
}

// TestProbabilitiesAndDecisions checks that probabilities of classifiers, good ones and one with a fifth of wrong labels, give the edges that decisions
// give. POLYDAG_STUDY=6 draws more graphs.
func TestProbabilitiesAndDecisions(t *testing.T) {
	seeds, rows, sizes := 1, "300", []int{800, 60}
	if s, err := strconv.Atoi(os.Getenv("POLYDAG_STUDY")); err == nil {
		seeds, rows, sizes = s, "1000", []int{800, 200, 60}
	}
	for _, size := range sizes {
		var sum [4]int
		wrong := 0.0
		model := train(size, 16, 6)
		for seed := 1; seed <= seeds; seed++ {
			dir := t.TempDir()
			in := func(name string) string { return filepath.Join(dir, name) }
			program(t, "simulate", "--model", "logit", "--nodes", strconv.Itoa(attributes), "--edges", "10", "--set", "levels=2,2", "--set", "codes", "--rows", rows,
				"--images", in("scenes"), "--output", in("true.csv"), "--truth", in("edges.csv"), "--seed", strconv.Itoa(100+seed))
			flags := writeModel(t, dir)
			write(t, in("model.onnx"), model)
			write(t, in("labels.txt"), []byte("x0\nx1\nx2\nx3\nx4\nx5\nx6\nx7\nx8\n"))
			for k, decide := range []string{"--decide=false", "--decide"} {
				images(t, 0, append(flags, in("scenes"), decide, "--output", in(strconv.Itoa(k)+".csv"), "--quiet")...)
				r, w := found(t, dir, in(strconv.Itoa(k)+".csv"))
				sum[2*k], sum[2*k+1] = sum[2*k]+r, sum[2*k+1]+w
			}
			wrong += errorsOf(t, in("1.csv"), in("true.csv")) / float64(seeds)
		}
		t.Logf("%.1f %% of the labels are wrong: %d right and %d other edges by probabilities, %d and %d by decisions", 100*wrong, sum[0], sum[1], sum[2], sum[3])
		if 20*sum[0] < 19*sum[2] || sum[1] > sum[3]+1 {
			t.Errorf("probabilities find %d right and %d other edges, decisions %d and %d", sum[0], sum[1], sum[2], sum[3])
		}
	}
}
