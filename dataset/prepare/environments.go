package prepare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// These are the errors of the column of intervention targets.
var (
	ErrTarget       = fault.Kind("unknown-target", "the intervention target is not a column of the table; correct its name")
	ErrEnvironments = fault.Kind("environments", "there are too many environments; check that the right column is given")
)

// mostEnvironments limits the number of environments.
const mostEnvironments = 100_000

// mostUnknown limits the number of environments with unknown targets, each of which is a variable of the search.
const mostUnknown = 64

// environmentColumn returns the name of the environment column, the setting that named it, and whether there is one.
func (o *options) environmentColumn() (name, setting string, ok bool) {
	if o.Targets != "" {
		name, _, _ = SplitTargets(o.Targets)
		return name, "targets", true
	}
	return o.Environments, "environments", o.Environments != ""
}

// SplitTargets splits the setting Targets into the column and the meaning of its values, nil if these name the targets themselves.
func SplitTargets(text string) (column string, means map[string]string, err error) {
	column, list, _ := strings.Cut(text, ":")
	if !strings.Contains(list, "=") {
		return text, nil, nil
	}
	means = map[string]string{}
	for part := range strings.SplitSeq(list, ",") {
		value, names, ok := strings.Cut(part, "=")
		value, names = strings.TrimSpace(value), strings.TrimSpace(names)
		switch _, twice := means[value]; {
		case !ok || value == "":
			return "", nil, fmt.Errorf("%q: want COLUMN:VALUE=NAMES,VALUE=NAMES with names of columns and ; between them", text)
		case twice:
			return "", nil, fmt.Errorf("%q: the value %s stands there twice", text, value)
		}
		means[value] = names
	}
	return strings.TrimSpace(column), means, nil
}

// A wordList numbers the values of the environment column in their order of occurrence, so that one pass over the table is enough.
// A missing value is the empty word.
type wordList struct {
	words  []string
	first  []int // first data row of each word, from 1
	code   map[string]int
	number map[float64]int
}

func newWordList() *wordList {
	return &wordList{code: map[string]int{}, number: map[float64]int{}}
}

func (w *wordList) of(word string, row int) int {
	k, ok := w.code[word]
	if !ok {
		k = len(w.words)
		w.code[word] = k
		w.words, w.first = append(w.words, word), append(w.first, row)
	}
	return k
}

func (w *wordList) ofNumber(x float64, row int) int {
	k, ok := w.number[x]
	if !ok {
		k = w.of(dataset.FormatFloat(x+0), row)
		w.number[x] = k
	}
	return k
}

// A splitter is a sink for rows whose last value is the index of a word. It computes the moments of the rows of each word and
// passes the rows on without that value. Up to max(16, d) rows of a word are buffered, so that a word takes about 2·d² numbers, and with
// many columns the moments of fewer rows are made of these rows. Rows of a word are added in the order of the table, by one thread.
type splitter struct {
	names []string
	to    sink
	opt   *options
	words []wordRows
	plain []float64
	// stored counts the words with moments, and kept the values of all buffers.
	stored, kept int64
}

// wordRows are the rows of one word.
type wordRows struct {
	moments *dataset.Moments // nil before the first full buffer
	pending []float64
	rows    int
}

func (s *splitter) add(rows []float64, clean bool) error {
	d := len(s.names)
	s.plain = s.plain[:0]
	for at := 0; at < len(rows); at += d + 1 {
		row, k := rows[at:at+d], int(rows[at+d])
		s.plain = append(s.plain, row...)
		if !clean && anyMissing(row) { // an incomplete row does not count for the moments of an environment
			continue
		}
		for k >= len(s.words) {
			s.words = append(s.words, wordRows{})
			if err := s.affordable(); err != nil {
				return err
			}
		}
		w := &s.words[k]
		w.pending = append(w.pending, row...)
		w.rows++
		if s.kept += int64(d); len(w.pending) >= d*max(16, d) {
			if err := s.flush(w); err != nil {
				return err
			}
		}
	}
	if len(s.words) > mostEnvironments {
		name, _, _ := s.opt.environmentColumn()
		return s.tooMany(fmt.Sprintf("environment column %s has more than %d values", name, mostEnvironments))
	}
	return s.to.add(s.plain, clean)
}

// affordable returns an error if the words so far need more memory than is allowed.
func (s *splitter) affordable() error {
	d := int64(len(s.names))
	need := 16 * d * d * s.stored
	if need += 12 * s.kept; dataset.LeanRows(len(s.names)) == 0 {
		need = 16 * d * d * int64(len(s.words))
	}
	if s.opt.MaxMemory > 0 && need > s.opt.MaxMemory {
		return s.tooMany(fmt.Sprintf("the moments of %d environments of %d columns need %s, and %s are allowed", len(s.words), d, memorySize(need), memorySize(s.opt.MaxMemory)))
	}
	return nil
}

func (s *splitter) tooMany(text string) error {
	_, setting, _ := s.opt.environmentColumn()
	return &dataset.ParseError{Err: fault.New(ErrEnvironments, text, "check that %s names the right column; if it does, use fewer columns (%s, %s) or allow more memory", fault.Use(setting), fault.Use("columns"), fault.Use("drop"))}
}

// flush adds the buffer of a word to its moments.
func (s *splitter) flush(w *wordRows) error {
	if w.moments == nil {
		w.moments = dataset.NewMoments(s.names)
		s.stored++
		if err := s.affordable(); err != nil {
			return err
		}
	}
	err := w.moments.AddBlock(w.pending)
	s.kept -= int64(len(w.pending))
	w.pending = w.pending[:0]
	return err
}

func (s *splitter) finish() (*dataset.Moments, []string, error) { return s.to.finish() }

// moments returns the moments of the rows of some words and ends their buffers.
func (s *splitter) moments(words []int) (*dataset.Moments, error) {
	n := 0
	for _, k := range words {
		n += s.words[k].rows
	}
	if n < dataset.LeanRows(len(s.names)) { // all of them are still buffered
		rows := s.words[words[0]].pending
		for _, k := range words[1:] {
			rows = append(rows, s.words[k].pending...)
		}
		for _, k := range words {
			s.words[k].pending = nil
		}
		return dataset.OnDemandMoments(s.names, rows)
	}
	m := dataset.NewMoments(s.names)
	for _, k := range words {
		w := &s.words[k]
		if err := s.flush(w); err != nil {
			return nil, err
		}
		if err := m.Merge(w.moments); err != nil {
			return nil, err
		}
		*w = wordRows{rows: w.rows}
	}
	return m, nil
}

// environments converts words to environments with targets. Words with the same targets are one environment, and a word without complete
// rows is none. of has the environment of each word, or -1.
func (s *splitter) environments(w *wordList, plan *encodePlan, chosen []chosenColumn, all []dataset.Column, opt *options) (r *dataset.Environments, of []int, notes []string, err error) {
	name, _, _ := opt.environmentColumn()
	r = &dataset.Environments{Column: name, Setting: cmp.Or(opt.Targets, opt.Environments), Unknown: opt.Targets == ""}
	of = make([]int, len(w.words))
	words := slices.Clone(w.words)
	_, means, _ := SplitTargets(opt.Targets)
	mapped := means != nil
	if mapped {
		onlyNone := !slices.ContainsFunc(slices.Collect(maps.Values(means)), func(names string) bool { return names != "" })
		for k, word := range words {
			meaning, known := means[word]
			if known || !onlyNone {
				words[k] = meaning
			}
			delete(means, word)
		}
		if len(means) > 0 {
			value := slices.Min(slices.Collect(maps.Keys(means)))
			return nil, nil, nil, &dataset.ParseError{File: opt.File, Name: name, Err: fault.New(ErrTarget, fmt.Sprintf("column %s has no row with the value %q", name, value), "its values are %s", shortList(w.words))}
		}
		mapped = !onlyNone
	}
	t := newTargets(words, plan, chosen, all)
	seen := map[string]int{}
	var members [][]int // words of each environment
	for k, word := range words {
		var targets []int
		key := word
		if !r.Unknown {
			if targets, err = t.parse(word); err != nil {
				return nil, nil, nil, &dataset.ParseError{File: opt.File, Row: w.first[k], Name: name, Value: dataset.Excerpt([]byte(w.words[k])), Err: err}
			}
			if key = fmt.Sprint(targets); mapped && len(targets) > 0 {
				key = w.words[k] + key // two conditions may set the same column to different values
			}
		}
		if of[k] = -1; k >= len(s.words) || s.words[k].rows == 0 {
			continue
		}
		at, ok := seen[key]
		if !ok {
			at = len(r.Names)
			seen[key] = at
			r.Names, r.Targets, members = append(r.Names, t.label(w.words[k], targets, r.Unknown, mapped)), append(r.Targets, targets), append(members, nil)
		}
		of[k], members[at] = at, append(members[at], k)
	}
	for _, of := range members {
		m, err := s.moments(of)
		if err != nil {
			return nil, nil, nil, err
		}
		r.Moments = append(r.Moments, m)
	}
	if r.Unknown && len(r.Names) > mostUnknown {
		return nil, nil, nil, &dataset.ParseError{File: opt.File, Err: fault.New(ErrEnvironments, fmt.Sprintf("column %s has %d environments, and at most %d are supported", name, len(r.Names), mostUnknown),
			"check that %s names the right column; if it does, merge its values into a few classes", fault.Use("environments"))}
	}
	switch len(t.left) {
	case 0:
	case 1:
		notes = append(notes, fmt.Sprintf("Column %s was intervened on in some rows and is excluded; those rows still count for the other columns.", t.left[0]))
	default:
		notes = append(notes, fmt.Sprintf("%d columns were intervened on in some rows and are excluded; those rows still count for the other columns: %s.", len(t.left), shortList(t.left)))
	}
	notes = append(notes, environmentNote(r))
	if always := alwaysSet(r, s.names); len(always) > 0 {
		notes = append(notes, fmt.Sprintf("Intervened on in every row: %s. Causes of these columns cannot be learned.", shortList(always)))
	}
	return r, of, notes, nil
}

// alwaysSet returns the columns that are intervened on in every environment.
func alwaysSet(r *dataset.Environments, names []string) (always []string) {
	if r.Unknown {
		return nil
	}
	for j, name := range names {
		if !slices.ContainsFunc(r.Targets, func(set []int) bool { return !slices.Contains(set, j) }) {
			always = append(always, name)
		}
	}
	return always
}

// environmentNote describes the environments.
func environmentNote(r *dataset.Environments) string {
	const show = 12
	var parts []string
	for k, name := range r.Names[:min(len(r.Names), show)] {
		if name == "" {
			name = "none"
		}
		parts = append(parts, fmt.Sprintf("%s %d", name, r.Moments[k].N))
	}
	if more := len(r.Names) - show; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	if r.Unknown {
		return fmt.Sprintf("Column %s defines %s (rows: %s).", r.Column, count(len(r.Names), "environment"), strings.Join(parts, ", "))
	}
	return fmt.Sprintf("Column %s names the intervention targets (rows: %s).", r.Column, strings.Join(parts, ", "))
}

// takeEnvironments removes the last value of each row of a sample, which is the index of a word, and stores the environment.
func takeEnvironments(s *dataset.Sample, of []int) {
	wide := s.Columns + 1
	s.Environments = make([]int, len(s.Index))
	values := s.Values[:0]
	for i := range s.Index {
		row := s.Values[i*wide : (i+1)*wide]
		s.Environments[i] = of[int(row[wide-1])]
		values = append(values, row[:wide-1]...)
	}
	s.Values = values
}

// wordOf returns the index of the word in row i of a view, which is text, a number or missing.
func (e *encoder) wordOf(v *view, i int, x float64, cell *dataset.Cell) float64 {
	row := v.first + i + 1
	switch {
	case cell != nil:
		return float64(e.environments.of(strings.TrimSpace(string(v.text[cell.Start:cell.End])), row))
	case math.IsNaN(x):
		return float64(e.environments.of("", row))
	}
	return float64(e.environments.ofNumber(x, row))
}
