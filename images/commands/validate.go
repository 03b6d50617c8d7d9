package commands

import (
	"context"
	"fmt"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/images/pictures"
	"github.com/polydag/polydag/images/validation"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/resample"
)

// validating holds the flags for labels with errors.
type validating struct {
	file, column string
	errors       *validation.Errors // nil without a file
	labels       *polydag.Table     // before the correction
}

// part adds --validation to learn: the moments are corrected for the errors of labels.
func part(t *command.Task) *command.Part {
	if t.Command != "learn" {
		return nil
	}
	v := &validating{}
	t.Flags.StringVar(&v.file, "validation", "", "table with human labels of some rows: estimate the errors of 0/1 labels and correct the moments for them (linear model)")
	t.Flags.StringVar(&v.column, "validation-key", dataset.ClassifiedColumn, "--validation: column that both tables have and that identifies a row")
	return &command.Part{
		Check:  func(_ context.Context, t *command.Task) error { return v.check(t) },
		Change: v.apply,
		Learn: func(ctx context.Context, t *command.Task, learn command.Learner) (*polydag.Result, error) {
			if err := v.replicates(ctx, t); err != nil {
				return nil, err
			}
			res, err := learn(ctx)
			if res != nil {
				v.warn(res)
			}
			return res, err
		},
	}
}

// check reports flags that do not fit together.
func (v *validating) check(t *command.Task) error {
	switch {
	case v.file == "":
		return nil
	case t.On("nats") || t.On("nats-file"):
		return command.Usagef("--validation corrects the moments in this process, so --nats excludes it")
	case t.On("calibrate"):
		return command.Usagef("--validation learns from corrected moments, and --calibrate simulates rows; leave --calibrate out")
	}
	return nil
}

// apply replaces a table by its corrected moments.
func (v *validating) apply(ctx context.Context, t *command.Task) error {
	take := t.Preparation
	switch {
	case v.file == "":
		return nil
	case take.Environments != "" || take.Targets != "" || take.Time.Column != "":
		return command.Usagef("--validation corrects one table of independent rows, so --environments, --targets and --time exclude it")
	}
	human, err := v.read(ctx)
	if err != nil {
		return err
	}
	src, err := t.Source(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	table, err := pictures.Read(ctx, src, pictures.Columns{Image: v.column, Names: t.Table.Moments.Names, Scores: t.Table.Source.Scores})
	if err != nil {
		return command.Usagef("%s: --set validation-key: %w", t.Name, err)
	}
	columns, labels, truth := matched(t.Table.Moments.Names, table, human)
	if len(columns) == 0 {
		return command.Usagef("--validation %s: no column and row of %s; the tables need the column %s and columns with the same names", v.file, t.Name, v.column)
	}
	if v.errors, err = validation.Estimate(columns, labels, truth); err != nil {
		return fmt.Errorf("--validation %s: %w", v.file, err)
	}
	corrected, err := correct(v.errors, t.Table)
	if err != nil {
		return fmt.Errorf("--validation %s: %w", v.file, err)
	}
	v.labels = t.Table
	t.Table = v.labels.WithMoments(corrected)
	t.Table.Source.Notes = append(slices.Clone(v.labels.Source.Notes), v.note(corrected.N))
	v.tell(t, corrected.N)
	return nil
}

// correct returns the corrected moments of a table.
func correct(e *validation.Errors, t *polydag.Table) (*dataset.Moments, error) {
	m, err := e.Correct(t.Moments)
	if c := t.Source.Groups; err == nil && c != nil { // rows of one group count less
		m = m.CountedAs(max(2, m.N*c.EffectiveRows/max(1, c.Rows)))
	}
	return m, err
}

// replicates makes the samples of a table with corrected labels: each is corrected by errors from a bootstrap sample of the validated rows.
func (v *validating) replicates(ctx context.Context, t *command.Task) error {
	if v.errors == nil || t.Samples.Replicates == 0 {
		return nil
	}
	from, err := v.labels.Resampler(ctx, t.Samples.MostBytes)
	if err != nil {
		return err
	}
	change := func(sample *polydag.Table, d polydag.Draw) (*polydag.Table, error) {
		errors, err := v.errors.Redrawn(resample.Draw{Kind: string(d.Kind), Seed: d.Seed, Replicate: d.Replicate})
		if err != nil {
			return nil, err
		}
		m, err := correct(errors, sample)
		if err != nil {
			return nil, err
		}
		return sample.WithMoments(m), nil
	}
	t.Runner = confidence.Pool{From: from, Workers: t.Config.Threads, Change: change}
	return nil
}

// unvalidated is said of a table of polydag-images.
const unvalidated = "the labels are those of a model and unvalidated: edges can join its errors; label some images by hand and add --validation"

// excludedAs matches an excluded column of a name.
func excludedAs(name string) func(dataset.Excluded) bool {
	return func(x dataset.Excluded) bool { return x.Name == name }
}

// read reads the human labels.
func (v *validating) read(ctx context.Context) (*pictures.Rows, error) {
	in, err := files.Open(v.file, nil, files.DefaultSettings())
	if err != nil {
		return nil, fmt.Errorf("--validation: %w", err)
	}
	defer in.Close()
	src, err := in.Source(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	var all []string
	for _, c := range src.Columns() {
		if c.Name != v.column {
			all = append(all, c.Name)
		}
	}
	rows, err := pictures.Read(ctx, src, pictures.Columns{Image: v.column, Names: all})
	if err != nil {
		return nil, command.Usagef("--validation %s: --set validation-key: %w", v.file, err)
	}
	return rows, nil
}

// matched returns the columns that both tables have, and their values in the rows that both have.
func matched(names []string, table, human *pictures.Rows) (both []string, labels, truth [][]float64) {
	rows := map[string]int{}
	for i, name := range table.Images() {
		rows[name] = i
	}
	for _, name := range names {
		l, h := table.Numbers(name), human.Numbers(name)
		if l == nil || h == nil {
			continue
		}
		var x, y []float64
		for i, image := range human.Images() {
			if k, ok := rows[image]; ok {
				x, y = append(x, l[k]), append(y, h[i])
			}
		}
		if len(x) > 0 {
			both, labels, truth = append(both, name), append(labels, x), append(truth, y)
		}
	}
	return both, labels, truth
}

// note records the correction in the result.
func (v *validating) note(effective int) string {
	text := fmt.Sprintf("Moments corrected for label errors; %d rows count as %d. Sensitivity and specificity:", v.labels.Moments.N, effective)
	for i, c := range v.errors.Columns {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %s %.2f and %.2f", c.Column, c.Sensitivity, c.Specificity)
	}
	return text + "."
}

// tell prints the errors of the labels.
func (v *validating) tell(t *command.Task, effective int) {
	width := len("column")
	for _, c := range v.errors.Columns {
		width = max(width, len([]rune(c.Column)))
	}
	t.Line(fmt.Sprintf("Validation: %s; %d rows count as %d.", names.Count(v.errors.Columns[0].Rows(), "row"), v.labels.Moments.N, effective))
	t.Line(fmt.Sprintf("  %-*s  sensitivity  specificity", width, "column"))
	for _, c := range v.errors.Columns {
		t.Line(fmt.Sprintf("  %-*s  %11.2f  %11.2f", width, c.Column, c.Sensitivity, c.Specificity))
	}
}

// warn adds to a result that its labels are unvalidated, or the edges that label errors could explain.
func (v *validating) warn(res *polydag.Result) {
	if v.errors == nil {
		if slices.ContainsFunc(res.Table.Excluded, excludedAs(dataset.ClassifiedColumn)) {
			res.Warnings = append(res.Warnings, unvalidated)
		}
		return
	}
	for _, e := range res.Edges {
		if v.errors.Explains(v.labels.Moments, e.From, e.To) {
			res.Warnings = append(res.Warnings, fmt.Sprintf("label errors that occur together could explain the edge between %s and %s", e.From, e.To))
		}
	}
}
