package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/csv"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/prepare"
)

// reading are the flags of a command that reads a table, and what they become.
type reading struct {
	options   files.Options
	take      polydag.Preparation
	delimiter string
	decimal   string
	rows      string
	max       bytesFlag
	kinds     []string

	own    *pflag.FlagSet      // the flags that say how the table is read
	stored map[string][]string // those that a result has, by name
}

func defaultReading() *reading {
	return &reading{options: files.DefaultOptions(), take: polydag.DefaultPreparation(), own: pflag.NewFlagSet("", pflag.ContinueOnError)}
}

// bind adds flags that say how the table is read to a command, and remembers that they do.
func (r *reading) bind(f *pflag.FlagSet, add func(*pflag.FlagSet)) {
	part := pflag.NewFlagSet("", pflag.ContinueOnError)
	part.SortFlags = false
	add(part)
	f.AddFlagSet(part)
	r.own.AddFlagSet(part)
}

func newReading(f *pflag.FlagSet) *reading {
	r := defaultReading()
	r.bind(f, r.choiceFlags)
	r.bind(f, r.valueFlags)
	r.bind(f, r.fileFlags)
	r.memoryFlag(f)
	return r
}

// valueFlags adds the flags that say what becomes of the values.
func (r *reading) valueFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&r.take.Keep, "keep", nil, "columns to use although polydag would exclude them, such as identifiers, as a name, a pattern with * or a list with commas; repeat for more")
	f.StringVar((*string)(&r.take.Encode), "encode", string(r.take.Encode), "columns of text: levels (one categorical variable each), onehot, ordinal, drop or error")
	f.StringVar((*string)(&r.take.Missing), "missing", string(r.take.Missing), "missing values: auto (drop the rows, after columns that are mostly missing where too few rows would be left), drop, mean, pairwise or error")
	f.StringVar(&r.take.Targets, "targets", "", "column that says, row by row, which columns were set from outside: names with ; between them, or nothing; or COLUMN:VALUE=NAMES,… for a column of other words; it is no variable")
	f.StringVar(&r.take.Regimes, "regimes", "", "column that tells conditions apart of which it is not known what they change; it is no variable, and the result says which mechanisms differ")
	f.StringArrayVar(&r.take.Log, "log", nil, "columns to take the logarithm of, as a name, a pattern with * or a list with commas; repeat for more")
	f.BoolVar(&r.take.NormalScores, "normal-scores", false, "replace each column by the normal scores of its ranks (keeps the table in memory)")
	f.IntVar(&r.take.Discretize, "discretize", 0, "cut columns of more than ten different numbers into so many classes, 2 to 10, where the other columns change most (keeps the table in memory)")
}

// newCounting is newReading without what is done to values, which counts keep as they are.
func newCounting(f *pflag.FlagSet) *reading {
	r := defaultReading()
	r.bind(f, r.choiceFlags)
	r.bind(f, r.fileFlags)
	r.memoryFlag(f)
	return r
}

// choiceFlags adds the flags that say which rows and columns are read.
func (r *reading) choiceFlags(f *pflag.FlagSet) {
	f.StringVar(&r.options.Format, "format", "", "format of the table: "+strings.Join(files.Formats(), ", ")+" (default: what its first bytes say)")
	f.StringArrayVar(&r.take.Columns, "columns", nil, "columns to take, as a name, a pattern with * or a list with commas; repeat for more (default all)")
	f.StringArrayVar(&r.take.Drop, "drop", nil, "columns to leave out, as a name, a pattern with * or a list with commas; repeat for more")
	f.StringVar(&r.rows, "rows", "", "rows to take: 1000 for the first thousand, 501:1000 for a range (default all)")
}

// fileFlags adds the flags that say what stands in a file.
func (r *reading) fileFlags(f *pflag.FlagSet) {
	f.StringVar(&r.delimiter, "delimiter", "", "CSV: what separates the fields: a sign, tab, or spaces for runs of spaces and tabs (default: found out)")
	f.StringVar(&r.decimal, "decimal", "", "CSV: sign before the decimals, . or , (default: found out)")
	f.BoolVar(&r.options.CSV.NoHeader, "no-header", false, "CSV: the first row is data; columns are x0, x1, …")
	f.StringArrayVar(&r.options.CSV.NA, "na", nil, "CSV: another word for a missing value; COLUMN=WORD,WORD for one column; \"\" or COLUMN= takes NA, None and the like as words; repeat for more")
	f.StringVar(&r.options.CSV.Encoding, "encoding", "auto", "CSV: "+strings.Join(dataset.CSVEncodings(), ", "))
	f.StringVar(&r.options.CSV.DateOrder, "date-order", "", "CSV: order of day and month in dates such as 01/02/2024, dmy or mdy (default: detected for each column)")
	f.StringVar(&r.options.Table, "table", "", "SQLite: table or view to read")
	f.StringVar(&r.options.Query, "query", "", "SQLite: SELECT whose rows to read")
	f.StringVar(&r.options.Sheet, "sheet", "", "Excel: sheet to read")
	f.StringVar(&r.options.Array, "array", "", "NPZ: array to read")
}

// memoryFlag adds --max-memory.
func (r *reading) memoryFlag(f *pflag.FlagSet) {
	f.Var(&r.max, "max-memory", "refuse what would need more memory, such as 2G (default: what the machine has free)")
}

// check refuses what can be refused before anything is read.
func (r *reading) check(threads int) error {
	switch {
	case r.delimiter == "":
	case r.delimiter == "tab" || r.delimiter == `\t`:
		r.options.CSV.Delimiter = '\t'
	case r.delimiter == "spaces":
		r.options.CSV.Blanks = true
	case len(r.delimiter) == 1:
		r.options.CSV.Delimiter = r.delimiter[0]
		if (dataset.CSVSettings{Delimiter: r.delimiter[0], Threads: 1, MaxLine: 1, MaxColumns: 1}).Validate() != nil {
			return usagef("--delimiter %q: want tab, spaces, or a sign that is in no number and is no letter or quote", r.delimiter)
		}
	default:
		return usagef("--delimiter %q: want one character, tab or spaces", r.delimiter)
	}
	switch r.decimal {
	case "":
	case ".", ",":
		r.options.CSV.Decimal = r.decimal[0]
	default:
		return usagef("--decimal %q: want . or ,", r.decimal)
	}
	if r.decimal == "," && r.delimiter == "," {
		return usagef("--decimal and --delimiter are both a comma; set one of them to another sign")
	}
	if err := r.parseRows(); err != nil {
		return err
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
			return usagef("--%s %q is unknown; choose %s", choice.flag, choice.value, strings.TrimPrefix(strings.Join(choice.words, ", "), ", "))
		}
	}
	if err := kind.Check(r.kinds); err != nil {
		return usageError{fmt.Errorf("--kind %w", err)}
	}
	if n := r.take.Discretize; n != 0 && (n < 2 || n > 10) {
		return usagef("--discretize %d: want 2 to 10 classes", n)
	}
	if r.take.Discretize != 0 && r.take.NormalScores {
		return usagef("--discretize and --normal-scores both go by ranks; give one of them")
	}
	if _, _, err := prepare.SplitTargets(r.take.Targets); err != nil {
		return usageError{fmt.Errorf("--targets %w", err)}
	}
	if r.take.Targets != "" && r.take.Regimes != "" {
		return usagef("--targets and --regimes both tell rows apart; give one of them")
	}
	if r.take.Clusters != "" && (r.take.Targets != "" || r.take.Regimes != "") {
		with := "targets"
		if r.take.Targets == "" {
			with = "regimes"
		}
		return usagef("--clusters and --%s: how much rows that belong together tell is not known for parts of a table; leave one of them out", with)
	}
	if r.options.Table != "" && r.options.Query != "" {
		return usagef("--table and --query both choose the rows; give one of them")
	}
	r.options.Threads, r.options.CSV.Threads, r.take.Threads = threads, threads, threads
	if err := r.options.Validate(); err != nil {
		return usageError{err}
	}
	if r.take.MaxMemory = int64(r.max); r.max == 0 {
		if free, ok := memory.Available(); ok {
			r.take.MaxMemory = free
		}
	}
	switch least := int64(1 << 20); {
	case r.max > 0:
		r.options.MaxMemory = max(least, int64(r.max))
	case r.take.MaxMemory > 0:
		r.options.MaxMemory = max(least, min(r.options.MaxMemory, r.take.MaxMemory/2))
	}
	return nil
}

// fillings are the values of --missing.
var fillings = []string{"auto", "drop", "mean", "pairwise", "error"}

// encodings are the values of --encode.
var encodings = []string{"levels", "onehot", "ordinal", "drop", "error"}

// kindFlag adds --kind, for commands that choose a model or show the choice.
func (r *reading) kindFlag(f *pflag.FlagSet) {
	r.bind(f, func(f *pflag.FlagSet) {
		f.StringArrayVar(&r.kinds, "kind", nil, "take columns as another kind than their values tell, as NAME=continuous, count, ordinal, binary or categorical; NAME may have *; repeat for more")
	})
}

// clusterFlag adds --clusters, for commands that count rows.
func (r *reading) clusterFlag(f *pflag.FlagSet) {
	r.bind(f, func(f *pflag.FlagSet) {
		f.StringVar(&r.take.Clusters, "clusters", "", "column whose values tell which rows belong together, such as several pictures of one person; it is no variable, and such rows count as fewer")
	})
}

// parseRows reads --rows: N, or FIRST:LAST with either end left out.
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

// tableArgs is for commands whose arguments are the files of one table.
func tableArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usagef("%s takes one table, in one file or several, or - for standard input, got 0 arguments; see %s --help", cmd.CommandPath(), cmd.CommandPath())
	case len(args) > 1 && slices.Contains(args, "-"):
		return usagef("standard input is a whole table and cannot be one of %d files; give - alone, or names only", len(args))
	}
	return nil
}

// tableFiles returns the files that the arguments of a command name, folders and patterns as what is in them.
func tableFiles(args []string) ([]string, error) {
	all, err := files.Parts(args)
	if errors.Is(err, files.ErrTwice) {
		return nil, usageError{err}
	}
	return all, err
}

// tableName is what messages call a table by the files that it was given as.
func tableName(args []string) string {
	if more := len(args) - 1; more > 0 {
		return fmt.Sprintf("%s and %d more", args[0], more)
	}
	return args[0]
}

// shellWords returns arguments as they are typed.
func shellWords(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = shellWord(arg)
	}
	return strings.Join(words, " ")
}

// gathered is a table as read, under the name that messages call it by.
type gathered struct {
	*polydag.Table
	name  string
	close func() error // the input, which a run may read again
}

// stuckAfter is how long a read that was interrupted may take to end in order. A pipe that nobody writes to, or a file on a
// server that is gone, would hold it for ever.
const stuckAfter = grace / 2

// gather reads a table, which may be in several files, or moments that were saved. It returns soon after ctx has ended.
func (r *reading) gather(ctx context.Context, a *app, paths []string, say *console, profile bool) (*gathered, error) {
	return within(ctx, tableName(paths), "read", func() (*gathered, error) { return r.read(ctx, a, paths, say, profile) })
}

// within does something to a table, which is "read" or the like. When ctx ends first it returns soon, and leaves the work behind
// if need be.
func within[V any](ctx context.Context, path, done string, work func() (V, error)) (v V, err error) {
	ended := make(chan struct{})
	var got V
	var fault error
	go func() {
		defer close(ended)
		got, fault = work()
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		select {
		case <-ended:
		case <-time.After(stuckAfter):
			return v, interrupted(ctx, path, done)
		}
	}
	if fault != nil && ctx.Err() != nil {
		return v, interrupted(ctx, path, done)
	}
	return got, fault
}

// interrupted says why a read ended early.
func interrupted(ctx context.Context, path, done string) error {
	if path == "-" {
		path = "standard input"
	}
	if errors.Is(context.Cause(ctx), errDeadline) {
		return fmt.Errorf("%w while %s was being %s; nothing was written", errDeadline, path, done)
	}
	return interruption{fmt.Sprintf("interrupted while %s was being %s; nothing was written", path, done)}
}

// open opens the files of a table and says what they are.
func (r *reading) open(ctx context.Context, a *app, paths []string, say *console) (*files.Input, error) {
	options := r.options
	options.CreateTemp = a.left.createFile
	stdin := a.in
	if _, whole := files.Whole(stdin); !whole {
		stdin = interruptible(ctx, a.in)
	}
	in, err := files.OpenAll(paths, stdin, options)
	if err == nil {
		say.detail(fmt.Sprintf("reading %s as %s", in.Name, in.Format), "file", in.Name, "format", in.Format, "compression", in.Compression)
	}
	return in, err
}

func (r *reading) read(ctx context.Context, a *app, paths []string, say *console, profile bool) (_ *gathered, fault error) {
	in, err := r.open(ctx, a, paths, say)
	if err != nil {
		return nil, err
	}
	out := &gathered{name: in.Name, close: in.Close}
	defer func() {
		if fault != nil {
			in.Close()
		}
	}()
	if m, _ := in.Saved(); m != nil {
		if flag := r.needsRows(); flag != "" {
			return nil, usagef("%s holds saved moments: there are no rows for --%s", in.Name, flag)
		}
	}
	bar := say.bar()
	opt := r.take
	opt.File, opt.Profile, opt.Progress = in.Name, profile, bar.reading
	out.Table, err = polydag.Prepare(ctx, in, opt)
	bar.clear()
	if errors.Is(err, prepare.ErrUnknownColumn) || errors.Is(err, csv.ErrNAColumn) { // of --columns, --drop, --log or --na
		return nil, usageError{err}
	}
	if err != nil {
		return nil, err
	}
	out.Source.Reading = r.given()
	for _, x := range out.Source.Excluded {
		if slices.ContainsFunc(r.kinds, func(rule string) bool { return strings.HasPrefix(rule, x.Name+"=") }) {
			return nil, usagef("--kind: column %s is excluded (%s: %s); use it with --keep %s", x.Name, x.Reason, x.Detail, shellWord(x.Name))
		}
	}
	if err := out.Overrule(r.kinds); err != nil {
		return nil, usageError{fmt.Errorf("--kind %w", err)}
	}
	for _, flag := range r.idle(in.Format) {
		say.note(fmt.Sprintf("--%s has no effect on %s, which is %s", flag, in.Name, in.Format))
	}
	m := out.Moments
	say.detail(fmt.Sprintf("read %d rows × %d columns in %.2f s", m.N, m.Dim(), out.ReadSeconds), "rows", m.N, "columns", m.Dim(), "seconds", out.ReadSeconds)
	if in.Format == files.CSV && m.Dim() > 0 && numeric(m.Names) {
		say.warn(fmt.Sprintf("every column name of %s is a number; if the file has no header, its first row was taken for one: --no-header", in.Name))
	}
	if p := out.Profile; p != nil {
		for _, note := range p.Notes {
			say.note(wordedNote(note))
		}
	}
	return out, nil
}

// needsRows names a flag that is set and means nothing for moments.
func (r *reading) needsRows() string {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"columns", r.take.Columns != nil}, {"drop", r.take.Drop != nil}, {"keep", r.take.Keep != nil}, {"rows", r.rows != ""}, {"log", r.take.Log != nil},
		{"normal-scores", r.take.NormalScores}, {"discretize", r.take.Discretize != 0}, {"targets", r.take.Targets != ""}, {"regimes", r.take.Regimes != ""}, {"kind", r.kinds != nil},
		{"clusters", r.take.Clusters != ""},
	} {
		if f.set {
			return f.name
		}
	}
	return ""
}

// idle names the flags that are set and mean nothing for tables of a format.
func (r *reading) idle(format string) (flags []string) {
	for _, f := range []struct {
		name    string
		set     bool
		formats []string
	}{
		{"delimiter", r.delimiter != "", []string{files.CSV, files.TSV}},
		{"no-header", r.options.CSV.NoHeader, []string{files.CSV, files.TSV, files.XLSX}},
		{"decimal", r.decimal != "", []string{files.CSV, files.TSV}},
		{"na", r.options.CSV.NA != nil, []string{files.CSV, files.TSV}},
		{"encoding", r.options.CSV.Encoding != "auto" && r.options.CSV.Encoding != "", []string{files.CSV, files.TSV}},
		{"date-order", r.options.CSV.DateOrder != "", []string{files.CSV, files.TSV}},
		{"table", r.options.Table != "", []string{files.SQLite}},
		{"query", r.options.Query != "", []string{files.SQLite}},
		{"sheet", r.options.Sheet != "", []string{files.XLSX}},
		{"array", r.options.Array != "", []string{files.NPZ}},
	} {
		if f.set && !slices.Contains(f.formats, format) {
			flags = append(flags, f.name)
		}
	}
	return flags
}

// numeric reports whether every name reads as a number.
func numeric(names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool {
		_, err := strconv.ParseFloat(n, 64)
		return err != nil
	})
}
