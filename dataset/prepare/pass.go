package prepare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/names"
)

// A sink receives whole rows of numbers, which it may change but not keep. NaN is a missing value, and clean reports that there are
// none.
type sink interface {
	add(rows []float64, clean bool) error
	// finish returns the moments of all rows and notes on how they were treated.
	finish() (*dataset.Moments, []string, error)
}

// A pass reads all rows once with a plan.
type pass struct {
	opt    *options
	chosen []chosenColumn
	plan   *encodePlan
	names  []string // of the moments
	enc    *encoder
	logs   *logs
	decide *decisions // nil without scores
	groups *groups    // nil without a group column
	prof   *profiler  // nil without a profile
	sink   sink       // nil after a missing value that Missing refuses: only the counts are still needed
	sample *sampler   // nil without a profile
	split  *splitter  // nil without environments
	cut    *classes   // nil without discretization
	zeros  wordZeros
	bare   []float64 // buffer of withoutContext
}

// gatherOnce is one pass over src with the given plan. all are the columns of the table.
func gatherOnce(ctx context.Context, src dataset.Source, all []dataset.Column, chosen []chosenColumn, plan *encodePlan, opt *options) (*Gathered, error) {
	names := plan.names()
	text, single := plan.leftOut(chosen)
	if err := checkWidth(names, text, single, opt); err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return onlyText(chosen, plan, opt)
	}
	if err := dataset.CheckNames(names, opt.File); err != nil { // a one-hot column may have the name of another column
		return nil, err
	}
	p := &pass{opt: opt, chosen: chosen, plan: plan, names: names, enc: newEncoder(chosen, plan, opt), logs: newLogs(chosen, plan, opt), decide: newDecisions(plan, opt)}
	read := p.enc.chosen
	if plan.group != nil {
		p.groups = newGroups(*plan.group, len(names), opt.File)
		read = append(slices.Clone(read), *plan.group)
	}
	if err := selectColumns(src, read); err != nil {
		return nil, err
	}
	if opt.Profile {
		p.prof = newProfiler(len(names), opt.Threads)
	}
	p.newSink()
	if opt.seen != nil {
		opt.seen.patterns = missingPatterns{} // a pass that ended early may have had other columns
	}
	n, err := stream(ctx, src, len(read), opt, p.add)
	if err != nil {
		return nil, err
	}
	return p.finish(n, all)
}

// add processes some rows: groups, text, profile, missing values, logarithms, moments.
func (p *pass) add(v *view) error {
	if p.groups != nil {
		if err := p.groups.take(v, len(p.enc.chosen)); err != nil {
			return err
		}
	}
	if err := p.enc.encode(v); err != nil {
		return err
	}
	p.decide.apply(v, p.plan.width(), p.opt.Threads)
	if p.prof != nil {
		p.prof.add(p.withoutContext(v.values), v.clean)
		if p.plan.context {
			p.zeros.add(v.values, p.plan.width())
		}
	}
	if p.opt.auto && p.opt.Missing == dataset.MissingDrop && p.opt.seen != nil && !v.clean {
		p.opt.seen.patterns.add(v.values, p.plan.width(), len(p.names))
	}
	if err := p.logs.apply(v); err != nil {
		return err
	}
	if p.groups != nil {
		p.groups.add(v.values, p.opt.Missing == dataset.MissingDrop)
	}
	if p.opt.Missing == dataset.MissingError && !v.clean {
		p.sink = nil
	}
	if p.sink == nil {
		return nil
	}
	return p.placed(p.sink.add(v.values, v.clean))
}

// finish returns the result of a pass over n rows.
func (p *pass) finish(n int, all []dataset.Column) (*Gathered, error) {
	missing := p.enc.missing()
	prof := &dataset.Profile{File: p.opt.File, RowsRead: n, RowsUsed: n}
	if p.prof != nil {
		p.prof.fill(prof, p.chosen, p.plan, p.enc)
	}
	p.opt.seen.take(n, prof, p.prof, p.plan, p.chosen)
	m, notes, err := p.moments(n, missing)
	if err != nil {
		return nil, err
	}
	if p.opt.Missing == dataset.MissingDrop {
		prof.RowsUsed = m.N
	}
	prof.Notes = slices.Concat(rowNotes(n, p.opt), p.plan.notes, p.enc.notes(), p.logs.notes(), p.enc.infiniteNotes(), missingNotes(missing, n, prof.RowsUsed, p.opt), notes)
	scores, decided := p.decide.done()
	prof.Notes = append(decided, prof.Notes...)
	g := &Gathered{Scores: scores, excluded: p.plan.excluded, Moments: m, Profile: prof,
		replay: &replay{chosen: p.chosen, plan: p.plan, opt: *p.opt, rows: m.N, missing: len(missing) > 0 && p.opt.Missing != dataset.MissingDrop}}
	g.replay.opt.Progress = nil
	g.Levels, g.Ordered = p.levels()
	if p.sample != nil {
		g.Sample = &p.sample.sample
	}
	if p.cut != nil {
		g.Classes = p.cut.counts()
	}
	if err := cmp.Or(p.addGroups(g), p.addEnvironments(g, all)); err != nil {
		return nil, err
	}
	return g, nil
}

// moments returns the moments of n rows, with notes on how they were treated. missing are the columns with missing values.
func (p *pass) moments(n int, missing []MissingColumn) (*dataset.Moments, []string, error) {
	switch {
	case n < 2:
		return nil, nil, tooFewRows(n, p.opt)
	case p.opt.Missing == dataset.MissingError && len(missing) > 0:
		return nil, nil, &MissingError{File: p.opt.File, Rows: n, Columns: missing, Left: -1}
	}
	m, notes, err := p.sink.finish()
	if err == nil {
		return m, notes, nil
	}
	if infinite := p.enc.allInfinite(n); infinite != nil {
		return nil, nil, infinite
	}
	return nil, nil, blame(p.placed(err), missing, n, p.opt.auto)
}

// levels returns Gathered.Levels and Gathered.Ordered.
func (p *pass) levels() (levels [][]string, ordered []bool) {
	levels, ordered = make([][]string, len(p.names)), make([]bool, len(p.names))
	truth := map[string]*wordClass{}
	for j, s := range p.enc.seen {
		truth[p.enc.chosen[j].Name] = s.class
	}
	for k, o := range p.plan.outputs {
		if c := p.plan.columns[o.from]; c.how == asOrdinal {
			levels[k], ordered[k] = c.levels, p.chosen[o.from].Order != nil
		} else if pair := truth[p.chosen[o.from].Name]; pair != nil && pair.yes != "" && c.how != asOneHot {
			levels[k] = []string{pair.no, pair.yes}
		}
	}
	return levels, ordered
}

// addGroups adds the weight of grouped rows.
func (p *pass) addGroups(g *Gathered) (err error) {
	if p.groups == nil {
		return nil
	}
	if g.Groups, err = p.groups.finish(p.names); err == nil {
		g.Profile.Notes = append(g.Profile.Notes, g.Groups.Sentence())
	}
	return err
}

// addEnvironments adds the moments of each environment.
func (p *pass) addEnvironments(g *Gathered, all []dataset.Column) error {
	if p.split == nil {
		return nil
	}
	r, of, notes, err := p.split.environments(p.enc.environments, p.plan, p.chosen, all, p.opt)
	if err != nil {
		return err
	}
	if g.Environments, g.replay.environment = r, of; p.sample != nil {
		takeEnvironments(g.Sample, of)
	}
	p.zeros.forgive(g.Profile, p.names, r, of)
	g.Profile.Notes = append(g.Profile.Notes, notes...)
	return nil
}

// onlyText returns the result of a lenient pass over a table without numeric columns: no moments, and the profile of its columns.
func onlyText(chosen []chosenColumn, plan *encodePlan, opt *options) (*Gathered, error) {
	rows := 0
	if l := plan.columns[0].learned; l != nil {
		rows = l.cells + l.values + l.missing
	}
	if rows < 2 {
		return nil, tooFewRows(rows, opt)
	}
	m := dataset.NewMoments(nil)
	m.N = rows
	p := &dataset.Profile{File: opt.File, RowsRead: rows, RowsUsed: rows, Notes: slices.Concat(rowNotes(rows, opt), plan.notes)}
	if opt.Profile {
		p.Columns = plan.textProfiles(chosen)
	}
	return &Gathered{excluded: plan.excluded, Moments: m, Profile: p}, nil
}

// placed adds the file and its column to an error of a sink, which knows only the columns of the moments.
func (p *pass) placed(err error) error {
	var e *dataset.ParseError
	var m *MissingError
	switch {
	case errors.As(err, &e):
		e.File = p.opt.File
		if e.Column > 0 {
			e.Column = p.chosen[p.plan.outputs[e.Column-1].from].index + 1
		}
	case errors.As(err, &m):
		m.File = p.opt.File
	}
	return err
}

// newSink chooses the sink of the rows by the options, and the steps in front of it.
func (p *pass) newSink() {
	opt := p.opt
	switch opt.Missing {
	case missingKeep, dataset.MissingPairwise:
		pairs := newPairSums(p.names, opt.Missing == missingKeep, opt.Threads)
		pairs.opt = opt
		p.sink = pairs
	default:
		p.sink = &plainSink{a: dataset.NewAccumulator(p.names, opt.Threads).OnDemand(), columns: len(p.names), opt: opt}
	}
	if p.plan.context {
		p.split = &splitter{names: p.names, to: p.sink, opt: opt}
		p.sink = p.split
	}
	if opt.Profile {
		p.sample = newSampler(len(p.names), p.plan.width(), p.sink)
		p.sink = p.sample
	}
	if opt.NormalScores {
		p.sink = newScores(p.plan, p.sink, opt)
	}
	if opt.Discretize > 0 {
		p.cut = newClasses(p.plan, p.sink, opt)
		p.sink = p.cut
	}
	if opt.Missing == dataset.MissingDrop {
		p.sink = &wholeRows{d: p.plan.width(), to: p.sink}
	}
}

// withoutContext returns rows without the index of a word at their end.
func (p *pass) withoutContext(rows []float64) []float64 {
	if !p.plan.context {
		return rows
	}
	p.bare = p.bare[:0]
	for d := p.plan.width(); len(rows) > 0; rows = rows[d:] {
		p.bare = append(p.bare, rows[:d-1]...)
	}
	return p.bare
}

// plainSink receives rows without missing values.
type plainSink struct {
	a             *dataset.Accumulator
	columns, rows int
	opt           *options
}

func (s *plainSink) add(rows []float64, _ bool) error {
	before, few := s.rows, dataset.WideRows(s.columns)
	if s.rows += len(rows) / s.columns; before <= few && s.rows > few && few > 0 {
		if err := checkScatter(s.columns, s.opt); err != nil {
			return err
		}
	}
	return s.a.Add(rows)
}

func (s *plainSink) finish() (*dataset.Moments, []string, error) {
	m, err := s.a.Moments()
	return m, nil, err
}

func tooFewRows(read int, opt *options) error {
	e := &dataset.ParseError{File: opt.File, Err: dataset.ErrNoRows}
	if read == 1 {
		e.Err = dataset.ErrOneRow
	}
	if opt.FirstRow > 0 || opt.LastRow > 0 {
		e.Detail = "of " + rowRange(opt)
	}
	return e
}

func rowRange(opt *options) string {
	if opt.LastRow == 0 {
		return fmt.Sprintf("rows from %d on", opt.FirstRow)
	}
	return fmt.Sprintf("rows %d to %d", max(opt.FirstRow, 1), opt.LastRow)
}

func rowNotes(read int, opt *options) []string {
	if opt.FirstRow <= 1 && opt.LastRow == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Only %s were read: %d.", rowRange(opt), read)}
}

// notes lists the text columns that were read as numbers.
func (e *encoder) notes() []string {
	var readAs []string
	columns := map[string][]string{}
	for j, s := range e.seen {
		if s.class == nil {
			continue
		}
		note := s.class.note()
		if columns[note] == nil {
			readAs = append(readAs, note)
		}
		columns[note] = append(columns[note], e.chosen[j].Name)
	}
	for i, note := range readAs {
		const most = 6
		list := columns[note]
		switch n := len(list); {
		case n == 1:
			readAs[i] = fmt.Sprintf("Column %s was read as %s.", list[0], note)
		case n > most:
			readAs[i] = fmt.Sprintf("Columns %s were read as %s.", names.List(list, most), note)
		default:
			readAs[i] = fmt.Sprintf("Columns %s and %s were read as %s.", strings.Join(list[:n-1], ", "), list[n-1], note)
		}
	}
	return readAs
}
