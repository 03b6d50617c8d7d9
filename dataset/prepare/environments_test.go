package prepare

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

func TestSplitTargets(t *testing.T) {
	for _, c := range []struct {
		text, column string
		means        map[string]string
		fault        string
	}{
		{"arm", "arm", nil, ""},
		{"arm=1", "arm=1", nil, ""},
		{"a:b", "a:b", nil, ""},
		{" arm : t = a;b , c=", "arm", map[string]string{"t": "a;b", "c": ""}, ""},
		{"arm:t=a,b", "", nil, "want COLUMN:VALUE=NAMES"},
		{"arm:=a", "", nil, "want COLUMN:VALUE=NAMES"},
		{"arm:t=a,t=b", "", nil, "the value t stands there twice"},
	} {
		column, means, err := SplitTargets(c.text)
		if column != c.column || !maps.Equal(means, c.means) || (means == nil) != (c.means == nil) || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%q: column %q, meaning %v, error %v; want %q, %v, %q", c.text, column, means, err, c.column, c.means, c.fault)
		}
	}
}

// TestEnvironmentsOfWords checks the environments of the words of a column: their names, targets and rows. The first row and those of
// the word lost have no value in column a.
func TestEnvironmentsOfWords(t *testing.T) {
	for _, c := range []struct {
		name, targets, environments string
		words                       []any
		want                        string // name, targets and rows of each environment
		note                        string
		fault                       string
	}{
		{"names of columns", "arm", "", []any{"a", "b;a", nil, "a;b", "a", "b", " "}, "a [0] 1, a;b [0 1] 2,  [] 2, b [1] 1", "(rows: a 1, a;b 2, none 2, b 1)", ""},
		{"numbers of columns", "arm", "", []any{1, 2, 0, 1, 2, 1, 0}, "a [0] 2, b [1] 2,  [] 2", "", ""},
		{"conditions", "arm:t=a,u=a,c=,d=", "", []any{"c", "t", "u", "c", "d", "t", "v"}, " [] 3, t=a [0] 2, u=a [0] 1", "Column arm names the intervention targets", ""},
		{"a word for none", "arm:c=", "", []any{"c", "a", "c", "b", "a", "c", "b"}, " [] 2, a [0] 2, b [1] 2", "", ""},
		{"a word without complete rows", "arm", "", []any{"a", "b", "", "b", "", "", "b"}, "b [1] 3,  [] 3", "", ""},
		{"the last word without complete rows", "", "arm", []any{"y", "x", "x", "x", "z", "z", "lost"}, "x [] 3, z [] 2", "Column arm defines 2 environments (rows: x 3, z 2).", ""},
		{"a column set in every row", "arm", "", []any{"a", "a", "a;b", "a", "a;b", "a", "a;b"}, "a [0] 3, a;b [0 1] 3", "Intervened on in every row: a. Causes", ""},
		{"an excluded target", "arm", "", []any{"", "out", "", "out", "a", "b", ""}, " [] 4, a [0] 1, b [1] 1", "Column out was intervened on in some rows and is excluded", ""},
		{"two excluded targets", "arm", "", []any{"", "out", "", "gone", "a", "b", ""}, " [] 4, a [0] 1, b [1] 1", "2 columns were intervened on in some rows and are excluded; those rows still count for the other columns: out, gone.", ""},
		{"an unknown target", "arm", "", []any{"", "a", "aab", "", "a", "b", ""}, "", "", `row 3: "aab" names`},
		{"an unknown number", "arm", "", []any{0, 1, 2, 0, 9, 1, 1}, "", "", `row 5: "9" is not a column number: the table has 5 columns`},
		{"values without rows", "arm:c=,z=a,y=b", "", []any{"c", "c", "c", "c", "c", "c", "c"}, "", "", `column arm has no row with the value "y"; its values are c`},
	} {
		table := memOf("a b arm out gone")
		for i, word := range c.words {
			row := []any{float64(i * i), float64(i * i * i % 7), word, float64(i), float64(-i)}
			if i == 0 || word == "lost" {
				row[0] = nil
			}
			table.rows = append(table.rows, row)
		}
		g, err := gather(t, table, func(s *Settings) {
			s.Targets, s.Environments, s.Missing, s.Drop = c.targets, c.environments, "auto", []string{"out", "gone"}
		})
		if err != nil || c.fault != "" {
			if err == nil || c.fault == "" || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.fault)
			}
			continue
		}
		var got []string
		for k, name := range g.Environments.Names {
			got = append(got, fmt.Sprintf("%s %v %d", name, g.Environments.Targets[k], g.Environments.Moments[k].N))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: environments %q, want %q", c.name, text, c.want)
		}
		if notes := strings.Join(g.Profile.Notes, "\n"); !strings.Contains(notes, c.note) {
			t.Errorf("%s: %s\nwant %s", c.name, notes, c.note)
		}
		for i, k := range g.Sample.Environments { // the moments of the environments are those of the rows of the sample
			if m := g.Environments.Moments[k]; g.Sample.Columns != 2 || !(m.Min[0] <= g.Sample.Values[2*i] && g.Sample.Values[2*i] <= m.Max[0]) {
				t.Errorf("%s: row %d of the sample has value %v of a, outside environment %d", c.name, i, g.Sample.Values[2*i], k)
			}
		}
	}
}

// TestTooManyEnvironments checks that 64 environments with unknown targets are allowed, and 65 are not.
func TestTooManyEnvironments(t *testing.T) {
	for _, n := range []int{64, 65} {
		table := memOf("a b e")
		for i := range 2 * n {
			table.rows = append(table.rows, []any{float64(i), float64(i * i), float64(i % n)})
		}
		g, err := gather(t, table, func(s *Settings) { s.Environments = "e" })
		if n == 65 && !errors.Is(err, ErrEnvironments) || n == 64 && (err != nil || len(g.Environments.Names) != n) {
			t.Errorf("%d environments: %v", n, err)
		}
	}
}

func TestEnvironmentNote(t *testing.T) {
	r := &dataset.Environments{Column: "arm", Names: []string{""}, Moments: []*dataset.Moments{{N: 7}}}
	if got, want := environmentNote(r), "Column arm names the intervention targets (rows: none 7)."; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	r.Unknown = true
	for range 11 {
		r.Names, r.Moments = append(r.Names, "e"), append(r.Moments, &dataset.Moments{N: 1})
	}
	if got, want := environmentNote(r), "Column arm defines 12 environments (rows: none 7"+strings.Repeat(", e 1", 11)+")."; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	r.Names, r.Moments = append(r.Names, "x"), append(r.Moments, &dataset.Moments{N: 1})
	if got := environmentNote(r); strings.Contains(got, "x 1") || !strings.HasSuffix(got, "e 1, and 1 more).") {
		t.Errorf("13 environments: %s", got)
	}
	set := &dataset.Environments{Targets: [][]int{{0, 1}, {1}}}
	if got := alwaysSet(set, []string{"a", "b", "c"}); !slices.Equal(got, []string{"b"}) {
		t.Errorf("columns %q are intervened on in every environment, want b", got)
	}
	if set.Unknown = true; alwaysSet(set, []string{"a", "b"}) != nil {
		t.Error("unknown targets are columns that are set in every environment")
	}
}

func TestTakeEnvironments(t *testing.T) {
	s := &dataset.Sample{Columns: 2, Index: []int{4, 6}, Values: []float64{1, 2, 1, 3, 4, 0}}
	takeEnvironments(s, []int{5, 3})
	if !slices.Equal(s.Environments, []int{3, 5}) || !slices.Equal(s.Values, []float64{1, 2, 3, 4}) {
		t.Errorf("environments %v of rows %v", s.Environments, s.Values)
	}
}

// TestSplitter checks the rows of each word: incomplete ones do not count, and max(16, d) rows become moments.
func TestSplitter(t *testing.T) {
	to := &kept{}
	s := &splitter{names: []string{"a", "b"}, to: to, opt: &options{}}
	rows := []float64{1, 2, 1, 3, math.NaN(), 1, 5, 6, 1}
	if err := s.add(slices.Clone(rows), false); err != nil || len(to.rows) != 6 || len(s.words) != 2 || s.words[0].rows != 0 || s.words[1].rows != 2 || s.kept != 4 {
		t.Errorf("rows %v of words %+v, %v", to.rows, s.words, err)
	}
	if m, err := s.moments([]int{1}); err != nil || m.N != 2 || m.Mean[0] != 3 || m.Mean[1] != 4 || m.OnDemand() {
		t.Errorf("%+v, %v; want the means 3 and 4 of two rows", m, err)
	}
	for _, c := range []struct{ d, rows, stored int }{{2, 15, 0}, {2, 16, 1}, {20, 19, 0}, {20, 20, 1}} {
		s := &splitter{names: make([]string, c.d), to: &kept{}, opt: &options{}}
		if err := s.add(make([]float64, c.rows*(c.d+1)), true); err != nil || s.stored != int64(c.stored) || s.kept != int64((1-c.stored)*c.rows*c.d) {
			t.Errorf("%d rows of %d columns: %d moments, %d values buffered, %v", c.rows, c.d, s.stored, s.kept, err)
		}
	}
	const d = 128
	for _, c := range []struct {
		rows []int
		lean bool
	}{{[]int{127}, true}, {[]int{128}, false}, {[]int{100, 27}, true}, {[]int{100, 28}, false}, {[]int{129, 1}, false}} {
		s := &splitter{names: make([]string, d), to: &kept{}, opt: &options{}}
		n, words := 0, []int(nil)
		for k, times := range c.rows {
			row := make([]float64, d+1)
			row[0], row[d] = float64(k), float64(k)
			for range times {
				must.Succeed(t, s.add(row, true))
			}
			n, words = n+times, append(words, k)
		}
		want := 0.0
		if len(c.rows) > 1 {
			want = float64(c.rows[1]) / float64(n)
		}
		if m, err := s.moments(words); err != nil || m.OnDemand() != c.lean || m.N != n || math.Abs(m.Mean[0]-want) > 1e-15 {
			t.Errorf("words with %v rows: %d rows of mean %v on demand %v, want %d of mean %v on demand %v", c.rows, m.N, m.Mean[0], m.OnDemand(), n, want, c.lean)
		}
	}
}

// TestSplitterLimits checks that 100,000 words are allowed and that memory is 16·d² bytes per moments and 12 per buffered value.
func TestSplitterLimits(t *testing.T) {
	s := &splitter{names: []string{"a"}, to: &kept{}, opt: &options{Settings: Settings{Targets: "arm"}}}
	if err := s.add([]float64{1, 99_999}, true); err != nil {
		t.Errorf("100,000 words: %v", err)
	}
	if err := s.add([]float64{1, 100_000}, true); !errors.Is(err, ErrEnvironments) || !strings.Contains(err.Error(), "column arm has more than 100000 values") {
		t.Errorf("100,001 words: %v", err)
	}
	for _, c := range []struct{ d, words, stored, kept, need int64 }{{2, 10, 0, 50, 16 * 4 * 10}, {128, 10, 2, 1000, 16*128*128*2 + 12*1000}} {
		s := &splitter{names: make([]string, c.d), words: make([]wordRows, c.words), stored: c.stored, kept: c.kept, opt: &options{}}
		if err := s.affordable(); err != nil {
			t.Errorf("%+v without a limit: %v", c, err)
		}
		if s.opt.MaxMemory = c.need; s.affordable() != nil {
			t.Errorf("%+v: not allowed in %d bytes", c, c.need)
		}
		if s.opt.MaxMemory--; !errors.Is(s.affordable(), ErrEnvironments) {
			t.Errorf("%+v: allowed in less than %d bytes", c, c.need)
		}
	}
}
