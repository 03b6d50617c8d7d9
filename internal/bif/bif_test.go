package bif

import (
	"compress/gzip"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

const sprinkler = `network "wet grass" { property author nobody; }
// two comments /* of both kinds
variable rain { type discrete [ 2 ] { yes, no }; property x = 3; } /* and
another */
variable sprinkler { type discrete[2]{on, off}; }
variable grass { type discrete [ 3 ] { <1, 1-5, 5+ }; }
probability ( rain ) { table 0.2, 0.8; }
probability (sprinkler|rain) { (no) 0.4 0.6; default 0.01, 0.99; }
probability ( grass | sprinkler, rain ) {
  table 0.1, 0.2, 0.3, 1.0,   0.2, 0.2, 0.3, 0.0,   0.7, 0.6, 0.4, 0;
}
`

func TestRead(t *testing.T) {
	net, err := Read(strings.NewReader(sprinkler))
	must.Succeed(t, err)
	if net.Name != "wet grass" || !slices.Equal(net.Names(), []string{"rain", "sprinkler", "grass"}) || net.Index("grass") != 2 || net.Index("x") != -1 {
		t.Errorf("%q %v", net.Name, net.Names())
	}
	g := net.Variables[2]
	if !slices.Equal(g.Levels, []string{"<1", "1-5", "5+"}) || !slices.Equal(g.Parents, []int{1, 0}) {
		t.Errorf("%v", g)
	}
	want := []float64{0.1, 0.2, 0.7, 0.2, 0.2, 0.6, 0.3, 0.3, 0.4, 1, 0, 0}
	for i, x := range g.Table {
		if !(math.Abs(x-want[i]) <= 1e-12) {
			t.Errorf("table %v, want %v", g.Table, want)
			break
		}
	}
	if s := net.Variables[1].Table; !slices.Equal(s, []float64{0.01, 0.99, 0.4, 0.6}) {
		t.Errorf("sprinkler %v", s)
	}
	if p := net.Parents(); !slices.Equal(p[2], []int{0, 1}) || len(p[0]) != 0 {
		t.Errorf("parents %v", p)
	}
}

// TestSample checks that the frequencies of a sample are those of the network, and that impossible levels do
// not occur.
func TestSample(t *testing.T) {
	net, err := Read(strings.NewReader(sprinkler))
	must.Succeed(t, err)
	const rows = 200000
	x := net.Sample(rand.New(rand.NewPCG(1, 2)), rows)
	var seen [12]float64
	var configs [4]float64
	for i := range rows {
		j := 2*x[1][i] + x[0][i]
		seen[3*j+x[2][i]]++
		configs[j]++
	}
	for i, n := range seen {
		p := net.Variables[2].Table[i]
		if c := configs[i/3]; p == 0 && n > 0 || !(math.Abs(n/c-p) <= 4*math.Sqrt(0.25/c)) {
			t.Errorf("cell %d: %v of %v, want a share of %v", i, n, c, p)
		}
	}
	again := net.Sample(rand.New(rand.NewPCG(1, 2)), 100)
	for v := range again {
		if !slices.Equal(again[v], x[v][:100]) {
			t.Error("the same seed gives another table")
		}
	}
	if draw([]float64{0.5, 0.49, 0}, 0.999) != 1 {
		t.Error("a level of probability 0 was drawn")
	}
}

func TestFaults(t *testing.T) {
	const a, b = "variable a { type discrete [2] {x, y}; }\n", "variable b { type discrete [2] {x, y}; }\n"
	for text, want := range map[string]string{
		"":               "bif: no variables; is this a BIF file?",
		"<html>":         `bif: line 1: "<html>"; want network, variable or probability: is this a BIF file?`,
		a:                "bif: variable a has no probabilities; is the file cut short?",
		a + a:            "bif: line 2: variable a is there twice",
		"variable a {":   "bif: line 1: the file ends inside a block; is it cut short?",
		"variable a { }": "bif: line 1: variable a has no levels",
		"variable a { type discrete [3] {x, y}; }":                                              "bif: line 1: variable a is said to have [3] levels and lists 2",
		"variable a { type discrete [2] {x, x}; }":                                              "bif: line 1: variable a has level x twice",
		"variable a { type continuous; }":                                                       `bif: line 1: "continuous" where "discrete" should be`,
		`variable "a`:                                                                           "bif: line 1: a quotation mark without its second; is the file cut short?",
		a + "probability ( a ) { table 0.5; }":                                                  "bif: line 2: 1 probabilities of a, want 2",
		a + "probability ( a ) { table 0.5, 0.4; }":                                             "bif: line 2: the probabilities of a for parents [] sum to 0.9, want 1",
		a + "probability ( a ) { table 1.5, -0.5; }":                                            `bif: line 2: "1.5" is no probability of a; want a number from 0 to 1`,
		a + "probability ( a ) { table NaN, 1; }":                                               `bif: line 2: "NaN" is no probability of a; want a number from 0 to 1`,
		a + "probability ( a | b ) { }":                                                         "bif: line 2: no variable is called b; variables must stand before their probabilities",
		a + "probability ( a | a ) { }":                                                         "bif: line 2: a is there twice",
		a + b + "probability ( a | b ) { (z) 0, 1; }":                                           `bif: line 3: b has no level z; its levels are ["x" "y"]`,
		a + b + "probability ( a | b ) { (x, y) 0, 1; }":                                        "bif: line 3: 2 levels for the 1 parents of a",
		a + b + "probability ( a | b ) { (x) 0, 1; }":                                           "bif: line 3: a has no probabilities for parents [y]",
		a + "probability ( a ) { table 0, 1; }\nprobability ( a ) { }":                          "bif: line 3: the probabilities of a are also at line 2",
		a + b + "probability ( a | b ) { default 0 1; } probability ( b | a ) { default 0 1; }": "bif: the parents go in a circle among a, b; a network must be acyclic",
		a + "probability ( a ) { tab 0 1; }":                                                    `bif: line 2: "tab" among the probabilities of a; want table, default or levels in parentheses`,
		a + "probability ( a":                                                                   `bif: line 2: the end of the file among variables that should end with ")"`,
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

// TestPublishedNetworks checks that the networks of the bnlearn repository are read, with the sizes that it
// states.
func TestPublishedNetworks(t *testing.T) {
	root := os.Getenv("POLYDAG_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	for name, size := range map[string][2]int{"asia": {8, 8}, "sachs": {11, 17}, "child": {20, 25}, "insurance": {27, 52},
		"alarm": {37, 46}, "hailfinder": {56, 66}, "hepar2": {70, 123}, "win95pts": {76, 112}} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(filepath.Join(root, "networks", "bif", name+".bif.gz"))
			if err != nil {
				t.Skipf("the data are not part of the repository, and networks/bif/%s.bif.gz is not there: set POLYDAG_DATA to a folder that has it", name)
			}
			defer f.Close()
			z, err := gzip.NewReader(f)
			must.Succeed(t, err)
			net, err := Read(z)
			must.Succeed(t, err)
			edges := 0
			for _, p := range net.Parents() {
				edges += len(p)
			}
			if len(net.Variables) != size[0] || edges != size[1] {
				t.Errorf("%d variables, %d edges, want %v", len(net.Variables), edges, size)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range must.Mutants(1000, []byte(sprinkler)) {
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		net, err := Read(strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "bif: ") {
				t.Errorf("%v", err)
			}
			return
		}
		for v, col := range net.Sample(rand.New(rand.NewPCG(1, 1)), 3) {
			for _, k := range col {
				if int(k) >= len(net.Variables[v].Levels) {
					t.Errorf("variable %d: level %d", v, k)
				}
			}
		}
	})
}
