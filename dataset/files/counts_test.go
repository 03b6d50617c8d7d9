package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// counted joins the rows of a source.
func counted(t *testing.T, src dataset.Source, most int64) (*dataset.Counts, error) {
	t.Helper()
	defer src.Close()
	m := dataset.NewCountsMaker(src.Columns(), most)
	for {
		var b dataset.Batch
		err := src.Next(context.Background(), &b)
		if err == io.EOF {
			return m.Counts(), nil
		}
		if err == nil {
			err = m.Add(b.Values, b.Cells, b.Text)
		}
		if err != nil {
			return nil, err
		}
	}
}

// levelTable writes a table of numbers, words and missing values.
func levelTable(t *testing.T, rows int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 4))
	var b strings.Builder
	b.WriteString("size,colour,weight\n")
	for range rows {
		fmt.Fprintf(&b, "%s,%s,%s\n", []string{"-1", "0.1", "7"}[rng.IntN(3)], []string{"red", "größer", "NA"}[rng.IntN(3)], []string{"1", "2", "heavy"}[rng.IntN(3)])
	}
	path := filepath.Join(t.TempDir(), "levels.csv")
	must.Succeed(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

func sourceOf(t *testing.T, path string) (*Input, dataset.Source) {
	t.Helper()
	in, err := Open(path, nil, DefaultSettings())
	must.Succeed(t, err)
	t.Cleanup(func() { in.Close() })
	src, err := in.Source(t.Context())
	must.Succeed(t, err)
	return in, src
}

func countsBytes(t *testing.T, c *dataset.Counts) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Succeed(t, WriteCounts(&b, c))
	return b.Bytes()
}

// TestCountsRoundTrip checks that counts survive a round trip, and that their rows count as those of the table,
// for all columns and for selected ones in another order.
func TestCountsRoundTrip(t *testing.T) {
	path := levelTable(t, 20000)
	_, src := sourceOf(t, path)
	want, err := counted(t, src, 0)
	must.Succeed(t, err)
	text := countsBytes(t, want)
	back, err := ReadCounts("c.npz", bytes.NewReader(text), int64(len(text)))
	if err != nil || fmt.Sprint(back) != fmt.Sprint(want) || back.Rows() != 20000 {
		t.Fatalf("%v: %v, want %v", err, back, want)
	}
	file := filepath.Join(t.TempDir(), "c.npz")
	must.Succeed(t, os.WriteFile(file, text, 0o600))
	in, src := sourceOf(t, file)
	if in.Format != Counts {
		t.Errorf("it is %s", in.Format)
	}
	if got, err := counted(t, src, 0); err != nil || !bytes.Equal(countsBytes(t, got), text) {
		t.Errorf("%v, %v", got, err)
	}
	_, src = sourceOf(t, file)
	must.Succeed(t, src.Select([]int{2, 0}))
	got, err := counted(t, src, 0)
	must.Succeed(t, err)
	chosen := dataset.NewCountsMaker([]dataset.Column{want.Columns[2], want.Columns[0]}, 0)
	must.Succeed(t, chosen.Merge(want, []int{2, 0}))
	if !bytes.Equal(countsBytes(t, got), countsBytes(t, chosen.Counts())) {
		t.Errorf("chosen columns: %v", got)
	}
}

// TestCountsOfManyLevels checks that codes of many levels are written wider, and read back.
func TestCountsOfManyLevels(t *testing.T) {
	for _, levels := range []int{256, 257, 70000} {
		m := dataset.NewCountsMaker([]dataset.Column{{Name: "a"}, {Name: "b"}}, 0)
		for i := range levels {
			must.Succeed(t, m.Add([]float64{float64(i), 1}, nil, nil))
		}
		c := m.Counts()
		b := countsBytes(t, c)
		back, err := ReadCounts("c.npz", bytes.NewReader(b), int64(len(b)))
		if err != nil || !slices.Equal(back.Codes, c.Codes) || !slices.Equal(back.Levels[0], c.Levels[0]) {
			t.Errorf("%d levels: %v", levels, err)
		}
	}
}

// TestShuffle checks that a shuffle has every number once, and that blocks of neighbouring places are random samples: if half of the rows
// are of one kind, the count of that kind in a block of b rows has the variance b/4.
func TestShuffle(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 4, 5, 17, 1000, 4096, 10007} {
		s, seen := newShuffle(n), map[uint64]bool{}
		for i := range n {
			if k := s.of(i); k >= n || seen[k] {
				t.Fatalf("n = %d: place %d has %d", n, i, k)
			} else {
				seen[k] = true
			}
		}
	}
	const n, block = 1 << 20, 1 << 10
	s, square := newShuffle(n), 0.0
	for start := uint64(0); start < n; start += block {
		below := 0.0
		for i := range uint64(block) {
			if s.of(start+i) < n/2 {
				below++
			}
		}
		square += (below - block/2) * (below - block/2) / (block / 4.0)
	}
	if ratio := square / (n / block); ratio < 0.8 || ratio > 1.2 { // 1,024 squares of standard normal numbers: 1 ± 0.044
		t.Errorf("the variance among blocks is %.2f times that of random samples", ratio)
	}
}

// TestShuffleKnownAnswers checks that the order is reproducible by seed.
func TestShuffleKnownAnswers(t *testing.T) {
	for n, want := range map[uint64][]uint64{
		10:      {3, 7, 5, 2, 9, 1, 6, 0, 4, 8},
		1000:    {757, 71, 701, 312, 589, 945},
		1 << 40: {208708431404, 699722823377, 180759975363},
	} {
		for i, k := range want {
			if got := newShuffle(n).of(uint64(i)); got != k {
				t.Errorf("n = %d: place %d has %d, want %d", n, i, got, k)
			}
		}
	}
}

// TestShuffleAvalanche checks that a change of any bit of a place changes each of the 40 bits of its number in
// half of the cases (avalanche).
func TestShuffleAvalanche(t *testing.T) {
	const bits, tries = 40, 1000
	s, rng := newShuffle(1<<bits), rand.New(rand.NewPCG(8, 8))
	for flip := range bits {
		var changed [bits]int
		for range tries {
			i := rng.Uint64N(1 << bits)
			diff := s.of(i) ^ s.of(i^1<<flip)
			for b := range bits {
				changed[b] += int(diff >> b & 1)
			}
		}
		for b, n := range changed {
			if n < 400 || n > 600 { // 6 standard deviations
				t.Errorf("bit %d of the place changes bit %d of the number in %d of %d cases", flip, b, n, tries)
			}
		}
	}
}

// TestHostileCounts checks that modified files are refused with their name, or give the same counts, without a
// crash.
func TestHostileCounts(t *testing.T) {
	_, src := sourceOf(t, levelTable(t, 300))
	c, err := counted(t, src, 0)
	must.Succeed(t, err)
	text := countsBytes(t, c)
	rng := rand.New(rand.NewPCG(7, 7))
	refused := 0
	for range 2000 {
		bad := slices.Clone(text)
		for range 1 + rng.IntN(3) {
			bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
		}
		got, err := ReadCounts("bad.npz", bytes.NewReader(bad), int64(len(bad)))
		if err != nil {
			refused++
			if !strings.Contains(err.Error(), "bad.npz") {
				t.Errorf("%v", err)
			}
		} else if err := got.Validate(); err != nil {
			t.Errorf("taken: %v", err)
		}
	}
	if refused < 500 {
		t.Errorf("%d of 2000 changed files were refused", refused)
	}
	for name, change := range map[string]func(*dataset.Counts){
		"rows 1 and 2 are not in order": func(c *dataset.Counts) { copy(c.Codes[3:6], c.Codes[:3]) },
		"level 2 of column size":        func(c *dataset.Counts) { c.Levels[0] = c.Levels[0][:2] },
		"comes 0 times":                 func(c *dataset.Counts) { c.Times[0] = 0 },
		"the name is taken":             func(c *dataset.Counts) { c.Columns[1].Name = c.Columns[0].Name },
	} {
		own := *c
		own.Columns, own.Codes, own.Times, own.Levels = slices.Clone(c.Columns), slices.Clone(c.Codes), slices.Clone(c.Times), slices.Clone(c.Levels)
		change(&own)
		b := countsBytes(t, &own)
		if _, err := ReadCounts("bad.npz", bytes.NewReader(b), int64(len(b))); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var b bytes.Buffer
	if err := WriteCounts(&b, &dataset.Counts{Columns: []dataset.Column{{Name: "a"}}, Levels: [][]dataset.Level{{{Word: "\xff", IsWord: true}}}, Codes: []uint32{0}, Times: []uint64{1}}); err == nil {
		t.Error("a word that is no text is written")
	}
}

// TestCountsHandOut checks that 100,000 rows of six distinct kinds are returned with the right frequencies.
func TestCountsHandOut(t *testing.T) {
	c := &dataset.Counts{Columns: []dataset.Column{{Name: "a"}, {Name: "b"}}, Levels: [][]dataset.Level{{{Number: 1}, {Number: 2}, {Number: 3}}, {{Number: 5}, {Word: "six", IsWord: true}}},
		Codes: []uint32{0, 0, 0, 1, 1, 0, 1, 1, 2, 0, 2, 1}, Times: []uint64{1, 20000, 2, 59997, 3, 19997}}
	src, err := newCountSource("c.npz", c, DefaultSettings())
	must.Succeed(t, err)
	got := map[string]uint64{}
	for {
		var b dataset.Batch
		if err := src.Next(t.Context(), &b); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		words := map[[2]int]string{}
		for _, cell := range b.Cells {
			words[[2]int{cell.Row, cell.Column}] = string(b.Text[cell.Start:cell.End])
		}
		for i := range b.Rows {
			got[fmt.Sprintf("%v %v%s%s", b.Values[2*i], b.Values[2*i+1], words[[2]int{i, 0}], words[[2]int{i, 1}])]++
		}
	}
	want := map[string]uint64{"1 5": 1, "1 NaNsix": 20000, "2 5": 2, "2 NaNsix": 59997, "3 5": 3, "3 NaNsix": 19997}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// BenchmarkCountSource measures a pass over the rows of counts: 20 columns, 400 distinct rows.
func BenchmarkCountSource(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 3))
	columns := make([]dataset.Column, 20)
	for j := range columns {
		columns[j].Name = fmt.Sprint("x", j)
	}
	m := dataset.NewCountsMaker(columns, 0)
	row := make([]float64, len(columns))
	for range 400 {
		for j := range row {
			row[j] = float64(rng.IntN(3))
		}
		must.Succeed(b, m.Add(row, nil, nil))
	}
	c := m.Counts()
	for i := range c.Times {
		c.Times[i] = 2500
	}
	for b.Loop() {
		src, err := newCountSource("c.npz", c, DefaultSettings())
		must.Succeed(b, err)
		var batch dataset.Batch
		for src.Next(b.Context(), &batch) == nil {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.Rows()), "ns/row")
}
