package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/explain"
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
	data.Source.Faces = trust.OfPeople(columns)
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
	var rows, changed []string
	for _, r := range res.Environments.Rows {
		rows = append(rows, fmt.Sprintf("%s = %s in %d", name, r.Environment, r.Rows))
	}
	for _, c := range res.Environments.Changed {
		if !slices.Contains(changed, c.Column) {
			changed = append(changed, c.Column)
		}
	}
	slices.Sort(rows)
	text := fmt.Sprintf("subgroups: %s rows; ", strings.Join(rows, ", "))
	if len(changed) == 0 {
		return text + "no mechanism differs between them", nil
	}
	return text + "the mechanisms differ for " + strings.Join(changed, ", "), nil
}
