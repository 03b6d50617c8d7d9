//go:build ignore

// This program writes data.csv and truth.csv.
package main

import (
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"strings"
)

var names = []string{"mist", "light", "moss", "mushroom", "dry_soil", "guests_today", "ice_cream_scoops", "lamps_lit"}

// edges is an invented graph of days in a park; its weights are chosen, not measured.
var edges = []struct {
	from, to string
	weight   float64
}{
	{"mist", "moss", 0.7},
	{"mist", "guests_today", -1.1},
	{"mist", "dry_soil", -1.3},
	{"mist", "ice_cream_scoops", -0.8},
	{"light", "moss", -0.6},
	{"light", "lamps_lit", -1.2},
	{"light", "guests_today", 0.6},
	{"dry_soil", "mushroom", -0.9},
	{"guests_today", "ice_cream_scoops", 1.0},
}

func main() {
	order := []int{0, 1, 4, 5, 2, 3, 6, 7} // a causal order of the names
	index := map[string]int{}
	for i, n := range names {
		index[n] = i
	}
	var truth, data strings.Builder
	truth.WriteString("from,to,weight\n")
	for _, e := range edges {
		fmt.Fprintf(&truth, "%s,%s,%g\n", e.from, e.to, e.weight)
	}
	data.WriteString(strings.Join(names, ",") + "\n")
	rng := rand.New(rand.NewPCG(8, 2026))
	for range 500 {
		x := make([]float64, len(names))
		for _, j := range order {
			x[j] = rng.NormFloat64()
			for _, e := range edges {
				if index[e.to] == j {
					x[j] += e.weight * x[index[e.from]]
				}
			}
		}
		cells := make([]string, len(x))
		for j, v := range x {
			cells[j] = fmt.Sprintf("%.4f", v)
		}
		data.WriteString(strings.Join(cells, ",") + "\n")
	}
	for name, text := range map[string]string{"truth.csv": truth.String(), "data.csv": data.String()} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
