//go:build !js

package commands

import (
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/lab/heldout"
)

// inTime returns the methods that suit the table. For a table with lags they learn from its unrolled form, which it returns too:
// each lagged value is a column, such as sales(t-1), and an input. words is the list of the user.
func (a *app) inTime(candidates []heldout.Candidate, table *polydag.Table, words []string) ([]heldout.Candidate, *polydag.Table, error) {
	var out []heldout.Candidate
	var without []string
	flat := table
	for _, c := range candidates {
		info := c.Config.Method.Info()
		named := slices.ContainsFunc(words, func(word string) bool {
			name, _, _ := strings.Cut(strings.TrimSpace(word), ":")
			return name == info.Name
		})
		if table.TimeSeries() == nil {
			if info.Time && named {
				return nil, nil, command.NeedsTime(info)
			}
			if !info.Time {
				out = append(out, c)
			}
			continue
		}
		t, own, err := table.Unrolled(c.Config)
		switch {
		case err != nil && named:
			return nil, nil, err
		case err != nil:
			without = append(without, c.Label)
		default:
			flat, c.Config = t, own
			out = append(out, c)
		}
	}
	if len(without) > 0 {
		a.Note(fmt.Sprintf("omitted, because they do not support lags: %s", strings.Join(without, ", ")))
	}
	return out, flat, nil
}
