package order

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/search"
)

// TestStudyManyRows compares the time and the score of a search that starts on a part of the rows with one on all rows, on tables of
// POLYDAG_STUDY thousand rows. The test is skipped without it. POLYDAG_COLUMNS is the number of columns [20].
func TestStudyManyRows(t *testing.T) {
	rows, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if rows *= 1000; rows == 0 {
		t.Skip("it takes minutes: set POLYDAG_STUDY to the number of rows in thousands")
	}
	columns, _ := strconv.Atoi(os.Getenv("POLYDAG_COLUMNS"))
	if columns == 0 {
		columns = 20
	}
	for seed := range uint64(3) {
		var seconds, score [2]float64
		for k := range 2 {
			_, whole := levelled(t, seed, columns, rows) // without cached counts
			p := search.Problem{Score: whole}
			l, s := &searcher{Method: New(), in: &method.Input{}}, search.DefaultSettings()
			s.Threads = 2
			start := time.Now()
			if k == 1 {
				must.Get(l.startFrom(t.Context(), whole, max(2, rows/scores.PartRows), p, &s, "part"))
				fmt.Printf("part %.1f s, ", time.Since(start).Seconds())
			}
			found := must.Get(search.Search(t.Context(), p, s, nil))
			seconds[k], score[k] = time.Since(start).Seconds(), found.Score
		}
		fmt.Printf("seed %d: %.1f s and %.1f s from a part, score %+.2f\n", seed, seconds[0], seconds[1], score[1]-score[0])
	}
}
