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

var names = []string{"Male", "Young", "Bald", "Mustache", "No_Beard", "Heavy_Makeup", "Wearing_Lipstick", "Gray_Hair"}

// edges is an invented graph. Its edges resemble the paper's figure; its weights are chosen, not measured.
var edges = []struct {
	from, to string
	weight   float64
}{
	{"Male", "Bald", 0.7},
	{"Male", "Heavy_Makeup", -1.1},
	{"Male", "No_Beard", -1.3},
	{"Male", "Wearing_Lipstick", -0.8},
	{"Young", "Bald", -0.6},
	{"Young", "Gray_Hair", -1.2},
	{"Young", "Heavy_Makeup", 0.6},
	{"No_Beard", "Mustache", -0.9},
	{"Heavy_Makeup", "Wearing_Lipstick", 1.0},
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
