package command

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/explain"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// people are the flags for tables of attributes of people.
type people struct {
	on                  bool
	sensitive, outcomes []string
}

func newPeople(f *pflag.FlagSet) *people {
	p := &people{}
	f.BoolVar(&p.on, "people", false, "the columns are attributes of people: add a caution to the result (on by itself for columns of CelebA)")
	f.StringSliceVar(&p.sensitive, "sensitive", nil, "sensitive columns, comma-separated: list the paths from them, and compare the mechanisms of the subgroups (includes --set people)")
	f.StringSliceVar(&p.outcomes, "outcomes", nil, "--sensitive: list only paths to these columns, comma-separated (default all)")
	return p
}

// check marks a table of faces, and reports columns that the table does not have.
func (p *people) check(data *gathered) error {
	columns, take := data.Moments.Names, data.how.Preparation
	data.Source.Faces, data.Source.Sensitive = trust.OfPeople(columns), p.sensitive
	switch {
	case len(p.sensitive) == 0 && len(p.outcomes) > 0:
		return usagef("--set outcomes has no effect without --sensitive")
	case len(p.sensitive) > 0 && (take.Environments != "" || take.Targets != "" || take.Time.Column != ""):
		return usagef("--sensitive compares subgroups as environments, so --environments, --targets and --time exclude it")
	}
	for _, name := range slices.Concat(p.sensitive, p.outcomes) {
		if !slices.Contains(columns, name) {
			return usagef("--sensitive and --set outcomes: %q is not a column of the graph%s", name, nearColumn(name, columns))
		}
	}
	return nil
}

// add puts the caution, the paths and the differences between subgroups into the warnings of a result.
func (p *people) add(ctx context.Context, res *polydag.Result, data *gathered) error {
	if !p.on && len(p.sensitive) == 0 && !trust.OfPeople(res.Names) {
		return nil
	}
	res.Warnings = append(res.Warnings, trust.PeopleCaution)
	paths, err := p.paths(res)
	if err != nil {
		return err
	}
	res.Warnings = append(res.Warnings, paths...)
	for _, name := range p.sensitive {
		text, err := subgroups(ctx, name, data)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			text = fmt.Sprintf("the subgroups of %s were not compared: %v", name, err)
		}
		res.Warnings = append(res.Warnings, text)
	}
	return nil
}

// mostPaths is the number of paths that are listed for a sensitive column.
const mostPaths = 5

// paths lists the directed paths from the sensitive columns.
func (p *people) paths(res *polydag.Result) (lines []string, err error) {
	if len(p.sensitive) == 0 {
		return nil, nil
	}
	model, err := explain.NewModel(res.Names, directedEdges(res))
	if err != nil {
		return nil, err
	}
	outcomes := p.outcomes
	if outcomes == nil {
		outcomes = res.Names
	}
	opt := explain.DefaultSettings()
	opt.NoSlopes = true
	for _, from := range p.sensitive {
		var found []explain.Path
		count := 0
		for _, to := range outcomes {
			if to == from {
				continue
			}
			e, err := model.Between(from, to, opt)
			if err != nil {
				return nil, err
			}
			found, count = append(found, e.Directed.Listed...), count+e.Directed.Count
		}
		slices.SortStableFunc(found, func(a, b explain.Path) int { return len(a.Nodes) - len(b.Nodes) })
		var shown []string
		for _, path := range found[:min(mostPaths, len(found))] {
			text := strings.Join(path.Nodes, " → ")
			if len(path.Undirected) > 0 {
				text += " (direction not stated)"
			}
			shown = append(shown, text)
		}
		switch {
		case count == 0:
			lines = append(lines, fmt.Sprintf("no directed path leads from the sensitive column %s", from))
		default:
			more := ""
			if count > len(shown) {
				more = fmt.Sprintf("; %d more", count-len(shown))
			}
			lines = append(lines, fmt.Sprintf("%s from the sensitive column %s: %s%s", plural(count, "directed path"), from, strings.Join(shown, ", "), more))
		}
	}
	return lines, nil
}

// subgroups learns with a sensitive column as the environment, and says how many rows each subgroup has and which mechanisms
// differ.
func subgroups(ctx context.Context, name string, data *gathered) (string, error) {
	opt := data.how.Preparation
	opt.Environments, opt.Profile = name, false
	table, err := polydag.Prepare(ctx, data.input, opt)
	if err != nil {
		return "", err
	}
	res, err := table.Learn(ctx, data.how.Config, polydag.Run{})
	if err != nil {
		return "", err
	}
	if res.Environments == nil {
		return "", fmt.Errorf("method %s does not compare environments", res.Method)
	}
	var rows []string
	for _, r := range res.Environments.Rows {
		rows = append(rows, fmt.Sprintf("%s = %s in %d", name, r.Environment, r.Rows))
	}
	slices.Sort(rows)
	return fmt.Sprintf("subgroups: %s rows; %s", strings.Join(rows, ", "), differing(res, table)), nil
}

// mostMechanisms is the number of mechanisms that are listed for a sensitive column.
const mostMechanisms = 10

// differing lists the columns whose mechanisms differ between environments, those with the largest shift of the mean first: the part of the
// difference of the means that the causes of the column do not explain by linear effects, in standard deviations.
func differing(res *polydag.Result, table *polydag.Table) string {
	type mechanism struct {
		column string
		shift  float64
	}
	var list []mechanism
	for _, c := range res.Environments.Changed {
		m := mechanism{c.Column, shiftOf(res, table, c)}
		if at := slices.IndexFunc(list, func(o mechanism) bool { return o.column == m.column }); at < 0 {
			list = append(list, m)
		} else if math.Abs(m.shift) > math.Abs(list[at].shift) {
			list[at] = m
		}
	}
	if len(list) == 0 {
		return "no mechanism differs between them"
	}
	slices.SortStableFunc(list, func(a, b mechanism) int { return cmp.Compare(math.Abs(b.shift), math.Abs(a.shift)) })
	var text []string
	for _, m := range list[:min(mostMechanisms, len(list))] {
		if m.shift == 0 { // of categories
			text = append(text, m.column)
			continue
		}
		text = append(text, fmt.Sprintf("%s (%.2f)", m.column, math.Abs(m.shift)))
	}
	said := "the mechanisms differ for " + strings.Join(text, ", ")
	if more := len(list) - len(text); more > 0 {
		said += fmt.Sprintf(" and %d more", more)
	}
	return said + "; in parentheses the shift of the mean with the causes fixed, in standard deviations"
}

// shiftOf returns the shift of the mean of a column in an environment against the other ones, or 0 if it has none.
func shiftOf(res *polydag.Result, table *polydag.Table, c polydag.Changed) float64 {
	all, v := table.Moments, slices.Index(res.Names, c.Column)
	k := slices.Index(table.Environments.Names, c.Environment)
	if k < 0 || v < 0 || table.Kinds != nil && table.Kinds[v].Kind == dataset.Categorical && table.Kinds[v].Levels > 2 {
		return 0
	}
	var parents []int
	for _, e := range res.Edges {
		if e.To == c.Column {
			parents = append(parents, slices.Index(res.Names, e.From))
		}
	}
	reg, err := score.RegressOn(all, v, parents)
	own, std := table.Environments.Moments[k], all.Std()
	if err != nil || own.N == 0 || own.N >= all.N {
		return 0
	}
	others := float64(all.N) / float64(all.N-own.N) // the mean of all rows includes those of the environment
	shift := (own.Mean[v] - all.Mean[v]) / std[v]
	for j, p := range parents {
		shift -= reg.Beta[j] * (own.Mean[p] - all.Mean[p]) / std[p]
	}
	if shift *= others; shift-shift != 0 {
		return 0
	}
	return shift
}
