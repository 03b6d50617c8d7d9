package sim

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func intervened(mechanism Mechanism, kind InterventionKind) Settings {
	cfg := Default()
	cfg.Mechanism, cfg.Nodes, cfg.Edges, cfg.Seed = mechanism, 12, 24, 6
	cfg.Intervention, cfg.Interventions, cfg.InterventionSize, cfg.Observational = kind, 6, 2, 0.25
	return cfg
}

// TestHardInterventionsCutIncomingEdges checks that an intervention removes only the edges into its targets.
// With the same noise and parent values all other nodes are unchanged, and targets follow their noise.
func TestHardInterventionsCutIncomingEdges(t *testing.T) {
	for k := Linear; k <= Mixed; k++ {
		m := mustNew(t, intervened(k, Hard))
		rng := Stream(8, StreamNoise)
		for s, targets := range m.Targets() {
			noise, row, other := make([]float64, 12), make([]float64, 12), make([]float64, 12)
			for range 20 {
				for _, v := range m.order {
					noise[v] = m.noiseOf(v, rng)
				}
				copy(row, noise)
				m.fill(row, s)
				for v := range row {
					copy(other, row)
					want := m.equations[v].value(other, noise[v])
					if slices.Contains(targets, v) {
						if want = 2 + m.sd[v]*noise[v]; m.levels[v] > 0 {
							want = math.Floor(noise[v] * float64(m.levels[v]))
						}
					}
					if row[v] != want {
						t.Fatalf("%v, targets %v: node %d is %v, want %v", k, targets, v, row[v], want)
					}
				}
			}
		}
	}
}

// TestSoftInterventionsKeepTheParents checks that a soft intervention gives its targets another mechanism with
// the same parents, or another mean without parents.
func TestSoftInterventionsKeepTheParents(t *testing.T) {
	for k := Linear; k <= Mixed; k++ {
		m := mustNew(t, intervened(k, Soft))
		changed := 0
		for _, s := range m.settings {
			for v, e := range s.equations {
				row := make([]float64, 12)
				for j := range row {
					row[j] = math.NaN() // a node that is not a parent would spoil the value
				}
				for _, p := range m.parents[v] {
					row[p] = 1
				}
				if k == Discrete || k == Mixed {
					for j := range row {
						row[j] = 1
					}
				}
				a, b := e.value(row, 0.5), m.equations[v].value(row, 0.5)
				if math.IsNaN(a) || len(m.parents[v]) == 0 && m.levels[v] == 0 && a == b {
					t.Errorf("%v, node %d: %v, before %v", k, v, a, b)
				}
				if a != b {
					changed++
				}
			}
		}
		if changed == 0 {
			t.Errorf("%v: nothing changed", k)
		}
	}
}

// TestAssignment checks that every setting has its number of rows, in any order, with the right label.
func TestAssignment(t *testing.T) {
	m := mustNew(t, intervened(Linear, Hard))
	_, settings := m.SampleSettings(Stream(2, StreamNoise), 1003)
	count := make([]int, 7)
	for _, s := range settings {
		count[s]++
	}
	if !slices.Equal(count, []int{251, 126, 126, 125, 125, 125, 125}) || slices.IsSorted(settings) {
		t.Errorf("rows of the settings: %v", count)
	}
	name, words := m.Label()
	seen := map[string]bool{}
	for s, word := range words {
		var want []string
		for _, v := range m.Targets()[s] {
			want = append(want, m.Names()[v])
		}
		if word != strings.Join(want, ";") || len(want) != min(2*s, 2) || seen[word] {
			t.Errorf("setting %d is %q, want %v", s, word, want)
		}
		seen[word] = true
	}
	if name != "target" {
		t.Errorf("the column is %q", name)
	}
	cfg := intervened(Linear, Hard)
	cfg.InterventionSize, cfg.Interventions, cfg.Observational = 1, 12, 0
	var all []int
	for _, targets := range mustNew(t, cfg).Targets()[1:] {
		all = append(all, targets...)
	}
	slices.Sort(all)
	if !slices.Equal(all, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) {
		t.Errorf("twelve single targets are %v", all)
	}
}

// TestEnvironments checks that environments after the first change their targets and have equal parts of the rows.
func TestEnvironments(t *testing.T) {
	cfg := Default()
	cfg.Nodes, cfg.Environments, cfg.EnvironmentChanges = 10, 3, 2
	m := mustNew(t, cfg)
	name, words := m.Label()
	if targets := m.Targets(); name != "environment" || !slices.Equal(words, []string{"0", "1", "2"}) || len(targets[0]) != 0 || len(targets[1]) != 2 || len(targets[2]) != 2 {
		t.Errorf("%s %v: %v", name, words, targets)
	}
	count := [3]int{}
	_, settings := m.SampleSettings(Stream(2, StreamNoise), 300)
	for _, s := range settings {
		count[s]++
	}
	if count != [3]int{100, 100, 100} {
		t.Errorf("rows %v", count)
	}
}

// TestGraphDoesNotDependOnTheRest checks that interventions and mechanisms do not change the graph, and that
// Edges is exact.
func TestGraphDoesNotDependOnTheRest(t *testing.T) {
	want := mustNew(t, intervened(Linear, Hard)).Graph()
	if want.NumEdges() != 24 {
		t.Errorf("%d edges, want 24", want.NumEdges())
	}
	for k := Linear; k <= Mixed; k++ {
		cfg := intervened(k, Soft)
		cfg.Interventions, cfg.Environments = 0, 2
		if !mustNew(t, cfg).Graph().Equal(want) {
			t.Errorf("%v: another graph", k)
		}
	}
	const graphs = 3000
	count := map[[2]int]float64{}
	for seed := range uint64(graphs) {
		cfg := Default()
		cfg.Nodes, cfg.Edges, cfg.Seed = 6, 5, seed
		m := mustNew(t, cfg)
		for _, e := range m.Edges() {
			count[[2]int{e.From, e.To}]++
		}
		if len(m.Edges()) != 5 || m.Graph().CheckOrder(m.Order()) != nil {
			t.Fatalf("seed %d: %v", seed, m.Edges())
		}
	}
	for i := range 6 {
		for j := range 6 {
			if k := count[[2]int{i, j}]; i != j && !(math.Abs(k-graphs/6) <= 4.5*math.Sqrt(graphs/6.0)) {
				t.Errorf("%d → %d came %v times, want about %v", i, j, k, graphs/6)
			}
		}
	}
}

// TestEdgesTakeThePlaceOfDegree checks that Degree is ignored if the number of edges is given.
func TestEdgesTakeThePlaceOfDegree(t *testing.T) {
	cfg := Default()
	cfg.Nodes, cfg.Edges = 4, 6
	if m := mustNew(t, cfg); len(m.Edges()) != 6 {
		t.Errorf("%d edges of 4 nodes, want all 6", len(m.Edges()))
	}
	cfg.Edges = 7
	if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "want 0 to 6") {
		t.Errorf("seven edges of four nodes: %v", err)
	}
}
