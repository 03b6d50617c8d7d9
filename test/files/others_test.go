package files_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/must"
)

// others is where tables lie that DuckDB and polars wrote: make.mjs there made them, and versions.txt says with which versions. A test in
// package files reads all of them.
const others = "testdata/others"

// The moments of a file that another program wrote are those of its own CSV, dates and all.
func TestMomentsOfOtherPrograms(t *testing.T) {
	opt := prepare.DefaultSettings()
	opt.Profile, opt.Missing, opt.Encode = true, "pairwise", "levels"
	opt.Drop = []string{"nothing", "word", "float"} // the last has fewer digits in text
	gather := func(path string) *prepare.Gathered {
		in, err := Open(filepath.Join(others, path), nil, options())
		must.Succeed(t, err)
		defer in.Close()
		g, err := prepare.Gather(context.Background(), in.Source, opt)
		must.Succeed(t, err)
		return g
	}
	kinds := func(g *prepare.Gathered) (list []string) {
		for _, c := range g.Profile.Columns {
			list = append(list, c.Name+" "+c.Kind)
		}
		return list
	}
	for csv, files := range map[string][]string{
		"duckdb.csv": {"duckdb.jsonl", "duckdb.brotli.parquet", "duckdb.v2.parquet"},
		"polars.csv": {"polars.lz4.arrow", "polars.zstd.arrows", "polars.gzip.parquet"},
	} {
		want := gather(csv)
		if text := fmt.Sprint(kinds(want)); !strings.Contains(text, "day time") || !strings.Contains(text, "zoned time") || !strings.Contains(text, "truth bool") || !strings.Contains(text, "level text") {
			t.Errorf("%s: %s", csv, text)
		}
		for _, file := range files {
			got := gather(file)
			if notes := strings.Join(got.Profile.Notes, " "); strings.Contains(file, "parquet") && !strings.Contains(notes, "list") {
				t.Errorf("%s: no note that lists are left out: %s", file, notes)
			}
			if fmt.Sprint(got.Moments) != fmt.Sprint(want.Moments) {
				t.Errorf("%s: other moments than %s", file, csv)
			}
			for j, c := range want.Profile.Columns {
				if c.Kind == "bool" { // typed columns have no words
					got.Levels[j] = want.Levels[j]
				}
			}
			if fmt.Sprint(got.Levels) != fmt.Sprint(want.Levels) {
				t.Errorf("%s: levels %v, want %v", file, got.Levels, want.Levels)
			}
		}
	}
}
