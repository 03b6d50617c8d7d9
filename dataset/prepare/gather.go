// Package prepare computes moments from a source of rows. It chooses rows and columns, encodes text, treats missing values, takes
// logarithms and normal scores, and describes each column.
//
//	set := prepare.DefaultSettings()
//	set.Encode, set.Missing, set.Profile = "onehot", "drop", true
//	g, err := prepare.Gather(ctx, open, set) // g.Moments, g.Profile
//
// Experimental: the API of this package may change before 1.0.
package prepare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/names"
)

// Gathered is the result of Gather.
type Gathered struct {
	Moments *dataset.Moments
	// Profile is never nil. Its columns and repeated rows are set only with Settings.Profile.
	Profile *dataset.Profile
	// Sample is nil without Settings.Profile.
	Sample *dataset.Sample
	// Levels has, for each column of the moments that was made from text as levels, as ordinal or as true and false, the text of
	// the codes 0, 1, …. It is nil for other columns.
	Levels [][]string
	// Ordered marks the columns of the moments whose file declares the order of their Levels.
	Ordered []bool
	// Groups has the weight of grouped rows; nil unless Settings.Groups names a column.
	Groups *dataset.Groups
	// Classes has the number of classes of each discretized column, and 0 for others. It is nil without discretization.
	Classes []int
	// Environments is nil unless Settings.Targets or Settings.Environments names a column.
	Environments *dataset.Environments
	// Scores are the columns that were replaced by decisions.
	Scores []dataset.Score

	replay   *replay
	excluded []dataset.Excluded // columns that the plan excludes
}

// Gather reads a table and returns its moments. It applies the settings in this order: rows and columns, Encode, Log, Missing,
// NormalScores. For the same numbers the moments have the same bytes as those of dataset.MomentsOf and of a text file, on any number
// of threads.
//
// It takes one pass and O(d²) memory, which does not grow with the rows except with NormalScores. If a column has text and Encode
// is not "error", open is called again, up to twice, because the levels must be known before text is encoded. With Exclude it is
// called again for each round in which columns are excluded, usually once. Gather closes each source that open returned. It reads
// the next batch while it processes one.
//
// An error of the data is a *ParseError or, for missing values, a *MissingError. If ctx is cancelled, Gather returns its error.
func Gather(ctx context.Context, open func(context.Context) (dataset.Source, error), set Settings) (*Gathered, error) {
	opt := options{Settings: set}
	if err := Validate(opt.Settings); err != nil {
		return nil, err
	}
	if set.Groups == dataset.GroupsAuto { // FindGroups looks for them in the gathered table
		set.Groups, opt.Groups = "", ""
	}
	switch {
	case set.Frequencies != "":
		open = expandedBy(open, set.Frequencies, set.File, byFrequency)
	case set.RowWeights != "":
		open = expandedBy(open, set.RowWeights, set.File, byWeight)
	}
	src, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { src.Close() }()
	chosen, err := chooseColumns(src.Columns(), &opt)
	if err != nil {
		return nil, err
	}
	if opt.Groups != "" {
		column, left, err := groupColumn(opt.Groups, src.Columns(), chosen)
		if err != nil {
			return nil, err
		}
		opt.group, chosen = &column, left
	}
	opt.unreadable = unreadable(src.Columns(), chosen, opt.Drop)
	var left []string
	for _, x := range opt.unreadable {
		left = append(left, fmt.Sprintf("Column %s was excluded: %s.", x.Name, x.Detail))
	}
	if opt.auto = opt.Missing == dataset.MissingAuto; opt.auto {
		if opt.Missing = dataset.MissingDrop; fills(set) {
			opt.Missing = missingKeep
		}
	}
	all := slices.Clone(src.Columns())
	g, err := gatherUsable(ctx, &src, open, chosen, &opt)
	if err == nil {
		if opt.scores = findScores(g, all, chosen, &opt); len(opt.scores) > 0 {
			next, failed := open(ctx)
			if failed = errors.Join(src.Close(), failed); failed != nil {
				return nil, fmt.Errorf("scores need a second pass, but the table could not be opened again: %w", failed)
			}
			src = next
			g, err = gatherUsable(ctx, &src, open, chosen, &opt)
		}
	}
	locate(err, src, opt.File)
	explain(err, src)
	if err == nil {
		g.Profile.Frequencies = set.Frequencies
		var found []string // some of them are known only after the last row
		if n, ok := src.(dataset.Noter); ok {
			found = n.Notes()
		}
		if n, ok := src.(dataset.ColumnNoter); ok {
			g.Profile.Read = chosenNotes(n.ColumnNotes(), chosen)
		}
		g.Profile.Notes = slices.Concat(found, left, sentences(g.Profile.Read, g.Profile.Excluded), g.Profile.Notes)
		if g.replay != nil {
			g.replay.open = open
		}
	}
	return g, err
}

// gatherChosen is Gather for the chosen columns. It replaces *at, the open source, if it needs another pass.
func gatherChosen(ctx context.Context, at *dataset.Source, open func(context.Context) (dataset.Source, error), chosen []chosenColumn, opt *options) (*Gathered, error) {
	src := *at
	all := slices.Clone(src.Columns())
	defer func() { *at = src }()
	again := func() error {
		err := src.Close()
		next, err2 := open(ctx)
		if err2 != nil {
			return errors.Join(err, fmt.Errorf("text columns need a second pass, but the table could not be opened again: %w", err2))
		}
		src = next
		for j := range chosen { // the type of a column may be known only now
			if columns := src.Columns(); chosen[j].index < len(columns) {
				chosen[j].Kind = columns[chosen[j].index].Kind
			}
		}
		return err
	}
	plan := numbersOnly(chosen)
	plan.group = opt.group
	if learn := opt.Encode != "error"; !learn || !declaresText(chosen) {
		g, err := gatherOnce(ctx, src, all, chosen, plan, opt)
		if !learn || !errors.Is(err, dataset.ErrNotNumber) {
			return g, err
		}
		if err := again(); err != nil {
			return nil, err
		}
	}
	levels, err := learnLevels(ctx, src, chosen, opt)
	if err != nil {
		return nil, err
	}
	_, isCounted := src.(counted)
	if plan, err = planEncoding(chosen, levels, isCounted, opt); err != nil {
		return nil, err
	}
	plan.group = opt.group
	if err := again(); err != nil {
		return nil, err
	}
	return gatherOnce(ctx, src, all, chosen, plan, opt)
}

// chosenNotes returns the notes on the chosen columns.
func chosenNotes(all []dataset.ColumnNote, chosen []chosenColumn) []dataset.ColumnNote {
	var notes []dataset.ColumnNote
	for _, n := range all {
		if slices.ContainsFunc(chosen, func(c chosenColumn) bool { return c.Name == n.Column }) {
			notes = append(notes, n)
		}
	}
	return notes
}

// explain adds the reason why cells are text to the error of a column.
func explain(err error, src dataset.Source) {
	var e *dataset.ParseError
	n, ok := src.(dataset.ColumnNoter)
	if !ok || !errors.As(err, &e) || e.Name == "" {
		return
	}
	_, several := src.(dataset.Locator)
	for _, note := range n.ColumnNotes() {
		if note.Column == e.Name && note.What == dataset.ReadMixed && errors.Is(err, dataset.ErrNotNumber) && !several {
			e.Line, e.Row, e.Value = note.Line, 0, note.Example // the cell that is not a number instead of the first of the column
			return
		}
		if note.Column == e.Name && (note.What == dataset.ReadMixed || note.What == dataset.ReadIdentifier) {
			_, why, _ := strings.Cut(strings.TrimSuffix(note.String(), "."), ": ")
			e.Detail = strings.TrimPrefix(e.Detail+"; "+why, "; ")
		}
	}
}

// sentences formats the notes on columns, one for all columns with the same cell, except those on excluded columns, which have their own
// note.
func sentences(notes []dataset.ColumnNote, excluded []dataset.Excluded) []string {
	const most = 3
	var list []string
	said, gone := map[[2]string]bool{}, excludedNames(excluded)
	for i, n := range notes {
		if gone[n.Column] {
			continue
		}
		key := [2]string{n.What, n.Example}
		if said[key] {
			continue
		}
		said[key] = true
		var columns []string
		for _, other := range notes[i:] {
			if other.What == n.What && other.Example == n.Example {
				columns = append(columns, other.Column)
			}
		}
		text := n.String()
		if len(columns) > 1 {
			text = strings.Replace(text, "Column "+n.Column, "Columns "+names.List(columns, most), 1)
		}
		list = append(list, text)
	}
	return list
}

// locate adds, for a table in several files, the file of a row and the row in that file to an error with the row of the whole
// table.
func locate(err error, src dataset.Source, table string) {
	var e *dataset.ParseError
	if l, several := src.(dataset.Locator); several && errors.As(err, &e) && e.Row > 0 && e.File == table {
		e.File, e.Row = l.Locate(e.Row)
	}
}
