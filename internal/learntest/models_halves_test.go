package learntest

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/method/order"
)

// attributes reads the published list of CelebA-HQ's attributes as CSV: its header, and a line for each image.
func attributes(t *testing.T) (header string, rows []string) {
	t.Helper()
	lines := bufio.NewScanner(published(t, "celeba_hq/CelebAMask-HQ-attribute-anno.txt.gz"))
	for i := 0; lines.Scan(); i++ {
		fields := strings.Fields(lines.Text())
		switch {
		case i == 0: // the number of images
		case i == 1:
			header = strings.Join(fields, ",")
		default:
			rows = append(rows, strings.Join(fields[1:], ","))
		}
	}
	if err := lines.Err(); err != nil && err != io.EOF || len(rows) != 30000 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	return header, rows
}

// fixed returns the compelled edges, with or without those that a part of the rows has reversed.
func fixed(r *polydag.Result, turned bool) map[[2]string]bool {
	out := map[[2]string]bool{}
	for _, e := range r.Edges {
		if e.Compelled && (turned || !e.Turned) {
			out[[2]string{e.From, e.To}] = true
		}
	}
	return out
}

// disagree counts the pairs with a fixed direction in both, and the opposite ones among them.
func disagree(a, b map[[2]string]bool) (pairs, opposite int) {
	for e := range a {
		if b[[2]string{e[1], e[0]}] {
			opposite++
		}
		if b[e] || b[[2]string{e[1], e[0]}] {
			pairs++
		}
	}
	return pairs, opposite
}

// TestHalvesOfFaces checks that two halves of one table agree on the identified directions;
// docs/explanation/models.md has the figures.
func TestHalvesOfFaces(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it takes seconds: set POLYDAG_STUDY=1")
	}
	header, rows := attributes(t)
	type split struct {
		name string
		half func(i int) int
	}
	splits := []split{{"first and last", func(i int) int { return i / 15000 }}, {"odd and even", func(i int) int { return i % 2 }}}
	for seed := range uint64(3) { // on these nothing was chosen
		place := rand.New(rand.NewPCG(seed, 1)).Perm(len(rows))
		splits = append(splits, split{fmt.Sprint("random, seed ", seed), func(i int) int { return place[i] / 15000 }})
	}
	for _, split := range splits {
		var text [2]strings.Builder
		for k := range text {
			text[k].WriteString(header + "\n")
		}
		for i, r := range rows {
			text[split.half(i)].WriteString(r + "\n")
		}
		for _, most := range []int{0, 60} {
			var res [2]*polydag.Result
			for k := range res {
				m := order.New()
				m.MaxEdges = most
				res[k] = learnedFrom(t, prepared(t, text[k].String()), m)
			}
			all, turned := disagree(fixed(res[0], true), fixed(res[1], true))
			pairs, opposite := disagree(fixed(res[0], false), fixed(res[1], false))
			t.Logf("%s rows, at most %d edges: %d and %d edges; compelled in both halves %d, opposite %d; without turned edges %d, opposite %d",
				split.name, most, len(res[0].Edges), len(res[1].Edges), all, turned, pairs, opposite)
			if bar := map[int]int{0: 10, 60: 3}[most]; 100*opposite > bar*pairs || pairs < 5 {
				t.Errorf("%d of %d pairs are opposite, want at most %d %%", opposite, pairs, bar)
			}
		}
	}
}
