package command

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/memory"
)

// reading are the flags of a command that reads a table, and the resulting settings.
type reading struct {
	app       *app
	screen    *console // receives the messages
	options   files.Settings
	take      polydag.Preparation
	delimiter string
	decimal   string
	rows      string
	kinds     []string
	lags      string // --lags
	fixed     bool   // --set fixed-effects
	censored  string // --set censored

	sample        int  // rows in the sample of a preview
	listsExcluded bool // the output of the command lists the excluded columns, so no note does

	known *knowledgeFlags // nil, or the knowledge whose names are columns of the table

	label bool // the rows of two files have environments 0 and 1

	again *polydag.Result // the result whose table is read again, or nil

	own    *pflag.FlagSet      // the flags that say how the table is read
	all    *pflag.FlagSet      // all flags of the command
	stored map[string][]string // the flags that a result has, by name
}

// readingWith returns the default settings, with these groups of flags.
func readingWith(a *app, f *pflag.FlagSet, groups ...func(*reading, *pflag.FlagSet)) *reading {
	r := &reading{app: a, screen: a.screen, options: files.DefaultSettings(), take: ungrouped(), own: pflag.NewFlagSet("", pflag.ContinueOnError), all: f}
	for _, add := range groups {
		r.bind(f, func(f *pflag.FlagSet) { add(r, f) })
	}
	return r
}

// ungrouped returns the default settings without groups, which only commands with --groups look for.
func ungrouped() polydag.Preparation {
	p := polydag.DefaultPreparation()
	p.Groups = ""
	return p
}

// bind adds flags that define how the table is read to a command and to own.
func (r *reading) bind(f *pflag.FlagSet, add func(*pflag.FlagSet)) {
	part := pflag.NewFlagSet("", pflag.ContinueOnError)
	part.SortFlags = false
	add(part)
	f.AddFlagSet(part)
	r.own.AddFlagSet(part)
}

func newReading(a *app, f *pflag.FlagSet) *reading {
	return readingWith(a, f, (*reading).choiceFlags, (*reading).valueFlags, (*reading).fileFlags)
}

// unlist leaves the flags for columns out of the help of a command that usually reads a table as its result says. They still work.
func (r *reading) unlist() {
	r.own.VisitAll(func(f *pflag.Flag) { f.Hidden = f.Hidden || !isSetting(f.Name) })
}

// newTableReading is newReading with all flags for the tables of results.
func newTableReading(a *app, f *pflag.FlagSet) *reading {
	r := newReading(a, f)
	r.kindFlag(f)
	r.groupFlag(f)
	r.timeFlags(f)
	return r
}

// valueFlags adds the flags for the treatment of values.
func (r *reading) valueFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&r.take.Keep, "keep", nil, "keep these columns even if polydag would exclude them, such as identifiers: names or patterns with *, comma-separated; repeatable")
	f.StringVar((*string)(&r.take.Encode), "encode", string(r.take.Encode), "text columns: levels (one categorical variable each), onehot, ordinal, drop or error")
	f.StringVar((*string)(&r.take.Missing), "missing", string(r.take.Missing), "missing values: auto, drop (rows), pairwise (methods by tests) or error; auto uses incomplete rows and assumes that values are missing at random")
	f.StringVar(&r.take.Frequencies, "frequencies", "", "frequency column: the row stands for this number of equal rows; excluded from the graph")
	f.StringVar(&r.take.RowWeights, "row-weights", "", "weight column, such as survey weights, 0 or more; excluded from the graph, and reduces the effective number of rows (Kish)")
	f.StringVar(&r.take.Targets, "targets", "", "column with the intervention targets of each row, separated by ; (empty: observational); COLUMN:VALUE=NAMES,… maps other values to targets; excluded from the graph")
	f.StringVar(&r.take.Environments, "environments", "", "environment column: its values mark conditions with unknown differences; excluded from the graph, and the result lists the mechanisms that differ")
	f.StringVar(&r.censored, "censored", "", "TIME:EVENT, TIME:EVENT:HORIZON or TIME:EVENT:HORIZON:survival: times of which some are censored, with a column that is 1 for an event; the mean of TIME becomes the restricted mean up to HORIZON, or the probability of no event until then; EVENT is excluded from the graph")
	f.StringArrayVar(&r.take.Log, "log", nil, "take the logarithm of these columns: names or patterns with *, comma-separated; repeatable")
	f.BoolVar(&r.take.NormalScores, "normal-scores", false, "replace each column by the normal scores of its ranks, except text and columns with up to ten distinct values (keeps the table in memory)")
	f.IntVar(&r.take.Discretize, "discretize", 0, "bin columns with more than 10 distinct values into this many classes, 2–10, with cut points chosen from the other columns; 0 for none (keeps the table in memory)")
}

// newCounting is newReading without the flags for values, because counts keep values unchanged.
func newCounting(a *app, f *pflag.FlagSet) *reading {
	return readingWith(a, f, (*reading).choiceFlags, (*reading).fileFlags)
}

// choiceFlags adds the flags that select rows and columns.
func (r *reading) choiceFlags(f *pflag.FlagSet) {
	f.StringVar(&r.options.Format, "format", "", "input format: "+strings.Join(files.Formats(), ", ")+" (default: detected from the content)")
	f.StringArrayVar(&r.take.Columns, "columns", nil, "use only these columns: names or patterns with *, comma-separated; repeatable (default all)")
	f.StringArrayVar(&r.take.Drop, "drop", nil, "exclude these columns: names or patterns with *, comma-separated; repeatable")
	f.StringVar(&r.rows, "rows", "", "read only these rows: 1000 for the first 1000, 501:1000 for a range (default all)")
}

// fileFlags adds the flags for file formats.
func (r *reading) fileFlags(f *pflag.FlagSet) {
	f.StringVar(&r.delimiter, "delimiter", "", "CSV: field separator: one character, tab, or spaces for runs of spaces and tabs (default: detected)")
	f.StringVar(&r.decimal, "decimal", "", "CSV: decimal mark, . or , (default: detected)")
	f.BoolVar(&r.options.CSV.NoHeader, "no-header", false, "CSV: the first row is data; columns are named x0, x1, …")
	f.StringArrayVar(&r.options.CSV.NA, "na", nil, "CSV: additional missing-value marker; COLUMN=WORD,WORD for one column; in every format, \"\" or COLUMN= keeps NA, ? and similar as categories; repeatable")
	f.StringVar(&r.options.CSV.Encoding, "encoding", "auto", "CSV: character encoding: "+strings.Join(dataset.CSVEncodings(), ", "))
	f.StringVar(&r.options.CSV.DateOrder, "date-order", "", "CSV: order of day and month in dates such as 01/02/2024: dmy or mdy (default: detected for each column)")
	f.StringVar(&r.options.Sheet, "sheet", "", "Excel: sheet to read")
	f.StringVar(&r.options.Array, "array", "", "NPZ: array to read")
}

// check validates the settings before anything is read.
func (r *reading) check(threads int) error {
	switch {
	case threads < 1:
		return usagef("--threads %d: want at least 1", threads)
	case r.delimiter == "":
	case r.delimiter == "tab" || r.delimiter == `\t`:
		r.options.CSV.Delimiter = '\t'
	case r.delimiter == "spaces":
		r.options.CSV.Blanks = true
	case len(r.delimiter) == 1:
		r.options.CSV.Delimiter = r.delimiter[0]
		if (dataset.CSVSettings{Delimiter: r.delimiter[0], Threads: 1, MaxLine: 1, MaxColumns: 1}).Validate() != nil {
			return usagef("--set delimiter=%q: want tab, spaces, or a character that is not a letter, a quote or part of a number", r.delimiter)
		}
	default:
		return usagef("--set delimiter=%q: want one character, tab or spaces", r.delimiter)
	}
	switch r.decimal {
	case "":
	case ".", ",":
		r.options.CSV.Decimal = r.decimal[0]
	default:
		return usagef("--set decimal=%q: want . or ,", r.decimal)
	}
	if r.decimal == "," && r.delimiter == "," {
		return usagef("--set decimal and --set delimiter are both a comma; change one of them")
	}
	if err := r.parseRows(); err != nil {
		return err
	}
	if r.take.Missing == "mean" {
		return usagef("--missing mean: %s", prepare.NoMean)
	}
	for _, choice := range []struct {
		flag, value string
		words       []string
	}{
		{"encode", string(r.take.Encode), encodings},
		{"missing", string(r.take.Missing), fillings},
		{"format", r.options.Format, append([]string{""}, files.Formats()...)},
		{"encoding", r.options.CSV.Encoding, append([]string{""}, dataset.CSVEncodings()...)},
		{"date-order", r.options.CSV.DateOrder, []string{"", "dmy", "mdy"}},
	} {
		if !slices.Contains(choice.words, choice.value) {
			return usagef("%s%q is unknown; choose %s", valued(choice.flag), choice.value, strings.TrimPrefix(strings.Join(choice.words, ", "), ", "))
		}
	}
	if r.censored != "" {
		if _, err := dataset.ParseCensoring(r.censored); err != nil {
			return usageError{fmt.Errorf("--set censored=%w", err)}
		}
	}
	if err := kind.Check(r.kinds); err != nil {
		return usageError{fmt.Errorf("--kind %w", err)}
	}
	if n := r.take.Discretize; n != 0 && (n < 2 || n > 10) {
		return usagef("--set discretize=%d: want 2 to 10 classes", n)
	}
	if r.take.Discretize != 0 && r.take.NormalScores {
		return usagef("--set discretize and --set normal-scores exclude each other; give one of them")
	}
	if _, _, err := prepare.SplitTargets(r.take.Targets); err != nil {
		return usageError{fmt.Errorf("--targets %w", err)}
	}
	if r.take.Targets != "" && r.take.Environments != "" {
		return usagef("--targets and --environments exclude each other: use --targets if the intervention targets are known; give one of them")
	}
	if r.take.Groups == "none" {
		r.take.Groups = ""
	}
	if r.take.GroupMeans && (r.take.Groups == "" || r.take.Groups == dataset.GroupsAuto) {
		return usagef("--set group-means needs a group column; name it with --groups COLUMN")
	}
	if r.take.Groups != "" && r.take.Groups != dataset.GroupsAuto && (r.take.Targets != "" || r.take.Environments != "") {
		with := "targets"
		if r.take.Targets == "" {
			with = "environments"
		}
		return usagef("--groups and --%s cannot be combined: the effective number of rows is not known within an environment; leave one of them out", with)
	}
	if r.take.RowWeights != "" {
		for _, flag := range []string{"targets", "environments", "groups", "frequencies"} {
			if r.set(flag) {
				return usagef("--set row-weights and %s cannot be combined; leave one of them out", spelled(flag))
			}
		}
		if m := r.take.Missing; m == dataset.MissingDrop || m == dataset.MissingPairwise {
			return usagef("--set row-weights and --missing %s cannot be combined; use --missing auto", m)
		}
	}
	if err := r.checkTime(); err != nil {
		return err
	}
	r.options.Threads, r.options.CSV.Threads, r.take.Threads = threads, threads, threads
	if err := r.options.Validate(); err != nil {
		return usageError{err}
	}
	most := memoryLimit(r.all)
	if r.take.MaxMemory = most; most == 0 {
		if free, ok := memory.Available(); ok {
			r.take.MaxMemory = free
		}
	}
	switch least := int64(1 << 20); {
	case most > 0:
		r.options.MaxMemory = max(least, most)
	case r.take.MaxMemory > 0:
		r.options.MaxMemory = max(least, min(r.options.MaxMemory, r.take.MaxMemory/2))
	}
	return nil
}

// fillings are the valid values of --missing.
var fillings = []string{"auto", "drop", "pairwise", "error"}

// encodings are the valid values of --set encode.
var encodings = []string{"levels", "onehot", "ordinal", "drop", "error"}

// kindFlag adds --kind, for commands that choose or show a model.
func (r *reading) kindFlag(f *pflag.FlagSet) {
	r.bind(f, func(f *pflag.FlagSet) {
		f.StringArrayVar(&r.kinds, "kind", nil, "override the detected kind of a column: NAME=continuous, count, ordinal, binary, categorical or score (of a label: probability, logit or similarity; decided as 0 or 1); NAME may contain *; repeatable")
	})
}

// groupFlag adds --groups, for commands that count rows.
func (r *reading) groupFlag(f *pflag.FlagSet) {
	r.bind(f, func(f *pflag.FlagSet) {
		f.StringVar(&r.take.Groups, "groups", dataset.GroupsAuto, "group column, whose rows with the same value depend on each other, such as measurements of one person: numeric columns are centred within groups; auto uses a column of repeated subjects, none turns this off")
		f.BoolVar(&r.take.GroupMeans, "group-means", false, "with --groups: learn from the means of the groups, one row per group")
	})
}

// parseRows parses --rows: N, or FIRST:LAST with either end omitted.
func (r *reading) parseRows() error {
	if r.rows == "" {
		return nil
	}
	bad := usagef("--rows %q: want a number of rows such as 1000, or a range such as 501:1000", r.rows)
	number := func(s string, open int) (int, error) {
		if s == "" {
			return open, nil
		}
		v, err := strconv.Atoi(s)
		if err != nil || v < 1 || v == math.MaxInt {
			return 0, bad
		}
		return v, nil
	}
	first, last, isRange := strings.Cut(r.rows, ":")
	if !isRange {
		first, last = "", r.rows
	}
	var err error
	if r.take.FirstRow, err = number(first, 0); err != nil {
		return err
	}
	if r.take.LastRow, err = number(last, 0); err != nil {
		return err
	}
	if r.take.LastRow != 0 && r.take.LastRow < r.take.FirstRow {
		return bad
	}
	return nil
}

// set reports whether a flag differs from its default.
func (r *reading) set(name string) bool {
	f := r.own.Lookup(name)
	return f != nil && f.Value.String() != f.DefValue && !(name == "groups" && r.take.Groups == "") // --groups none
}

// needsRows returns the name of a flag that is set but does not apply to saved moments, or "".
func (r *reading) needsRows() string {
	if r.take.Columns != nil { // polydag serve sets this without flags
		return "columns"
	}
	if r.take.Drop != nil {
		return "drop"
	}
	flags := []string{"keep", "rows", "log", "normal-scores", "discretize", "targets", "environments", "kind", "groups", "frequencies", "row-weights", "time", "censored"}
	if i := slices.IndexFunc(flags, r.set); i >= 0 {
		return flags[i]
	}
	return ""
}

// idle returns the flags that are set but have no effect on tables of a format.
func (r *reading) idle(format string) (flags []string) {
	for _, f := range []struct{ formats, flags []string }{
		{[]string{files.CSV, files.TSV}, []string{"delimiter", "encoding"}},
		{[]string{files.CSV, files.TSV, files.XLSX}, []string{"decimal", "na", "date-order"}},
		{[]string{files.CSV, files.TSV, files.XLSX}, []string{"no-header"}},
		{[]string{files.XLSX}, []string{"sheet"}},
		{[]string{files.NPZ}, []string{"array"}},
	} {
		for _, flag := range f.flags {
			if flag == "na" && !slices.ContainsFunc(r.options.CSV.NA, func(rule string) bool { return rule != "" && !strings.HasSuffix(rule, "=") }) {
				continue // without words, it applies to every format
			}
			if r.set(flag) && !slices.Contains(f.formats, format) {
				flags = append(flags, flag)
			}
		}
	}
	return flags
}
