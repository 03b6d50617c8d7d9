package questions_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/questions"
	"github.com/polydag/polydag/knowledge"
)

// tiered are real tables with a known order of their columns: the folder, the table and the file of tiers.
var tiered = []struct{ table, tiers string }{
	{"abalone/abalone.mixed.maximum.3", "abalone/abalone"},
	{"airfoil-self-noise/airfoil-self-noise.continuous", "airfoil-self-noise/airfoil-self-noise"},
	{"auto-mpg/auto-mpg.data.mixed.max.3.categories", "auto-mpg/auto-mpg"},
	{"dry-bean/drybean.data.mixed.numeric", "dry-bean/dry-bean"},
	{"htru2/pulsar.mixed.maximum.2", "htru2/htr2"},
	{"pima-diabetes/pima-diabetes.mixed.maximum.2", "pima-diabetes/pima-diabetes"},
	{"student-performance/student-performance.data.mixed.maximum.3", "student-performance/student-performance"},
	{"wine-quality/winequality-red-white.mixed.maximum.2", "wine-quality/wine.quality"},
}

// otherNames are the columns of the abalone table under the names of its tiers.
var otherNames = map[string]string{"ShkW": "Shucked", "ShlW": "Shell", "VisW": "Viscera", "WhW": "Whole"}

func realFile(t *testing.T, name string) string {
	root := os.Getenv("POLYDAG_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(root, "real", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the data are not part of the repository, and real/%s is not there: set POLYDAG_DATA to a folder that has it", name)
	}
	return path
}

// readTiers returns the tier of each column in a Tetrad knowledge file.
func readTiers(t *testing.T, name string) map[string]int {
	f, err := os.Open(realFile(t, name))
	must.Succeed(t, err)
	defer f.Close()
	z := must.Get(gzip.NewReader(f))
	tiers, on := map[string]int{}, false
	for lines := bufio.NewScanner(z); lines.Scan(); {
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

// An analyst answers questions from the tiers and errs with the given probability.
type analyst struct {
	tiers map[string]int
	errs  float64
	rng   *rand.Rand
}

// before returns whether a comes before b; ok is false if the tiers do not say.
func (a analyst) before(x, y string) (yes, ok bool) {
	i, known := a.tiers[x]
	j, too := a.tiers[y]
	if !known || !too || i == j {
		return false, false
	}
	return (i < j) != (a.rng.Float64() < a.errs), true
}

// root returns whether a column is in the first tier.
func (a analyst) root(x string) bool {
	first := true
	for _, tier := range a.tiers {
		if own, ok := a.tiers[x]; !ok || tier < own {
			first = false
		}
	}
	return first != (a.rng.Float64() < a.errs)
}

func (a analyst) answer(t *testing.T, q *questions.Dialogue, c questions.Question) {
	if c.Form == questions.AskRoot {
		if q.Answer(c, questions.Answer{Yes: a.root(c.About)}) != nil {
			a.must(t, q.Answer(c, questions.Answer{})) // the analyst takes a contradiction back
		}
		return
	}
	answer := questions.Answer{Places: make([]questions.Placement, len(c.Others))}
	for i, name := range c.Others {
		if yes, ok := a.before(name, c.About); ok {
			answer.Places[i] = questions.After
			if yes {
				answer.Places[i] = questions.Before
			}
		}
	}
	if q.Answer(c, answer) != nil {
		a.must(t, q.Answer(c, questions.Answer{Places: make([]questions.Placement, len(c.Others))}))
	}
}

func (a analyst) must(t *testing.T, err error) {
	must.Succeed(t, err)
}

// TestStudyQuestions prints the share of decidable directions that are right after answers of a simulated analyst.
func TestStudyQuestions(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("a study of minutes: set POLYDAG_STUDY=1")
	}
	counts := []int{0, 1, 3, 5, 10}
	for _, kind := range []struct {
		name    string
		errs    float64
		random  bool
		repeats int
	}{{"truthful", 0, false, 1}, {"one in ten wrong", 0.1, false, 4}, {"random questions", 0, true, 4}} {
		right, all, settled := make([]int, len(counts)), make([]int, len(counts)), make([]int, len(counts))
		for i, file := range slices.Repeat(tiered, kind.repeats) {
			tiers := readTiers(t, file.tiers+".knowledge.txt.gz")
			opened, err := files.Open(realFile(t, file.table+".txt.gz"), nil, files.DefaultSettings())
			must.Succeed(t, err)
			table := must.Get(polydag.Prepare(context.Background(), opened, polydag.DefaultPreparation()))
			a := analyst{tiers, kind.errs, rand.New(rand.NewPCG(7, uint64(i)))}
			learn := func(s knowledge.Spec) *polydag.Result {
				cfg := polydag.DefaultConfig()
				cfg.Knowledge = s
				res, err := table.Learn(context.Background(), cfg, polydag.Run{})
				if err != nil {
					t.Fatalf("%s: %v", file.table, err)
				}
				return res
			}
			answers, line := 0, ""
			res := learn(knowledge.Spec{})
			q := dialogue(t, res)
			for k, want := range counts {
				for ; answers < want; answers++ {
					c, ok := q.Next()
					if !ok {
						break
					}
					if kind.random {
						all := q.List(1000).Questions
						c = all[a.rng.IntN(len(all))]
					}
					a.answer(t, q, c)
				}
				if want > 0 {
					res = learn(q.Spec())
					q.Update(edges(res))
				}
				r, n := score(res, tiers)
				right[k] += r
				all[k] += n
				for _, e := range res.Edges {
					if _, ok := (analyst{tiers: tiers, rng: a.rng}).before(e.From, e.To); ok && q.Known(e.From, e.To) {
						settled[k]++
					}
				}
				line += fmt.Sprintf("  %d: %d/%d", want, r, n)
			}
			t.Logf("%-18s %-60s%s", kind.name, file.table, line)
			opened.Close()
		}
		for k, want := range counts {
			t.Logf("%-18s after %2d answers: %d of %d right: %.2f; %.2f settled by answers", kind.name, want, right[k], all[k], float64(right[k])/float64(all[k]), float64(settled[k])/float64(all[k]))
		}
	}
}

func edges(res *polydag.Result) []questions.Edge {
	var out []questions.Edge
	for _, e := range res.Edges {
		out = append(out, questions.Edge{Edge: graph.Edge{From: slices.Index(res.Names, e.From), To: slices.Index(res.Names, e.To)}, Adjacent: e.PAdjacent, Direction: e.PDirection})
	}
	return out
}

func dialogue(t *testing.T, res *polydag.Result) *questions.Dialogue {
	q := must.Get(questions.New(res.Names, edges(res), nil))
	return q
}

// score counts the decidable edges and those whose more likely direction is right.
func score(res *polydag.Result, tiers map[string]int) (right, all int) {
	for _, e := range res.Edges {
		i, ok := tiers[e.From]
		j, too := tiers[e.To]
		if !ok || !too || i == j {
			continue
		}
		all++
		if (i < j) == (e.PDirection >= 0.5) {
			right++
		}
	}
	return right, all
}
